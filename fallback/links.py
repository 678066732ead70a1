"""Links in a reply: words that a decider wrote may lead a customer's data away, by an address that holds it.

What a client loads by itself (an image, a frame) leads it away unread, so such words show only hosts that the flow names, and
addresses that a tool or an event brought, whole. A flow that names hosts (`Flow(links=...)`) has every link held to that.
A reply is read as in `facts.py`: as it is written, and with its entities and wide letters resolved. What shows it reads it once
more: Markdown takes the backslash before a sign away, a browser the tabs and line ends in an address. A reply is fine if it is in
every reading. Pure; called by the turn.
"""

import html
import re
import unicodedata
from collections.abc import Collection, Iterable

from .facts import leaves

_LOADS = re.compile(r"!\s*\[|<\s*/?\s*[a-z!?]|url\s*\(", re.IGNORECASE)
_ADDRESS = re.compile(
    r"(?:\b[a-z][a-z0-9+.-]{0,20}:)?[\\/]{2,}[^\s<>\"'`)\]}|]+"
    r"|\b(?:https?|wss?):[\\/]?[^\s<>\"'`)\]}|\\/][^\s<>\"'`)\]}|]*"  # browsers need no slashes
    r"|\bwww\d?\.[^\s<>\"'`)\]}|]*",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"\b(?:javascript|data|vbscript|file|blob|ftp|intent)\s*:\s*\S", re.IGNORECASE)
_TARGET = re.compile(r"\]\s*(?:\(|:)\s*<?\s*([^\s)>]*)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_WITHIN = re.compile(r"<\s*/?\s*[a-z!?][^<>]*|\]\s*[(:][^)]*?(?:\)|$)", re.IGNORECASE)
_UNSEEN = ("Cf", "Cc")
_MARKS = ("Mn", "Me")
_TRAILING = ".,;:!?。，；：！？"


def foreign_link(reply: str, hosts: Collection[str] | None, held: Iterable[object] = ()) -> str | None:
    """The first address in `reply` that may not be shown; None if all is well.

    `hosts`: those that the flow names; None if it names none, then only what loads by itself is judged. `held`: what tools and
    events brought.
    """
    known = [form for _, text in leaves(held) if "/" in text or "." in text for form in _forms(text)]
    found = (_foreign(reading, hosts, known) for reading in _readings(reply))
    return next((address for address in found if address), None)


def _foreign(plain: str, hosts: Collection[str] | None, known: Collection[str]) -> str | None:
    if "/" not in plain and "\\" not in plain and ":" not in plain and "www" not in plain.lower():
        return None
    if hosts is None and not _LOADS.search(plain):
        return None
    if odd := _SCHEME.search(plain):
        return odd[0]
    for address in _addresses(plain):
        if _host(address) not in (hosts or ()) and not any(_is_in(address, text) for text in known):
            return address
    return None


def _readings(reply: str) -> Iterable[str]:
    """The reply as those may read it who show it, each once."""
    found: dict[str, None] = {}
    for form in _forms(reply):
        for text in (form, _ESCAPED.sub(r"\1", form)):
            found[text] = found[_WITHIN.sub(lambda part: re.sub(r"[\t\n]", "", part[0]), text)] = None
    return found


def _forms(text: str) -> Iterable[str]:
    """Entities and wide letters resolved, and nothing in it that does not show; then with the marks on letters, for a host with
    some is another."""
    seen = unicodedata.normalize("NFKC", html.unescape(text))
    if seen.isascii():
        yield "".join(c for c in seen if c in "\n\t" or c.isprintable())
        return
    marked = "".join(c for c in seen if c in "\n\t" or unicodedata.category(c) not in _UNSEEN)
    yield "".join(c for c in marked if unicodedata.category(c) not in _MARKS)
    yield marked


def _addresses(plain: str) -> Iterable[str]:
    for found in _ADDRESS.finditer(plain):
        yield found[0].rstrip(_TRAILING)
    for found in _TARGET.finditer(plain):  # a Markdown link to what does not look like an address is one all the same
        target = found[1]
        seen = not target or target.startswith(("#", "mailto:", "tel:")) or _ADDRESS.match(target)
        if not seen and ("." in target or ":" in target):
            yield target


def _host(address: str) -> str:
    """The host as a browser takes it: behind the last `@`, with either slash, without port."""
    rest = re.sub(r"^(?:[a-z][a-z0-9+.-]*:)?[\\/]*", "", address, flags=re.IGNORECASE)
    authority = re.split(r"[\\/?#]", rest, maxsplit=1)[0]
    return authority.rsplit("@", 1)[-1].partition(":")[0].rstrip(".").casefold()


def _is_in(address: str, text: str) -> bool:
    """Whether the text has just this address: a part of one would let something be added to it."""
    return address in (found.rstrip(_TRAILING) for found in (match[0] for match in _ADDRESS.finditer(text)))
