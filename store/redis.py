"""RedisStore: sessions in Redis 7 or Valkey. Each step of the port is one Lua script on one session's keys, so one round trip.

Keys of a session hash to one slot: `agent_state:<id>` (JSON for people and programs) and `{agent_state:<id>}:lease|events|history|
turns|requests`. What is kept per sessions (which are due, which there are) lies in 64 buckets of other slots, `redis_index.py`.
The scripts never look into a snapshot. Lease clock: the server's. Nothing is sent twice by the client: a reply may be lost after
the work was done. What is promised: `memory.py` reads most plainly.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from hashlib import sha1
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_json
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError

from ..protocol.decision import Exchange
from ..protocol.errors import BadRequest, Fenced, StoreUnavailable
from ..protocol.history import EVENT_BYTES, NO_ACTION_TURNS, TEXT_TURNS, TURNS
from ..protocol.log import LogRecord
from ..protocol.ports import Append, BeginOutcome, Begun, Busy, Conflict, Lease, Replay, SessionRow, Stage
from ..protocol.session import Session
from ..statemachine.flow import ENDED
from .owner import surely_dead, this_owner
from .redis_errors import translated
from .redis_history import Incomplete, RedisHistory
from .redis_index import NEVER, SLACK_S, Claim, RedisIndex, claim_of
from .redis_keys import keys_of
from .redis_url import redis_address

CONNECTIONS = 32
WAIT_S = 5.0
ANSWER_S = 10.0
_LUA = Path(__file__).parent / "lua"
_WINDOWS = (TEXT_TURNS, NO_ACTION_TURNS, EVENT_BYTES)


class _Stored(BaseModel):
    """Of `agent_state:<id>`, what is read again."""

    snapshot: Session


class _Script:
    """A Lua file, run by its hash; the server is given the text when it does not know it."""

    def __init__(self, name: str) -> None:
        self.text = b"\n".join((_LUA / file).read_bytes() for file in ("shared.lua", f"{name}.lua"))
        self.sha = sha1(self.text, usedforsecurity=False).hexdigest()

    async def run(self, redis: "Redis", keys: Sequence[str], *values: Any) -> Any:
        try:
            return await redis.evalsha(self.sha, len(keys), *keys, *values)
        except NoScriptError:
            return await self.run_anew(redis, keys, *values)

    async def run_anew(self, redis: "Redis", keys: Sequence[str], *values: Any) -> Any:
        """The server said that it does not know the script, so nothing of it was done."""
        return await redis.eval(self.text, len(keys), *keys, *values)


class RedisStore:
    """`url`: redis://, rediss:// or unix://, as redis-py reads them; `redis_url.py` says what is added and refused.

    `lease_s`: how long a worker may be silent. `clock`: seconds since the epoch, for leases; the server's if none is given.
    """

    def __init__(self, url: str, *, lease_s: float = 15.0, clock: Callable[[], float] | None = None) -> None:
        address = redis_address(url)
        self.path = address.name
        self.lease_s = lease_s
        self._keep_ended_s = address.keep_ended_s
        self._clock = clock
        self._owner = this_owner()
        self._redis = _client(address.url, self.path)
        self._index = RedisIndex(self._redis)
        self._history = RedisHistory()
        self._begin, self._append, self._actions = _Script("begin"), _Script("append"), _Script("actions")
        self._renew, self._release = _Script("renew"), _Script("release")

    async def begin(self, session_id: str, request_id: str, request_fingerprint: str, body: bytes) -> BeginOutcome:
        request = (session_id, request_id, request_fingerprint, body)
        with translated(self.path):
            answer = await self._ask(*request)
            if answer[0] == b"busy" and surely_dead(answer[2].decode()):
                answer = await self._ask(*request, void=answer[3])
            match answer[0]:
                case b"conflict":
                    return Conflict()
                case b"replay":
                    return Replay(answer[1])
                case b"busy":
                    return Busy(answer[1] / 1000)
            return await self._begun(session_id, answer)

    async def _ask(
        self, session_id: str, request_id: str, fingerprint: str, body: bytes, *, void: bytes = b""
    ) -> Sequence[Any]:
        """`void`: fence of a lease that does not count, since its owner is dead."""
        known = self._history.known(session_id)
        values = (request_id, fingerprint, body, self._owner, self._now_ms(), self._lease_ms(), known, void, *_WINDOWS)
        return await self._begin.run(self._redis, keys_of(session_id), *values)

    async def _begun(self, session_id: str, answer: Sequence[Any]) -> Begun:
        _, fence, request_id, body, attempt, stage, state, texts, actions, before, whole = answer
        session = _Stored.model_validate_json(state).snapshot if state else None
        history: tuple[Exchange, ...] = ()
        if session:
            try:
                history = self._history.of(session, texts, actions, before, whole=bool(whole))
            except Incomplete:
                actions = await self._all_actions(session_id)
                history = self._history.of(session, texts, actions, before, whole=True)
        return Begun(Lease(session_id, request_id.decode(), fence), body, session, history, attempt, Stage(stage))

    async def _all_actions(self, session_id: str) -> bytes:
        """What `begin.lua` hands out to a worker that knows nothing of the session."""
        _, _, events, _, _, requests = keys_of(session_id)
        return bytes(await self._actions.run(self._redis, (events, requests), NO_ACTION_TURNS, EVENT_BYTES))

    async def append(self, write: Append) -> None:
        first = write.session.records - len(write.records) + 1
        if any(record.n != n for n, record in enumerate(write.records, start=first)):
            raise StoreUnavailable(f"session {write.lease.session_id!r}: records are not numbered on from {first - 1}")
        claim = self._claim(write)
        keys, values = keys_of(write.lease.session_id), self._values(write, claim, first)
        with translated(self.path):
            pipe = self._redis.pipeline(transaction=False)
            self._index.note(pipe, write.lease.session_id, claim)
            pipe.evalsha(self._append.sha, len(keys), *keys, *values)
            *noted, outcome = await pipe.execute(raise_on_error=False)
            if isinstance(outcome, NoScriptError):
                outcome = await self._append.run_anew(self._redis, keys, *values)
            for problem in (outcome, *noted):
                if isinstance(problem, Exception):
                    raise problem
        self._judge(write, claim, outcome)

    def _claim(self, write: Append) -> Claim:
        """What the index must hold before the commit. An ended session is looked at once more, when its keys have gone."""
        member = claim_of(write.lease.session_id, write.lease.fence, write.session.event_seq)
        if write.due_at:
            return Claim(member, write.due_at.timestamp())
        return Claim(member, time.time() + self._keep_ended_s + SLACK_S if self._keep_ms(write) else NEVER)

    def _keep_ms(self, write: Append) -> int:
        return self._keep_ended_s * 1000 if write.final and write.session.state in ENDED else 0

    def _values(self, write: Append, claim: Claim, first: int) -> tuple[object, ...]:
        lease, session = write.lease, write.session
        records = b"\n".join(b"%s %s %s" % (r.kind.encode(), r.prev.encode(), r.body) for r in write.records)
        return (
            lease.fence, lease.request_id, write.after_event_seq, session.event_seq, self._now_ms(), self._lease_ms(),
            "final" if write.final else int(write.stage), write.reply_record or 0, _state(write), claim.member,
            write.due_at.timestamp() if write.due_at else "", session.updated_at.timestamp() if session.updated_at else 0,
            self._keep_ms(write), TURNS, first, records,
        )  # fmt: skip

    def _judge(self, write: Append, claim: Claim, outcome: Sequence[Any]) -> None:
        session_id = write.lease.session_id
        match outcome[0]:
            case b"fenced":
                raise Fenced(f"session {session_id!r}: fence {write.lease.fence} is void or the session moved on")
            case b"gap":
                raise StoreUnavailable(f"session {session_id!r}: records are not numbered on from {outcome[1].decode()}")
        before = outcome[1].decode()
        if before and before != claim.member:
            self._index.superseded(session_id, before)

    async def renew(self, lease: Lease) -> None:
        with translated(self.path):
            values = (lease.fence, lease.request_id, self._now_ms(), self._lease_ms())
            if not await self._renew.run(self._redis, keys_of(lease.session_id)[1:2], *values):
                raise Fenced(f"session {lease.session_id!r}: fence {lease.fence} is void")

    async def release(self, lease: Lease, *, untried: bool = False) -> None:
        with translated(self.path):
            values = (lease.fence, lease.request_id, int(untried))
            await self._release.run(self._redis, keys_of(lease.session_id)[1:2], *values)

    async def load(self, session_id: str) -> Session | None:
        with translated(self.path):
            return _session(await self._redis.get(keys_of(session_id)[0]))

    async def log(self, session_id: str) -> tuple[LogRecord, ...]:
        _, _, events, history, *_ = keys_of(session_id)
        with translated(self.path):
            pipe = self._redis.pipeline(transaction=True)
            for key in (events, history):
                pipe.xrange(key)
            return tuple(sorted((_record(*row) for rows in await pipe.execute() for row in rows), key=lambda r: r.n))

    async def sessions(self, limit: int = 100) -> tuple[SessionRow, ...]:
        with translated(self.path):
            names = await self._index.last_touched()
            found: list[Session] = []
            while names and len(found) < limit:
                asked, names = names[:limit], names[limit:]
                pipe = self._redis.pipeline(transaction=False)
                for name in asked:
                    pipe.get(keys_of(name)[0])
                found += [session for state in await pipe.execute() if (session := _session(state))]
        return tuple(
            SessionRow(s.session_id, s.flow, s.state, s.turn, s.records, s.updated_at) for s in found[:limit]
        )

    async def due(self, now: datetime, limit: int = 100) -> tuple[str, ...]:
        with translated(self.path):
            return await self._index.due(now.timestamp(), limit)

    async def close(self) -> None:
        await self._redis.aclose()

    def _now_ms(self) -> str:
        return str(round(self._clock() * 1000)) if self._clock else ""

    def _lease_ms(self) -> int:
        return round(self.lease_s * 1000)


def _client(url: str, name: str) -> Redis:
    try:
        pool = BlockingConnectionPool.from_url(
            url, max_connections=CONNECTIONS, timeout=WAIT_S, socket_connect_timeout=WAIT_S, socket_timeout=ANSWER_S,
            retry=Retry(NoBackoff(), 0), protocol=2,
        )  # fmt: skip
        pool.make_connection()  # an option that it does not know is found here, not at the first message
    except (ValueError, TypeError) as error:
        raise BadRequest(f"{name}: the URL cannot be used: {error}") from None
    return Redis.from_pool(pool)


def _state(write: Append) -> bytes:
    """What `agent_state:<id>` holds: first what people look for, then the whole snapshot."""
    session = write.session
    return b'{"current_state":%s,"allowed_actions":%s,"state_version":%d,"updated_at":%s,"snapshot":%s}' % (
        to_json(session.state),
        to_json(write.allowed_actions),
        session.state_version,
        to_json(session.updated_at),
        session.model_dump_json(exclude_defaults=True).encode(),
    )


def _session(state: bytes | None) -> Session | None:
    return _Stored.model_validate_json(state).snapshot if state else None


def _record(entry: bytes, fields: Mapping[bytes, bytes]) -> LogRecord:
    """A stream entry `<n>-0`: the kind names the body, `prev` the hash before it."""
    (kind, body), (_, prev) = fields.items()
    return LogRecord(int(entry.partition(b"-")[0]), kind.decode(), body, prev.decode())
