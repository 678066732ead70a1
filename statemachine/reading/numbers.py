"""Numbers in text: "1,200", "1.5k", "2万5", "三十五", "twenty five", "a dozen".

Owns what a number looks like. Which slot it belongs to is `number_slots.py`. Rules:
- A range ("20-30", "between 20 and 30", "二三十") is its larger end: capacity is planned for the larger.
- An approximation ("about 20", "20+", "二十来个", "十几") is the number said; "几十", "hundreds" say none.
- Thousands stand apart by a comma, an apostrophe or a thin space; by a plain space where a
  group begins with 0 ("5 000"), which no number of its own does.
- Not a number: parts of codes and versions (A-12, 1.2.3, 555-0100), times, fractions, percentages glued to words,
  ordinals, leading zeros, exponents, more than 15 digits, more than 10^12.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from .message import Num, Span, tidy
from .numerals import BIG_WORDS, SMALL_WORDS, ZH_CHARS, ZH_DIGIT, chinese_value, english_value

LARGEST_READ = 10**12


@dataclass(frozen=True, slots=True)
class Number:
    """`glued`: a letter touches it, so only a cue right there makes it a number. `vague`: "one", "一", "a couple"."""

    value: Num
    start: int
    end: int
    glued: bool = False
    vague: bool = False
    zh: bool = False


# A plain space groups thousands only before a nought: "20 500" may be two numbers.
_GROUPED = r"[1-9][0-9]{0,2}(?:(?:[,'][0-9]{3})+|(?: [0-9]{3})*? 0[0-9]{2}(?: [0-9]{3})*(?![0-9]))"
_DIGITS = rf"(?:{_GROUPED}|0|[1-9][0-9]{{0,14}})(?:\.[0-9]{{1,6}})?"
_SCALE = (
    r"k(?![a-z0-9])|w(?![a-z0-9])|thousand(?![a-z])|million(?![a-z])|billion(?![a-z])|hundred(?![a-z])"
    r"|dozens?(?![a-z])|grand(?![a-z])"
    r"|百万|千万|[百佰](?![分度合])|[千仟](?![克米瓦卡])|[万萬]|[亿億]"
)
_ARABIC = re.compile(
    r"(?<![0-9_@#第])(?<![0-9][.,:/])(?<!第 )(?P<sign>(?<![^\s:=])-)?"
    rf"(?P<n>{_DIGITS})(?:\s?(?P<scale>{_SCALE})(?:(?P<tail>[1-9][0-9]{{0,7}})(?P<tail_scale>[百千])?(?![0-9.,]))?)?"
    r"(?![0-9_@]|[.,:/][0-9])"
)
_TWO_OR_ONE = re.compile(r"[1-9][0-9]{0,2} [0-9]{3}")
_SEPARATOR = re.compile(r"[,' ]")
_FACTOR = {
    "k": 1_000, "w": 10_000, "thousand": 1_000, "million": 10**6, "billion": 10**9, "hundred": 100,
    "dozen": 12, "dozens": 12, "grand": 1_000,
    "百": 100, "佰": 100, "千": 1_000, "仟": 1_000, "万": 10_000, "萬": 10_000, "亿": 10**8, "億": 10**8,
    "百万": 10**6, "千万": 10**7,
}  # fmt: skip

_WORD = "(?:" + "|".join(sorted([*SMALL_WORDS, *BIG_WORDS, "dozen"], key=len, reverse=True)) + ")"
_ENGLISH = re.compile(
    rf"(?<![a-z0-9])(?:half an? (?=dozen|million)|an? (?=hundred|thousand|million|dozen"
    rf"|couple))?(?:couple(?: of)?|{_WORD}"
    rf"(?:(?:(?<=hundred)|(?<=thousand)|(?<=million))\s+and\s+{_WORD}|(?:\s|-)\s?{_WORD})*)(?![a-z0-9])"
)

_ZH_WORD = r"(?<=[队隊入退])伍|(?<=[大登])[陆陸]|(?<=收)拾|[陆陸](?=[续續军軍地])|參(?=[加考與數觀照會展])"
_ZH = re.compile(
    rf"(?!{_ZH_WORD})(?<![第统唯专单逐万几数])(?<!周)(?<!星期)(?<!礼拜)(?<![0-9])[{ZH_CHARS}]{{1,16}}(?:点[{''.join(ZH_DIGIT)}]{{1,4}}(?:[百千万亿])?)?"
    r"(?![点足星楼])(?!(?<=一)[下样起定些般直旦切共边向律致块])"
)

_RANGE = re.compile(r"\s?[-–—~～]\s?|\s+(?:to|or|(?P<joint>and))\s+|\s?[\u4e00-\u9fff]{0,2}(?:到|至|或者?)\s?")
_BETWEEN = re.compile(r"\bbetween\s+[^0-9]{0,4}\Z")
_BIG = ("百", "千", "万")
_PER_UNIT = re.compile(r"个?[月年天周]|季")
_CODE_BEFORE = re.compile(r"[a-z0-9_][-–—_]\Z")
_CODE_AFTER = re.compile(r"[-–—_][0-9]")


_ISH = re.compile(r"ish(?![a-z])")


def find_numbers(low: str, blocked: Iterable[Span] = ()) -> list[Number]:
    """All numbers of a lower-case text outside the blocked spans, ranges merged, in order."""
    shut = list(blocked)
    found = [
        n
        for n in (*_arabic(low), *_english(low), *_chinese(low))
        if not any(n.start < b and a < n.end for a, b in shut)
    ]
    found.sort(key=lambda number: (number.start, -number.end))
    return [n for n in _merge_ranges(low, _apart(found)) if abs(n.value) <= LARGEST_READ]


def doubtful(low: str, numbers: list[Number], sure: set[Number]) -> set[Number]:
    """Both of two neighbours that may be one number with its thousands apart ("1 200"), unless each is known to be one."""
    pairs = (pair for pair in pairwise(numbers) if not sure.issuperset(pair))
    return {n for a, b in pairs if _TWO_OR_ONE.fullmatch(low, a.start, b.end) for n in (a, b)}


def number_from(text: str) -> Num | None:
    """The number that a whole text is ("42", "forty two", "四十二", "-5"), or None."""
    low = text.strip().lower()
    found = find_numbers(low)
    if len(found) == 1 and (found[0].start, found[0].end) == (0, len(low)):
        return found[0].value
    return None


def _apart(found: list[Number]) -> Iterator[Number]:
    end = -1
    for number in found:
        if number.start >= end:
            yield number
            end = number.end


def _merge_ranges(low: str, found: Iterable[Number]) -> list[Number]:
    out: list[Number] = []
    merged = -1
    for number in found:
        gap = _RANGE.fullmatch(low, out[-1].end, number.start) if out else None
        if gap and gap["joint"] and not _BETWEEN.search(low, 0, out[-1].start):
            gap = None
        if gap and out[-1].value < number.value and merged != len(out) - 1:
            out[-1] = replace(number, start=out[-1].start)
            merged = len(out) - 1
        else:
            out.append(number)
    return [n for n in out if not _in_code(low, n)]


def _in_code(low: str, number: Number) -> bool:
    """Part of 555-0100, 1-2-3, a-12: a dash with a letter or digit beyond it."""
    return bool(_CODE_BEFORE.match(low, max(0, number.start - 2), number.start) or _CODE_AFTER.match(low, number.end))


def _arabic(low: str) -> Iterator[Number]:
    for match in _ARABIC.finditer(low):
        start, end = match.span()
        before, after = low[start - 1 : start], low[end : end + 1]
        if match["sign"] and re.search(r"[0-9]\s*\Z", low[max(0, start - 8) : start]):
            continue
        value = float(_SEPARATOR.sub("", match["n"])) * _FACTOR.get(match["scale"] or "", 1)
        tail = _tail(match["tail"], match["tail_scale"], match["scale"])
        if tail is None:
            continue
        glued = _is_letter(before) or (_is_letter(after) and not _ISH.match(low, end))
        yield Number(tidy(-(value + tail) if match["sign"] else value + tail), start, end, glued)


def _tail(digits: str | None, tail_scale: str | None, scale: str | None) -> float | None:
    """What follows the unit: 2万5 is 25,000, 2万5千 too, 2万5000 too; 2万50 says nothing."""
    if digits is None:
        return 0
    factor = _FACTOR[scale or "百"]
    if tail_scale:
        return float(int(digits) * _FACTOR[tail_scale])
    if len(digits) == 1:
        return int(digits) * factor / 10
    return float(int(digits)) if 10 ** len(digits) == factor else None


def _is_letter(char: str) -> bool:
    return char.isascii() and char.isalpha()


def _english(low: str) -> Iterator[Number]:
    for match in _ENGLISH.finditer(low):
        words = re.findall(r"[a-z]+", match.group())
        value = english_value(words)
        if value is not None:
            yield Number(value, match.start(), match.end(), vague=words == ["one"] or "couple" in words)


def _chinese(low: str) -> Iterator[Number]:
    for match in _ZH.finditer(low):
        text = match.group().lstrip("零〇") or "零"
        if text[-1] == "一" and text[-2:-1] in _BIG and _PER_UNIT.match(low, match.end()):
            text = text[:-1]  # 三千一个月: a rate, not 3,100 months
        start = match.end() - len(match.group().lstrip("零〇") or "零")
        value = chinese_value(text)
        if value is not None:
            yield Number(value, start, start + len(text), _is_letter(low[start - 1 : start]), text == "一", zh=True)
