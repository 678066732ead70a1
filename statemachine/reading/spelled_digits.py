"""Digits said one by one: "one three eight, double zero", 幺三八零零, "138 double 0".

Owns how digits are said; what a run of them is (a phone) is `contacts.py`. A run has a word in it, ends at any other word, and
takes no part of a larger numeral ("thirty one", 三十一). Called by `contacts.py`.
"""

import re
from collections.abc import Iterator

from .message import Hit
from .numerals import SMALL_WORDS, ZH_CHARS, ZH_DIGIT

_DIGITS = (
    {word: str(n) for word, n in SMALL_WORDS.items() if n < 10}
    | {char: str(n) for char, n in ZH_DIGIT.items()}
    | {"oh": "0", "o": "0", "nought": "0", "幺": "1", "○": "0"}
)
_TIMES = {"double": 2, "triple": 3, "treble": 3}

_WORDS = "|".join(word for word in _DIGITS if word.isascii())
_CHARS = "".join(char for char in _DIGITS if not char.isascii())
_ONE = rf"(?:(?:{'|'.join(_TIMES)})\s)?(?:(?:{_WORDS})(?![a-z])|[{_CHARS}]|[0-9]+(?![0-9]))"
_PART = re.compile(rf"(?:(?P<times>{'|'.join(_TIMES)})\s)?(?P<said>[a-z]+|[{_CHARS}]|[0-9]+)")
_GAP = r"(?:(?<![0-9])[,，、]\s*(?![0-9])|[\s-]*)"  # "20, one three eight": two matters
_RUN = re.compile(rf"(?<![a-z0-9@.{_CHARS}{ZH_CHARS}]){_ONE}(?:{_GAP}{_ONE})*(?![a-z0-9@{ZH_CHARS}])")


def find_spelled_digits(low: str) -> Iterator[Hit[str]]:
    """The runs of a lower-case text, each as its digits."""
    for match in _RUN.finditer(low):
        parts = _PART.findall(match.group())
        if any(times or not said.isdecimal() for times, said in parts):
            digits = (_DIGITS.get(said, said) * _TIMES.get(times, 1) for times, said in parts)
            yield Hit("".join(digits), match.start(), match.end())
