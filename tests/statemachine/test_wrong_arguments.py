"""A flow in Python that is built with wrong arguments: what came, what is allowed and which argument, never pydantic's report."""

from collections.abc import Callable
from typing import Any

import pytest

from maitred import Action, Call, Deadline, Flow, Limits, Migration, Slot, Step, When, tool
from maitred.protocol.errors import WrongArguments


@tool(effect="none")
def stock(tins: int) -> int:
    """What is left."""
    return 30 - tins


def plain(tins: int) -> int:
    return tins


anything: Any = stock
PARTS: dict[str, tuple[Callable[..., object], tuple[Any, ...], dict[str, Any], str]] = {
    "misspelt argument": (Step, (), {"confirm": "x"}, "confirm: there is no such argument; did you mean 'confirms'?"),
    "missing argument": (Action, (), {}, "name: is missing"),
    "empty name": (Action, ("",), {}, "name: must be a name that is not empty, not ''"),
    "one too many": (Deadline, (1, "x", "y"), {}, "2: is one argument too many: 'y'"),
    "unknown type": (Slot, ("integer",), {}, "type: 'integer' is not allowed here; did you mean 'int'?"),
    "type that is none": (Slot, (list,), {}, "type: <class 'list'> is not allowed here; allowed: bool, choice, date, "),
    "unknown reader": (Slot, (int,), {"read": "numbr"}, "read: 'numbr' is not allowed here; did you mean 'number'?"),
    "no number": (Slot, (int,), {"minimum": "one"}, "minimum: must be a number, not 'one'"),
    "no flag": (Action, ("x",), {"confirm": "sure"}, "confirm: must be True or False, not 'sure'"),
    "one string for many": (
        Slot,
        (),
        {"cues": "tin"},
        "cues: must be a tuple, not 'tin'; one alone is written ('tin',)",
    ),
    "one part for many": (Step, (), {"actions": Call("x")}, "one alone is written (...,)"),
    "one string in a language": (Action, ("x",), {"examples": {"en": "go"}}, "examples.en: must be a tuple, not 'go'"),
    "no text": (Slot, (), {"ask": 5}, "ask: must be a string or a mapping, not 5"),
    "no language": (Slot, (), {"ask": {"en": "a", "de": "b"}}, "ask: 'de' is not allowed here; allowed: en, zh"),
    "unknown outcome": (Call, ("x",), {"on": {"eror": "x"}}, "on: 'eror' is not allowed here; did you mean 'error'?"),
    "unknown operator": (
        When,
        ({"tins": {"greater": 3}}, "x"),
        {},
        "condition.tins: 'greater' is not allowed here; did you mean 'gte'?",
    ),
    "no part": (Step, (), {"deadline": 3600}, "deadline: must be Deadline(...), not 3600"),
    "no part in a mapping": (Step, (), {"collects": {"n": int}}, "collects.n: must be Slot(...), not <class 'int'>"),
    "no part in a list": (Step, (), {"actions": ("x",)}, "actions[0]: must be Action(...), not 'x'"),
    "tool for its name": (Call, (anything,), {}, "write its name, 'stock'"),
    "number out of range": (
        Limits,
        (),
        {"expires_s": 1e12},
        "expires_s: must be 316,224,000 or less, not 1000000000000.0",
    ),
    "fraction": (Limits, (), {"turns_per_session": 2.5}, "turns_per_session: must be a whole number, not 2.5"),
    "the part's own rule": (Slot, ("choice",), {}, "a slot of choices needs `choices`: value -> synonyms"),
    "version that is no name": (Migration, (1.5,), {}, "from_version: must be a string, not 1.5"),
}


@pytest.mark.parametrize("mistake", PARTS)
def test_a_part_says_what_it_does_not_take(mistake: str) -> None:
    """Which part, which argument, what came, what is allowed."""
    part, given, named, says = PARTS[mistake]
    with pytest.raises(WrongArguments) as caught:
        part(*given, **named)
    lines = str(caught.value).splitlines()
    assert lines[0] == f"{part.__name__}(...) was given"
    assert says in str(caught.value)
    assert len(lines) == 2
    assert "pydantic" not in str(caught.value)


def test_every_wrong_argument_is_listed() -> None:
    """Nobody should have to run it twice."""
    wrong: Any = When
    with pytest.raises(WrongArguments) as caught:
        wrong("order", None)
    assert caught.value.faults == (
        ("condition", "must be a mapping, not 'order'"),
        ("target", "must be a string, not None"),
    )


FLOWS: dict[str, tuple[dict[str, Any], str]] = {
    "rows without an event": (
        {"transitions": {"order": "x"}},
        "transitions: its keys are pairs (state, event); got 'order'",
    ),
    "rows in a list": ({"transitions": [("order", "x", "y")]}, "transitions: a mapping (state, event) -> state; got ["),
    "one When": (
        {"transitions": {("order", "x"): When(None, "completed")}},
        "transitions: (order, x): one When(...) alone is written [When(...)]",
    ),
    "names for Whens": (
        {"transitions": {("order", "x"): ["completed"]}},
        "transitions: (order, x): a list of When(...); got 'completed'",
    ),
    "target that is none": (
        {"transitions": {("order", "x"): 3}},
        "(order, x): a state, an end, IGNORE or a list of When",
    ),
    "steps in a list": ({"steps": [Step()]}, "steps: a mapping state -> Step(...); got ["),
    "step that is none": ({"steps": {"order": {"say": "x"}}}, "steps: a mapping state -> Step(...); got 'order': {"),
    "names of tools": ({"tools": ["stock"]}, "tools: functions with @tool(effect=...) above them; got 'stock'"),
    "plain function": (
        {"tools": [plain]},
        "tools: functions with @tool(effect=...) above them; got the plain function 'plain'",
    ),
    "one tool": ({"tools": stock}, "tools: a list of tools; got tool 'stock' (none)"),
    "knowledge in a string": ({"knowledge": "x"}, "knowledge: a function (text, lang) -> list of facts; got 'x'"),
    "names of actions": ({"everywhere": ["hours"]}, "everywhere: a list of Action(...); got 'hours'"),
    "one action": ({"everywhere": Action("hours")}, "everywhere: a list of Action(...); got Action(name='hours'"),
    "outside events": ({"outside": [5]}, "outside: a list of Outside(...) or names of events; got 5"),
}


@pytest.mark.parametrize("mistake", FLOWS)
def test_a_flow_says_what_it_does_not_take(mistake: str) -> None:
    """Before anything is made of it."""
    given, says = FLOWS[mistake]
    rows = {("order", "x"): "completed"}
    with pytest.raises(WrongArguments) as caught:
        Flow(**{"name": "tea", "states": ["order"], "initial": "order", "transitions": rows, **given})
    assert str(caught.value).startswith("Flow(...) was given\n")
    assert says in str(caught.value)


def test_lists_may_be_read_only_once() -> None:
    """An iterator is not used up by the look at its items."""
    rows = {("order", "x"): "completed"}
    flow = Flow(
        name="tea",
        states=iter(["order"]),
        initial="order",
        transitions=rows,
        tools=iter([stock]),
        outside=iter(["x"]),
        everywhere=iter([Action("hours")]),
    )
    assert (flow.states, list(flow.tools), list(flow.outside), flow.everywhere) == (
        ("order",),
        ["stock"],
        ["x"],
        ("hours",),
    )
