"""Conditions: every operator over every type, missing paths and nulls; tests that make no sense are refused when written."""

from typing import Any

import pytest

from maitred.protocol.errors import WrongArguments
from maitred.statemachine.conditions import When, holds

SCOPE: dict[str, Any] = {
    "seats": 20,
    "price": 9.5,
    "plan": "basic",
    "approved": True,
    "refused": False,
    "none": None,
    "zero": 0,
    "empty": "",
    "quote": {"total": 100, "rows": {"first": "a"}, "note": None},
    "dotted.name": 7,
    "list": [1, 2],
}


@pytest.mark.parametrize(
    ("path", "test", "expected"),
    [
        ("seats", 20, True),
        ("seats", 20.0, True),
        ("seats", "20", False),
        ("seats", {"eq": 20}, True),
        ("seats", {"ne": 20}, False),
        ("seats", {"ne": 21}, True),
        ("seats", {"ne": "20"}, True),
        ("seats", {"in": [1, 20]}, True),
        ("seats", {"in": ["20"]}, False),
        ("seats", {"in": []}, False),
        ("plan", {"in": ["pro", "basic"]}, True),
        ("seats", {"lt": 20}, False),
        ("seats", {"lte": 20}, True),
        ("seats", {"gt": 19.5}, True),
        ("seats", {"gte": 21}, False),
        ("seats", {"gt": 10, "lt": 30}, True),
        ("seats", {"gt": 10, "lt": 15}, False),
        ("plan", {"lt": "c"}, True),
        ("plan", {"gt": "c"}, False),
        ("approved", True, True),
        ("approved", 1, False),
        ("refused", 0, False),
        ("zero", False, False),
        ("approved", {"in": [1]}, False),
        ("approved", {"gt": 0}, False),
        ("empty", "", True),
        ("empty", {"present": True}, True),
        ("none", None, True),
        ("none", {"present": True}, False),
        ("none", {"present": False}, True),
        ("quote.note", None, True),
        ("quote.total", {"gte": 100}, True),
        ("quote.rows.first", "a", True),
        ("quote.rows", {"present": True}, True),
        ("dotted.name", 7, True),
        ("list", {"present": True}, True),
        ("list", 1, False),
    ],
)
def test_each_operator(path: str, test: Any, expected: bool) -> None:
    """Numbers compare as numbers, words as words; a boolean is no number."""
    assert holds(When({path: test}, "x").condition, SCOPE) is expected


@pytest.mark.parametrize(
    "path", ["nothing", "quote.nothing", "quote.total.more", "seats.x", "plan.0", "dotted", "", "."]
)
@pytest.mark.parametrize("op", ["eq", "ne", "in", "lt", "lte", "gt", "gte"])
def test_a_missing_path_fails_every_test_but_ne(path: str, op: str) -> None:
    """Also against null: nothing there is not the same as null there."""
    for wanted in (0, "", None, True):
        test: Any = {op: [wanted]} if op == "in" else {op: wanted}
        assert holds(When({path: test}, "x").condition, SCOPE) is (op == "ne")
    assert holds({path: None}, SCOPE) is False


@pytest.mark.parametrize("wanted", [True, False])
def test_present_asks_for_a_value(wanted: bool) -> None:
    """Missing and null are both absent."""
    assert holds({"seats": {"present": wanted}}, SCOPE) is wanted
    assert holds({"nothing": {"present": wanted}}, SCOPE) is not wanted


@pytest.mark.parametrize("op", ["lt", "lte", "gt", "gte"])
@pytest.mark.parametrize(
    ("left", "right"), [(1, "1"), ("1", 1), (True, 0), (None, 0), ([1], 0), ({}, 0), (1, None), (1, True)]
)
def test_different_types_have_no_order(op: str, left: Any, right: Any) -> None:
    """Neither smaller nor larger nor an error."""
    test: Any = {op: right}
    assert holds({"x": test}, {"x": left}) is False


def test_all_tests_must_hold() -> None:
    """And no test at all always holds."""
    assert holds({"seats": 20, "plan": "basic"}, SCOPE)
    assert not holds({"seats": 20, "plan": "pro"}, SCOPE)
    assert holds(None, SCOPE)
    assert holds({}, SCOPE)


@pytest.mark.parametrize(
    "test",
    [
        {"in": "basic"},
        {"in": 3},
        {"eq": [1]},
        {"lt": [1]},
        {"present": 1},
        {"present": "no"},
        {"like": "x"},
        [1],
        {"eq": {}},
    ],
)
def test_a_test_that_makes_no_sense_is_refused(test: Any) -> None:
    """Where it is written, not at the customer's turn."""
    with pytest.raises(WrongArguments):
        When({"plan": test}, "x")
