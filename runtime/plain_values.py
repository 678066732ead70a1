"""Plain values: a message that only gives slot values, all of which code can read, needs no decider.

Two kinds: a plain answer to the question just asked, and a plain correction where nothing is asked but a yes. A question, a
likeness to an action, a match in the flow's knowledge or hesitation sends it to the decider, and so does a name: what looks like
one is a guess. For deciders that say `reads_first`: "sure", every word of the message must be accounted for
(`reading/coverage.py`); "likely", a short message will do, for models that read worse than code does. Called by `turn.py`. Pure.
"""

import re
from collections.abc import Mapping

from ..decision.likeness import likeness, puts_off
from ..protocol.decision import DecisionRequest
from ..protocol.menu import MenuItem
from ..protocol.ports import ReadsFirst
from ..protocol.slots import Scalar
from ..statemachine.reading.coverage import is_nothing_else
from ..statemachine.reading.said import asks

SHORT_WIDTH = 72
"""A message of this width has room for an answer and little beside it. A Chinese character is as wide as three letters."""

LIKE_AN_ACTION = 0.5
"""Likeness from which a word of an action stands in the message."""

_RELATIVE = re.compile(
    r"(?<![a-z])(?:add|adds|more|less|fewer|extra|another|plus|minus|remove|cancel|drop|half|only|left|grew)(?![a-z])|[加减多少去其走]"
)
"""By such words a number may be one to reckon with: it is not put in the place of the one that is shown."""


def plain_values(request: DecisionRequest, how: ReadsFirst) -> Mapping[str, Scalar]:
    """The values that the message gives and nothing else; empty if a decider is to read it."""
    item = request.menu.get("provide")
    if not how or item is None or not request.found or request.knowledge or request.last_error or request.moved:
        return {}
    slots = {**item.also, **item.parameters}
    new = {name: value for name, value in request.found.items() if request.data.get(name) != value}
    if not new or any(name not in slots or slots[name].read in (None, "text") for name in request.found):
        return {}
    answers, corrects = _answers(new, request), _corrects(new, item, request)
    if not (answers or corrects) or _says_more(request):
        return {}
    if how == "sure":
        plain = is_nothing_else(request.text, slots, request.found, corrects=corrects)
    else:
        plain = _width(request.text) <= SHORT_WIDTH and not (corrects and _RELATIVE.search(request.text.lower()))
    return new if plain else {}


def _answers(new: Mapping[str, Scalar], request: DecisionRequest) -> bool:
    return bool(request.missing) and request.missing[0] in new


def _corrects(new: Mapping[str, Scalar], item: MenuItem, request: DecisionRequest) -> bool:
    """A question waits for a yes, and values of this step came instead that differ from those asked about. A "no" among them is
    one to the question, not to a slot."""
    if not request.confirming or any(isinstance(value, bool) for value in new.values()):
        return False
    return all(name in item.parameters and name in request.data for name in new)


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
