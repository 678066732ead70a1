"""Redaction: what may stand in a line of a log. Secrets, addresses, numbers of people and names of sessions are taken out,
control characters are spelled, so that no text ends its line, colours a terminal or turns the direction of reading.

Pure but for the key of the marks. A pattern finds what looks like something; what a customer wrote is kept out of logs by the
code that logs, and by `log.py`, which leaves the messages of foreign exceptions out.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable

MARK_CHARS = 12
_SECRETS = re.compile(
    r"(?i)(\bbearer\s+)[^\s'\",]+"
    r"|\b((?:api[_-]?key|secret|token|password|passwd|authorization)['\"]?\s*[=:]\s*['\"]?)(?!bearer\b)[^\s'\",&]+"
    r"|(\w://[^\s:/@]*:)[^\s@/]+(?=@)"
    r"|\b(sk-)[A-Za-z0-9_-]{12,}"
)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_NUMBER = re.compile(r"(?<![\w.-])(?!\d{4}-\d\d-\d\d)\+?\d(?:[ -]?\d){8,18}[xX]?(?!\w)")
_UNSEEN = ("Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn")


def one_line(text: str) -> str:
    """The text with everything that does not show as itself spelled as an escape."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_spelled(c) if unicodedata.category(c) in _UNSEEN else c for c in text)


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode()


def without_secrets(text: str) -> str:
    """Keys, passwords, e-mail addresses and the numbers of phones, cards and papers as what they are, not as they are."""
    text = _SECRETS.sub(lambda found: next(part for part in found.groups() if part) + "[secret]", text)
    return _NUMBER.sub("[number]", _EMAIL.sub("[email]", text))


class Marks:
    """Stands for a session in a log: the same for the same session, and nothing can be read from it without `key`."""

    def __init__(self, key: bytes, flows: Iterable[str] = ()) -> None:
        self._key = key[:64]
        names = "|".join(re.escape(name) for name in sorted(flows))
        self._session = re.compile(rf"(?<![\w.-])[\w.-]{{1,40}}:(?:{names}):[\w.~@+=-]{{1,100}}") if names else None

    def of(self, session: str) -> str:
        """The mark of a session's whole name."""
        return "s-" + hashlib.blake2b(session.encode("utf-8", "replace"), key=self._key).hexdigest()[:MARK_CHARS]

    def in_place_of_names(self, text: str) -> str:
        """The text with each session's name replaced by its mark."""
        return self._session.sub(lambda found: self.of(found[0]), text) if self._session else text
