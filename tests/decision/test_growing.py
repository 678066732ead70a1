"""A decision that is read while it grows: the same at every way of cutting it into pieces."""

import json
import random
from itertools import pairwise

import pytest

from maitred.decision.growing import MAX_HEARD_CHARS, Growing
from maitred.decision.salvage import MAX_ANSWER_CHARS
from maitred.decision.schema import constant_schema, menu_schema, shape_of
from maitred.protocol.decision import AgentDecision
from maitred.protocol.menu import Menu, MenuItem
from maitred.protocol.slots import Slot

MENU = Menu("offer", (MenuItem("answer", "x"), MenuItem("paint", "x", {"colour": Slot("str")})))
WORDS = 'Blau "oder" rot? \U0001f600 好的。\\ \u2028 {"action": "paint"}\n'


def pieces(text: str, seed: int) -> list[str]:
    """Cut at random places; seed 0: every character alone."""
    dice = random.Random(seed)
    places = sorted({dice.randrange(len(text)) for _ in range(9)}) if seed else range(len(text))
    cuts = [0, *places, len(text)]
    return [text[start:end] for start, end in pairwise(cuts)]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("ascii_", [True, False])
@pytest.mark.parametrize("frame", ["{}", "```json\n{}\n```", "<think>{{paint}}\n</think>\n\n{}", "\ufeff {}"])
def test_words_grow_and_are_never_taken_back(seed: int, ascii_: bool, frame: str) -> None:
    """What is heard is always a beginning of the words, and in the end all of them."""
    answer = json.dumps({"action": "paint", "parameters": {"colour": "x, y"}, "reply_text": WORDS}, ensure_ascii=ascii_)
    heard: list[AgentDecision] = []
    growing = Growing(MENU, heard.append)
    for piece in pieces(frame.format(answer), seed):
        assert growing.add(piece)
    assert heard[-1].reply_text == WORDS
    for before, after in pairwise(heard):
        assert after.reply_text.startswith(before.reply_text)
    assert {(one.action, one.parameters["colour"]) for one in heard} == {("paint", "x, y")}


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    ("answer", "stops_before"),
    [
        ('{"action": "paints", "parameters": {}}', ', "parameters"'),
        ('{"action": "paint", "parameters": {}, "reply_text": "Done."}', "Done"),
        ('{"action": "paint", "parameters": {"colour": ["x"]}, "reply_text": "Done."}', "Done"),
        ('{"action": "answer", "parameters": {"n": 1}, "reply_text": "Done."}', "Done"),
    ],
)
def test_what_is_refused_is_refused_as_soon_as_it_is_whole(answer: str, stops_before: str, seed: int) -> None:
    """Never before: an action that is still being written may become one of the menu."""
    growing, read = Growing(MENU, lambda decision: pytest.fail("heard")), ""
    for piece in pieces(answer, seed):
        read += piece
        if not growing.add(piece):
            break
    else:
        pytest.fail("not stopped")
    assert json.loads(growing.text)["action"] == json.loads(answer)["action"]
    if seed == 0:  # character by character
        assert stops_before not in read


@pytest.mark.parametrize(
    "answer",
    [
        '{"action": "answer", "reply_text": "Hi."}',
        '{"action": "answer", "parameters": {}, "mood": "good", "reply_text": "Hi."}',
        '{"parameters": {}, "reply_text": "Hi.", "action": "answer"}',
        '{"action": "answer", "parameters": [], "reply_text": "Hi."}',
        '{"action": 3, "parameters": {}, "reply_text": "Hi."}',
        '{"action": "answer", "parameters": {"n": NaN}, "reply_text": "Hi."}',
        'answer: {"action": "answer", "parameters": {}, "reply_text": "Hi."}',
        '["answer", {}, "Hi."]',
    ],
)
def test_what_is_not_plain_is_left_to_the_end(answer: str) -> None:
    """Nothing is heard, nothing is stopped."""
    growing = Growing(MENU, lambda decision: pytest.fail("heard"))
    for character in answer:
        assert growing.add(character)
    assert (growing.text, growing.heard) == (answer, False)


def test_a_very_long_answer_is_not_read_with_each_piece() -> None:
    """Otherwise a server could keep us busy."""
    heard: list[AgentDecision] = []
    growing = Growing(MENU, heard.append)
    growing.add('{"action": "answer", "parameters": {}, "reply_text": "')
    assert growing.add("a" * MAX_HEARD_CHARS)
    assert heard == []
    assert not growing.add("a" * MAX_ANSWER_CHARS)


def test_a_model_that_writes_only_blanks_costs_little() -> None:
    """Small ones do, where a grammar lets them. This would take minutes if each blank were looked at twice over."""
    growing = Growing(MENU, lambda decision: pytest.fail("heard"))
    assert growing.add(" " * (MAX_HEARD_CHARS - 1000))
    for _ in range(500):
        assert growing.add(" \n")


def test_another_try_begins_anew() -> None:
    """Nothing of the one before is left."""
    heard: list[AgentDecision] = []
    growing = Growing(MENU, heard.append)
    growing.add('```json\n{"action": "paint", "parameters": {"colour": "x"}, "reply_text": "')
    growing.begin()
    growing.add('{"action": "answer", "parameters": {}, "reply_text": "Hi')
    assert heard == [AgentDecision(action="answer", reply_text="Hi")]


def test_schemas_name_the_keys_in_the_order_in_which_they_can_be_heard() -> None:
    """Servers that hold a model to a schema have it write the properties in their order."""
    (one, _) = menu_schema(shape_of(MENU))["anyOf"]  # type: ignore[misc, union-attr]
    for schema in (constant_schema(), one):
        assert list(schema["properties"]) == ["action", "parameters", "reply_text"]  # type: ignore[index, call-overload, arg-type]
