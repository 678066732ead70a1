"""Facts in a reply: things such as order numbers may be shown only if an event of the session holds them.

Both sides are compared as bare letters and digits: without width, case, accents and anything between them, the digits of every
script read. So a number in disguise is still one. A reply is read twice: as it is written, and as a client shows it that draws
Markdown and HTML. What the session holds is taken out first; the rest is searched, plain and bare. Patterns are written for the
plain form and need no anchors. Bare, a fact begins where a word does (no Q-number in "QQ 800...") and has a letter if its pattern
has one: without, it counts only as it is written, for bare digits are a date and a time as well.
"""

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

_BETWEEN = re.compile(r"[\W_]+")
MAX_CHARS = 20_000


def unheld_fact(
    reply: str, facts: Mapping[str, re.Pattern[str]], held: Iterable[object], said: Iterable[object] = ()
) -> str | None:
    """The name of the first declared fact that `reply` shows and nothing in `held` contains; None if all is well.

    `said`: what customers and models gave. A tool that only repeats it vouches for it in the field of the fact's own name, where
    it has looked it up, and in no other ("company": "SO-000999").
    """
    if not facts:
        return None
    readings = [(plain, _bare(plain)) for plain in _readings(reply[:MAX_CHARS])]
    known: _Known | None = None
    for name, pattern in facts.items():
        for plain, bare in readings:
            if not (pattern.search(plain) or _bare_form(pattern).search(bare)):
                continue
            known = known or _Known(held, said)
            if _shows_unheld(plain, pattern, known, name):
                return name
    return None


class _Known:
    """What the session holds, as bare text: (field, text) of what tools and the outside brought, and what was only said."""

    def __init__(self, held: Iterable[object], said: Iterable[object]) -> None:
        self._brought = tuple((field, _bare(leaf)) for field, leaf in leaves(held))
        self._said = tuple(_bare(leaf) for _, leaf in leaves(said))

    def holds(self, shown: str, fact: str) -> bool:
        repeated = any(shown in text for text in self._said)
        return any(shown in text and (field == fact or not repeated) for field, text in self._brought)


_MARKUP = re.compile(
    r"<!--(?:(?!<!--).)*?-->|</?[A-Za-z][^<>]*>"
    r"|(?<=\])\([^()\n]*\)",  # where a Markdown link leads
    re.DOTALL,
)


def _readings(reply: str) -> tuple[str, ...]:
    written = unicodedata.normalize("NFKC", html.unescape(reply))
    shown = _MARKUP.sub("", written)
    return (written,) if shown == written else (written, shown)


def _shows_unheld(plain: str, pattern: re.Pattern[str], known: _Known, fact: str) -> bool:
    rest, start = [], 0
    for match in pattern.finditer(plain):
        if not known.holds(_bare(match.group()), fact):
            return True
        rest.append(plain[start : match.start()])
        start = match.end()
    rest.append(plain[start:])
    return any(not known.holds(found, fact) for part in rest for found in _bare_matches(part, pattern))


def _bare_matches(plain: str, pattern: re.Pattern[str]) -> Iterator[str]:
    """What the pattern finds in bare text, but for what begins inside a word, or has lost all its letters."""
    places = [(at, bare) for at, character in enumerate(plain) for bare in _bare(character)]
    lettered = _LETTER.search(_NO_LETTER.sub("", pattern.pattern)) is not None
    for found in _bare_form(pattern).finditer("".join(bare for _, bare in places)):
        at = places[found.start()][0] if found[0] else 0
        inside = at > 0 and _LETTER.match(found[0]) and _LETTER.match(plain, at - 1)
        if not inside and not (lettered and found[0].isdecimal()):
            yield found[0]


# "○" and "两" are digits in Chinese, though Unicode does not say so.
_LOOKALIKES = str.maketrans("АВЕЅЗІКМНОРСТУХасеорхуѕΑΒΕΖΗΙΚΜΝΟΡΤΥΧο○两", "ABES3IKMHOPCTYXaceopxysABEZHIKMNOPTYXo02")


def _bare(text: str) -> str:
    plain = text
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text).translate(_LOOKALIKES)
        plain = "".join(c if c.isascii() else _digit(c) for c in decomposed)
    return _BETWEEN.sub("", plain).upper()


def _digit(character: str) -> str:
    """A character that stands for one digit, in whatever script, as that digit; any other as it is."""
    value = unicodedata.numeric(character, None)
    return str(int(value)) if value is not None and value in range(10) else character


_LETTER = re.compile(r"[A-Za-z]")
_NO_LETTER = re.compile(r"\\.|\(\?(?:P[<=]\w+|[a-zA-Z]+)")  # of a pattern's source: \d, (?i), (?P<name>
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


def leaves(values: Iterable[object]) -> Iterable[tuple[str, str]]:
    """Every value at any depth, with the name of the field that it stands in."""
    stack = [("", value) for value in values]
    while stack:
        field, value = stack.pop()
        if isinstance(value, Mapping):
            stack.extend((str(name), item) for name, item in value.items())
        elif isinstance(value, (list, tuple)):
            stack.extend((field, item) for item in value)
        elif value is not None:
            yield field, str(value)
