"""slot_values: a JSON scalar becomes the slot's type, or a BadValue says why not."""

from datetime import date
from enum import StrEnum
from math import inf, isfinite, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maitred.protocol.slots import Slot
from maitred.statemachine.slot_values import LARGEST_NUMBER, LONGEST_STR, BadValue, group_source, parse_value

TODAY = date(2026, 4, 29)
PLANS = Slot("choice", choices={"basic": ("基础版",), "pro_plus": ("专业版", "Premium")})


def parse(slot: Slot, value: object) -> Any:
    return parse_value(slot, value, today=TODAY)


def code(slot: Slot, value: object) -> str | None:
    result = parse(slot, value)
    return result.code if isinstance(result, BadValue) else None


@pytest.mark.parametrize(
    "value",
    ["42", 42, 42.0, "forty two", "forty-two", "四十二", " 42 ", "４２", "42.0", "42 seats", "about 42", "42个"],
)
def test_an_int_is_read_from_every_way_of_saying_it(value: object) -> None:
    result = parse(Slot(int, cues=("seats",)), value)
    assert result == 42
    assert type(result) is int


@pytest.mark.parametrize(
    "value",
    [
        "1.5",
        1.5,
        nan,
        inf,
        -inf,
        "nan",
        "inf",
        "1e3",
        "Infinity",
        "abc",
        "1,2",
        "42 cats",
        "A42",
        "05",
        "0x10",
        "1_000",
    ],
)
def test_an_int_slot_refuses_what_is_no_whole_number(value: object) -> None:
    assert parse(Slot(int), value) == BadValue("not_a_number", "1, 2, 3")


@pytest.mark.parametrize("value", [True, False, [], {}, (1,), b"1", object(), date(2026, 1, 1)])
def test_a_bool_or_a_structure_is_no_number(value: object) -> None:
    assert code(Slot(int), value) == "wrong_type"


def test_none_and_blank_are_empty() -> None:
    for slot in (Slot(str), Slot(int), Slot(date), Slot(bool), PLANS):
        assert code(slot, None) == "empty"
        assert code(slot, " \n\t\u200b") == "empty"


@pytest.mark.parametrize(
    ("value", "expected"),
    [("1.5", 1.5), ("1.5k", 1500), (2, 2), (2.0, 2), ("两万五", 25000), (-0.5, -0.5), ("¥5000", 5000)],
)
def test_a_number_slot_takes_fractions(value: object, expected: float) -> None:
    assert parse(Slot(float), value) == expected


def test_bounds_say_what_was_allowed() -> None:
    slot = Slot(int, minimum=1, maximum=500)
    assert parse(slot, 0) == BadValue("too_small", "1")
    assert parse(slot, "501") == BadValue("too_large", "500")
    assert (parse(slot, 1), parse(slot, 500)) == (1, 500)
    assert parse(Slot(float), 1e300) == BadValue("too_large", str(LARGEST_NUMBER))
    assert parse(Slot(int), 10**400) == BadValue("too_large", str(LARGEST_NUMBER))
    assert code(Slot(int), -(10**400)) == "too_small"
    assert parse(Slot(float, minimum=0.5), 0) == BadValue("too_small", "0.5")


def test_durations_are_in_the_slots_unit() -> None:
    slot = Slot(int, cues=("months", "月"))
    assert [parse(slot, text) for text in ("2 years", "半年", "12", "一年半")] == [24, 6, 12, 18]


def test_a_choice_resolves_synonyms_case_and_width() -> None:
    for said in ("pro_plus", "Pro Plus", "PRO-PLUS", "专业版", "premium", " ｐｒｅｍｉｕｍ "):
        assert parse(PLANS, said) == "pro_plus"
    assert parse(PLANS, "gold") == BadValue("not_a_choice", "basic, pro_plus")
    assert parse(Slot("choice", choices={"30": (), "60": ()}), 30) == "30"
    assert parse(Slot("choice", choices={"30": (), "60": ()}), 30.0) == "30"
    assert code(PLANS, True) == "wrong_type"


def test_a_value_wins_over_the_same_word_as_synonym() -> None:
    assert parse(Slot("choice", choices={"a": ("b",), "b": ()}), "b") == "b"


def test_many_choices_are_shown_in_part() -> None:
    result = parse(Slot("choice", choices={f"c{n}": () for n in range(30)}), "x")
    assert result.allowed.endswith("c9, ...")


@pytest.mark.parametrize(
    ("said", "iso"),
    [
        ("2026-05-03", "2026-05-03"),
        ("2026-05-03T10:00:00Z", "2026-05-03"),
        ("20260503", "2026-05-03"),
        ("明天", "2026-04-30"),
        ("on May 3rd", "2026-05-03"),
        ("下周一", "2026-05-04"),
        ("5th", "2026-05-05"),
    ],
)
def test_a_date_becomes_iso_text(said: str, iso: str) -> None:
    assert parse(Slot(date), said) == iso


@pytest.mark.parametrize("value", ["2026-02-30", "soon", "5", 5, 20260503, "20261301", "May 3 or May 5", "05/03/2026"])
def test_what_is_no_date_is_refused(value: object) -> None:
    assert parse(Slot(date), value) == BadValue("not_a_date", "YYYY-MM-DD")


@pytest.mark.parametrize(
    ("value", "expected"),
    [(True, True), (False, False), ("true", True), ("False", False), ("yes", True), ("不要", False), ("否", False)],
)
def test_a_bool_takes_yes_and_no(value: object, expected: bool) -> None:
    assert parse(Slot(bool), value) is expected


@pytest.mark.parametrize("value", [1, 0, 1.0, "maybe", "1"])
def test_a_number_is_no_bool(value: object) -> None:
    assert parse(Slot(bool), value) == BadValue("wrong_type", "true, false")


def test_text_is_trimmed_and_its_length_bounded() -> None:
    slot = Slot(str)
    assert parse(slot, "  Acme \n Dental ") == "Acme Dental"
    assert parse(slot, "x" * LONGEST_STR) == "x" * LONGEST_STR
    assert parse(slot, "x" * (LONGEST_STR + 1)) == BadValue("too_long", str(LONGEST_STR))
    assert parse(slot, "x" * 10**6) == BadValue("too_long", str(LONGEST_STR))
    assert parse(Slot(str, maximum=3), "abcd") == BadValue("too_long", "3")
    assert parse(Slot(str, minimum=3), "ab") == BadValue("too_small", "3")


def test_a_number_given_for_text_becomes_text() -> None:
    assert parse(Slot(str), 13812345678) == "13812345678"
    assert parse(Slot(str), 42.0) == "42"
    assert parse(Slot(str), 4.5) == "4.5"
    assert code(Slot(str), True) == "wrong_type"
    assert code(Slot(str), nan) == "wrong_type"
    assert code(Slot(str), 10**600) == "too_long"


@pytest.mark.parametrize("text", ["a\x00b", "a\x1b[31mb", "a\x7f", "a\ud800b", "\udfff"])
def test_control_characters_and_lone_surrogates_are_refused(text: str) -> None:
    for slot in (Slot(str), Slot(int), PLANS, Slot(date), Slot(bool)):
        assert code(slot, text) == "wrong_type"


def test_direction_marks_are_dropped() -> None:
    assert parse(Slot(str), "\u202d+86 138\u202c") == "+86 138"


def test_a_pattern_must_fit_the_whole_value() -> None:
    slot = Slot(str, pattern="[A-Z]{3}")
    assert parse(slot, "ABC") == "ABC"
    assert parse(slot, "ABCD") == BadValue("wrong_pattern", "[A-Z]{3}")
    assert parse(slot, "ABC\n") == "ABC"
    assert parse(Slot(int, pattern=r"\d{4}"), "123") == BadValue("wrong_pattern", r"\d{4}")


def test_a_regex_slot_checks_its_first_group_alone() -> None:
    slot = Slot(str, read="regex", pattern=r"(?i)order\s*#?(so-\d{4,8})\b")
    assert parse(slot, "SO-12345") == "SO-12345"
    assert parse(slot, "order #so-12345") == "so-12345"
    assert code(slot, "SO-1") == "wrong_pattern"
    assert code(slot, "12345") == "wrong_pattern"


@pytest.mark.parametrize(
    ("pattern", "source"),
    [
        (r"a(b)c", "(?:b)"),
        (r"(?:x|y)(?P<n>[()]\(\d(e)?)", r"(?:[()]\(\d(e)?)"),
        (r"abc", None),
        (r"\(a\)", None),
        (r"(?i)x(a|b)", "(?i)(?:a|b)"),
        (r"[(](a)", "(?:a)"),
        (r"(?P<q>[ab])(?P=q)", "(?:[ab])"),
    ],
)
def test_the_source_of_the_first_group(pattern: str, source: str | None) -> None:
    assert group_source(pattern) == source


def test_subclasses_of_str_are_text() -> None:
    class Word(StrEnum):
        A = "basic"

    assert parse(PLANS, Word.A) == "basic"


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=60) | st.lists(st.integers(), max_size=2)
)
ALL = [Slot(t) for t in ("str", "int", "number", "date", "bool")] + [
    PLANS,
    Slot(int, cues=("months", "月"), minimum=1, maximum=9),
]


@given(SCALARS, st.sampled_from(ALL))
def test_any_value_is_parsed_without_raising_and_stays_parsed(value: object, slot: Slot) -> None:
    """What comes out is a fixed point: storing and loading it again changes nothing."""
    result = parse(slot, value)
    if isinstance(result, BadValue):
        return
    assert parse(slot, result) == result
    assert type(parse(slot, result)) is type(result)
    assert not isinstance(result, float) or isfinite(result)
