"""check_decision and the scripted decider: what is no legal answer is said in words fit for a re-ask."""

from typing import Any

import pytest

from maitred.decision.check_decision import MAX_REPLY_CHARS, MAX_VALUE_CHARS, Invalid, check_decision
from maitred.decision.scripted import ScriptedDecider
from maitred.protocol.decision import AgentDecision, DecisionRequest
from maitred.protocol.errors import ModelError
from maitred.protocol.menu import Menu, MenuItem
from maitred.protocol.slots import Slot

SIZE, NAME = Slot(int), Slot(str, required=False)
MENU = Menu(
    "offer",
    (
        MenuItem("accept", "take it"),
        MenuItem("paint", "paint it", {"colour": SIZE, "shade": NAME}),
        MenuItem("provide", "note", {"size": SIZE}, {"name": NAME}),
        MenuItem("answer", "answer"),
    ),
)
REQUEST = DecisionRequest(session_id="s", lang="en", menu=MENU, text="hello")


def why(answer: Any, menu: Menu = MENU) -> str:
    found = check_decision(menu, answer)
    assert isinstance(found, Invalid), found
    assert len(found.why) < 1_000
    return found.why


@pytest.mark.parametrize(
    "answer",
    [
        {"action": "accept"},
        {"action": "accept", "parameters": {}, "reply_text": "Fine."},
        {"action": "paint", "parameters": {"colour": "red"}},
        {"action": "paint", "parameters": {"colour": 1.5, "shade": True}},
        {"action": "provide", "parameters": {"size": "many"}},
        {"action": "provide", "parameters": {"name": "Ann"}},
        AgentDecision(action="answer", reply_text="Hi"),
    ],
)
def test_a_legal_answer_passes(answer: Any) -> None:
    """As a mapping or as the type; a value that does not fit its slot is the customer's matter."""
    found = check_decision(MENU, answer)
    assert isinstance(found, AgentDecision)
    given = answer if isinstance(answer, AgentDecision) else AgentDecision(**answer)
    assert found == given


def test_white_space_around_an_action_is_dropped() -> None:
    """Tokenizers of models put it there."""
    found = check_decision(MENU, AgentDecision(action=" accept\n"))
    assert found == AgentDecision(action="accept")


def repr_short(value: Any) -> str:
    return repr(value)[:20] if not isinstance(value, int) else "integer"


NO_ACTION: list[Any] = [None, 3, "accept", [], [1], {}, {"action": 3}, {"action": None}, {1: 2}, {"action": "\ud800"}]
NO_FIELDS: list[dict[str, Any]] = [{"mood": 1}, {"parameters": []}, {"reply_text": 3}, {"parameters": {"a": object()}}]


@pytest.mark.parametrize("answer", [*NO_ACTION, *({"action": "accept", **more} for more in NO_FIELDS)])
def test_what_is_no_decision_is_invalid(answer: Any) -> None:
    """Never an exception."""
    assert why(answer).startswith(("not an AgentDecision", "action"))


@pytest.mark.parametrize("action", ["Accept", "ac cept", "", "leave", "signed", "x" * 10_000, "接受", "{accept}"])
def test_only_the_menu_is_allowed(action: str) -> None:
    """And the answer says what is on it."""
    assert "allowed: accept, paint, provide, answer" in why({"action": action})
    assert why({"action": action}, Menu("offer", ())).endswith("allowed: none")


@pytest.mark.parametrize(
    ("action", "parameters", "hint"),
    [
        ("accept", {"x": 1}, "'x' not known; known: none"),
        ("paint", {"colour": "red", "x": 1, "y": 2}, "'x', 'y' not known; known: colour, shade"),
        ("paint", {"shade": "dark"}, "'colour' missing"),
        ("paint", {}, "'colour' missing"),
        ("provide", {}, "at least one value"),
        ("provide", {"colour": "red"}, "'colour' not known; known: size, name"),
        ("paint", {f"k{i}" * 100: 1 for i in range(50)}, "not known"),
    ],
)
def test_parameters_must_fit_the_action(action: str, parameters: Any, hint: str) -> None:
    """Which are missing, which are too many, which there are."""
    assert hint in why({"action": action, "parameters": parameters})


@pytest.mark.parametrize(
    "value",
    [None, [], ["red"], {}, {"a": 1}, float("nan"), float("inf"), 2**1024, "x" * (MAX_VALUE_CHARS + 1)],
    ids=repr_short,
)
def test_a_value_is_a_finite_scalar(value: Any) -> None:
    """Of a length that a customer may have typed."""
    assert "'size' must be" in why(
        AgentDecision.model_construct(action="provide", parameters={"size": value}, reply_text="")
    )


@pytest.mark.parametrize("value", [0, -1, 2**60, 1e300, True, "", "x" * MAX_VALUE_CHARS, "\x00"])
def test_any_scalar_is_let_through(value: Any) -> None:
    """The slot's reader judges it."""
    assert isinstance(check_decision(MENU, {"action": "provide", "parameters": {"size": value}}), AgentDecision)


def test_words_are_cleaned_and_cut() -> None:
    """They may end up in front of a customer."""
    found = check_decision(MENU, {"action": "answer", "reply_text": "a\x00b\x1b" + "x" * 10_000})
    assert isinstance(found, AgentDecision)
    assert found.reply_text == "ab" + "x" * (MAX_REPLY_CHARS - 2)


async def test_a_script_answers_in_order_and_keeps_what_it_was_asked() -> None:
    """An exception in its turn; then it says that it is used up."""
    decider = ScriptedDecider([{"action": "accept"}, TimeoutError("slow"), AgentDecision(action="answer")])
    assert await decider.decide(REQUEST) == {"action": "accept"}
    with pytest.raises(TimeoutError):
        await decider.decide(REQUEST)
    assert await decider.decide(REQUEST) == AgentDecision(action="answer")
    with pytest.raises(ModelError, match="call number 4"):
        await decider.decide(REQUEST)
    assert decider.requests == [REQUEST] * 4


async def test_a_script_may_be_a_function() -> None:
    """Of the request."""
    decider = ScriptedDecider(lambda request: AgentDecision(action=request.menu.names[0], reply_text=request.text))
    assert await decider.decide(REQUEST) == AgentDecision(action="accept", reply_text="hello")
