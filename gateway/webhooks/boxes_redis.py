"""RedisBoxes: the boxes in the Redis of the store. A conversation is one hash in the slot of its session; a step is a read and
one Lua script, which writes only if nobody wrote since.

Which conversations are due lies in one sorted set, in another slot. No script may write to two slots, so the set is told before
the conversation is written and may say too much, never too little: each write has a member of its own, `SESSION NONCE`, which the
conversation names. A member that is not named is overtaken, or its write never came, or is about to.
"""

import secrets
import time
from typing import Any

from ...protocol.errors import StoreUnavailable
from ...store.redis import RedisStore
from ...store.redis_server import Part
from .boxes import Step
from .boxes_sqlite import held_in
from .conversation import Conversation, due_at

_READ = b"""
local found, now = redis.call('HMGET', KEYS[1], 'version', 'held', 'member'), redis.call('TIME')
return {found[1], found[2], found[3], now[1], now[2]}
"""
# KEYS 1 conversation; ARGV 1 version that was read, '' if there was none  2 conversation  3 member  4 ms to live, 0 for ever
_SWAP = b"""
if (redis.call('HGET', KEYS[1], 'version') or '') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'held', ARGV[2], 'member', ARGV[3], 'version', string.format('%.0f', (tonumber(ARGV[1]) or 0) + 1))
if ARGV[4] == '0' then redis.call('PERSIST', KEYS[1]) else redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
return 1
"""
_DUE = "{agent_bucket:webhooks}:due"
_TRIES = 50
_ABOUT_TO_S = 60.0
_DAY_MS = 86_400_000


class RedisBoxes:
    """Over an open store, which its owner closes. Time is the server's."""

    def __init__(self, store: RedisStore, *, keep_days: float = 30.0) -> None:
        self._store = store
        self._keep_ms = max(1, round(keep_days * _DAY_MS))

    async def change(self, session: str, step: Step) -> Conversation | None:
        for _ in range(_TRIES):
            version, held, member, now = await self._read(session)
            after = step(held, now)
            if after is None:
                return None
            if await self._swap(session, version, after, member):
                return after
        raise StoreUnavailable(f"{self._store.path}: too many write to one conversation at once")

    async def _read(self, session: str) -> tuple[str, Conversation | None, str, float]:
        """Version, conversation, the member that it names, and the server's time."""
        async with self._store.call() as server:
            key = _key(session)
            version, held, member, seconds, micros = await server.ask(key, "EVAL", _READ, 1, key)
        found = held_in(held, self._store.path) if held else None
        return _text(version), found, _text(member), int(seconds) + int(micros) / 1e6

    async def _swap(self, session: str, version: str, after: Conversation, before: str) -> bool:
        due = due_at(after)
        member = "" if due is None else f"{session} {secrets.token_hex(6)}"
        body = after.model_dump_json(exclude_defaults=True).encode()
        values = (version, body, member, self._keep_ms if due is None else 0)
        async with self._store.call() as server:
            if due is not None:
                await server.ask(_DUE, "ZADD", _DUE, due, member)
            written = bool(await server.ask(key := _key(session), "EVAL", _SWAP, 1, key, *values))
            if void := before if written else member:
                await server.ask(_DUE, "ZREM", _DUE, void)
        return written

    async def read(self, session: str) -> Conversation | None:
        return (await self._read(session))[1]

    async def waiting(self, limit: int = 100) -> tuple[str, ...]:
        now = time.time()
        overdue = ("-inf", now, "BYSCORE", "LIMIT", 0, limit, "WITHSCORES")
        async with self._store.call() as server:
            rows: Any = await server.ask(_DUE, "ZRANGE", _DUE, *overdue)
            names = [(member.decode(), float(score)) for member, score in zip(rows[::2], rows[1::2], strict=True)]
            keys = [_key(member.split()[0]) for member, _ in names]
            named = [_text(held) for held in await server.at_once([Part(key, ("HGET", key, "member")) for key in keys])]
            void = [m for (m, at), held in zip(names, named, strict=True) if m != held and now - at > _ABOUT_TO_S]
            if void:
                await server.ask(_DUE, "ZREM", _DUE, *void)
        return tuple(m.split()[0] for (m, _), held in zip(names, named, strict=True) if m == held)

    async def forget(self, days: float) -> None:
        """Nothing: conversations in which nothing waits go by themselves."""

    async def close(self) -> None:
        """The store is not ours."""


def _key(session: str) -> str:
    """A sibling of the session's own keys: the same slot, the same rights."""
    return f"{{agent_state:{session}}}:webhook"


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else ""
