"""RedisTranscripts: the index of transcripts in the Redis that keeps the sessions, over the store's own connections.

One key for each thing, so a cluster may hold them anywhere; beside them, in 64 buckets, how old each is. Called through the port.
"""

import json
from zlib import crc32

from ..store.redis import RedisStore
from .transcripts import Place, Sent

_BUCKETS = 64
_SWAP = """if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1"""


class RedisTranscripts:
    """Over an open store, which its owner closes."""

    def __init__(self, store: RedisStore) -> None:
        self._store = store

    async def place(self, space: str, point: str) -> Place | None:
        async with self._store.call() as redis:
            found = await redis.get(_key("place", space, point))
        return Place(*_text(found).split(" ")) if found else None

    async def remember(self, space: str, point: str, place: Place, now: float) -> None:
        await self._first(_key("place", space, point), f"{place.session} {place.message}", now)

    async def claim(self, session: str, point: str, key: str, now: float) -> str:
        return await self._first(_key("claim", session, point), key, now)

    async def _first(self, key: str, value: str, now: float) -> str:
        """What stands there: `value`, if nothing did."""
        async with self._store.call() as redis:
            pipe = redis.pipeline(transaction=False)
            pipe.zadd(_ages(key), {key: now}, nx=True)
            pipe.set(key, value, nx=True, get=True)
            before = (await pipe.execute())[1]
        return value if before is None else _text(before)

    async def last_sent(self, session: str) -> Sent | None:
        async with self._store.call() as redis:
            found = await redis.get(_key("sent", session))
        return Sent(*json.loads(found)) if found else None

    async def note_sent(self, session: str, sent: Sent, before: Sent | None, now: float) -> bool:
        key = _key("sent", session)
        async with self._store.call() as redis:
            pipe = redis.pipeline(transaction=False)
            pipe.zadd(_ages(key), {key: now})
            pipe.eval(_SWAP, 1, key, _json(before) if before else "", _json(sent))
            return bool((await pipe.execute())[1])

    async def forget(self, before: float) -> None:
        for bucket in range(_BUCKETS):
            async with self._store.call() as redis:
                ages = f"{{agent_bucket:{bucket}}}:transcripts"
                found = await redis.zrange(ages, "-inf", f"({before}", byscore=True)
                old = [key for key in found if isinstance(key, bytes)]
                if not old:
                    continue
                pipe = redis.pipeline(transaction=False)
                for key in old:
                    pipe.delete(key)
                pipe.zrem(ages, *old)
                await pipe.execute()

    async def close(self) -> None:
        """The store is not ours."""


def _key(kind: str, *names: str) -> str:
    return f"agent_transcript:{kind}:{' '.join(names)}"


def _ages(key: str) -> str:
    return f"{{agent_bucket:{crc32(key.encode()) % _BUCKETS}}}:transcripts"


def _json(sent: Sent) -> str:
    return json.dumps([sent.print, sent.message, sent.count, sent.answered])


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value
