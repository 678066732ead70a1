"""Cues: the words of slots ("seats", "人", "¥") and where they stand in a message.

Owns finding them: whole words, simple plurals, the longest wins ("个月" over "月", "人民币" over "人"). What a cue
means to a number, date, phone or text is decided by the reader of that kind.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from .message import lower, prepare

FOREIGN_UNITS = (
    "人民币", "美元", "欧元", "元", "块钱", "块", "rmb", "cny", "usd", "eur", "yuan", "dollars", "bucks", "%",
    "percent", "折", "倍", "年", "个月",
    "year", "yr", "month", "week", "day", "hour", "hr", "minute", "min", "天", "个星期", "周", "小时", "分钟",
    "分", "秒", "岁", "点", "号", "楼",
    "o'clock", "am", "pm", "gb", "mb", "tb", "kg", "km", "cm", "公斤", "米", "次", "times",
)  # fmt: skip
"""A number with one of these is not a bare number of a slot whose cues leave it out."""


@dataclass(frozen=True, slots=True)
class Cue:
    """One place of a cue; `names` are the slots that have it, none for a foreign unit."""

    word: str
    start: int
    end: int
    names: tuple[str, ...]


_RATE_BEFORE = re.compile(r"(?:\bper\s?|\beach\s|\bevery\s|/\s?|每个?|[0-9]\s+an?\s+)\Z")


def find_cues(low: str, cues: Mapping[str, Iterable[str]], units: Iterable[str] = FOREIGN_UNITS) -> list[Cue]:
    """Places of all these cues in a lower-case text, foreign units too, without overlaps, in order."""
    owners: dict[str, list[str]] = {unit: [] for unit in units}
    for name, words in cues.items():
        for word in dict.fromkeys(map(_clean, words)):
            if word:
                owners.setdefault(word, []).append(name)
    found = [
        Cue(w, m.start(), m.end(), tuple(names)) for w, names in owners.items() for m in cue_pattern(w).finditer(low)
    ]
    found.sort(key=lambda cue: (cue.start - cue.end, not cue.names, cue.start))
    return sorted(_without_overlaps(found), key=lambda cue: cue.start) if found else []


def is_rate(low: str, cue: Cue) -> bool:
    return _RATE_BEFORE.search(low, max(0, cue.start - 12), cue.start) is not None


@lru_cache(maxsize=4_096)
def cue_pattern(word: str) -> re.Pattern[str]:
    """Whole words for Latin letters, with a plural; as it stands for the rest. Digits may touch it ("20seats")."""
    left = r"(?<![a-z'])" if word[0].isascii() and word[0].isalpha() else ""
    right = r"(?![a-z])" if word[-1].isascii() and word[-1].isalpha() else ""
    stem = word[:-1] if right and len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
    plural = "(?:s|es)?" if right and len(word) > 2 else ""
    return re.compile(left + r"[\s-]+".join(map(re.escape, re.split(r"[\s_-]+", stem))) + plural + right)


@lru_cache(maxsize=4_096)
def _clean(word: str) -> str:
    return lower(prepare(word).text.strip())


def _without_overlaps(longest_first: list[Cue]) -> list[Cue]:
    taken: set[int] = set()
    kept: list[Cue] = []
    for cue in longest_first:
        if taken.isdisjoint(range(cue.start, cue.end)):
            taken.update(range(cue.start, cue.end))
            kept.append(cue)
    return kept


def pair_up(length: int, cost: Callable[[int], int | None]) -> list[int]:
    """Join neighbours on a line, each item at most once: as many pairs as possible, then the cheapest, then the
    leftmost.

    `cost(i)` is that of joining items i - 1 and i, None if they cannot be. Returned: each such i. Linear (a table
    over the line).
    """
    best: list[tuple[int, int, bool]] = [(0, 0, False)]
    for index in range(length):
        kept = (*best[-1][:2], False)
        price = cost(index) if index else None
        if price is not None:
            joined = (best[index - 1][0] + 1, best[index - 1][1] - price, True)
            kept = max(kept, joined, key=lambda entry: entry[:2])
        best.append(kept)
    pairs: list[int] = []
    index = length
    while index > 0:
        if best[index][2]:
            pairs.append(index - 1)
            index -= 1
        index -= 1
    return pairs[::-1]
