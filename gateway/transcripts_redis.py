"""RedisTranscripts: the index in the Redis of the store, one key for each entry, which goes by itself after `keep_days`.

Each method is one command on one key, so one round trip and no slots to mind. What is exchanged is compared by the server.
"""

import json
from dataclasses import astuple

from ..store.redis import RedisStore
from .transcripts import Place, Sent

_EXCHANGE = b"""
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1
"""
_DAY_S = 86_400


class RedisTranscripts:
    """Over an open store, which its owner closes."""

    def __init__(self, store: RedisStore, *, keep_days: float = 30.0) -> None:
        self._store = store
        self._keep_s = max(1, round(keep_days * _DAY_S))

    async def place(self, space: str, point: str) -> Place | None:
        name = _key("place", space, point)
        async with self._store.call() as server:
            found = await server.ask(name, "GET", name)
        return Place(*json.loads(found)) if found else None

    async def remember(self, space: str, point: str, place: Place, now: float) -> None:
        name = _key("place", space, point)
        async with self._store.call() as server:
            await server.ask(name, "SET", name, _json(place), "NX", "EX", self._keep_s)

    async def claim(self, session: str, point: str, key: str, now: float) -> str:
        name = _key("claim", session, point)
        async with self._store.call() as server:
            held = await server.ask(name, "SET", name, key, "NX", "GET", "EX", self._keep_s)
        return held.decode() if isinstance(held, bytes) else key

    async def last_sent(self, session: str) -> Sent | None:
        name = _key("sent", session)
        async with self._store.call() as server:
            found = await server.ask(name, "GET", name)
        return Sent(*json.loads(found)) if found else None

    async def note_sent(self, session: str, sent: Sent, before: Sent | None, now: float) -> bool:
        name = _key("sent", session)
        async with self._store.call() as server:
            if before is None:
                return bool(await server.ask(name, "SET", name, _json(sent), "NX", "EX", self._keep_s))
            values = (_json(before), _json(sent), self._keep_s)
            return bool(await server.ask(name, "EVAL", _EXCHANGE, 1, name, *values))

    async def forget(self, before: float) -> None:
        """Nothing: entries go by themselves."""

    async def close(self) -> None:
        """The store is not ours."""


def _key(kind: str, *names: str) -> str:
    """No name holds a brace, so no two entries are led to one slot."""
    return ":".join((f"agent_transcript:{kind}", *names))


def _json(entry: Place | Sent) -> str:
    """The same entry, the same bytes: the server compares them."""
    return json.dumps(astuple(entry), ensure_ascii=False, separators=(",", ":"))
