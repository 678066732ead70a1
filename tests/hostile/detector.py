"""The test's own eye for order and quote numbers: what a person could read in a text, however it is written.

Written apart from `maitred.fallback.facts` and sharing nothing with it, so that a blind spot of the one is seen by the other.
Called by the audit of what customers were shown.
"""

import html
import re
import unicodedata

_HAN = {
    c: str(n)
    for row in ("零一二三四五六七八九", "〇壹贰叁肆伍陆柒捌玖", "○幺两叄肆伍陸柒捌玖", "零弌貳參")
    for n, c in enumerate(row)
}
_LETTERS = {"Ѕ": "S", "ѕ": "S", "О": "O", "о": "O", "Ο": "O", "ο": "O"}
_MARKUP = (
    re.compile(r"<!--.*?-->", re.DOTALL),
    re.compile(r"</?[A-Za-z][^<>]*>"),
    re.compile(r"(?<=\])\([^()\n]*\)"),  # where a Markdown link leads
)
_NUMBERS = re.compile(r"(?=(SO\d{14}|Q\d{12}))")


def numbers_in(text: str) -> set[str]:
    """Every order and quote number in `text`, bare: `SO20261130000123`, `Q202611300001`. Read as source and as shown."""
    source = unicodedata.normalize("NFKD", html.unescape(text))
    shown = source
    for markup in _MARKUP:
        shown = markup.sub("", shown)
    return {number for reading in (source, shown) for number in _NUMBERS.findall(_bare(reading))}


def has_words(text: str) -> bool:
    """Whether a person sees at least a letter or a digit."""
    return any(unicodedata.category(c)[0] in "LN" for c in text)


def _bare(text: str) -> str:
    return "".join(map(_character, text)).upper()


def _character(c: str) -> str:
    """A digit as 0-9, a letter as it is, nothing for whatever stands between."""
    if c in _HAN or c in _LETTERS:
        return _HAN.get(c) or _LETTERS[c]
    value = unicodedata.digit(c, None)
    if value is None and unicodedata.category(c) in ("No", "Nl"):
        value = unicodedata.numeric(c, None)
    if value is not None and value in range(10):
        return str(int(value))
    return c if c.isalnum() else ""
