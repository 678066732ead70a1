"""Salvage: finds the one JSON object in what a model wrote, if there is exactly one and it is whole.

Fences, prose and thinking around the object are dropped without another call; nothing inside it is mended. What Python would read
leniently is refused here (a key twice, NaN, 1e400), for the last word would win in silence. Says nothing about what the object
means: that is `check_decision.py`'s. Pure; called by `completion.py`.
"""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from pydantic import JsonValue

MAX_ANSWER_CHARS = 50_000
"""A decision with the longest words and values is far below it."""
MAX_DEPTH = 8

_THINKING_ENDS = re.compile("</think>", re.IGNORECASE)
_THINKING_BEGINS = re.compile("<think>", re.IGNORECASE)

_MEMBER_BEFORE = re.compile(r""",\s*(["'])\w+\1\s*:\s*$""")
_MEMBER_BEHIND = re.compile(r"""\s*,\s*(["'])\w+\1\s*:""")
# Of `"action": ..., "parameters": {...}` without its outer braces, the parameters would pass for the decision.


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why there is no object to take, in words fit for a re-ask. Never the text itself."""

    why: str


class _RefusedError(ValueError):
    """A rule of ours that Python's JSON does not have."""


def salvage(answer: str) -> str | Unusable:
    """The one object of the answer, as its JSON."""
    if len(answer) > MAX_ANSWER_CHARS:
        return Unusable(f"{len(answer):,} characters, allowed are {MAX_ANSWER_CHARS:,}")
    text = _behind_thinking(answer.strip().lstrip("\ufeff"))
    if _THINKING_BEGINS.search(text.partition("{")[0]):
        return Unusable("thinking without an end")
    if not text:
        return Unusable("empty")
    if text[0] not in '{["':
        return _inside(text)
    try:
        value, end = _DECODER.raw_decode(text)
    except _RefusedError as error:
        return Unusable(str(error))
    except (ValueError, RecursionError) as error:
        return _inside(text) if text[0] != "{" else Unusable(_fault(error))
    if end < len(text):
        return _inside(text)
    if not isinstance(value, dict):
        return Unusable(f"JSON, but a {'list' if isinstance(value, list) else 'string'} and no object")
    return _of_fitting_depth(value, text)


def _behind_thinking(text: str) -> str:
    """The tag that opens the thinking may have been the prompt's last word: then the server sends only the one that closes it."""
    return text if text.startswith("{") else _THINKING_ENDS.split(text)[-1].strip()


def _inside(text: str) -> str | Unusable:
    """The object somewhere in the text, if no other brace stands in it."""
    start = text.find("{")
    if start < 0:
        return Unusable("no JSON object in it")
    try:
        value, end = _DECODER.raw_decode(text, start)
    except _RefusedError as error:
        return Unusable(str(error))
    except (ValueError, RecursionError) as error:
        return Unusable(_fault(error))
    rest = text[end:]
    if _THINKING_ENDS.search(rest):
        return Unusable("an object within thinking")
    if "{" in rest or "}" in rest:
        return Unusable("more than one JSON object, or braces beside it")
    if _MEMBER_BEFORE.search(text[:start]) or _MEMBER_BEHIND.match(rest):
        return Unusable("an object that is a member of another, whose braces are missing")
    if text.count("[", 0, start) > text.count("]", 0, start):
        return Unusable("a list and no object")
    return _of_fitting_depth(value, text[start:end])


def _of_fitting_depth(value: dict[str, JsonValue], text: str) -> str | Unusable:
    return text if _depth_fits(value) else Unusable(f"nested deeper than {MAX_DEPTH}")


def _depth_fits(value: JsonValue) -> bool:
    level: Sequence[JsonValue] = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for item in level
            for inner in (item.values() if isinstance(item, dict) else item if isinstance(item, list) else ())
        ]
        if not level:
            return True
    return False


def _fault(error: ValueError | RecursionError) -> str:
    """Where reading stopped. The position only: the text may be a customer's."""
    if isinstance(error, json.JSONDecodeError):
        return f"not whole JSON: {error.msg} at character {error.pos}"
    return "not JSON that can be read: nested too deep or a number too long"


def _no_key_twice(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise _RefusedError("a key stands twice in the same object")
    return value


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _RefusedError("a number beyond what a double holds")
    return number


def _no_constant(name: str) -> NoReturn:
    raise _RefusedError(f"{name} is no JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_no_key_twice, parse_float=_finite, parse_constant=_no_constant)
