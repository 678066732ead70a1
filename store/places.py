"""Names of stores: what a text means that names one. The one place where it is read; called by `app/` and the command line."""

import re
from dataclasses import dataclass
from typing import Literal

from ..protocol.errors import BadRequest
from .redis_url import is_redis_url, redis_address

MEMORY = ":memory:"
_SQLITE = "sqlite:///"
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


@dataclass(frozen=True, slots=True)
class Place:
    """`where`: a path, a Redis URL, or ":memory:"; `shown`: the same for a screen, without a password."""

    kind: Literal["memory", "sqlite", "redis"]
    where: str
    shown: str


def place_of(text: str) -> Place:
    """A SQLite file (FILE, or sqlite:///FILE, where a fourth slash begins an absolute path), a Redis URL, ":memory:"."""
    if text == MEMORY:
        return Place("memory", text, text)
    if is_redis_url(text):
        return Place("redis", text, redis_address(text).name)
    path = text.removeprefix(_SQLITE)
    if not path or _URL.match(path):
        raise BadRequest(
            f"a store is a file, {_SQLITE}FILE, a Redis URL or {MEMORY}; got "
            + (f"the scheme {path.partition('://')[0]!r}" if path else "no name of a file")
        )
    return Place("sqlite", path, path)
