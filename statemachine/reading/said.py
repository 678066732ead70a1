"""Said: did the customer give this value? A model may invent one; code believes it only if it finds it in the customer's words.

Owns what counts as found, for one value of one slot. Slots without a `read` never come here: code cannot judge what it cannot
read. Nor do choices and yes-no: their words are often the customer's own. Called by `runtime/hearing.py`. Pure.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from itertools import permutations

from pydantic import JsonValue

from ...protocol.slots import Scalar, Slot
from ..slot_values import parse_value
from .message import lower, prepare
from .numbers import find_numbers
from .readers import read_slots

_BETWEEN = re.compile(r"[\W_]+")
_MOST_RECKONED = 4


def is_said(
    name: str, slot: Slot, value: JsonValue, texts: Iterable[str], *, today: date, known: JsonValue = None
) -> bool:
    """Whether one of the `texts`, all the customer's own, holds `value`: in figures or words, in any unit that the slot reads.

    A number may also be reckoned from those in the first text and from what was `known`: "add five seats". A date, in any words
    that code can read as some date: which Friday is meant, a model may know better.
    """
    wanted = parse_value(slot, value, today=today)
    for nth, text in enumerate(texts):
        found = read_slots({name: slot}, text, asked=name, today=today).get(name)
        if wanted == found or _holds(slot, value, text) or (slot.kind == "date" and found is not None):
            return True
        if nth == 0 and slot.kind in ("int", "number") and wanted in _reckoned(text, known):
            return True
    return False


def is_held(value: JsonValue, results: Iterable[JsonValue], *, numbers: bool = False) -> bool:
    """Whether a tool's result or an outside payload holds the value: "the second one" of what the customer was shown.

    `numbers`: also a number. For a slot it says nothing that a price of 20 stands somewhere.
    """
    if isinstance(value, bool) or not isinstance(value, (str, int, float) if numbers else str):
        return False
    return any(_same(str(value), leaf) for result in results for leaf in _leaves(result))


def asks(text: str) -> bool:
    """Whether a clause of the text is a question, with its mark or without."""
    message = prepare(text)
    return any(message.asks_at(start) or _ASKS.match(message.lower, start, end) for start, end in message.clauses)


_ASKS = re.compile(
    r"\W*(?:do|does|did|is|are|was|can|could|would|will|may|should|shall|have|has)\s(?:you|it|there|i|we|they|that|this)\b"
)


def _holds(slot: Slot, value: JsonValue, text: str) -> bool:
    if slot.kind in ("int", "number"):
        return parse_value(Slot(type="number"), value, today=date.min) in _numbers(text)
    return slot.kind != "date" and bool(bare := _bare(str(value))) and bare in _bare(text)


def _numbers(text: str) -> list[int | float]:
    return [found.value for found in find_numbers(lower(prepare(text).text))]


def _reckoned(text: str, known: JsonValue) -> set[object]:
    """Sums, differences, products and quotients of two: numbers of the text, what was known before, the months of a year."""
    said = _numbers(text)[:_MOST_RECKONED]
    before = [known] if isinstance(known, (int, float)) and not isinstance(known, bool) else []
    pairs = [*permutations([*said, *before], 2), *((number, 12) for number in said)]
    return {result for a, b in pairs for result in (a + b, a - b, a * b, a / b if b else a)}


def _bare(text: str) -> str:
    """Letters and digits alone: "+86 138-0013" holds 138 0013."""
    return _BETWEEN.sub("", lower(prepare(text).text))


def _same(value: str, leaf: Scalar) -> bool:
    return _bare(value) == _bare(str(leaf))


def _leaves(value: JsonValue) -> Iterable[Scalar]:
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, Mapping):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        elif item is not None:
            yield item
