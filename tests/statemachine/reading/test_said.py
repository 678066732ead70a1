"""A model's value counts only if it stands in the customer's own words, in figures, words or any unit the slot reads."""

from datetime import date
from typing import Any

import pytest

from maitred.protocol.slots import Slot
from maitred.statemachine.reading.said import is_held, is_said

TODAY = date(2026, 11, 30)
SEATS = Slot(int, read="number", cues=("seats", "people", "人"))
TERM = Slot(int, read="number", cues=("months", "个月"))
PHONE = Slot(read="phone", pattern=r"\+?\d{7,15}")
COMPANY = Slot(read="text")
DAY = Slot("date", read="date")


@pytest.mark.parametrize(
    ("slot", "value", "text"),
    [
        (SEATS, 20, "we are 20"),
        (SEATS, "20 seats", "about twenty I think"),
        (SEATS, 35, "三十五个人吧"),
        (SEATS, 12, "a dozen of us"),
        (SEATS, 25, "not 20, make it 25"),
        (TERM, 24, "for two years"),
        (TERM, 12, "签一年"),
        (PHONE, "13800138000", "call 138-0013-8000 please"),
        (PHONE, "+86 138 0013 8000", "我的号码 +8613800138000"),
        (COMPANY, "Blue Sea Dental", "it's for BLUE SEA dental, in Leeds"),
        (COMPANY, "蓝海牙科", "我们蓝海牙科想装电话"),
        (DAY, "2026-12-01", "tomorrow would do"),
    ],
)
def test_what_was_said_is_found(slot: Slot, value: Any, text: str) -> None:
    """However it was written."""
    assert is_said("it", slot, value, ["hello", text], today=TODAY)


@pytest.mark.parametrize(
    ("slot", "value", "text"),
    [
        (SEATS, 20, "we are a dental clinic"),
        (SEATS, 2, "we are 25"),
        (SEATS, 1000, "the budget is 100"),
        (TERM, 1, "一般的就行"),
        (PHONE, "1234567890", "you can call me any time"),
        (PHONE, "13800138001", "call 138-0013-8000 please"),
        (COMPANY, "unknown", "we need phones"),
        (COMPANY, "", "we need phones"),
        (COMPANY, "无", "我们想装电话"),
        (COMPANY, "Leeds Dental", "we are dentists in Leeds"),
        (DAY, "2026-12-24", "some day before long"),
    ],
)
def test_what_nobody_said_is_not_found(slot: Slot, value: Any, text: str) -> None:
    """Inventions, pieces of other values and stand-ins for "I do not know"."""
    assert not is_said("it", slot, value, [text], today=TODAY)


def test_words_of_a_tool_may_be_picked() -> None:
    """Whole values at any depth; a number that happens to stand there says nothing."""
    results = [{"slots": [{"at": "10:30", "id": "A-17"}], "price": 20}]
    assert is_held("A-17", results)
    assert is_held("a 17", results)
    assert not is_held("A-1", results)
    assert not is_held(20, results)
