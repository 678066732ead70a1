"""spelled_digits: a phone said digit by digit, in words or in words and figures."""

from datetime import date

import pytest

from maitred.protocol.slots import Slot
from maitred.statemachine.reading.readers import read_slots
from maitred.statemachine.reading.spelled_digits import find_spelled_digits

SLOTS = {
    "phone": Slot(str, read="phone", cues=("phone", "call me on", "电话", "手机")),
    "seats": Slot(int, read="number", cues=("people", "seats", "人", "席位"), required=False),
}


def read(text: str, asked: str | None = None) -> dict[str, object]:
    return dict(read_slots(SLOTS, text, asked=asked, today=date(2026, 4, 29)))


@pytest.mark.parametrize(
    "text",
    [
        "one three eight, double zero, one three eight zero zero zero",
        "my number is one three eight double zero one three eight triple zero",
        "One-three-eight-zero-zero-one-three-eight-zero-zero-zero, please",
        "phone one three eight oh oh one three eight oh oh oh",
        "138 double 0 138 triple 0",
        "1 three 8 00138000",
        "one three eight zero zero one three eight zero zero zero, thanks",
        "幺三八零零一三八零零零",
        "电话幺三八，零零幺三，八零零零",
        "一三八〇〇一三八〇〇〇",
        "壹叁捌零零壹叁捌零零零",
        "壹參捌零零壹參捌零零零",
        "手机号：幺三八 零零幺三 八零零零",
        "幺三八、零零、幺三八、零零零",
    ],
)
def test_a_spelled_mobile_is_read(text: str) -> None:
    """Asked about or not: its shape tells."""
    assert read(text) == {"phone": "13800138000"}
    assert read(text, "phone") == {"phone": "13800138000"}


def test_what_stands_beside_it_is_read_too() -> None:
    """Its digits are nobody else's, and the number before it is not part of it."""
    spelled = "one three eight double zero one three eight triple zero"
    assert read(f"20 people, {spelled}") == {"phone": "13800138000", "seats": 20}
    assert read(f"20, {spelled}", "seats") == {"phone": "13800138000", "seats": 20}
    assert read("三十人，幺三八零零一三八零零零") == {"phone": "13800138000", "seats": 30}


@pytest.mark.parametrize(
    "text",
    [
        *(
            "nine one one",
            "the double room for one or two",
            "oh, one of us",
            "two thousand twenty six",
            "one two three four five six seven",
        ),
        *(
            "一二三四五六七八九十",
            "零零七",
            "二零二六年三月",
            "一二三",
            "一百三十八万零一",
            "三十一三八零零一三八零零零",
        ),
    ],
)
def test_other_words_of_numbers_are_no_phone(text: str) -> None:
    assert "phone" not in read(text)


def test_a_landline_counts_when_asked() -> None:
    """Seven to fifteen digits without a mobile's shape."""
    assert read("five five five oh one double nine", "phone") == {"phone": "5550199"}
    assert read("five five five 0199234", "phone") == {"phone": "5550199234"}
    assert read("five five five", "phone") == {}


def test_long_runs_cost_little() -> None:
    """As many as fit are one run, which no phone is."""
    for text in ("一" * 1900 + "十", "one " * 450 + "x", "double 1 " * 200):
        assert len(list(find_spelled_digits(text))) <= 1
        assert read(text, "phone") == {}
