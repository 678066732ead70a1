"""Said: did the customer give this value? A model may invent one; code believes it only if it finds it in the customer's words.

Owns what counts as found, for one value of one slot. Slots without a `read` never come here: code cannot judge what it cannot
read. Nor do choices and yes-no: their words are often the customer's own. Called by `runtime/hearing.py`. Pure.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date

from pydantic import JsonValue

from ...protocol.slots import Scalar, Slot
from ..slot_values import parse_value
from .message import lower, prepare
from .numbers import find_numbers
from .readers import read_slots

_BETWEEN = re.compile(r"[\W_]+")


def is_said(name: str, slot: Slot, value: JsonValue, texts: Iterable[str], *, today: date) -> bool:
    """Whether one of the `texts`, all the customer's own, holds `value`: in figures or words, in any unit that the slot reads."""
    wanted = parse_value(slot, value, today=today)
    return any(
        _holds(slot, value, text) or wanted == read_slots({name: slot}, text, asked=name, today=today).get(name)
        for text in texts
    )


def is_held(value: JsonValue, results: Iterable[JsonValue]) -> bool:
    """Whether a tool's result or an outside payload holds the value: "the second one" of what the customer was shown."""
    return isinstance(value, str) and any(_same(value, leaf) for result in results for leaf in _leaves(result))


def _holds(slot: Slot, value: JsonValue, text: str) -> bool:
    if slot.kind in ("int", "number"):
        number = parse_value(Slot(type="number"), value, today=date.min)
        return any(found.value == number for found in find_numbers(lower(prepare(text).text)))
    return slot.kind != "date" and bool(bare := _bare(str(value))) and bare in _bare(text)


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
