"""Which date belongs to which slot: by cues beside it ("check in", 入住), else to the one date slot, or to the one
asked about.

Owns adjacency of dates only. "today" and the like are taken only when asked or beside a cue: people say them
without meaning a date.
"""

import re
from collections.abc import Mapping
from datetime import date

from ...protocol.slots import Slot
from .choices import is_negated
from .cues import Cue, find_cues, pair_up
from .dates import DateHit
from .message import Hit, Message

_CUE_DATE = re.compile(
    r"\s*(?:(?:date|day|time|is|are|will|would|be|on|by|at|the|from)(?![a-z])\s*|[:=]\s*|[是为在就定日期时间]\s*)*"
)
_DATE_CUE = re.compile(r"\s?(?:to|for|的|就|再|晚上|上午|下午|早上)?\s?")


def read_dates_of(
    slots: Mapping[str, Slot], message: Message, dates: list[DateHit], *, asked: str | None
) -> dict[str, list[Hit[date]]]:
    wanted = [name for name, slot in slots.items() if slot.read == "date"]
    wanted.sort(key=lambda name: name != asked)
    kept = [d for d in dates if d.value is not None and not is_negated(message, d.start, d.end)]
    cues = find_cues(message.lower, {name: slots[name].cues for name in wanted}, units=())
    cues = [cue for cue in cues if not any(d.start < cue.end and cue.start < d.end for d in kept)]
    found: dict[str, list[Hit[date]]] = {}
    cued = _cued(message, kept, cues)
    for hit in kept:
        names = (
            [name for name in wanted if name in cued[hit].names]
            if hit in cued
            else _uncued(wanted, hit, message, asked)
        )
        name = next((name for name in names if name not in found or name == asked), names[-1] if names else None)
        if name is not None and hit.value is not None:
            found.setdefault(name, []).append(Hit(hit.value, hit.start, hit.end))
    return found


def _cued(message: Message, kept: list[DateHit], cues: list[Cue]) -> dict[DateHit, Cue]:
    line: list[DateHit | Cue] = sorted([*kept, *cues], key=lambda item: item.start)

    def cost(index: int) -> int | None:
        one, two = line[index - 1], line[index]
        if isinstance(one, Cue) and isinstance(two, DateHit):
            return 0 if _CUE_DATE.fullmatch(message.lower, one.end, two.start) else None
        if isinstance(one, DateHit) and isinstance(two, Cue):
            return 1 if _DATE_CUE.fullmatch(message.lower, one.end, two.start) else None
        return None

    joined: dict[DateHit, Cue] = {}
    for index in pair_up(len(line), cost):
        one, two = line[index - 1], line[index]
        if isinstance(one, Cue) and isinstance(two, DateHit):
            joined[two] = one
        elif isinstance(one, DateHit) and isinstance(two, Cue):
            joined[one] = two
    return joined


def _uncued(wanted: list[str], hit: DateHit, message: Message, asked: str | None) -> list[str]:
    if asked in wanted and asked is not None:
        return [asked]
    if len(wanted) == 1 and not hit.weak and not message.asks_at(hit.start):
        return wanted
    return []
