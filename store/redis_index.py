"""RedisIndex: which sessions there are, and which are due, in 64 buckets that lie in other slots than the sessions themselves.

No script may write to two slots of a cluster, so the index is written before the commit, in the same round trip, and may say
too much, never too little. Each write of a session makes a claim of its own, "look at it then", which nobody changes: it counts
if the session names it, waits if its write may yet come, and goes if another write came after it. Called by `redis.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from .redis_keys import keys_of
from .redis_server import Part, Server

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


_BUCKETS = tuple(_due(bucket) for bucket in range(BUCKETS))


class RedisIndex:
    """Scores are seconds since the epoch."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._superseded: list[list[str]] = [[] for _ in range(BUCKETS)]

    def note(self, session_id: str, claim: Claim) -> list[Part]:
        """What must be done before the session is written. Claims voided by earlier writes go on the way."""
        bucket = _bucket(session_id)
        key = _due(bucket)
        parts = [Part(key, ("ZADD", key, claim.look_at, claim.member))]
        if len(void := self._superseded[bucket]) >= _SWEEP:
            parts.append(Part(key, ("ZREM", key, *void)))
            void.clear()
        return parts

    def superseded(self, session_id: str, member: str) -> None:
        """A claim that a write has just voided. Only a saving: `due` finds it in its time if this is forgotten."""
        self._superseded[_bucket(session_id)].append(member)

    async def names(self) -> list[str]:
        """Every session's name, and some of sessions that were never written or have gone."""
        found = await self._server.at_once([Part(key, ("ZRANGE", key, 0, -1)) for key in _BUCKETS])
        return list({member.decode().split()[0] for members in found for member in members})

    async def touched(self, names: Sequence[str]) -> dict[str, float]:
        """When each was last touched; those that are not there are left out."""
        leases = [keys_of(name)[1] for name in names]
        found = await self._server.at_once([Part(key, ("HGET", key, "touched")) for key in leases])
        return {name: float(at) for name, at in zip(names, found, strict=True) if at}

    async def due(self, now: float, limit: int) -> tuple[str, ...]:
        """Sessions whose time has come, in its order."""
        while True:
            members = await self._overdue(now, limit)
            found, void = await self._judged(members, now)
            if not void:
                return tuple(name for _, name in sorted(found)[:limit])
            await self._drop(void)

    async def _overdue(self, now: float, limit: int) -> list[tuple[str, float]]:
        overdue = ("-inf", now, "BYSCORE", "LIMIT", 0, limit, "WITHSCORES")
        found = await self._server.at_once([Part(key, ("ZRANGE", key, *overdue)) for key in _BUCKETS])
        return [
            (member.decode(), float(score))
            for rows in found
            for member, score in zip(rows[::2], rows[1::2], strict=True)
        ]

    async def _judged(self, members: list[tuple[str, float]], now: float) -> tuple[list[tuple[float, str]], list[str]]:
        """Sessions that are due, with their time, and claims that are void."""
        leases = [keys_of(member.split()[0])[1] for member, _ in members]
        asked = [Part(key, ("HMGET", key, "fence", "event_seq", "claim", "due")) for key in leases]
        found, void = [], []
        for (member, score), held in zip(members, await self._server.at_once(asked), strict=True):
            name, fence, event_seq = member.split()
            if held[2] == member.encode():
                found += [(float(held[3]), name)] if held[3] else []
            elif _is_void((int(fence), int(event_seq)), held, overdue_s=now - score):
                void.append(member)
        return found, void

    async def forget(self, session_id: str) -> None:
        """The session was purged: no claim says that it ever was."""
        key, cursor, own = _due(_bucket(session_id)), b"0", set[bytes]()
        while True:
            cursor, found = await self._server.ask(key, "ZSCAN", key, cursor, "COUNT", 1000)
            own.update(member for member in found[::2] if member.decode().split()[0] == session_id)
            if cursor == b"0":
                break
        if own:
            await self._server.ask(key, "ZREM", key, *own)

    async def _drop(self, void: list[str]) -> None:
        keys = [_due(_bucket(member.split()[0])) for member in void]
        await self._server.at_once([Part(key, ("ZREM", key, member)) for key, member in zip(keys, void, strict=True)])


def _is_void(write: tuple[int, int], held: list[Any], *, overdue_s: float) -> bool:
    """Whether the write that made the claim is overtaken, or was never done and will not be."""
    if held[0] is None:  # no such session: not written yet, or ended long ago
        return overdue_s > SLACK_S
    return write <= (int(held[0]), int(held[1] or 0))
