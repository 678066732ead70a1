"""Calls to Redis, bounded in number and time, and their errors in our words: a sentence that names the server, no password."""

import asyncio
from types import TracebackType

from pydantic import ValidationError
from redis import exceptions as theirs

from ..protocol.errors import StoreUnavailable
from ..protocol.messages import explain
from .redis_server import Server, TooFewReplicas

_NO_PASSWORD = "wants a password, and the URL has none"
_NO_RIGHT = "does not allow this user what maitred needs; docs/redis.md shows the ACL"

# By the class of the error, then by the word that the server's answer begins with.
_REASONS: tuple[tuple[type[theirs.RedisError], str], ...] = (
    (theirs.AuthenticationError, "does not accept the user or the password of the URL"),
    (theirs.NoPermissionError, _NO_RIGHT),
    (theirs.ReadOnlyError, "is a replica that cannot be written; name the primary"),
    (theirs.BusyLoadingError, "is still loading its data"),
    (theirs.OutOfMemoryError, "is out of memory (maxmemory)"),
    (
        theirs.MovedError,
        "is one node of a cluster that does not hold this session; name the cluster by redis+cluster://",
    ),
    (theirs.AskError, "is moving this session to another node"),
    (theirs.TryAgainError, "is moving this session to another node"),
    (theirs.ClusterDownError, "is a cluster that is down, in part at least"),
    (TooFewReplicas, "made the change, and has not the replicas at hand that wait_replicas wants for it"),
    (theirs.TimeoutError, "did not answer in time"),
    (theirs.MaxConnectionsError, "has no connection free"),
    (theirs.ConnectionError, "cannot be reached, or closed the connection"),
)
_WORDS = {
    "NOAUTH": _NO_PASSWORD,
    "Authentication required": _NO_PASSWORD,
    "unauthenticated": _NO_PASSWORD,  # "Protocol error: unauthenticated multibulk length": a command of more than ten words
    "MISCONF": "cannot write its data to disk and refuses changes",
    "WRONGTYPE": "holds something else under a key of maitred",
    "OOM": "is out of memory (maxmemory)",
    "NOPERM": _NO_RIGHT,
    "The user executing the script": _NO_RIGHT,
    "ACL failure in script": _NO_RIGHT,
    "certificate verify": "has a certificate that cannot be verified; ssl_ca_certs=FILE in the URL names its authority",
    "This instance has cluster support disabled": "is one server, no cluster; name it by redis://",
}


class Call:
    """One call of the store: waits for one of the `free` connections, ends in `answer_s`, speaks of errors in our words.

    Redis-py has a pool that waits and a timeout for each read, too; the two cost a third of a call. `name`: of the server.
    """

    __slots__ = ("_free", "_name", "_server", "_timeout")

    def __init__(self, server: Server, name: str, free: asyncio.Semaphore, answer_s: float) -> None:
        self._server, self._name, self._free, self._timeout = server, name, free, asyncio.timeout(answer_s)

    async def __aenter__(self) -> Server:
        await self._free.acquire()
        await self._timeout.__aenter__()
        return self._server

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._free.release()
        try:
            await self._timeout.__aexit__(kind, error, trace)
        except TimeoutError as late:
            raise StoreUnavailable(f"{self._name} did not answer in time") from late
        if isinstance(error, (theirs.RedisError, OSError)):
            raise StoreUnavailable(f"{self._name} {_reason(error)} ({type(error).__name__})") from error
        if isinstance(error, ValidationError):
            raise StoreUnavailable(f"{self._name} holds a snapshot that cannot be read: {explain(error)}") from error


def _reason(error: Exception) -> str:
    text = str(error)
    # An error inside a script has its own first word only in some versions.
    word = next((known for known in _WORDS if text.startswith(known) or f" {known} " in text), None)
    if word:
        return _WORDS[word]
    return next((reason for known, reason in _REASONS if isinstance(error, known)), "failed")
