"""salvage: one whole object is found in whatever stands around it; nothing is mended, nothing is chosen between two."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maitred.decision.salvage import MAX_ANSWER_CHARS, MAX_DEPTH, Unusable, salvage

PLAIN = '{"action": "provide", "parameters": {"size": 3}, "reply_text": "Noted: {3}, \\"[ok]\\"."}'
VALUE = json.loads(PLAIN)


def value_of(answer: str) -> object:
    found = salvage(answer)
    assert isinstance(found, str), found
    return json.loads(found)


def why(answer: str) -> str:
    found = salvage(answer)
    assert isinstance(found, Unusable), found
    assert len(found.why) < 200
    return found.why


@pytest.mark.parametrize("answer", [PLAIN, f" \n{PLAIN}\n", json.dumps(VALUE, indent=2)])
def test_an_object_alone_is_taken(answer: str) -> None:
    """White space around it is JSON's own."""
    assert value_of(answer) == VALUE


@pytest.mark.parametrize(
    "answer",
    [
        f"```json\n{PLAIN}\n```",
        f"```\n{PLAIN}```",
        f"Sure! Here is my decision:\n\n{PLAIN}\n\nLet me know if you need more.",
        f"好的，我的选择是：{PLAIN}。",
        f'"Sure": {PLAIN}',
        f"[Note] {PLAIN}",
        f'Well, here: {PLAIN}, as "said" : done',
        f"\ufeff{PLAIN}",
        f'<think>Maybe {{leave}}? No: {{"action": 1}}.</think>\n{PLAIN}',
        f'so {{"action": "leave"}} fits.</think>\n{PLAIN}',
        f"\n<THINK>hm {{</Think>{PLAIN}",
        f"<think>one {{</think>\n<think>two {{</think>\n{PLAIN}",
        f"<think>hm {{</think>```json\n{PLAIN}\n```",
        f"</think>{PLAIN}",
        f"{PLAIN} <think>",
        f"json\n{PLAIN}",
    ],
)
def test_what_stands_around_one_object_is_dropped(answer: str) -> None:
    """Fences, prose before and behind, thinking that is closed."""
    assert value_of(answer) == VALUE


@pytest.mark.parametrize("tag", ["<think>", "</think>", "<think></think>"])
def test_a_tag_in_the_customer_s_words_is_no_thinking(tag: str) -> None:
    """A model may repeat them."""
    value = {"action": "answer", "reply_text": f"What is {tag}?"}
    assert value_of(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("I would accept the offer.", "no JSON object"),
        ("null", "no JSON object"),
        ("42", "no JSON object"),
        ("[]", "a list"),
        (f"[{PLAIN}]", "a list"),
        (f"[{PLAIN}", "a list"),
        (f"[1, {PLAIN}", "a list"),
        (json.dumps(PLAIN), "a string"),
        (PLAIN[:-1], "not whole JSON"),
        (PLAIN[:40], "not whole JSON"),
        (f"```json\n{PLAIN[:40]}\n```", "not whole JSON"),
        (PLAIN.replace('"', "'"), "not whole JSON"),
        ('{"action": "accept",}', "not whole JSON"),
        ("{action: accept}", "not whole JSON"),
        ('{"action": "a\nb"}', "not whole JSON"),
        (f"{PLAIN}\n{PLAIN}", "more than one"),
        (f"{PLAIN} or {PLAIN}", "more than one"),
        (f"either {PLAIN} or {PLAIN}", "more than one"),
        (f"{PLAIN[:40]} sorry: {PLAIN}", "not whole JSON"),
        (f"{PLAIN}}}", "more than one"),
        (f"use {{action}}: {PLAIN}", "not whole JSON"),
        (f"<think>{PLAIN}", "thinking without an end"),
        ('<think>I could do {"action": "leave"} but that is wrong', "thinking without an end"),
        ('Well. <Think>I could do {"action": "leave"} but', "thinking without an end"),
        ('<think>no</think> <think>or {"action": "leave"}', "thinking without an end"),
        (f"<think>never closed {{ {PLAIN}", "thinking without an end"),
        ("<think>" + " " * 49_000, "thinking without an end"),
        ("<think>done</think>", "empty"),
        ("<think>done</think> I cannot.", "no JSON object"),
        ('{"action": "leave"} would be wrong.</think> I cannot.', "within thinking"),
        (f'{{"action": "leave"}} would be wrong.</think> {PLAIN}', "within thinking"),
        (f"<think>hm</think>{PLAIN} or {PLAIN}", "more than one"),
        ('"action": "a", "parameters": {"action": "b"}', "member of another"),
        ('"parameters": {"action": "b"}, "action": "a"', "member of another"),
        (f"'x': 1, 'y': {PLAIN}", "member of another"),
        ('{"action": "a", "action": "b"}', "twice"),
        ('{"action": "a", "parameters": {"x": 1, "x": 2}}', "twice"),
        ('Sure: {"action": "a", "action": "a"}', "twice"),
        ('{"n": NaN}', "NaN"),
        ('{"n": -Infinity}', "-Infinity"),
        ('{"n": 1e400}', "double"),
        ('{"n": -1e999}', "double"),
        ('x {"n": 1e400}', "double"),
        ('{"n": ' + "9" * 10_000 + "}", "too long"),
        ("[" * 40_000, "no JSON object"),
        ('{"a":' * 8_000 + "1" + "}" * 8_000, "too deep"),
        ('{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1), "deeper"),
        ("x" * (MAX_ANSWER_CHARS + 1), "characters"),
        (PLAIN + " " * MAX_ANSWER_CHARS, "characters"),
    ],
    ids=lambda value: value[:40] if value else "",
)
def test_everything_else_is_refused_with_a_reason(answer: str, hint: str) -> None:
    """Never a guess: what two readers would read differently is not read."""
    assert hint in why(answer)


def test_reasons_hold_no_text_of_the_answer() -> None:
    """They go to logs; the answer may hold a customer's words."""
    for answer in ("secret words", '{"secret": secret}', '{"secret": 1, "secret": 2}', "secret {} {}", '["secret"]'):
        assert "secret" not in why(answer)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
words = st.text(st.characters(blacklist_characters='{}[]"', blacklist_categories=["Cs"]), max_size=30)


@given(st.dictionaries(st.text(), json_values, max_size=3), words, words)
def test_any_object_survives_any_prose(value: dict[str, object], before: str, behind: str) -> None:
    """Values come out as they went in."""
    assert value_of(f"{before}{json.dumps(value)}{behind}") == value


@given(st.text() | st.text(alphabet='{}[]":,\\ae1.N-\n`'))
def test_no_text_is_too_strange(answer: str) -> None:
    """A value, never an exception; what is taken is an object that a strict reader reads alike."""
    found = salvage(answer)
    if isinstance(found, str):
        assert isinstance(json.loads(found), dict)
