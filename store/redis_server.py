"""Server: what the store asks a Redis, be it one (`Node`) or a cluster (`redis_cluster.py`).

Owns connections and the order of what is sent, not what it means. Connections are redis-py's own. Its clients are not used: the
plain one makes a call four times as dear, and the one for clusters sends ASKING on another connection than the command behind it,
and closes all connections when slots have moved. Nothing is sent again that may have been done. Called by `redis.py`.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, Protocol

from hiredis import pack_command
from redis.asyncio import ConnectionPool
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from ..protocol.errors import BadRequest
from ..protocol.per_loop import PerLoop

CONNECTIONS = 32
CONNECT_S = 5.0
WAIT_MS = 1000
"""How long a write waits for replicas, if it does."""

Word = str | bytes | int | float
Command = tuple[Word, ...]
_Send = Callable[[Sequence[Command]], Awaitable[list[Any]]]


class Part(NamedTuple):
    """A command, and a key of those that it is about: all are in one slot."""

    key: str
    command: Command


class TooFewReplicas(RedisError):
    """A write is made, and fewer replicas have it than the URL wants."""


class Server(Protocol):
    """Safe for many tasks at once. Raises redis-py's errors; after an error of the line nobody knows what was done.

    `spread`: keys of two slots may lie on two machines.
    """

    @property
    def spread(self) -> bool: ...

    async def ask(self, key: str, *command: Word) -> Any:
        """One command."""

    async def in_order(self, *parts: Part, replicas: int = 0) -> list[Any]:
        """One after the other, in one write; of one slot if slots are spread. A refusal is the answer of the refused part.

        `replicas`: so many must have it all before this returns.
        """

    async def at_once(self, parts: Sequence[Part]) -> list[Any]:
        """Commands that do not depend on each other. Raises the first refusal."""

    async def close(self) -> None:
        """Close all connections."""


class Node:
    """One server: connections, the last used first. Who calls bounds how many calls there are at once.

    `url`: as redis-py reads it; `name`: of the server, for errors. Raises BadRequest.
    """

    spread = False

    def __init__(self, url: str, name: str) -> None:
        try:
            self._pool = ConnectionPool.from_url(
                url, max_connections=CONNECTIONS, socket_connect_timeout=CONNECT_S, socket_timeout=None,
                retry=Retry(NoBackoff(), 0), protocol=2,
            )  # fmt: skip
            self._free = PerLoop(
                lambda: [self._made()], _disconnect
            )  # a wrong value is found here, not at the first message
        except (ValueError, TypeError) as error:
            raise BadRequest(f"{name}: the URL cannot be used: {error}") from None
        self.failed_at = 0.0

    async def send(self, commands: Sequence[Command]) -> list[Any]:
        """All in one write; a refusal is an answer."""
        free = self._free()
        connection = free.pop() if free else self._made()
        try:
            if connection.is_connected and await connection.can_read():  # the server closed it
                await connection.disconnect()
            packed = b"".join(map(pack_command, commands))  # type: ignore[arg-type]  # its type knows commands of one word only
            await connection.send_packed_command(packed)
            return [await _answer(connection) for _ in commands]
        except BaseException:
            await connection.disconnect(nowait=True)  # an answer that is still to come must reach nobody
            raise
        finally:
            free.append(connection)

    async def ask(self, key: str, *command: Word) -> Any:
        return no_refusal(await self.send((command,)))[0]

    async def in_order(self, *parts: Part, replicas: int = 0) -> list[Any]:
        return await replicated(self.send, [part.command for part in parts], replicas)

    async def at_once(self, parts: Sequence[Part]) -> list[Any]:
        return no_refusal(await self.send([part.command for part in parts])) if parts else []

    async def close(self) -> None:
        await _disconnect(self._free())

    def _made(self) -> AbstractConnection:
        made: AbstractConnection = self._pool.make_connection()  # type: ignore[no-untyped-call]
        return made


async def _disconnect(connections: Sequence[AbstractConnection]) -> None:
    for connection in connections:
        await connection.disconnect()


async def replicated(send: _Send, commands: Sequence[Command], replicas: int) -> list[Any]:
    """The answers of `send(commands)`, once so many replicas have what was written; at once if something was refused."""
    if not replicas:
        return await send(commands)
    *answers, reached = await send([*commands, ("WAIT", replicas, WAIT_MS)])
    if any(isinstance(answer, ResponseError) for answer in answers):
        return answers
    if isinstance(reached, ResponseError):
        raise reached
    if reached < replicas:
        raise TooFewReplicas(f"{reached} of {replicas}")
    return answers


def no_refusal(answers: list[Any]) -> list[Any]:
    """Raises the first refusal among the answers."""
    for answer in answers:
        if isinstance(answer, ResponseError):
            raise answer
    return answers


async def _answer(connection: AbstractConnection) -> Any:
    try:
        return await connection.read_response()
    except ResponseError as refusal:
        return refusal
