"""RedisStore: sessions in Redis 7 or Valkey. Each step of the port is one Lua script on one session's keys, so one round trip.

A session's keys hash to one slot (`redis_keys.py`); which sessions there are, and which are due, lies in 64 buckets in others
(`redis_index.py`). The scripts never look into a snapshot. Lease clock: the server's. The client sends nothing twice by itself,
for a reply may be lost after the work was done. What is promised reads most plainly in `memory.py`.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from ..protocol.decision import Exchange
from ..protocol.errors import Fenced, SessionBusy, Stopped, StoreUnavailable
from ..protocol.history import EVENT_BYTES, NO_ACTION_TURNS, TEXT_TURNS, TURNS
from ..protocol.log import LogRecord
from ..protocol.per_loop import PerLoop
from ..protocol.ports import Append, BeginOutcome, Begun, Busy, Conflict, Dossier, Lease, Replay, SessionRow, Stage
from ..protocol.session import Session
from ..statemachine.flow import ENDED
from .owner import surely_dead, this_owner
from .recent import Known
from .redis_breaker import FREEZE_S, RedisBreaker
from .redis_calls import Call
from .redis_cluster import Cluster
from .redis_history import Incomplete, RedisHistory
from .redis_index import NEVER, SLACK_S, Claim, RedisIndex, claim_of
from .redis_keys import keys_of, late_key
from .redis_scripts import Script
from .redis_server import CONNECTIONS, Node, Part, Server, no_refusal
from .redis_state import finished, record_lines, records_of, session_of, state_json, turn_value
from .redis_url import RedisAddress, redis_address

BATCH = 500
_READY, _READY_MS = "{agent_bucket:ready}:ready", 10_000
_TRIED, _UNTRIED, _UNDONE = 0, 1, 2  # how a lease is given back; see release.lua
_WINDOWS = (TEXT_TURNS, NO_ACTION_TURNS, EVENT_BYTES)


class RedisStore:
    """`url`: redis://, rediss://, unix://, redis+cluster://; `redis_url.py` says what is added and refused.

    `lease_s`: how long a worker may be silent. `answer_s`: how long the server may be. `clock`: seconds since the epoch, for
    leases; the server's if none is given.
    """

    def __init__(
        self,
        url: str,
        *,
        lease_s: float = 15.0,
        answer_s: float = 10.0,
        clock: Callable[[], float] | None = None,
    ) -> None:
        address = redis_address(url)
        self.path = address.name
        self.lease_s = lease_s
        self._answer_s = answer_s
        self._keep_ended_s = address.keep_ended_s
        self._replicas = address.wait_replicas
        self._clock = clock
        self._owner = this_owner()
        self._server = server_of(address)
        self._free = PerLoop(lambda: asyncio.Semaphore(CONNECTIONS))
        self._index = RedisIndex(self._server)
        self._history = RedisHistory()
        self._breakers: list[RedisBreaker] = []
        self._begin, self._append, self._actions = Script("begin"), Script("append"), Script("actions")
        self._renew, self._release = Script("renew"), Script("release")
        self._restore, self._purge = Script("restore"), Script("purge")
        self._stop, self._keep_late = Script("stop"), Script("late")
        self._log, self._dossier, self._again = Script("log"), Script("dossier"), Script("again")

    async def begin(self, session_id: str, request_id: str, request_fingerprint: str, body: bytes) -> BeginOutcome:
        request = (session_id, request_id, request_fingerprint, body)
        async with self.call():
            known_until, known = self._history.known(session_id)
            answer = await self._ask(*request, known_until, known)
            if answer[0] == b"busy" and surely_dead(answer[2].decode()):
                answer = await self._ask(*request, known_until, known, void=answer[3])
            match answer[0]:
                case b"conflict":
                    return Conflict()
                case b"replay":
                    await self._be_sure(session_id, request_id)
                    return Replay(answer[1])
                case b"busy":
                    return Busy(answer[1] / 1000)
            return await self._begun(session_id, known, answer)

    async def _ask(
        self,
        session_id: str,
        request_id: str,
        fingerprint: str,
        body: bytes,
        known_until: int,
        known: Known | None,
        *,
        void: bytes = b"",
    ) -> Sequence[Any]:
        """`void`: fence of a lease that does not count, since its owner is dead."""
        values = (
            request_id, fingerprint, body, self._owner, self._now_ms(), self._lease_ms(), known_until, void, *_WINDOWS,
            known.session.head if known else "",
        )  # fmt: skip
        answer: Sequence[Any] = await self._begin.run(self._server, keys_of(session_id), *values)
        return answer

    async def _be_sure(self, session_id: str, request_id: str) -> None:
        """A reply that the first time was not given, for want of replicas, must have them now."""
        if self._replicas:
            turns = keys_of(session_id)[4:5]
            await self._again.run(self._server, turns, request_id, replicas=self._replicas)

    async def _begun(self, session_id: str, known: Known | None, answer: Sequence[Any]) -> Begun:
        _, fence, request_id, body, attempt, stage, state, texts, actions, before, whole, is_known = answer
        if not is_known:
            known = self._history.read(session_id, state, texts, session_of) if state else None
        history: tuple[Exchange, ...] = ()
        if known:
            try:
                history = self._history.of(known, actions, before, whole=bool(whole))
            except Incomplete:
                history = self._history.of(known, await self._all_actions(session_id), before, whole=True)
        session = known.session if known else None
        return Begun(Lease(session_id, request_id.decode(), fence), body, session, history, attempt, Stage(stage))

    async def _all_actions(self, session_id: str) -> bytes:
        """What `begin.lua` hands out to a worker that knows nothing of the session."""
        _, _, events, _, _, requests = keys_of(session_id)
        return bytes(await self._actions.run(self._server, (events, requests), NO_ACTION_TURNS, EVENT_BYTES))

    async def append(self, write: Append) -> None:
        first = write.session.records - len(write.records) + 1
        if any(record.n != n for n, record in enumerate(write.records, start=first)):
            raise StoreUnavailable(f"session {write.lease.session_id!r}: records are not numbered on from {first - 1}")
        claim = self._claim(write.session, write.lease.fence, write.due_at)
        keys, values = keys_of(write.lease.session_id), self._values(write, claim, first)
        try:
            noted = await self._noted(write.lease.session_id, claim)
        except StoreUnavailable:  # nothing was done, and that is not the turn's fault: no attempt to be counted
            with suppress(StoreUnavailable):
                await self._give_back(write.lease, _UNDONE)
            raise
        async with self.call():
            outcome = await self._append.run(self._server, keys, *values, before=noted, replicas=self._replicas)
        self._judge(write, claim, outcome)
        self._history.wrote(write)

    async def _noted(self, session_id: str, claim: Claim) -> list[Part]:
        """Put a claim into the index; what is returned may go along with the session's own write, being on the same server."""
        parts = self._index.note(session_id, claim)
        if not self._server.spread:
            return parts
        async with self.call():
            no_refusal(await self._server.in_order(*parts, replicas=self._replicas))
        return []

    def _claim(self, session: Session, fence: int, due_at: datetime | None) -> Claim:
        """What the index must hold before the write. An ended session is looked at once more, when its keys have gone."""
        member = claim_of(session.session_id, fence, session.event_seq)
        if due_at:
            return Claim(member, due_at.timestamp())
        return Claim(member, time.time() + self._keep_ended_s + SLACK_S if self._keep_ms(session) else NEVER)

    def _keep_ms(self, session: Session) -> int:
        return self._keep_ended_s * 1000 if session.state in ENDED else 0

    def _values(self, write: Append, claim: Claim, first: int) -> tuple[str | bytes | int | float, ...]:
        lease, session = write.lease, write.session
        return (
            lease.fence, lease.request_id, write.after_event_seq, session.event_seq, self._now_ms(), self._lease_ms(),
            "final" if write.final else int(write.stage), write.reply_record or 0,
            state_json(session, write.allowed_actions), claim.member,
            _seconds(write.due_at), _seconds(session.updated_at) or 0, self._keep_ms(session) if write.final else 0, TURNS, first,
            record_lines(write.records), session.head, int(write.stoppable),
        )  # fmt: skip

    def _judge(self, write: Append, claim: Claim, outcome: Sequence[Any]) -> None:
        session_id = write.lease.session_id
        match outcome[0]:
            case b"fenced":
                raise Fenced(f"session {session_id!r}: fence {write.lease.fence} is void or the session moved on")
            case b"stopped":
                raise Stopped(f"session {session_id!r}: a stop was asked for")
            case b"gap":
                raise StoreUnavailable(
                    f"session {session_id!r}: records are not numbered on from {outcome[1].decode()}"
                )
        before = outcome[1].decode()
        if before and before != claim.member:
            self._index.superseded(session_id, before)

    async def stop(self, session_id: str, by: str) -> None:
        async with self.call():
            keys = keys_of(session_id)
            await self._stop.run(self._server, (keys[1], keys[4]), by)

    async def keep_late(self, session_id: str, result: bytes) -> None:
        async with self.call():
            keys = (late_key(session_id), keys_of(session_id)[1])
            await self._keep_late.run(self._server, keys, self._keep_ended_s * 1000, result)

    async def late(self, session_id: str) -> tuple[bytes, ...]:
        async with self.call():
            key = late_key(session_id)
            return tuple(await self._server.ask(key, "LRANGE", key, 0, -1))

    async def renew(self, lease: Lease) -> None:
        async with self.call():
            values = (lease.fence, lease.request_id, self._now_ms(), self._lease_ms())
            if not await self._renew.run(self._server, keys_of(lease.session_id)[1:2], *values):
                raise Fenced(f"session {lease.session_id!r}: fence {lease.fence} is void")

    async def release(self, lease: Lease, *, untried: bool = False) -> None:
        await self._give_back(lease, _UNTRIED if untried else _TRIED)

    async def _give_back(self, lease: Lease, how: int) -> None:
        async with self.call():
            values = (lease.fence, lease.request_id, how)
            await self._release.run(self._server, keys_of(lease.session_id)[1:2], *values)

    async def load(self, session_id: str) -> Session | None:
        async with self.call():
            key = keys_of(session_id)[0]
            state = await self._server.ask(key, "GET", key)
            return session_of(state) if state else None

    async def log(self, session_id: str) -> tuple[LogRecord, ...]:
        async with self.call():
            return records_of(*await self._log.run(self._server, keys_of(session_id)[2:4]))

    async def dossier(self, session_id: str) -> Dossier | None:
        async with self.call():
            answer = await self._dossier.run(self._server, keys_of(session_id)[:5])
            snapshot, (request, until, due), done, *streams = answer
            if snapshot is None:
                return None
            if request is not None:
                raise _busy(session_id, int(until) / 1000 - (self._clock or time.time)())
            answered = (finished(*item) for item in zip(done[::2], done[1::2], strict=True))
            requests = tuple(sorted(answered, key=lambda each: each.request_id))
            due_at = datetime.fromtimestamp(float(due), UTC) if due else None
        return Dossier(session_of(snapshot), records_of(*streams), requests, due_at, await self.late(session_id))

    async def restore(self, dossier: Dossier) -> bool:
        session = dossier.session
        claim = self._claim(session, 0, dossier.due_at)
        turns = (value for done in dossier.requests for value in (done.request_id, turn_value(done)))
        values = (
            state_json(session, None), session.event_seq, claim.member, _seconds(dossier.due_at),
            _seconds(session.updated_at) or 0, self._keep_ms(session), TURNS, record_lines(dossier.records), session.head,
            b"\n".join(dossier.late), self._keep_ended_s * 1000, self._now_ms(), *turns,
        )  # fmt: skip
        keys = (*keys_of(session.session_id), *([late_key(session.session_id)] if dossier.late else ()))
        noted = await self._noted(session.session_id, claim)
        async with self.call():
            return bool(await self._restore.run(self._server, keys, *values, before=noted, replicas=self._replicas))

    async def purge(self, session_id: str) -> bool:
        async with self.call():
            late = late_key(session_id)
            has_late = await self._server.ask(late, "EXISTS", late)
            keys = (*keys_of(session_id), *([late] if has_late else ()))
            answer = await self._purge.run(self._server, keys, self._now_ms(), replicas=self._replicas)
            if answer[0] == b"busy":
                raise _busy(session_id, answer[1] / 1000)
            self._history.forget(session_id)
            await self._index.forget(session_id)
            return bool(answer[0] == b"gone")

    async def sessions(self, limit: int = 100) -> tuple[SessionRow, ...]:
        async with self.call():
            names = await self._index.names()
        touched: dict[str, float] = {}
        for some in _batches(names):
            async with self.call():
                touched |= await self._index.touched(some)
        rows: list[SessionRow] = []
        for some in _batches(sorted(touched, key=touched.__getitem__, reverse=True)[:limit]):
            async with self.call():
                rows += await self._rows(some)
        return tuple(rows)

    async def _rows(self, names: Sequence[str]) -> list[SessionRow]:
        keys = [keys_of(name)[0] for name in names]
        states = await self._server.at_once([Part(key, ("GET", key)) for key in keys])
        found = [session_of(state) for state in states if state]
        return [SessionRow(s.session_id, s.flow, s.state, s.turn, s.records, s.updated_at) for s in found]

    async def due(self, now: datetime, limit: int = 100) -> tuple[str, ...]:
        async with self.call():
            return await self._index.due(now.timestamp(), limit)

    async def ready(self) -> None:
        """Raises StoreUnavailable unless the server takes a write now: it answers reads also as a replica, or when it is full."""
        async with self.call() as server:
            await server.ask(_READY, "SET", _READY, "1", "PX", _READY_MS)

    async def close(self) -> None:
        for breaker in self._breakers:
            await breaker.close()
        await self._server.close()

    def breaker(self, space: str, *, freeze_s: float = FREEZE_S) -> RedisBreaker:
        """What is left alone by all workers on this Redis. Closes with the store."""
        self._breakers.append(RedisBreaker(self, space, freeze_s=freeze_s))
        return self._breakers[-1]

    def call(self) -> Call:
        """`async with store.call() as server:` for who keeps more in the same place (`gateway/transcripts_redis.py`)."""
        return Call(self._server, self.path, self._free(), self._answer_s)

    def _now_ms(self) -> str:
        return str(round(self._clock() * 1000)) if self._clock else ""

    def _lease_ms(self) -> int:
        return round(self.lease_s * 1000)


def server_of(address: RedisAddress) -> Server:
    """What a URL names. Raises BadRequest."""
    if not address.nodes:
        return Node(address.url, address.name)
    return Cluster(address.nodes, lambda place: Node(address.at(*place), address.name))


def _batches(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """So many as are asked for in one call: its time is limited, and so is memory."""
    for first in range(0, len(names), BATCH):
        yield names[first : first + BATCH]


def _seconds(at: datetime | None) -> float | str:
    return at.timestamp() if at else ""


def _busy(session_id: str, for_s: float) -> SessionBusy:
    return SessionBusy(f"session {session_id!r} is in the middle of a turn", max(for_s, 0.0))
