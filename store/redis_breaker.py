"""RedisBreaker: the circuit breaker that all workers on one Redis share. One hash per space: name -> ms until it is left alone.

While all is well a call costs no round trip: a copy of the hash is looked into, and at most once a second a call has it fetched
anew, without waiting (but for the first call of all). Only what the copy holds as open is asked for, and then one worker gets the
probe (`probe.lua`). Without Redis it says no of what is open and yes of the rest: the turn will learn of the store soon enough.
Handed out by `RedisStore`.
"""

import asyncio
import logging
import time
from typing import TYPE_CHECKING

from ..protocol.errors import StoreUnavailable
from .redis_scripts import Script

if TYPE_CHECKING:
    from .redis import RedisStore

logger = logging.getLogger("maitred.store")

FREEZE_S = 30.0
FRESH_S = 1.0


class RedisBreaker:
    """`freeze_s`: how long what gave no answer is left alone. Closes with its store."""

    def __init__(self, store: "RedisStore", space: str, *, freeze_s: float = FREEZE_S) -> None:
        self._store, self._key = store, f"agent_breaker:{space}"
        self._freeze_ms = round(freeze_s * 1000)
        self._probe = Script("probe")
        self._open: frozenset[str] = frozenset()
        self._changes = 0  # of the copy by this worker's own findings
        self._fetched = float("-inf")
        self._fetching: asyncio.Task[None] | None = None

    @property
    def open(self) -> frozenset[str]:
        return self._open

    async def may_call(self, name: str) -> bool:
        await self._refresh()
        if name not in self._open:
            return True
        try:
            async with self._store.call() as server:
                return bool(await self._probe.run(server, (self._key,), name, self._freeze_ms))
        except StoreUnavailable:
            return False

    async def succeeded(self, name: str) -> None:
        if name in self._open:
            self._found(self._open - {name})
            try:
                async with self._store.call() as server:
                    await server.ask(self._key, "HDEL", self._key, name)
            except StoreUnavailable as error:
                logger.warning("the others cannot be told that %s answers again: %s", name, error)

    async def timed_out(self, name: str) -> None:
        self._found(self._open | {name})
        try:
            async with self._store.call() as server:
                await self._probe.run(server, (self._key,), name, self._freeze_ms, "opens")
        except StoreUnavailable as error:
            logger.warning("the others cannot be told that %s is frozen: %s", name, error)

    async def close(self) -> None:
        """Nothing is fetched any more."""
        if self._fetching and not self._fetching.done():
            self._fetching.cancel()
            await asyncio.wait([self._fetching])

    def _found(self, names: frozenset[str]) -> None:
        self._open, self._changes = names, self._changes + 1

    async def _refresh(self) -> None:
        now, before = time.monotonic(), self._fetched
        if now - before < FRESH_S:
            return
        self._fetched = now
        if before < 0:
            await self._fetch()
            return
        self._fetching = asyncio.ensure_future(self._fetch())  # kept: the event loop alone would let it be collected

    async def _fetch(self) -> None:
        changes = self._changes
        try:
            async with self._store.call() as server:
                names = await server.ask(self._key, "HKEYS", self._key)
            if changes == self._changes:  # else it is older than what was found here meanwhile
                self._open = frozenset(name.decode() for name in names)
        except StoreUnavailable as error:
            logger.debug("what is frozen could not be read: %s", error)
