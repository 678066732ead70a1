"""Redis addresses: what a URL says, what is refused, and how the server is named in errors (never with its password).

Owns the rule that a server which others reach has a password. Called by `redis.py` and by whoever tells a URL from a file.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from ipaddress import ip_address
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from ..protocol.errors import BadRequest

CLUSTER = "+cluster"
SCHEMES = ("redis", "rediss", "unix", f"redis{CLUSTER}", f"rediss{CLUSTER}")
OPEN, KEEP, REPLICAS = "allow_open", "keep_ended_s", "wait_replicas"
KEEP_ENDED_S = 30 * 86400
_OURS = (OPEN, KEEP, REPLICAS)
# Of redis-py's, those that name a login, a line or a certificate. The others change what comes back, or send things twice.
_THEIRS = (
    "username", "password", "db", "client_name", "health_check_interval", "socket_connect_timeout", "socket_keepalive",
    "socket_read_size", "socket_timeout", "ssl_ca_certs", "ssl_ca_path", "ssl_cert_reqs", "ssl_certfile", "ssl_check_hostname",
    "ssl_ciphers", "ssl_keyfile", "ssl_password",
)  # fmt: skip
_PORT = 6379


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """`url`: for the client; `name`: for people; `keep_ended_s`: how long ended sessions are kept, 0 for ever.

    `wait_replicas`: so many must have a write before it counts. `nodes`: of a cluster, where to begin; none: it is one server.
    """

    url: str
    name: str
    keep_ended_s: int = KEEP_ENDED_S
    wait_replicas: int = 0
    nodes: tuple[tuple[str, int], ...] = ()

    def at(self, host: str, port: int) -> str:
        """The URL of another node of the cluster."""
        parts = urlsplit(self.url)
        login, sign, _ = parts.netloc.rpartition("@")
        return urlunsplit(parts._replace(netloc=f"{login}{sign}{f'[{host}]' if ':' in host else host}:{port}"))


def is_redis_url(place: str) -> bool:
    """Whether a store named so lives in Redis, not in a file."""
    return place.partition("://")[0] in SCHEMES and "://" in place


def redis_address(url: str) -> RedisAddress:
    """Read a URL; raises BadRequest if it cannot be used.

    Our own options stand in its query and are taken out: `allow_open=yes` (a server on the network without a password is
    refused otherwise), `keep_ended_s=SECONDS` and `wait_replicas=NUMBER`.
    """
    parts, others = _split(url)
    scheme = parts.scheme.removesuffix(CLUSTER)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    name = _name(parts, others, query)
    is_cluster = scheme != parts.scheme
    if scheme != "unix" and not re.fullmatch(r"/?" if is_cluster else r"/?|/[0-9]+/?", parts.path):
        what = (
            "a cluster has no numbered databases" if is_cluster else "behind the host stands the number of the database"
        )
        raise BadRequest(f"{name}: {what}; got {parts.path[1:41]!r}")
    _check_options(query, name)
    keep_ended_s = _number(
        KEEP, query, KEEP_ENDED_S, 10 * 366 * 86400, "seconds, 0 to keep ended sessions for ever", name
    )
    replicas = _number(REPLICAS, query, 0, 9, "servers, 0 to wait for none", name)
    allowed = _yes(query.pop(OPEN, "no"), name)
    if not (allowed or all(map(_is_local, (parts, *others))) or parts.password or "password" in query):
        raise BadRequest(
            f"{name} is not this machine and the URL has no password: whoever reaches such a server reads and changes every "
            f"session. Give the server a user and a password ({parts.scheme}://USER:PASSWORD@...), or say {OPEN}=yes in the URL"
        )
    nodes = tuple((each.hostname or "localhost", each.port or _PORT) for each in (parts, *others)) if is_cluster else ()
    client_url = urlunsplit(parts._replace(scheme=scheme, query=urlencode(query)))
    return RedisAddress(client_url, name, keep_ended_s, replicas, nodes)


def _split(url: str) -> tuple[SplitResult, list[SplitResult]]:
    """The parts of a URL; and of the other nodes, of which a cluster may name some: redis+cluster://HOST:PORT,HOST:PORT."""
    scheme, sign, rest = url.partition("://")
    if not sign or scheme not in SCHEMES:
        raise BadRequest(f"a Redis URL begins with {', '.join(f'{s}://' for s in SCHEMES)}; got {scheme[:40]!r}")
    netloc = re.split("[/?#]", rest, maxsplit=1)[0]
    login, at, hosts = netloc.rpartition("@")
    first, *others = hosts.split(",") if scheme.endswith(CLUSTER) else [hosts]
    try:
        split = [urlsplit(f"{scheme}://{login}{at}{host}{rest[len(netloc) :]}") for host in (first, *others)]
        for parts in split:
            _ = parts.port  # read only now
    except ValueError as error:
        raise BadRequest(f"not a Redis URL: {error}") from None
    return split[0], split[1:]


def _name(parts: SplitResult, others: list[SplitResult], query: Mapping[str, str]) -> str:
    if parts.scheme == "unix":
        return f"unix://{parts.path}" + (f"?db={query['db']}" if "db" in query else "")
    user = f"{unquote(parts.username)}@" if parts.username else ""
    hosts = ",".join(f"{_shown_host(each)}:{each.port or _PORT}" for each in (parts, *others))
    return f"{parts.scheme}://{user}{hosts}{parts.path.rstrip('/')}"


def _shown_host(parts: SplitResult) -> str:
    return f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or "localhost"


def _is_local(parts: SplitResult) -> bool:
    """Whether only this machine reaches it. A name that merely resolves to this machine may resolve otherwise tomorrow."""
    if parts.scheme == "unix" or not parts.hostname or parts.hostname == "localhost":
        return True
    try:
        return ip_address(parts.hostname).is_loopback
    except ValueError:
        return False


def _check_options(query: Mapping[str, str], name: str) -> None:
    for option in query:
        if option not in (*_OURS, *_THEIRS):
            near = get_close_matches(option, (*_OURS, *_THEIRS), n=1)
            meant = f"; did you mean {near[0]!r}?" if near else "."
            raise BadRequest(
                f"{name}: a URL has no option {option[:40]!r}{meant} There are {', '.join(_OURS)}, and of redis-py "
                f"{', '.join(_THEIRS)}"
            )


def _number(option: str, query: dict[str, str], default: int, most: int, what: str, name: str) -> int:
    text = query.pop(option, str(default))
    if not text.isascii() or not text.isdigit() or int(text) > most:
        raise BadRequest(f"{name}: {option} is a number of {what}; got {text[:40]!r}")
    return int(text)


def _yes(text: str, name: str) -> bool:
    if text not in ("yes", "no"):
        raise BadRequest(f"{name}: {OPEN} is yes or no; got {text[:40]!r}")
    return text == "yes"
