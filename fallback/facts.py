"""Facts in a reply: things such as order numbers may be shown only if an event of the session holds them.

Both sides are compared as bare letters and digits: without width, case and anything between them, Chinese digits read. So a
number in disguise is still one. What the session holds is taken out of the reply first; the rest is searched, as it is written
and bare. Patterns are written for the plain form and need no anchors.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache

_DIGITS = str.maketrans("零〇○一二三四五六七八九两幺壹贰叁肆伍陆柒捌玖", "000123456789" + "21" + "123456789")
_BETWEEN = re.compile(r"[\W_]+")
MAX_CHARS = 20_000


def unheld_fact(reply: str, facts: Mapping[str, re.Pattern[str]], held: Iterable[object]) -> str | None:
    """The name of the first declared fact that `reply` shows and nothing in `held` contains; None if all is well."""
    if not facts:
        return None
    plain = unicodedata.normalize("NFKC", reply[:MAX_CHARS])
    known: tuple[str, ...] | None = None
    for name, pattern in facts.items():
        if not (pattern.search(plain) or _bare_form(pattern).search(_bare(plain))):
            continue
        known = known if known is not None else tuple(_bare(leaf) for leaf in _leaves(held))
        if _shows_unheld(plain, pattern, known):
            return name
    return None


def _shows_unheld(plain: str, pattern: re.Pattern[str], known: tuple[str, ...]) -> bool:
    rest, start = [], 0
    for match in pattern.finditer(plain):
        if not _holds(known, _bare(match.group())):
            return True
        rest.append(plain[start : match.start()])
        start = match.end()
    rest.append(plain[start:])
    return any(not _holds(known, found.group()) for part in rest for found in _bare_form(pattern).finditer(_bare(part)))


def _holds(known: tuple[str, ...], shown: str) -> bool:
    return any(shown in leaf for leaf in known)


_TAG = re.compile(r"</?[A-Za-z][^<>]{0,60}>")
_LOOKALIKES = str.maketrans("АВЕЅЗІКМНОРСТУХасеорхуΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABES3IKMHOPCTYXaceopxyABEZHIKMNOPTYXo")


def _bare(text: str) -> str:
    plain = unicodedata.normalize("NFKC", _TAG.sub("", text)).translate(_DIGITS).translate(_LOOKALIKES)
    if not plain.isascii():
        plain = "".join(str(unicodedata.decimal(c, c)) for c in plain)
    return _BETWEEN.sub("", plain).upper()


_CLASS = re.compile(r"(\[\^?\]?(?:\\.|[^\]\\])*\])", re.DOTALL)
_SEPARATOR = re.compile(r"\\b|(?:\\[-\s_./]|\\s|(?<!\\)[-\s_/])(?:[?*+]|\{[0-9,]*\})?")


@lru_cache(maxsize=256)
def _bare_form(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """The same pattern for bare text: without literal separators and word boundaries; classes stay as they are."""
    parts = _CLASS.split(pattern.pattern)
    source = "".join(part if part.startswith("[") else _SEPARATOR.sub("", part) for part in parts)
    try:
        return re.compile(source, pattern.flags | re.IGNORECASE)
    except re.error:
        return pattern


def _leaves(values: Iterable[object]) -> Iterable[str]:
    stack = list(values)
    while stack:
        value = stack.pop()
        if isinstance(value, Mapping):
            stack.extend(value.values())
        elif isinstance(value, (list, tuple)):
            stack.extend(value)
        elif value is not None:
            yield str(value)
