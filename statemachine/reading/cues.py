"""Cues: the words of slots ("seats", "人", "¥") and where they stand in a message.

Owns finding them: whole words, simple plurals, the longest wins ("个月" over "月", "人民币" over "人"). What a cue
means to a number, date, phone or text is decided by the reader of that kind.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

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


_START = re.compile(r"(?<![a-z'])[a-z]|[^a-z\s]")
_FIXED = re.compile(r"[a-z]{3}(?=[a-z])|[^\x00-\x7f]{2}")  # how words open in all their forms
_TAIL = re.compile(
    r"(?<=[ .])[a-z]{3,}(?=[a-z]\Z)|(?<=\.)[^\x00-\x7f.]+\Z"
)  # what must stand somewhere, or it is no use trying
_RATE_BEFORE = re.compile(r"(?:\bper\s?|\beach\s|\bevery\s|/\s?|每个?|[0-9]\s+an?\s+)\Z")
_GAP = r"(?:\s+(?!(?:from|by|us|me|to|in|not|or|and|but|we|i)\b)[a-z'-]+){0,3}?\s+"
_GAP_ZH = r"[^，。,;!?\n不没别]{0,8}?"
Words = tuple[tuple[str, tuple[str, ...]], ...]
_Entry = tuple[str, str, re.Pattern[str], tuple[str, ...]]
"""The cue, how it goes on, its pattern, its slots."""


def find_cues(
    low: str, cues: Mapping[str, Iterable[str]], units: tuple[str, ...] = FOREIGN_UNITS, *, inflected: bool = False
) -> list[Cue]:
    """Places of all these cues in a lower-case text, foreign units too, without overlaps, in order."""
    index = _index(tuple((name, tuple(words)) for name, words in cues.items()), units, inflected)
    found = [
        Cue(word, at, match.end(), names)
        for at, *openings in _starts(low)
        for opening in openings
        if opening in index
        for word, tail, pattern, names in index[opening]
        if tail in low and (match := pattern.match(low, at))
    ]
    if len(found) < 2:
        return found
    found.sort(key=lambda cue: (cue.start - cue.end, "..." in cue.word, not cue.names, cue.start))
    return sorted(_without_overlaps(found), key=lambda cue: cue.start)


@lru_cache(maxsize=16)
def _starts(low: str) -> tuple[tuple[int, str, str], ...]:
    """Where a cue may begin: at the start of a Latin word, at any other character; with its opening, short and long. Each
    reader of one message asks."""
    return tuple(
        (at := match.start(), match[0], low[at : at + (3 if match[0].isascii() else 2)])
        for match in _START.finditer(low)
    )


@lru_cache(maxsize=512)
def _index(cues: Words, units: tuple[str, ...], inflected: bool) -> Mapping[str, list[_Entry]]:
    """Opening -> the cues that begin with it, so that a place is tried for few of them."""
    owners: dict[str, list[str]] = {unit: [] for unit in units}
    for name, words in cues:
        for word in dict.fromkeys(lower(prepare(word).text.strip()) for word in words):
            if word:
                owners.setdefault(word, []).append(name)
    index: dict[str, list[_Entry]] = {}
    for word, names in owners.items():
        fixed = _FIXED.match(word)
        tail = _TAIL.search(word)
        entry = (word, tail[0] if tail else "", cue_pattern(word, inflected=inflected), tuple(names))
        index.setdefault(fixed[0] if fixed else word[0], []).append(entry)
    return index


def is_rate(low: str, cue: Cue) -> bool:
    return _RATE_BEFORE.search(low, max(0, cue.start - 12), cue.start) is not None


@lru_cache(maxsize=4_096)
def cue_pattern(word: str, *, inflected: bool = False) -> re.Pattern[str]:
    """Whole words for Latin letters, with a plural; as it stands for the rest. Digits may touch it ("20seats").

    `...` stands for up to three words, but for none that turns the meaning round ("calls ... customers" is not in
    "calls from customers"). `inflected`: long words also with -ed, -ing.
    """
    parts = [part.strip() for part in word.split("...")]
    out = _part_pattern(parts[0], inflected=inflected)
    for before, after in pairwise(parts):
        joint = _GAP if before[-1:].isascii() and after[:1].isascii() else _GAP_ZH
        out += joint + _part_pattern(after, inflected=inflected)
    return re.compile(out)


def _part_pattern(part: str, *, inflected: bool) -> str:
    words = re.split(r"[\s_-]+", part)
    left = r"(?<![a-z'])" if part[0].isascii() and part[0].isalpha() else ""
    right = r"(?![a-z])" if part[-1].isascii() and part[-1].isalpha() else ""
    if inflected:
        return left + r"[\s-]+".join(map(_inflected, words)) + right
    stem = words[-1]
    if right and len(part) > 3 and stem.endswith("s") and not stem.endswith("ss"):
        stem = stem[:-1]
    plural = "(?:s|es)?" if right and len(part) > 2 else ""
    return left + r"[\s-]+".join(map(re.escape, [*words[:-1], stem])) + plural + right


def _inflected(word: str) -> str:
    if not word.isascii() or not word.isalpha() or len(word) < 3:
        return re.escape(word)
    if len(word) == 3:
        return word + "s?"
    stem = word[:-1] if word.endswith(("s", "e", "y")) and not word.endswith("ss") else word
    return f"{stem}(?:e?s|e?d|e|y|ies|ied|ying|ing)?(?:'s?)?"


def _without_overlaps(longest_first: list[Cue]) -> list[Cue]:
    kept: list[Cue] = []
    for cue in longest_first:
        if all(cue.end <= other.start or other.end <= cue.start for other in kept):
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
