"""Numerals in words: the words of one number, English or Chinese, to its value.

Owns the grammar of numerals; finding them in text is `numbers.py`. None for words that are no number ("five twenty").
"""

import re

from .message import Num, tidy

_ONES = (
    "zero one two three four five six seven eight nine ten "
    "eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
SMALL_WORDS = {word: n for n, word in enumerate(_ONES.split())} | {
    word: 20 + 10 * n for n, word in enumerate(_TENS.split())
}
SMALL_WORDS["fourty"] = 40
BIG_WORDS = {"hundred": 100, "thousand": 1_000, "million": 10**6}
ZH_DIGIT = {
    c: n
    for n, group in enumerate(
        ("零〇", "一壹壱", "二两贰兩俩貳弍", "三叁參叄", "四肆", "五伍", "六陆陸", "七柒", "八捌", "九玖")
    )
    for c in group
}
ZH_UNIT = {
    "十": 10,
    "拾": 10,
    "百": 100,
    "佰": 100,
    "千": 1_000,
    "仟": 1_000,
    "万": 10_000,
    "萬": 10_000,
    "亿": 10**8,
    "億": 10**8,
}
ZH_CHARS = "".join(ZH_DIGIT) + "".join(ZH_UNIT) + "廿卅"
_ZH_PAIR = re.compile(
    r"(?<![零一二两三四五六七八九])([一二两三四五六七八])([二两三四五六七八九])(?![零一二两三四五六七八九])"
)


def english_value(words: list[str]) -> Num | None:
    if words[0] == "half":
        return 6 if words[-1] == "dozen" else 500_000
    total, section, last = 0, 0, 10**9
    for word in words:
        if word in ("a", "an", "and", "of"):
            section = 1 if word in ("a", "an") else section
        elif word == "couple":
            return 2
        elif word == "dozen":
            return 12 * max(1, section) if total == 0 else None
        elif word in BIG_WORDS:
            factor = BIG_WORDS[word]
            if factor == 100:
                section = max(1, section) * 100
            else:
                total, section = total + max(1, section) * factor, 0
            last = 100
        else:
            value = SMALL_WORDS[word]
            if not _fits(value, last):
                return None
            section, last = section + value, value
    return total + section


def _fits(value: int, last: int) -> bool:
    """ "twenty" takes one to nine, "hundred" anything below it, "five" nothing."""
    return last >= 100 or (last >= 20 and 1 <= value <= 9)


def chinese_value(text: str) -> Num | None:
    """三百五 is 350, 一千零五 1005, 二零二六 2026, 十五六 16; None when it is not one number."""
    text = (
        _ZH_PAIR.sub(lambda m: m[2] if _neighbours(m[1], m[2]) else m[0], text)
        .replace("廿", "二十")
        .replace("卅", "三十")
    )
    whole, point, rest = text.partition("点")
    if not point:
        return _chinese_int(whole)
    unit = ZH_UNIT.get(rest[-1], 1)
    left = _chinese_int(whole)
    digits = "".join(str(ZH_DIGIT[c]) for c in rest if c in ZH_DIGIT)
    return None if left is None else tidy(float(f"{left}.{digits}") * unit)


def _neighbours(first: str, second: str) -> bool:
    return ZH_DIGIT[second] - ZH_DIGIT[first] == 1 or first + second == "三五"


def _chinese_int(text: str) -> int | None:
    if all(c in ZH_DIGIT for c in text):
        digits = "".join(str(ZH_DIGIT[c]) for c in text)
        return int(digits) if len(digits) == 1 or (len(digits) <= 8 and digits[0] != "0") else None
    total, section, digit, last = 0, 0, -1, 1
    for char in text:
        if char in ZH_DIGIT:
            if digit > 0:
                return None
            digit, last = ZH_DIGIT[char], 1 if ZH_DIGIT[char] == 0 else last
            continue
        unit = ZH_UNIT[char]
        if digit < 0 and unit < 10_000 and unit != 10:
            return None
        if unit >= 10_000:
            section = total + section + max(digit, 0)
            if section == 0:
                return None
            total, section = section * unit, 0
        else:
            section += (digit if digit > 0 else 1) * unit
        digit, last = -1, unit
    if digit > 0 and last >= 100:
        digit *= last // 10
    return total + section + max(digit, 0)
