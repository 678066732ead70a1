"""Phone numbers and e-mail addresses in text.

Owns their shapes and their one written form: a phone is its digits with a leading + if given, an e-mail has a
lower-case domain. A phone is never cut out of a longer run of digits or letters. Bare digits without a telling
shape count only when asked or cued. How a number is spelled out ("one three eight, double zero") is `spelled_digits.py`.
"""

import re
from collections.abc import Iterable, Iterator

from .cues import find_cues
from .message import Hit, Message, corrects
from .spelled_digits import find_spelled_digits

_BEFORE = r"(?<![0-9a-z_@#.+])(?<![0-9]-)(?<![0-9] )"
_AFTER = r"(?![0-9a-z_@]|[-.][0-9])(?! [0-9]{4,})"
_SHAPES = (
    re.compile(_BEFORE + r"(?:\+?86[-\s]?)?1[3-9][0-9][-.\s]?[0-9]{4}[-.\s]?[0-9]{4}" + _AFTER),
    re.compile(_BEFORE + r"\+[1-9][0-9]{0,2}(?:[\s().-]{0,2}[0-9]){6,13}" + _AFTER),
    re.compile(_BEFORE + r"(?:\([0-9]{3,4}\)\s?|[0-9]{3,4}[-.\s])[0-9]{3,4}[-.\s][0-9]{4}" + _AFTER),
    re.compile(_BEFORE + r"(?:\(0[0-9]{2,3}\)|0[0-9]{2,3}-)[0-9]{7,8}" + _AFTER),
)
_BARE = re.compile(_BEFORE + r"[0-9](?:[-.\s]?[0-9]){6,14}" + _AFTER)
_MOBILE = re.compile(r"(?:86)?1[3-9][0-9]{9}")
_LENGTHS = range(7, 16)
_CUE_GAP = re.compile(r"\s*(?:number|no\.?|号码?)?\s*(?:is|are|[:=#]|是|为)*\s*")

_EMAIL = re.compile(
    r"(?<![a-z0-9._%+@-])[a-z0-9](?:[a-z0-9_%+-]"
    r"|\.(?=[a-z0-9_%+-])){0,63}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,4}[a-z]{2,24}(?![a-z0-9@_-]"
    r"|\.[a-z0-9])"
)


def phone_from(text: str) -> str:
    return ("+" if text.lstrip().startswith("+") else "") + re.sub(r"[^0-9]", "", text)


def find_phones(message: Message, cues: tuple[str, ...] = (), *, bare: bool = False) -> list[Hit[str]]:
    """Phones of the message; those beside a cue alone, if there are any; bare digits if `bare` or beside a cue."""
    spelled = [hit for hit in find_spelled_digits(message.lower) if len(hit.value) in _LENGTHS]
    shaped = [*_shaped(message.lower), *(hit for hit in spelled if _MOBILE.fullmatch(hit.value))]
    near_ends = [cue.end for cue in find_cues(message.lower, {"": cues}, units=())] if cues else []
    bare_digits = [hit for hit in _loose(message.lower) if not _overlaps(hit, (*shaped, *spelled))]
    loose = [*bare_digits, *(hit for hit in spelled if hit not in shaped)]
    cued = [
        hit
        for hit in (*shaped, *loose)
        if any(
            _CUE_GAP.fullmatch(message.lower, end, hit.start) for end in near_ends if hit.start - 24 <= end <= hit.start
        )
    ]
    if cued:  # beside a phone with its cue, another counts only as its correction
        return cued + [hit for hit in shaped if hit not in cued and corrects(message, cued[-1].end, hit.start)]
    return shaped or (loose if bare else [])


def _overlaps(hit: Hit[str], others: Iterable[Hit[str]]) -> bool:
    return any(hit.start < other.end and other.start < hit.end for other in others)


def find_emails(message: Message) -> list[Hit[str]]:
    return [
        Hit(_written(message.text[m.start() : m.end()]), m.start(), m.end()) for m in _EMAIL.finditer(message.lower)
    ]


def _shaped(low: str) -> Iterator[Hit[str]]:
    end = 0
    matches = (match for shape in _SHAPES for match in shape.finditer(low))
    for match in sorted(matches, key=lambda m: (m.start(), -m.end())):
        if match.start() >= end:
            end = match.end()
            yield Hit(phone_from(match.group()), match.start(), end)


def _loose(low: str) -> Iterator[Hit[str]]:
    for match in _BARE.finditer(low):
        yield Hit(phone_from(match.group()), match.start(), match.end())


def _written(address: str) -> str:
    local, _, domain = address.rpartition("@")
    return f"{local}@{domain.lower()}"
