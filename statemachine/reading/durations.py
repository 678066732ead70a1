"""Durations in a slot's own unit: "2 years" for a slot counted in months is 24, "半年" 6, "一年半" 18, "two weeks"
in days 14.

Owns the units and their factors. A slot's unit is what its cues name; months do not turn into days (they differ).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from .message import Hit, Num, tidy
from .numbers import Number

_MONTHS = {"year": 12, "yr": 12, "年": 12, "quarter": 3, "季度": 3, "month": 1, "mth": 1, "mo": 1, "月": 1}
_DAYS = {"fortnight": 14, "week": 7, "wk": 7, "周": 7, "星期": 7, "礼拜": 7, "day": 1, "天": 1, "日": 1}
_FAMILIES = (_MONTHS, _DAYS)
_BASE = ({"month", "months", "mo", "月", "个月", "months' term"}, {"day", "days", "天", "日"})

_UNIT = (
    r"(?P<unit>(?:years?|yrs?|quarters?|months?|mths?|mos?|fortnights?|weeks?|wks?|days?)(?![a-z])|季度|个月|月|年|周|星期"
    r"|礼拜|天|日)"
)
_AFTER = re.compile(
    rf"(?:\s|-)?(?:个|多个?|来个|几个)?(?P<half>半| and a half )?\s?{_UNIT}(?P<more>半|\s+and\s+a\s+half(?![a-z]))?"
)
_ALONE = re.compile(
    rf"(?P<half>半个?|(?<![a-z])half\s+an?\s+){_UNIT}"
    rf"|(?<![a-z0-9])an?\s+{_UNIT.replace('unit', 'unit2')}(?P<more>\s+and\s+a\s+half(?![a-z]))?"
    r"|(?<![a-z])(?P<yearly>annual(?:ly)?|yearly|full year|whole year)(?![a-z])|(?P<yearly_zh>按年|包年|年付|整年|全年)"
)
_MAY_BE_ALONE = re.compile(r"半|(?<![a-z0-9])an?\s|half|annual|year|年")
_JOINT = re.compile(r"\s?(?:and|零|又|,)?\s?")
_NOT_LONG = re.compile(r"\s?old(?![a-z])|[级代底号了]")
_PAST = re.compile(r"(?<![a-z])(?:been|since|dead|took|takes|dated|ago|every)(?![a-z])|已经")
_RATE = re.compile(r"(?:\bper|\bevery|\beach|每|/|\bonce|[0-9])\s?\Z")


@dataclass(frozen=True, slots=True)
class _Piece:
    value: float
    start: int
    end: int


@lru_cache(maxsize=256)
def family_of(cues: tuple[str, ...]) -> int | None:
    """0 for months, 1 for days, None when the cues name neither or both."""
    words = {cue.strip().lower() for cue in cues}
    named = [index for index, base in enumerate(_BASE) if words & base]
    return named[0] if len(named) == 1 else None


def find_durations(low: str, numbers: Iterable[Number], cues: tuple[str, ...]) -> list[Hit[Num]]:
    """Durations in the unit that the cues name; "3月" counts only where "月" itself is a cue (else it is March)."""
    family = family_of(cues)
    if family is None:
        return []
    numbers = [n for n in numbers if not n.glued or low[n.end : n.end + 1].isalpha()]
    if not numbers and not _MAY_BE_ALONE.search(low):
        return []
    pieces = [piece for n in numbers if (piece := _counted(low, n, family, "月" in cues))]
    pieces += [
        piece
        for piece in _uncounted(low, family)
        if not any(piece.start < p.end and p.start < piece.end for p in pieces)
    ]
    pieces = [piece for piece in pieces if not _is_past(low, piece)]
    return _joined(low, sorted(pieces, key=lambda piece: piece.start))


def _is_past(low: str, piece: _Piece) -> bool:
    """ "we have been here for 5 years": a word of the past in the same clause."""
    start = max(low.rfind(mark, 0, piece.start) for mark in ",，。;.!?\n")
    stop = min((at for mark in ",，。;.!?\n" if (at := low.find(mark, piece.end)) >= 0), default=len(low))
    return _PAST.search(low, start + 1, stop) is not None


def _counted(low: str, number: Number, family: int, bare_month: bool) -> _Piece | None:
    match = _AFTER.match(low, number.end)
    if match is None or _RATE.search(low, max(0, number.start - 8), number.start):
        return None
    factor = _factor(match["unit"], family)
    if factor is None or (match["unit"] == "年" and number.value > 100) or _NOT_LONG.match(low, match.end()):
        return None
    if match["unit"] == "月" and not (bare_month or "个" in match.group()):
        return None
    half = 0.5 if match["half"] or match["more"] else 0
    return _Piece((number.value + half) * factor, number.start, match.end())


def _uncounted(low: str, family: int) -> Iterable[_Piece]:
    for match in _ALONE.finditer(low):
        yearly = match["yearly"] or match["yearly_zh"]
        factor = _factor("year" if yearly else match["unit"] or match["unit2"], family)
        if factor is not None and not _RATE.search(low, max(0, match.start() - 8), match.start()):
            count = 0.5 if match["half"] else 1.5 if match["more"] else 1
            yield _Piece(count * factor, match.start(), match.end())


def _factor(unit: str, family: int) -> int | None:
    unit = unit.removeprefix("个")
    table = _FAMILIES[family]
    return table.get(unit) or table.get(unit.removesuffix("s"))


def _joined(low: str, pieces: list[_Piece]) -> list[Hit[Num]]:
    """ "1 year and 3 months" is one duration of 15."""
    out: list[_Piece] = []
    for piece in pieces:
        if out and piece.value < out[-1].value and _JOINT.fullmatch(low, out[-1].end, piece.start):
            out[-1] = _Piece(out[-1].value + piece.value, out[-1].start, piece.end)
        else:
            out.append(piece)
    return [Hit(tidy(p.value), p.start, p.end) for p in out]
