"""Hearing: which slot values a decision brings. Those count that the customer gave, by the model's reading or by code's.

A slot with a `read` is one that code can look for, so what a model says of it is checked against the customer's words: text,
numbers and dates must stand in them, or in what a tool told the session; a choice or a yes-no must answer the question just
asked or be read by code. What fails is dropped, on record. And what code read is not lost on a model that only answers with
words: the answer to the question just asked, or a correction of what the customer is asked to confirm. Called by `turn.py`. Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from pydantic import JsonValue

from ..protocol.decision import AgentDecision, DecisionRequest
from ..protocol.menu import MenuItem
from ..protocol.slots import Scalar, Slot
from ..statemachine.reading.said import is_held, is_said


@dataclass(frozen=True, slots=True)
class Heard:
    """`decision`: with the values that count. `dropped`: names of the others. `missing`: required parameters among these.

    `by_code`: the values are code's reading, not the model's.
    """

    decision: AgentDecision
    dropped: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    by_code: bool = False


def heard(decision: AgentDecision, request: DecisionRequest, today: date, *, confirming: bool = False) -> Heard:
    """What remains of a legal decision without invented values, and with what code read. `confirming`: a yes is waited for."""
    given = _checked(decision, request, today)
    read = _read_by_code(given.decision, request, confirming=confirming)
    if not read:
        return given
    # The model missed what the message is about, so its words are not to be relied on.
    provided = AgentDecision(action="provide", parameters=dict(read))
    return Heard(provided, given.dropped, by_code=True)


def _checked(decision: AgentDecision, request: DecisionRequest, today: date) -> Heard:
    item = request.menu.get(decision.action)
    if item is None or not decision.parameters:
        return Heard(decision)
    slots = {**item.also, **item.parameters}
    given = {
        name: _value(name, slots[name], value, item, request, today) for name, value in decision.parameters.items()
    }
    dropped = tuple(name for name, value in given.items() if value is None)
    if not dropped and given == decision.parameters:
        return Heard(decision)
    kept = {name: value for name, value in given.items() if value is not None}
    missing = tuple(name for name in dropped if item.name != "provide" and slots[name].required)
    return Heard(decision.model_copy(update={"parameters": kept}), dropped, missing)


def _value(name: str, slot: Slot, value: JsonValue, item: MenuItem, request: DecisionRequest, today: date) -> JsonValue:
    """The value that counts; None if none does."""
    if slot.read is None or request.data.get(name) == value:
        return value
    is_slot = item.name == "provide"
    if slot.kind in ("choice", "bool"):
        return request.found.get(name, value if name in request.missing[:1] or not is_slot else None)
    texts = (request.text,) if is_slot else (request.text, *(exchange.user for exchange in request.history))
    if is_said(name, slot, value, texts, today=today) or is_held(value, _told(request.data)):
        return value
    return request.found.get(name)


def _read_by_code(decision: AgentDecision, request: DecisionRequest, *, confirming: bool) -> Mapping[str, Scalar]:
    """Values that the decision passes over; empty if there are none."""
    item = request.menu.get("provide")
    if item is None or (decision.action == "provide" and decision.parameters):
        return {}
    if confirming and decision.action not in ("ask_human", "leave"):
        return {name: v for name, v in request.found.items() if name in item.parameters and request.data.get(name) != v}
    answered = request.missing[:1] and request.missing[0] in request.found
    if not answered or decision.action not in ("answer", "provide"):
        return {}
    return {name: value for name, value in request.found.items() if name in request.missing}


def _told(data: Mapping[str, JsonValue]) -> list[JsonValue]:
    """What tools and the outside said: it stands in the data as objects and lists, slots as scalars."""
    return [value for value in data.values() if isinstance(value, (dict, list))]
