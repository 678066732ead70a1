"""Boxes: the durable inboxes and outboxes of all conversations. The port, its form for `:memory:`, and which form a store gets.

What may happen to a conversation says `conversation.py`; a store only makes each step one atomic write and knows which
conversations are due. So every store keeps the same promises, and there is one place to read them.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from ...app.maitred import Maitred
from ...protocol.errors import BadRequest
from ...store.memory import MemoryStore
from ...store.sqlite import SqliteStore
from .conversation import Conversation, due_at

Step = Callable[[Conversation | None, float], Conversation | None]
"""From a conversation, None if it is not there, and the store's time to what is to be written; None changes nothing. It is pure
and may be run more than once."""


class Boxes(Protocol):
    """Raises StoreUnavailable when it cannot. Several processes may work on one."""

    async def change(self, session: str, step: Step) -> Conversation | None:
        """Read, step and write as one. What was written; None if nothing was."""

    async def read(self, session: str) -> Conversation | None: ...

    async def waiting(self, limit: int = 100) -> tuple[str, ...]:
        """Sessions that are due, the longest first."""

    async def forget(self, days: float) -> None:
        """Drop conversations that nothing came from or went to for so long, and in which nothing waits."""

    async def close(self) -> None: ...


class MemoryBoxes:
    """The port in a dictionary."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._held: dict[str, tuple[Conversation, float]] = {}

    async def change(self, session: str, step: Step) -> Conversation | None:
        after = step(await self.read(session), self._clock())
        if after:
            self._held[session] = (after, self._clock())
        return after

    async def read(self, session: str) -> Conversation | None:
        held = self._held.get(session)
        return held[0] if held else None

    async def waiting(self, limit: int = 100) -> tuple[str, ...]:
        dues = ((due_at(held), name) for name, (held, _) in self._held.items())
        return tuple(
            name
            for at, name in sorted((at, name) for at, name in dues if at is not None)[:limit]
            if at <= self._clock()
        )

    async def forget(self, days: float) -> None:
        oldest = self._clock() - days * 86_400
        self._held = {
            name: (held, at) for name, (held, at) in self._held.items() if at >= oldest or due_at(held) is not None
        }

    async def close(self) -> None:
        pass


def boxes_beside(maitred: Maitred, keep_days: float) -> Boxes:
    """Beside a SQLite store's file, in the same Redis, in memory for a store in memory. Raises BadRequest for other stores."""
    store = maitred.store
    if isinstance(store, SqliteStore) and store.path != ":memory:":
        from .boxes_sqlite import SqliteBoxes

        return SqliteBoxes(str(Path(store.path).with_suffix(".webhooks.db")))
    if isinstance(store, (MemoryStore, SqliteStore)):
        return MemoryBoxes()
    from ...store.redis import RedisStore  # redis costs a tenth of a second: only who uses it pays

    if isinstance(store, RedisStore):
        from .boxes_redis import RedisBoxes

        return RedisBoxes(store, keep_days=keep_days)
    raise BadRequest(f"no inbox for webhooks is known for a {type(store).__name__}")
