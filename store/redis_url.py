"""Redis addresses: what a URL says, what is refused, and how the server is named in errors (never with its password).

Owns the rule that a server which others reach has a password. Called by `redis.py` and by whoever tells a URL from a file.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from ..protocol.errors import BadRequest

SCHEMES = ("redis", "rediss", "unix")
OPEN = "allow_open"
KEEP = "keep_ended_s"
KEEP_ENDED_S = 30 * 86400


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """`url`: for the client; `name`: for people; `keep_ended_s`: how long ended sessions are kept, 0 for ever."""

    url: str
    name: str
    keep_ended_s: int = KEEP_ENDED_S


def is_redis_url(place: str) -> bool:
    """Whether a store named so lives in Redis, not in a file."""
    return place.partition("://")[0] in SCHEMES and "://" in place


def redis_address(url: str) -> RedisAddress:
    """Read a URL; raises BadRequest if it cannot be used.

    Our own options stand in its query and are taken out: `allow_open=yes` (a server on the network without a password is
    refused otherwise) and `keep_ended_s=SECONDS`.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BadRequest(f"not a Redis URL: {error}") from None
    if parts.scheme not in SCHEMES:
        raise BadRequest(f"a Redis URL begins with {', '.join(f'{s}://' for s in SCHEMES)}; got {parts.scheme!r}")
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    name = _name(parts, port, query)
    if parts.scheme != "unix" and not re.fullmatch(r"/?|/[0-9]+/?", parts.path):
        raise BadRequest(f"{name}: behind the host stands the number of the database; got {parts.path[1:41]!r}")
    keep_ended_s = _seconds(query.pop(KEEP, str(KEEP_ENDED_S)), name)
    allowed = _yes(query.pop(OPEN, "no"), name)
    if not (allowed or _is_local(parts) or parts.password or "password" in query):
        raise BadRequest(
            f"{name} is not this machine and the URL has no password: whoever reaches such a server reads and changes every "
            f"session. Give the server a user and a password ({parts.scheme}://USER:PASSWORD@...), or say {OPEN}=yes in the URL"
        )
    return RedisAddress(urlunsplit(parts._replace(query=urlencode(query))), name, keep_ended_s)


def _name(parts: SplitResult, port: int | None, query: Mapping[str, str]) -> str:
    if parts.scheme == "unix":
        return f"unix://{parts.path}" + (f"?db={query['db']}" if "db" in query else "")
    user = f"{unquote(parts.username)}@" if parts.username else ""
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or "localhost"
    return f"{parts.scheme}://{user}{host}:{port or 6379}{parts.path.rstrip('/')}"


def _is_local(parts: SplitResult) -> bool:
    """Whether only this machine reaches it. A name that merely resolves to this machine may resolve otherwise tomorrow."""
    if parts.scheme == "unix" or not parts.hostname or parts.hostname == "localhost":
        return True
    try:
        return ip_address(parts.hostname).is_loopback
    except ValueError:
        return False


def _seconds(text: str, name: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 10 * 366 * 86400:
        raise BadRequest(f"{name}: {KEEP} is a number of seconds, 0 to keep ended sessions for ever; got {text[:40]!r}")
    return int(text)


def _yes(text: str, name: str) -> bool:
    if text not in ("yes", "no"):
        raise BadRequest(f"{name}: {OPEN} is yes or no; got {text[:40]!r}")
    return text == "yes"
