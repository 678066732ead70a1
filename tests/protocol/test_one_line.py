"""one_line: any JSON value in one bounded line that nothing in it can break."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maitred.protocol.one_line import one_line, quoted

LEAF = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=80)
)
JSON = st.recursive(
    LEAF, lambda v: st.lists(v, max_size=5) | st.dictionaries(st.text(max_size=8), v, max_size=5), max_leaves=20
)


@given(JSON, st.integers(10, 200))
def test_any_value_is_one_bounded_line(value, limit):
    line = one_line(value, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1


@given(st.text(max_size=300), st.integers(9, 100))
def test_quoted_text_is_json_of_the_text_or_of_its_beginning(text, limit):
    shown = quoted(text, limit)
    assert len(shown) <= limit
    told = json.loads(shown)
    assert told == text or (told.endswith("…") and text.startswith(told[:-1]))


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (
            {"a": 1, "b": "x", "c": None, "d": "", "e": True, "f": [1, 2], "g": {"h": 1}},
            'a=1, b="x", e=true, f=[1,2], g={"h":1}',
        ),
        ({"not a name": 'say "hi"\n- menu'}, '"not a name"="say \\"hi\\"\\n- menu"'),
        ({"many": list(range(100))}, "many=(100)"),
        ("{{7*7}} 价格", '"{{7*7}} 价格"'),
        (None, "null"),
        ({}, ""),
    ],
)
def test_examples(value, line):
    assert one_line(value, 100) == line


def test_fields_that_do_not_fit_are_told_by_a_mark():
    assert one_line({"a": "x" * 30, "b": "y" * 30, "c": 1}, 60) == f'a="{"x" * 30}", …'
