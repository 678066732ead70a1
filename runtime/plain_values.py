"""Plain values: a message that only gives slot values, all of which code can read, needs no decider.

Two kinds: a plain answer to the question just asked, and a plain correction where nothing is asked but a yes. Anything else in
the message (a question, a word of an action, a matter of the flow's knowledge, more words than an answer has) sends it to the
decider. So does a name: what looks like one is a guess. Only for deciders that say `reads_first`: a call of a model costs money
and seconds, one of a script nothing. Called by `turn.py`. Pure.
"""

from collections.abc import Mapping

from ..decision.likeness import likeness, puts_off
from ..protocol.decision import DecisionRequest
from ..protocol.menu import MenuItem
from ..protocol.slots import Scalar
from ..statemachine.reading.said import asks

PLAIN_WIDTH = 72
"""A message of this width has room for an answer and little beside it. A Chinese character is as wide as two letters or more."""

LIKE_AN_ACTION = 0.5
"""Likeness from which a word of an action stands in the message."""


def plain_values(request: DecisionRequest) -> Mapping[str, Scalar]:
    """The values that the message gives and nothing else; empty if a decider is to read it."""
    item = request.menu.get("provide")
    if item is None or not request.found or request.knowledge or request.last_error or request.moved:
        return {}
    slots = {**item.also, **item.parameters}
    new = {name: value for name, value in request.found.items() if request.data.get(name) != value}
    if not new or any(name not in slots or slots[name].read in (None, "text") for name in request.found):
        return {}
    if not (_answers(new, request) or _corrects(new, item, request)):
        return {}
    return {} if _width(request.text) > PLAIN_WIDTH or _says_more(request) else new


def _answers(new: Mapping[str, Scalar], request: DecisionRequest) -> bool:
    return bool(request.missing) and request.missing[0] in new


def _corrects(new: Mapping[str, Scalar], item: MenuItem, request: DecisionRequest) -> bool:
    """A question waits for a yes, and values of this step came instead that differ from those asked about."""
    return bool(request.confirming) and all(name in item.parameters and name in request.data for name in new)


def _says_more(request: DecisionRequest) -> bool:
    if asks(request.text) or puts_off(request.text):
        return True
    phrases = (
        phrase
        for item in request.menu.items
        if item.name not in ("provide", "answer", request.confirming)
        for phrase in (item.label, item.name.replace("_", " "), *item.examples)
    )
    return any(likeness(phrase, request.text) >= LIKE_AN_ACTION for phrase in phrases)


def _width(text: str) -> int:
    return sum(1 if character < "\u2e80" else 3 for character in text)
