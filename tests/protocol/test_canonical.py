"""Canonical JSON (RFC 8785), the bounds of JSON that is kept, ids and idempotency keys."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maitred.protocol.canonical import MAX_DEPTH, MAX_NODES, canonical_json, checked_json, fingerprint
from maitred.protocol.errors import BadRequest
from maitred.protocol.ids import check_id, event_message_id, idempotency_key

NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | NUMBERS | st.text()
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"b": 1, "a": [True, False, None]}, '{"a":[true,false,null],"b":1}'),
        ({"\u20ac": "Euro Sign", "\r": "CR", "1": "One", "\u0080": "c", "\U0001f600": "s", "\ufb33": "d"},
         '{"\\r":"CR","1":"One","\u0080":"c","\u20ac":"Euro Sign","\U0001f600":"s","\ufb33":"d"}'),
        ([1.0, 1.5, 1e21, 1e-7, -0.0, 333333333.33333329], "[1,1.5,1e+21,1e-7,0,333333333.3333333]"),
        ([0.1 + 0.2, 5e-324, 1.7976931348623157e308], "[0.30000000000000004,5e-324,1.7976931348623157e+308]"),
        (2**53 - 1, "9007199254740991"),
        (2**53, '"9007199254740992"'),
        (-(2**53), '"-9007199254740992"'),
        (10**30, '"1000000000000000000000000000000"'),
        ('"\\\b\f\n\r\t\x0f/', '"\\"\\\\\\b\\f\\n\\r\\t\\u000f/"'),
        ("中文 é", '"中文 é"'),
        ((1, (2,)), "[1,[2]]"),
        (True, "true"),
        ({}, "{}"),
    ],
)  # fmt: skip
def test_examples(value: Any, expected: str) -> None:
    """Keys by UTF-16 units, numbers as ECMAScript writes them, integers that doubles would round as strings."""
    assert canonical_json(value).decode() == expected


@given(JSON)
def test_it_is_json_and_order_does_not_matter(value: Any) -> None:
    """Reading it gives the value; entries in another order give the same bytes."""

    def turned(item: Any) -> Any:
        if isinstance(item, dict):
            return {key: turned(item[key]) for key in reversed(item)}
        return [turned(part) for part in item] if isinstance(item, list) else item

    written = canonical_json(value)
    assert json.loads(written, parse_int=float) == value
    assert canonical_json(turned(value)) == written
    assert fingerprint(value) == fingerprint(turned(value))


@given(JSON, JSON)
def test_different_values_have_different_fingerprints(a: Any, b: Any) -> None:
    """1 and 1.0 are one number; True and 1 are not."""
    assert (fingerprint(a) == fingerprint(b)) == (canonical_json(a) == canonical_json(b))


def test_true_is_not_one() -> None:
    """Nor is a string a number."""
    different: list[Any] = [True, 1, "1", None, "null", [], {}, "", 0, False]
    assert len({fingerprint(value) for value in different}) == len(different)
    assert fingerprint(1) == fingerprint(1.0)


def endless() -> Any:
    loop: list[Any] = []
    loop.append(loop)
    return loop


NOT_FINITE = [math.nan, math.inf, -math.inf]
BAD: list[Any] = [*NOT_FINITE, object(), {1, 2}, b"x", "\ud800", {"\ud800": 1}, ["\udfff"], [object()], endless()]


@pytest.mark.parametrize("bad", BAD, ids=[f"{type(bad).__name__}{i}" for i, bad in enumerate(BAD)])
def test_what_is_no_json_is_a_bad_request(bad: Any) -> None:
    """Never a foreign exception."""
    with pytest.raises(BadRequest):
        canonical_json(bad)
    with pytest.raises(BadRequest, match=r"^here: "):
        checked_json(bad, "here")


def test_checked_json_copies_and_makes_lists() -> None:
    """What is kept shares nothing with what came in."""
    inner = [1]
    given_value = {"a": (1, 2), "b": inner, "c": {"d": None}}
    kept = checked_json(given_value, "x")
    inner.append(2)
    assert kept == {"a": [1, 2], "b": [1], "c": {"d": None}}


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth - 1):
        value = {"a": value}
    return value


def test_depth_and_size_have_a_bound() -> None:
    """Exactly there; and 10,000 levels are an error message."""
    checked_json(nested(MAX_DEPTH), "x")
    for depth in (MAX_DEPTH + 1, 10_000):
        with pytest.raises(BadRequest, match="nested deeper"):
            checked_json(nested(depth), "x")
    checked_json([1] * (MAX_NODES - 1), "x")
    with pytest.raises(BadRequest, match="more than"):
        checked_json([1] * MAX_NODES, "x")


@pytest.mark.parametrize("key", [1, None, (1,), True])
def test_object_keys_are_strings(key: Any) -> None:
    """1 and "1" must not meet."""
    with pytest.raises(BadRequest, match="object key"):
        checked_json({key: 1}, "x")


def test_integers_have_a_bound() -> None:
    """Beyond what a double reaches a reader would make infinity of it."""
    assert checked_json(2**1024 - 1, "x") == 2**1024 - 1
    with pytest.raises(BadRequest, match="bits"):
        checked_json(-(2**1024), "x")


class TestKeys:
    """The key that makes an effect happen once."""

    BASE = ("t", "s", "r", "tool", 1)

    def test_the_same_call_has_the_same_key(self) -> None:
        """In every process, for ever: it is stored by others."""
        assert idempotency_key(*self.BASE) == idempotency_key(*self.BASE)
        assert idempotency_key("", "s1", "r1", "create_order", 1) == "0ad0e281beae6b86a1ad558cc29c6513"

    @pytest.mark.parametrize("place", range(5))
    def test_another_call_has_another_key(self, place: int) -> None:
        """Tenant, session, request, tool and number all count."""
        other: list[Any] = [*self.BASE]
        other[place] = 2 if place == 4 else "other"
        assert idempotency_key(*other) != idempotency_key(*self.BASE)

    def test_parts_do_not_run_together(self) -> None:
        """`ab`+`c` is not `a`+`bc`."""
        assert idempotency_key("", "ab", "c", "t", 1) != idempotency_key("", "a", "bc", "t", 1)
        assert idempotency_key("", "a", "b", "t", 11) != idempotency_key("", "a", "b", "t1", 1)

    def test_a_key_is_a_plain_id(self) -> None:
        """It goes into headers and databases of others."""
        assert check_id(idempotency_key("租户", "会话", "r", "t", 1))
        assert event_message_id(7) == "e7"

    def test_a_bad_id_says_what_is_wrong(self) -> None:
        """With its length, shortened, in plain characters."""
        with pytest.raises(BadRequest, match=r"^key is 1 to 200 .* got 300 characters: '\\u4e00"):
            check_id("一" * 300, "key")
