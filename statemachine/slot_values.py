"""From a JSON scalar, as a model or a reader gives it, to a slot's own type; or what is wrong with it.

Owns every check of a slot's value. A bad value is the customer's matter, so it is a value here, never an exception.
Called by the machine before a slot is stored. `BadValue.allowed` is data in no language (a bound, the choices), for
a sentence chosen by code.
"""

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from math import isfinite
from typing import Literal

from ..protocol.polarity import polarity
from ..protocol.slots import Scalar, Slot
from .reading.dates import date_from
from .reading.message import Num, lower, pick, prepare, squeeze, tidy
from .reading.number_slots import read_numbers_of
from .reading.numbers import number_from

LONGEST_STR = 500
LARGEST_NUMBER = 10**15
_CHOICES_SHOWN = 10

BadCode = Literal[
    "not_a_number",
    "too_small",
    "too_large",
    "not_a_choice",
    "not_a_date",
    "wrong_pattern",
    "too_long",
    "empty",
    "wrong_type",
]


@dataclass(frozen=True, slots=True)
class BadValue:
    """Why a value does not fit. `allowed`: "1" for too_small, "basic, pro" for not_a_choice, "YYYY-MM-DD" for
    not_a_date, ..."""

    code: BadCode
    allowed: str


_INVISIBLE = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_WORDS_OF_BOOL = {"true": True, "false": False, "对": True, "否": False}


def parse_value(slot: Slot, value: object, *, today: date) -> Scalar | BadValue:
    """The value in the slot's type, or why not. Never raises for any value, if the slot's pattern compiles."""
    if not isinstance(value, (str, int, float)):
        return BadValue("empty" if value is None else "wrong_type", _type_shown(slot))
    if isinstance(value, str):
        cleaned = _clean(value)
        if isinstance(cleaned, BadValue):
            return cleaned
        value = cleaned
    if slot.kind == "bool":
        return _bool(value)
    if isinstance(value, bool):
        return BadValue("wrong_type", _type_shown(slot))
    if slot.kind in ("int", "number"):
        return _number(slot, value, today)
    if slot.kind == "date":
        return _date(value, today)
    if isinstance(value, float) and not isfinite(value):
        return BadValue("wrong_type", "str")
    text = (
        value
        if isinstance(value, str)
        else str(tidy(value) if abs(value) <= LARGEST_NUMBER else value)[: LONGEST_STR + 1]
    )
    return _choice(slot, text) if slot.kind == "choice" else _str(slot, text)


def _clean(text: str) -> str | BadValue:
    """Trimmed, white space within kept as single spaces, direction marks dropped (phones copied from contacts carry
    them)."""
    text = _INVISIBLE.sub("", squeeze(text[: 20 * LONGEST_STR]))
    if not text:
        return BadValue("empty", "")
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in text):
        return BadValue("wrong_type", "str")
    return text


def _type_shown(slot: Slot) -> str:
    return {"int": "1, 2, 3", "number": "1, 2.5", "date": "YYYY-MM-DD", "bool": "true, false"}.get(slot.kind, slot.kind)


def _bool(value: str | int | float) -> bool | BadValue:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        known = _WORDS_OF_BOOL.get(value.lower())
        said = polarity(value)
        if known is not None or said != "other":
            return said == "yes" if known is None else known
    return BadValue("wrong_type", "true, false")


def _number(slot: Slot, value: str | int | float, today: date) -> Num | BadValue:
    number = _said_number(slot, value) if isinstance(value, str) else value
    if number is None or (isinstance(number, float) and not isfinite(number)):
        return BadValue("not_a_number", _type_shown(slot))
    if slot.minimum is not None and number < slot.minimum:
        return BadValue("too_small", _shown(slot.minimum))
    if number > (LARGEST_NUMBER if slot.maximum is None else slot.maximum):
        return BadValue("too_large", _shown(LARGEST_NUMBER if slot.maximum is None else slot.maximum))
    if number < -LARGEST_NUMBER:
        return BadValue("too_small", _shown(-LARGEST_NUMBER))
    if isinstance(number, float) and number == int(number):
        number = int(number)
    if slot.kind == "int" and isinstance(number, float):
        return BadValue("not_a_number", _type_shown(slot))
    return (
        number
        if slot.pattern is None or _matches(slot.pattern, str(number))
        else BadValue("wrong_pattern", slot.pattern)
    )


def _said_number(slot: Slot, text: str) -> Num | None:
    """ "42", "四十二", also with its unit: "20 seats", "2 years" where months are counted. Nothing else may be
    said."""
    message = prepare(text)
    whole = number_from(message.text)
    if whole is not None or len(message.text) > 40:
        return whole
    reader = Slot(type="number", read="number", cues=slot.cues)
    hits = read_numbers_of({"it": reader}, message, (), asked="it").get("it", [])
    hit = pick(hits, message)
    if hit is None:
        return None
    rest = _AROUND.sub("", message.lower[: hit.start] + " " + message.lower[hit.end :])
    return None if any(char.isalnum() for char in rest) else hit.value


_AROUND = re.compile(
    r"(?<![a-z])(?:about|around|approximately|roughly|or so|just|only|usd|rmb|cny|yuan|dollars)(?![a-z])|大概|大约"
    r"|差不多|左右|元|块钱?|[约个多来的]"
)


def _shown(bound: float) -> str:
    return str(int(bound)) if isfinite(bound) and bound == int(bound) else str(bound)


def _date(value: str | int | float, today: date) -> str | BadValue:
    found = date_from(prepare(value).text, today) if isinstance(value, str) else None
    return BadValue("not_a_date", "YYYY-MM-DD") if found is None else found.isoformat()


def _choice(slot: Slot, text: str) -> str | BadValue:
    wanted = _same(text)
    for value in slot.choices:
        if wanted == _same(value):
            return value
    found = next((value for value, synonyms in slot.choices.items() if wanted in map(_same, synonyms)), None)
    shown = [*slot.choices][:_CHOICES_SHOWN] + (["..."] if len(slot.choices) > _CHOICES_SHOWN else [])
    return BadValue("not_a_choice", ", ".join(shown)) if found is None else found


@lru_cache(maxsize=4_096)
def _same(text: str) -> str:
    """Case, width, spaces, hyphens and underscores do not tell choices apart."""
    return re.sub(r"[\s_-]+", " ", lower(prepare(text).text)).strip(" .!。")


def _str(slot: Slot, text: str) -> str | BadValue:
    longest = LONGEST_STR if slot.maximum is None else slot.maximum
    if len(text) > longest:
        return BadValue("too_long", _shown(longest))
    if slot.minimum is not None and len(text) < slot.minimum:
        return BadValue("too_small", _shown(slot.minimum))
    if slot.pattern is None or _matches(slot.pattern, text):
        return _first_group(slot, text)
    if slot.read == "regex" and (group := group_source(slot.pattern)) is not None and _matches(group, text):
        return text
    return BadValue("wrong_pattern", slot.pattern)


def _first_group(slot: Slot, text: str) -> str:
    """A `regex` slot's value is its first group, whoever found it."""
    found = compiled(slot.pattern).fullmatch(text) if slot.pattern is not None and slot.read == "regex" else None
    return found[1] if found and found.re.groups and found[1] else text


@lru_cache(maxsize=1_024)
def compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _matches(pattern: str, text: str) -> bool:
    return compiled(pattern).fullmatch(text) is not None


# An escape, a character class, an opening (a named group with its name), a closing.
_PIECES = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?:\?P<\w+>)|\((?!\?)|\(|\)", re.DOTALL)


@lru_cache(maxsize=1_024)
def group_source(pattern: str) -> str | None:
    """The source of the first group, so that its value can be checked alone; None without a group that stands on
    its own."""
    depth, start = 0, -1
    for piece in _PIECES.finditer(pattern):
        if piece.group().startswith("("):
            if start < 0 and not pattern.startswith("?", piece.end()):
                start, depth = piece.end(), 0
            depth += 1
        elif piece.group() == ")" and start >= 0:
            depth -= 1
            if depth == 0:
                return _alone(pattern, pattern[start : piece.start()])
        elif piece.group() == ")":
            depth -= 1
    return None


def _alone(pattern: str, source: str) -> str | None:
    flags = re.match(r"\(\?[aiLmsux]+\)", pattern)
    alone = f"{flags.group() if flags else ''}(?:{source})"
    try:
        compiled(alone)
    except re.error:
        return None
    return alone
