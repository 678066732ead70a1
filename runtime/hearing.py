"""Hearing: of a decision's values only those count that the customer gave. The others are dropped, on record.

A slot with a `read` is one that code can look for, so what a model says of it is checked against the customer's words: text,
numbers and dates must stand in them, or in what a tool told the session; a choice or a yes-no must answer the question just
asked or be read by code. Where only code's value stands in the message, code's counts. Called by `turn.py`. Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from pydantic import JsonValue

from ..protocol.decision import AgentDecision, DecisionRequest
from ..protocol.menu import MenuItem
from ..protocol.slots import Slot
from ..statemachine.reading.said import is_held, is_said


@dataclass(frozen=True, slots=True)
class Heard:
    """`decision`: with the values that count. `dropped`: names of the others. `missing`: required parameters among these."""

    decision: AgentDecision
    dropped: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def heard(decision: AgentDecision, request: DecisionRequest, today: date) -> Heard:
    """What remains of a legal decision when values that nobody gave are taken out."""
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


def _told(data: Mapping[str, JsonValue]) -> list[JsonValue]:
    """What tools and the outside said: it stands in the data as objects and lists, slots as scalars."""
    return [value for value in data.values() if isinstance(value, (dict, list))]
