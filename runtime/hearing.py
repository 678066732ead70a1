"""Hearing: which slot values a decision brings. Those count that the customer gave, by the model's reading or by code's.

A slot with a `read` is one that code can look for, so what a model says of it is checked against the customer's words: text and
numbers must stand in them (or be reckoned from them), or in what a tool told the session; a choice or a yes-no must answer the
question just asked or be read by code. What fails is dropped, on record. And what code read is not lost on a model that misses
what a message is about: the answer to the question just asked, or a correction of what is known. A
question is neither. Called by `turn.py`. Pure.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from pydantic import JsonValue

from ..protocol.decision import AgentDecision, DecisionRequest
from ..protocol.menu import MenuItem
from ..protocol.polarity import polarity
from ..protocol.slots import Scalar, Slot
from ..statemachine.reading.said import asks, is_held, is_said

SHORT = 30
"""Characters of an answer in which there is nothing beside a choice that code could have misread."""


_RECKON = re.compile(
    r"(?<![a-z])(?:add|adds|more|less|fewer|extra|another|plus|minus|times|double|half|per|each|every|extend|and|same|year|years)(?![a-z])"
    r"|[加减乘多少增延续每翻倍半和同年]"
)
"""Words by which the number in a message may be one to reckon with, not the value."""


@dataclass(frozen=True, slots=True)
class Heard:
    """`decision`: with the values that count. `dropped`: names of the others. `missing`: required parameters among these.

    `by_code`: the values are code's reading, not the model's.
    """

    decision: AgentDecision
    dropped: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    by_code: bool = False


_WRONG = re.compile(
    r"(?<![a-z])(?:wrong|not right|incorrect|correct you|correction|mistake|actually|i meant|instead|change)(?![a-z])"
    r"|不对|不正确|错|不是|应该是|更正|改[成为]|纠正|其实"
)


def sets_right(text: str) -> bool:
    """Whether somebody sets something right: a value that differs from the known one goes before an action on the old one."""
    return _WRONG.search(text.lower()) is not None


def heard(decision: AgentDecision, request: DecisionRequest, today: date) -> Heard:
    """What remains of a legal decision without invented values, and with what code read.

    Where something was dropped or passed over, the model's words go, too: they tell of what did not happen.
    """
    given = _checked(decision, request, today)
    read = _read_by_code(given.decision, request)
    if read:
        return Heard(AgentDecision(action="provide", parameters=dict(read)), given.dropped, by_code=True)
    if given.dropped:
        return Heard(given.decision.model_copy(update={"reply_text": ""}), given.dropped, given.missing)
    return given


def _checked(decision: AgentDecision, request: DecisionRequest, today: date) -> Heard:
    item = request.menu.get(decision.action)
    if item is None or not decision.parameters:
        return Heard(decision)
    slots = {**item.also, **item.parameters}
    given = {
        name: _value(name, slots[name], value, item, request, today) for name, value in decision.parameters.items()
    }
    kept = {name: value for name, value in given.items() if value is not None}
    dropped = tuple(name for name, value in decision.parameters.items() if kept.get(name) != value)
    missing = tuple(name for name in dropped if name not in kept and item.name != "provide" and slots[name].required)
    return Heard(decision.model_copy(update={"parameters": kept}) if dropped else decision, dropped, missing)


def _value(name: str, slot: Slot, value: JsonValue, item: MenuItem, request: DecisionRequest, today: date) -> JsonValue:
    """The value that counts; None if none does."""
    if slot.read is None or request.data.get(name) == value:
        return value
    is_slot = item.name == "provide"
    if slot.kind in ("choice", "bool"):
        return _choice(name, slot, value, item, request) if is_slot else request.found.get(name, value)
    known = request.data.get(name)
    texts = [request.text]
    if not is_slot or known is None:
        texts += [exchange.user for exchange in request.history]
    if request.history and polarity(request.text) == "yes":
        texts.append(request.history[-1].reply)  # "20 seats, is that right?" "yes"
    if _is_anothers(name, value, request):
        return request.found.get(name)
    if is_said(name, slot, value, texts, today=today, known=known):
        return value
    if is_held(value, _told(request.data), numbers=not is_slot):
        return value
    return (
        None if _RECKON.search(request.text.lower()) else request.found.get(name)
    )  # a slip of the model, such as 52 for 25


def _choice(name: str, slot: Slot, value: JsonValue, item: MenuItem, request: DecisionRequest) -> JsonValue:
    """Answering the question in a sentence, a choice may be in any words; so may one that nobody asks for but this step takes."""
    asked = name in request.missing[:1]
    if name in request.found and not (asked and len(request.text) > SHORT):
        return request.found[name]
    optional = name in item.parameters and not slot.required and name not in request.data
    return value if asked or optional else None


def _read_by_code(decision: AgentDecision, request: DecisionRequest) -> Mapping[str, Scalar]:
    """Values that the decision passes over; empty if there are none."""
    item = request.menu.get("provide")
    if (
        item is None
        or not request.found
        or asks(request.text)
        or (decision.action == "provide" and decision.parameters)
    ):
        return {}
    if request.confirming and decision.action in (request.confirming, "show_detail"):
        return {name: v for name, v in request.found.items() if name in item.parameters and request.data.get(name) != v}
    if decision.action not in _WORDS_ONLY and (other := _something_else(item, request)):
        return other
    slots = {**item.also, **item.parameters}
    if decision.action not in ("ask_human", "leave") and sets_right(request.text):
        known = request.data
        if righted := {n: v for n, v in request.found.items() if n in slots and known.get(n) not in (None, v)}:
            return righted
    answered = request.missing[:1] and request.missing[0] in request.found
    if not answered or decision.action not in ("answer", "provide"):
        return {}
    return {name: v for name, v in request.found.items() if name in slots and request.data.get(name) != v}


def _is_anothers(name: str, value: JsonValue, request: DecisionRequest) -> bool:
    """A number that code read as another slot's: "12 months" is no budget of 12."""
    return name not in request.found and any(other != name and v == value for other, v in request.found.items())


_WORDS_ONLY = ("provide", "answer", "ask_human", "leave", "show_detail")


def _something_else(item: MenuItem, request: DecisionRequest) -> Mapping[str, Scalar]:
    """Wishes of this step that nothing shown so far fulfils ("then the Standard plan", with Pro on offer): no time to go on."""
    told = _told(request.data)
    return {
        name: value
        for name, value in request.found.items()
        if name in item.parameters and not item.parameters[name].required
        if request.data.get(name) != value and told and not is_held(value, told, numbers=True)
    }


def _told(data: Mapping[str, JsonValue]) -> list[JsonValue]:
    """What tools and the outside said: it stands in the data as objects and lists, slots as scalars."""
    return [value for value in data.values() if isinstance(value, (dict, list))]
