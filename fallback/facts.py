"""Facts in a reply: things such as order numbers may be shown only if an event of the session holds them.

Both sides are compared without width, case, separators and with Chinese digits read, so a number in disguise is still one.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping

_DIGITS = str.maketrans("零〇一二三四五六七八九", "00123456789")
_NOISE = re.compile(r"[\s\-_.,·:/\\#*'\"()\[\]{}|~，。、：；—–‐‑\u200b-\u200f\u2060\ufeff]+")
MAX_CHARS = 20_000


def unheld_fact(reply: str, facts: Mapping[str, re.Pattern[str]], held: Iterable[object]) -> str | None:
    """The name of the first declared fact that `reply` shows and nothing in `held` contains; None if all is well."""
    if not facts:
        return None
    plain = unicodedata.normalize("NFKC", reply[:MAX_CHARS])
    known: str | None = None
    for name, pattern in facts.items():
        compact = re.compile(_compact_pattern(pattern.pattern), re.IGNORECASE)
        for shown in [m.group() for m in pattern.finditer(plain)] + [
            m.group() for m in compact.finditer(_compact(plain))
        ]:
            known = known if known is not None else _compact(" ".join(_leaves(held)))
            if _compact(shown) not in known:
                return name
    return None


def _compact(text: str) -> str:
    return _NOISE.sub("", unicodedata.normalize("NFKC", text).translate(_DIGITS)).upper()


_CLASS = re.compile(r"(\[[^\]]*\])")
_SEPARATOR = re.compile(r"\\?[-\s_./](?:[?*+]|\{[0-9,]*\})?")


def _compact_pattern(pattern: str) -> str:
    """The same pattern without its literal separators, since they are gone from the compacted text; classes stay as they are."""
    return "".join(part if part.startswith("[") else _SEPARATOR.sub("", part) for part in _CLASS.split(pattern))


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
