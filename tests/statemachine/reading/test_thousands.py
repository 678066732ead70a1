"""numbers: thousands set apart in other ways than by a comma, and the capital numerals of Chinese cheques."""

from datetime import date

import pytest

from maitred.protocol.slots import Slot
from maitred.statemachine.reading.numbers import number_from
from maitred.statemachine.reading.readers import read_slots

SLOTS = {
    "seats": Slot(int, read="number", cues=("seats", "people", "人", "席位")),
    "budget": Slot("number", read="number", cues=("budget", "yuan", "元", "预算", "預算", "¥")),
}


def read(text: str, asked: str | None = None) -> dict[str, object]:
    return dict(read_slots(SLOTS, text, asked=asked, today=date(2026, 4, 29)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5 000 yuan", {"budget": 5000}),
        ("budget 12 050", {"budget": 12050}),
        ("5'000 yuan", {"budget": 5000}),
        ("5’500 yuan", {"budget": 5500}),
        ("5\u2009500 yuan", {"budget": 5500}),
        ("5\u202f500 元", {"budget": 5500}),
        ("预算5\u00a0000元", {"budget": 5000}),
        ("预算 1 500 000 元", {"budget": 1_500_000}),
        ("¥5 000.50", {"budget": 5000.5}),
        ("5 000 yuan for 20 people", {"budget": 5000, "seats": 20}),
        ("1'200人，预算30 000元", {"seats": 1200, "budget": 30000}),
        ("5 000 20 people", {"seats": 20}),
        ("seats 20 500 yuan", {"seats": 20, "budget": 500}),
        ("20 seats 500 yuan", {"seats": 20, "budget": 500}),
    ],
)
def test_thousands_apart_are_one_number(text: str, expected: dict[str, int]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    "text", ["1 200 people", "1 200人", "12 345 678 people", "room 1 200 people", "5 000 20", "20 500"]
)
def test_what_may_be_one_number_or_two_is_asked_again(text: str) -> None:
    """Neither the whole nor a part is read, asked for or not."""
    assert read(text) == {}
    assert read(text, "seats") == {}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[
            ("贰叁陆", 236),
            ("貳參陸", 236),
            ("壹拾", 10),
            ("贰拾伍", 25),
            ("貳拾", 20),
            ("參佰", 300),
            ("叄拾", 30),
            ("弍拾", 20),
        ],
        *[("伍仟", 5000), ("壹萬貳仟", 12000), ("陸仟伍佰", 6500), ("壹億", 10**8), ("玖拾玖", 99)],
        *[
            ("5'000", 5000),
            ("5 000 000", 5_000_000),
            ("5 000 20", None),
            ("5'00", None),
            ("5 0000", None),
            ("50 00", None),
        ],
    ],
)
def test_a_whole_text_is_a_number(text: str, value: int | None) -> None:
    assert number_from(text) == value


@pytest.mark.parametrize(
    "text", ["队伍人数20", "我们隊伍20人", "大陆人多，20人", "參加人數20人", "陆续来20人", "收拾完，20人", "參考20人"]
)
def test_a_capital_numeral_inside_another_word_is_none(text: str) -> None:
    assert read(text) == {"seats": 20}
    assert read("预算参萬元") == {}  # 参 is no numeral: 叁 is
