"""Which number belongs to which slot: by cues beside it, else, for the slot just asked about, the one number that
stands free.

Owns adjacency. Numbers and cues of one message form a line; each is joined to a direct neighbour at most once, so
that as many as possible are joined, the tightest first: "seats 20 budget 5000" and "20 seats 5000 budget" both come
out right.
"""

import re
from collections.abc import Iterable, Mapping

from ...protocol.slots import Slot
from .cues import Cue, find_cues, is_rate, pair_up
from .durations import find_durations
from .numbers import Number, find_numbers
from .message import Hit, Message, Num, Span

_CLASSIFIERS = r"(?:个|位|名|台|套|份|张|条|间|件)?"
_MORE = r"(?:\+|多|来|几|余|左右|上下|以上|以下|以内)?"
_WORDS_BETWEEN = (
    r"(?:\s*(?:or so|or more|plus|left|of|more|new|additional|extra|total|paid|user|full|our|the)(?![a-z]))*"
)
_NUMBER_CUE = re.compile(
    rf"\s?-?{_MORE}\s?{_CLASSIFIERS}{_MORE}(?P<words>{_WORDS_BETWEEN})(?P<any>\s(?!(?:and|or|for|with|in|on|at|to|but"
    rf"|not|per|each|an?)\s)[a-z-]{{2,15}}|(?<=个)[\u4e00-\u9fff]{{1,4}}|的)?\s?"
)
_LINK = (
    r"(?:is|are|of|be|about|around|approximately|approx|roughly|maybe|probably|just|only|up to|at least|at most|over"
    r"|under|would|will|should|around)"
)
_CUE_NUMBER = re.compile(
    rf"\s?(?P<sure>(?:\s?(?:{_LINK}(?![a-z])\.?|[:=]|是|为|大概|大约|约|有|在|要|共|差不多|不超过|最多|最少|至少"
    rf"|左右|上限|就|控制在))*)\s?(?:[$¥€£]|rmb|usd|cny)?\s?"
)
_LABEL = re.compile(r"[数算额量价]\Z|\A(?:budget|price|amount|number|count|total|cost|headcount|quantity|qty)")
_NOT_MEANT = re.compile(r"(?:(?<![a-z])(?:not|isn't|aren't)\s+|不是|不要|并非|(?<![a-z])(?:every|per)\s+|每)\Z")
_TIME_UNIT = re.compile(r"\A(?:month|year|week|day|hour|minute)s?\Z")

_ALONE = re.compile(
    r"\A\W*(?:(?:just|only|maybe|about|around|probably|roughly|approximately|i think|i guess|it's|it is|its"
    r"|we have|we need|i need|i want|make it|say|ok|yes|sure|please|um+|uh+|hmm+"
    r"|大概|大约|约|差不多|就|只有|只要|是|有|要|我们|我|一共|总共|共|嗯|哦|那|应该|可能|需要|先)\s*)*\Z"
)
_ALONE_AFTER = re.compile(
    r"\A\s*(?:\+|or so|ish|please|of them|of us|for now|i think|i guess|个|位|名|台|套|份|张|间|左右|上下|多|来|几|吧"
    r"|的|啊|呢|\s)*\W*\Z"
)
_TIME_AFTER = re.compile(r"\s?(?:am|pm|o'clock|点)(?![a-z])")
_ORDINAL_AFTER = re.compile(r"(?:st|nd|rd|th)(?![a-z])")

_MOST_BARE = 20
Numbers = dict[str, list[Hit[Num]]]


def read_numbers_of(
    slots: Mapping[str, Slot], message: Message, blocked: Iterable[Span], *, asked: str | None
) -> Numbers:
    """Candidates for the number slots among `slots`; cues of the other slots only keep their numbers away."""
    low = message.lower
    numbers = [n for n in find_numbers(low, blocked) if not _NOT_MEANT.search(low, max(0, n.start - 8), n.start)]
    wanted = [
        name for name in ([asked] if asked in slots else []) + list(slots) if name and slots[name].read == "number"
    ]
    found: Numbers = {}
    for name in dict.fromkeys(wanted):
        durations = find_durations(low, numbers, slots[name].cues)
        if durations:
            found[name] = durations
            numbers = [n for n in numbers if not any(n.start < d.end and d.start < n.end for d in durations)]
    cues = find_cues(
        low, {name: slot.cues for name, slot in slots.items() if slot.read in ("number", "phone", "regex")}
    )
    taken = _link(low, numbers, cues, wanted, found)
    if asked in wanted and asked is not None and asked not in found:
        rest = [n for n in numbers if n not in taken]
        bare = [n for n in rest if _stands_free(message, n, cues, slots[asked])] if len(rest) <= _MOST_BARE else []
        found.update({asked: [Hit(n.value, n.start, n.end) for n in bare]} if bare else {})
    return found


def _link(low: str, numbers: list[Number], cues: list[Cue], wanted: list[str], found: Numbers) -> set[Number]:
    owned = [cue for cue in cues if cue.names and not is_rate(low, cue)]
    owned = [cue for cue in owned if not any(n.start < cue.end and cue.start < n.end for n in numbers)]
    taken: set[Number] = set()
    for number, cue in _pairs(low, numbers, owned, cues):
        taken.add(number)
        names = [name for name in wanted if name in cue.names]
        name = next((name for name in names if name not in found), names[-1] if names else None)
        if name is not None:
            hit: Hit[Num] = Hit(number.value, min(number.start, cue.start), max(number.end, cue.end))
            found.setdefault(name, []).append(hit)
    return taken


def _pairs(low: str, numbers: list[Number], owned: list[Cue], cues: list[Cue]) -> list[tuple[Number, Cue]]:
    line: list[Number | Cue] = sorted([*numbers, *owned], key=lambda item: item.start)
    pairs: list[tuple[Number, Cue]] = []
    for index in pair_up(len(line), lambda i: _cost(low, line[i - 1], line[i], cues)):
        one, two = line[index - 1], line[index]
        if isinstance(one, Number) and isinstance(two, Cue):
            pairs.append((one, two))
        elif isinstance(one, Cue) and isinstance(two, Number):
            pairs.append((two, one))
    return pairs


def _cost(low: str, left: Number | Cue, right: Number | Cue, cues: list[Cue]) -> int | None:
    if right.start - left.end > 40:
        return None
    if isinstance(left, Number) and isinstance(right, Cue):
        return _cost_before(low, left, right, cues)
    if isinstance(left, Cue) and isinstance(right, Number):
        return _cost_after(low, left, right)
    return None


def _cost_before(low: str, number: Number, cue: Cue, cues: list[Cue]) -> int | None:
    gap = _NUMBER_CUE.fullmatch(low, number.end, cue.start)
    if gap is None or (number.glued and cue.start != number.end):
        return None
    if any(number.end <= other.start < cue.start for other in cues):
        return None
    return (2 if gap["any"] else 1 if gap.group().strip() else 0) + (1 if _LABEL.search(cue.word) else 0)


def _cost_after(low: str, cue: Cue, number: Number) -> int | None:
    gap = _CUE_NUMBER.fullmatch(low, cue.end, number.start)
    if gap is None or (number.glued and cue.end != number.start) or number.vague:
        return None
    unit = _TIME_UNIT.search(cue.word) or (not cue.word.isascii() and (len(cue.word) == 1 or cue.word.startswith("个")))
    if unit and not re.search(r"[:=是为]|\bis\b|\bare\b", gap["sure"]) and cue.word not in "¥$€£":
        return None
    return 0 if not gap.group().strip() or re.search("[:=]", gap["sure"]) else 1


def _stands_free(message: Message, number: Number, cues: list[Cue], slot: Slot) -> bool:
    low = message.lower
    start, end = message.clause_at(number.start)
    alone = bool(_ALONE.search(low[start : number.start]) and _ALONE_AFTER.search(low[number.end : end]))
    if number.glued or _TIME_AFTER.match(low, number.end) or _ORDINAL_AFTER.match(low, number.end):
        return False
    if slot.cues and _has_foreign_unit(low, number, cues):
        return False
    if alone:
        return True
    return not (number.vague or number.zh or message.asks_at(number.start))


def _has_foreign_unit(low: str, number: Number, cues: list[Cue]) -> bool:
    after = re.compile(r"\s?-?[个多来几+]{0,2}\s?").match(low, number.end)
    reach = after.end() if after else number.end
    if low[: number.start].rstrip().endswith(("$", "¥", "€", "£")):
        return True
    return any(not cue.names and number.end <= cue.start <= reach for cue in cues)
