"""RedisTranscripts: the index in the Redis of the store, one key for each entry, which goes by itself after `keep_days`.

Each method is one command on one key, so one round trip and no slots to mind. What is exchanged is compared by the server.
"""

import asyncio
import json
from dataclasses import astuple

from ..store.redis import CONNECTIONS, client_of
from ..store.redis_calls import Call
from ..store.redis_url import redis_address
from .transcripts import Place, Sent

_EXCHANGE = b"""
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1
"""
_DAY_S = 86_400


class RedisTranscripts:
    """`url`: as the store's. `answer_s`: how long the server may be silent."""

    def __init__(self, url: str, *, keep_days: float = 30.0, answer_s: float = 10.0) -> None:
        address = redis_address(url)
        self._name, self._answer_s = address.name, answer_s
        self._redis = client_of(address.url, address.name)
        self._free = asyncio.Semaphore(CONNECTIONS)
        self._keep_s = max(1, round(keep_days * _DAY_S))

    def _call(self) -> Call:
        return Call(self._name, self._free, self._answer_s)

    async def place(self, space: str, point: str) -> Place | None:
        async with self._call():
            found = await self._redis.get(_key("place", space, point))
        return Place(*json.loads(found)) if found else None

    async def remember(self, space: str, point: str, place: Place, now: float) -> None:
        async with self._call():
            await self._redis.set(_key("place", space, point), _json(place), nx=True, ex=self._keep_s)

    async def claim(self, session: str, point: str, key: str, now: float) -> str:
        async with self._call():
            held = await self._redis.set(_key("claim", session, point), key, nx=True, get=True, ex=self._keep_s)
        return held.decode() if isinstance(held, bytes) else key

    async def last_sent(self, session: str) -> Sent | None:
        async with self._call():
            found = await self._redis.get(_key("sent", session))
        return Sent(*json.loads(found)) if found else None

    async def note_sent(self, session: str, sent: Sent, before: Sent | None, now: float) -> bool:
        name = _key("sent", session)
        async with self._call():
            if before is None:
                return bool(await self._redis.set(name, _json(sent), nx=True, ex=self._keep_s))
            values = (_json(before), _json(sent), self._keep_s)
            return bool(await self._redis.eval(_EXCHANGE, 1, name, *values))  # type: ignore[arg-type]  # bytes will do

    async def forget(self, before: float) -> None:
        """Nothing: entries go by themselves."""

    async def close(self) -> None:
        await self._redis.aclose()


def _key(kind: str, *names: str) -> str:
    """No name holds a brace, so no two entries are led to one slot."""
    return ":".join((f"agent_transcript:{kind}", *names))


def _json(entry: Place | Sent) -> str:
    """The same entry, the same bytes: the server compares them."""
    return json.dumps(astuple(entry), ensure_ascii=False, separators=(",", ":"))
