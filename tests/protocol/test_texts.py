"""Texts: filling a template once, never a value; every built-in sentence in both languages with the same fields."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maitred.protocol.texts import LANGS, SENTENCES, UNKNOWN, all_langs, fields_of, fill, in_lang, look_up


@pytest.mark.parametrize(
    ("template", "scope", "expected"),
    [
        ("For {name}: {size}.", {"name": "Ann", "size": 5}, "For Ann: 5."),
        ("{order.no} {order.rows.first}", {"order": {"no": "A1", "rows": {"first": 2}}}, "A1 2"),
        ("{missing} {order.missing} {name.x}", {"order": {}, "name": "Ann"}, f"{UNKNOWN} {UNKNOWN} {UNKNOWN}"),
        ("{nothing}", {"nothing": None}, UNKNOWN),
        ("{yes}{no} {price} {rate}", {"yes": True, "no": False, "price": 5.0, "rate": 1.5}, "✓✗ 5 1.5"),
        ("{公司}你好", {"公司": "蓝海"}, "蓝海你好"),
        ("{a-b} {a_b}", {"a-b": 1, "a_b": 2}, "1 2"),
        ("{} {0} {1a} { name } {name!r} {name:>9}", {"name": "Ann"}, "{} {0} {1a} { name } {name!r} {name:>9}"),
        ("{a..b} {.a} {a.}", {"a": 1}, "{a..b} {.a} {a.}"),
        ("{{name}}", {"name": "Ann"}, "{Ann}"),
        ("{name.__class__} {name.upper}", {"name": "Ann"}, f"{UNKNOWN} {UNKNOWN}"),
        ("", {}, ""),
    ],
)  # fmt: skip
def test_filling(template: str, scope: Any, expected: str) -> None:
    """Dotted paths through mappings; no expression, no attribute, no format."""
    assert fill(template, scope) == expected


@given(st.text(), st.text())
def test_a_value_that_looks_like_a_field_stays_as_it_is(a: str, b: str) -> None:
    """Customers may write what they like: it is shown, never read."""
    secret = "the secret"
    scope = {"a": a + "{secret}{b}" + a, "b": b, "secret": secret}
    assert fill("{a}|{b}", scope) == f"{a}{{secret}}{{b}}{a}|{b}"


@given(st.text(alphabet="{}ab.x "), st.dictionaries(st.sampled_from("abx"), st.text(alphabet="{}abx")))
def test_filling_never_raises(template: str, scope: dict[str, str]) -> None:
    """Whatever a template looks like."""
    fill(template, scope)


@pytest.mark.parametrize("key", list(SENTENCES))
def test_every_sentence_is_there_in_every_language(key: str) -> None:
    """With the same fields, and none empty."""
    wordings = SENTENCES[key]
    assert set(wordings) == set(LANGS)
    assert all(wording.strip() for wording in wordings.values())
    assert len({fields_of(wording) for wording in wordings.values()}) == 1
    assert any("\u4e00" <= char <= "\u9fff" for char in wordings["zh"])
    assert wordings["en"].isascii()


def test_the_wording_of_a_language() -> None:
    """Of another, where there is none."""
    assert in_lang("x", "zh") == "x"
    assert in_lang({"zh": "中", "en": "e"}, "zh") == "中"
    assert in_lang({"zh": "中"}, "en") == "中"
    assert in_lang({"zh": "中", "en": ""}, "en") == "中"
    assert in_lang(None, "en") == in_lang({}, "en") == ""
    assert all_langs({"zh": "中", "en": "e"}) == ("中", "e")
    assert all_langs("x") == ("x",)
    assert all_langs(None) == ()


def test_the_fields_of_a_text() -> None:
    """Over all languages."""
    assert fields_of({"en": "{a} {b.c}", "zh": "{a}{丁}"}) == {"a", "b.c", "丁"}
    assert fields_of(None) == frozenset()


def test_looking_up() -> None:
    """Falsy values are values."""
    assert look_up("a.b", {"a": {"b": 0}}) == 0
    assert look_up("a.b", {"a": {"b": ""}}) == ""
    assert look_up("a.b.c", {"a": {"b": "text"}}) is None
    assert look_up("", {"": 1}) == 1
