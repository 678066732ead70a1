"""refusals: an answer that says that no name is given is no name; a name with such a word in it is one."""

from datetime import date

import pytest

from maitred.protocol.slots import Slot
from maitred.statemachine.reading.readers import read_slots

SLOTS = {
    "company": Slot(str, read="text", cues=("company", "公司", "we are", "我们是")),
    "contact": Slot(str, read="text", cues=("my name is", "name", "我叫", "姓名"), required=False),
}


def read(text: str, asked: str | None) -> dict[str, object]:
    return dict(read_slots(SLOTS, text, asked=asked, today=date(2026, 4, 29)))


@pytest.mark.parametrize(
    "text",
    "privacy please|no name|rather not say|I'd rather not say|why do you ask|it's private|keep it private|none of your business|"
    "that's confidential|no comment|anonymous|undisclosed, sorry|N/A|that's personal|top secret|ask later|"
    "no company yet|we are a private person|"
    "not named yet|withheld for now|"
    "不方便说|保密|先不说|隐私|这是个人隐私|无可奉告|匿名|不告诉你|还没有公司|名字就不说了|没起名|不便透露|公司名保密|晚点再说|别问了|暂无|"
    "名称待定|随便写个匿名吧|拒绝回答|涉密单位，不能说|還沒有公司|隱私".split("|"),
)
@pytest.mark.parametrize("asked", list(SLOTS))
def test_a_refusal_is_no_name(text: str, asked: str) -> None:
    assert read(text, asked) == {}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        *[
            (name, name)
            for name in ("Privacy Matters Ltd", "Private Label Foods", "Confidential Records", "Secret Garden Florist")
        ],
        *[(name, name) for name in ("Nameless Studio", "Ask Jeeves", "No. 7 Coffee", "No Limits Gym")],
        *[
            (name, name)
            for name in (
                "隐私科技",
                "保密柜厂",
                "无名咖啡店",
                "无印良品",
                "回头客",
                "匿名者工作室",
                "晚点书店",
                "不二家",
            )
        ],
        ("Rather not say too much. Acme Dental", "Acme Dental"),
        ("不方便多说，蓝海科技", "蓝海科技"),
    ],
)
def test_a_name_with_such_a_word_is_a_name(text: str, name: str) -> None:
    assert read(text, "company") == {"company": name}


@pytest.mark.parametrize(
    "text",
    ["our company is confidential", "company: private", "name: anonymous", "公司：保密", "姓名：匿名", "我叫保密"],
)
@pytest.mark.parametrize("asked", [*SLOTS, None])
def test_a_refusal_behind_a_cue_is_no_name_either(text: str, asked: str | None) -> None:
    assert read(text, asked) == {}
