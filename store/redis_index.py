"""RedisIndex: which sessions there are, and which are due, in 64 buckets that lie in other slots than the sessions themselves.

No script may write to two slots of a cluster, so the index is written before the commit, in the same round trip, and may say
too much, never too little. Each write of a session makes a claim of its own, "look at it then", which nobody changes: it counts
if the session names it, waits if its write may yet come, and goes if another write came after it. Called by `redis.py`.
"""

from dataclasses import dataclass
from typing import Any
from zlib import crc32

from redis.asyncio import Redis
from redis.asyncio.client import Pipeline

from .redis_keys import keys_of

BUCKETS = 64
NEVER = float("inf")
_SWEEP = 16
SLACK_S = 60.0
"""An ended session is looked for so much after its keys have gone; a claim of no session is dropped so much after its time."""


@dataclass(frozen=True, slots=True)
class Claim:
    """`member`: session, fence and event_seq of the write that makes it. `look_at`: seconds since the epoch, or NEVER."""

    member: str
    look_at: float


def claim_of(session_id: str, fence: int, event_seq: int) -> str:
    """A name that no other write has; an id holds no space."""
    return f"{session_id} {fence} {event_seq}"


def _bucket(session_id: str) -> int:
    return crc32(session_id.encode()) % BUCKETS


def _due(bucket: int) -> str:
    return f"{{agent_bucket:{bucket}}}:due"


class RedisIndex:
    """Scores are seconds since the epoch."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._superseded: list[list[str]] = [[] for _ in range(BUCKETS)]

    def note(self, pipe: Pipeline, session_id: str, claim: Claim) -> None:
        """Put into `pipe` what must be known before the session is written. Claims voided by earlier writes go on the way."""
        bucket = _bucket(session_id)
        pipe.zadd(_due(bucket), {claim.member: claim.look_at})
        if len(void := self._superseded[bucket]) >= _SWEEP:
            pipe.zrem(_due(bucket), *void)
            void.clear()

    def superseded(self, session_id: str, member: str) -> None:
        """A claim that a write has just voided. Only a saving: `due` finds it in its time if this is forgotten."""
        self._superseded[_bucket(session_id)].append(member)

    async def last_touched(self) -> list[str]:
        """Every session's name, the last touched first."""
        pipe = self._redis.pipeline(transaction=False)
        for bucket in range(BUCKETS):
            pipe.zrange(_due(bucket), 0, -1)
        names = list({member.decode().split()[0] for members in await pipe.execute() for member in members})
        for name in names:
            pipe.hget(keys_of(name)[1], "touched")
        touched = {name: float(at) for name, at in zip(names, await pipe.execute(), strict=True) if at}
        return sorted(touched, key=touched.__getitem__, reverse=True)

    async def due(self, now: float, limit: int) -> tuple[str, ...]:
        """Sessions whose time has come, in its order."""
        while True:
            members = await self._overdue(now, limit)
            found, void = await self._judged(members, now)
            if not void:
                return tuple(name for _, name in sorted(found)[:limit])
            await self._drop(void)

    async def _overdue(self, now: float, limit: int) -> list[tuple[str, float]]:
        pipe = self._redis.pipeline(transaction=False)
        for bucket in range(BUCKETS):
            pipe.zrange(_due(bucket), "-inf", now, byscore=True, offset=0, num=limit, withscores=True)
        return [(member.decode(), score) for rows in await pipe.execute() for member, score in rows]

    async def _judged(self, members: list[tuple[str, float]], now: float) -> tuple[list[tuple[float, str]], list[str]]:
        """Sessions that are due, with their time, and claims that are void."""
        pipe = self._redis.pipeline(transaction=False)
        for member, _ in members:
            pipe.hmget(keys_of(member.split()[0])[1], "fence", "event_seq", "claim", "due")
        found, void = [], []
        for (member, score), held in zip(members, await pipe.execute() if members else (), strict=True):
            name, fence, event_seq = member.split()
            if held[2] == member.encode():
                found += [(float(held[3]), name)] if held[3] else []
            elif _is_void((int(fence), int(event_seq)), held, overdue_s=now - score):
                void.append(member)
        return found, void

    async def forget(self, session_id: str) -> None:
        """The session was purged: no claim says that it ever was."""
        key = _due(_bucket(session_id))
        claims = [member async for member, _ in self._redis.zscan_iter(key, count=1000)]
        if own := [member for member in claims if member.decode().split()[0] == session_id]:
            await self._redis.zrem(key, *own)

    async def _drop(self, void: list[str]) -> None:
        pipe = self._redis.pipeline(transaction=False)
        for member in void:
            pipe.zrem(_due(_bucket(member.split()[0])), member)
        await pipe.execute()


def _is_void(write: tuple[int, int], held: list[Any], *, overdue_s: float) -> bool:
    """Whether the write that made the claim is overtaken, or was never done and will not be."""
    if held[0] is None:  # no such session: not written yet, or ended long ago
        return overdue_s > SLACK_S
    return write <= (int(held[0]), int(held[1] or 0))
