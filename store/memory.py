"""MemoryStore: sessions in this process alone, gone with it. For trying out, for tests, and as the plainest reading of the port.

Keeps the promises of every store but durability. One task at a time touches a session (the port's methods do not wait inside), so
no locks. Called through the port.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ..protocol.decision import Exchange
from ..protocol.errors import Fenced, SessionBusy, Stopped, StoreUnavailable
from ..protocol.history import NO_ACTION_TURNS, TEXT_KINDS, Row, joined, text_exchanges
from ..protocol.log import LogRecord
from ..protocol.ports import (
    Append,
    BeginOutcome,
    Begun,
    Busy,
    Conflict,
    Dossier,
    Finished,
    Lease,
    Replay,
    SessionRow,
    Stage,
)
from ..protocol.session import Session
from .fences import first_fence
from .past_actions import PastActions
from .recent import Recent


@dataclass(slots=True)
class _Turn:
    """A request, until it is done; then what it was answered."""

    fingerprint: str
    body: bytes
    attempts: int = 1
    stage: Stage = Stage.NEW
    done: bool = False
    reply: bytes = b""


@dataclass(slots=True)
class _Kept:
    """What is kept of one session. `requests`: numbers of its user_requests in the log."""

    fence: int = 0
    lease_until: float = 0.0
    open_request: str | None = None
    session: Session | None = None
    due_at: datetime | None = None
    log: list[LogRecord] = field(default_factory=list)
    requests: list[int] = field(default_factory=list)
    turns: dict[str, _Turn] = field(default_factory=dict)
    stop: bool = False
    late: list[bytes] = field(default_factory=list)


class MemoryStore:
    """`lease_s`: how long a worker may be silent. `clock`: seconds since the epoch, for leases."""

    path = ":memory:"
    immediate = True

    def __init__(self, *, lease_s: float = 15.0, clock: Callable[[], float] = time.time) -> None:
        self.lease_s = lease_s
        self._clock = clock
        self._sessions: dict[str, _Kept] = {}
        self._closed = False
        self._past_actions = PastActions(self._action_rows)
        self._recent = Recent(self._texts)

    async def begin(self, session_id: str, request_id: str, request_fingerprint: str, body: bytes) -> BeginOutcome:
        kept = self._open().get(session_id) or _Kept()
        turn = kept.turns.get(request_id)
        if turn and turn.fingerprint != request_fingerprint:
            return Conflict()
        if turn and turn.done:
            return Replay(turn.reply)
        now = self._clock()
        if kept.lease_until > now:
            return Busy(kept.lease_until - now)
        self._open()[session_id] = kept
        kept.fence = kept.fence + 1 if kept.fence else first_fence(now)
        kept.lease_until = now + self.lease_s
        current = kept.open_request or request_id
        kept.open_request = current
        if current == request_id and not turn:
            turn = kept.turns[request_id] = _Turn(request_fingerprint, body)
        else:
            turn = kept.turns[current]
            turn.attempts += 1
        return Begun(
            lease=Lease(session_id, current, kept.fence),
            body=turn.body,
            session=kept.session,
            history=self._history(kept, kept.session) if kept.session else (),
            attempt=turn.attempts,
            stage=turn.stage,
        )

    def _history(self, kept: _Kept, session: Session) -> tuple[Exchange, ...]:
        """The episode's last turns, as `protocol/history.py` says what of which."""
        recent = self._recent.read(session.session_id, session.head, lambda: session).texts
        older = session.episode_turns - NO_ACTION_TURNS
        if older <= 0:
            return recent
        return joined(self._past_actions.until(session, older, kept.requests[-NO_ACTION_TURNS]), recent)

    def _texts(self, session: Session) -> tuple[Exchange, ...]:
        newest_first = reversed(self._open()[session.session_id].log)
        rows = ((r.kind, r.body) for r in newest_first if r.kind in TEXT_KINDS)
        return tuple(text_exchanges(rows, session.episode_turns))

    def _action_rows(self, session_id: str, first: int, before: int) -> Iterator[Row]:
        rows = self._open()[session_id].log[first - 1 : before - 1]
        return ((r.kind, r.body) for r in reversed(rows) if r.kind in ("user_request", "state_event"))

    async def append(self, write: Append) -> None:
        lease, session = write.lease, write.session
        kept = self._held(lease)
        if (kept.session.event_seq if kept.session else 0) != write.after_event_seq:
            raise Fenced(f"session {lease.session_id!r} moved on")
        if write.stoppable and kept.stop:
            raise Stopped(f"session {lease.session_id!r}: a stop was asked for")
        if any(record.n != n for n, record in enumerate(write.records, start=len(kept.log) + 1)):
            raise StoreUnavailable(f"session {lease.session_id!r}: records are not numbered on from {len(kept.log)}")
        kept.session, kept.due_at = session, write.due_at
        kept.log += write.records
        self._recent.wrote(write, session.head)
        kept.requests += [record.n for record in write.records if record.kind == "user_request"]
        kept.lease_until = 0.0 if write.final else self._clock() + self.lease_s
        turn = kept.turns[lease.request_id]
        if not write.final:
            turn.stage = write.stage
            return
        kept.open_request, kept.stop = None, False
        turn.done, turn.body = True, b""
        turn.reply = kept.log[write.reply_record - 1].body if write.reply_record else b""

    async def stop(self, session_id: str, by: str) -> None:
        kept = self._open().get(session_id)
        asks = kept.turns.get(by) if kept else None
        if kept and kept.open_request not in (None, by) and not (asks and asks.done):
            kept.stop = True

    async def keep_late(self, session_id: str, result: bytes) -> None:
        if kept := self._open().get(session_id):
            kept.late.append(result)

    async def late(self, session_id: str) -> tuple[bytes, ...]:
        kept = self._open().get(session_id)
        return tuple(kept.late) if kept else ()

    async def renew(self, lease: Lease) -> None:
        self._held(lease).lease_until = self._clock() + self.lease_s

    async def release(self, lease: Lease, *, untried: bool = False) -> None:
        try:
            kept = self._held(lease)
        except Fenced:
            return
        kept.lease_until = 0.0
        if not untried:
            return
        turn = kept.turns[lease.request_id]
        turn.attempts -= 1
        if turn.attempts == 0:
            del kept.turns[lease.request_id]
            kept.open_request, kept.stop = None, False

    def _held(self, lease: Lease) -> _Kept:
        kept = self._open().get(lease.session_id)
        if kept is None or kept.fence != lease.fence or kept.open_request != lease.request_id:
            raise Fenced(f"session {lease.session_id!r}: fence {lease.fence} is void")
        return kept

    async def load(self, session_id: str) -> Session | None:
        kept = self._open().get(session_id)
        return kept.session.model_copy(deep=True) if kept and kept.session else None

    async def log(self, session_id: str) -> tuple[LogRecord, ...]:
        kept = self._open().get(session_id)
        return tuple(kept.log) if kept else ()

    async def dossier(self, session_id: str) -> Dossier | None:
        kept = self._open().get(session_id)
        if kept is None or kept.session is None:
            return None
        if kept.open_request is not None:
            raise _busy(session_id, kept.lease_until - self._clock())
        numbers = {record.body: record.n for record in kept.log if record.kind == "agent_response"}
        finished = tuple(
            Finished(request_id, turn.fingerprint, numbers.get(turn.reply))
            for request_id, turn in sorted(kept.turns.items())
        )
        return Dossier(kept.session, tuple(kept.log), finished, kept.due_at, tuple(kept.late))

    async def restore(self, dossier: Dossier) -> bool:
        session, records = dossier.session, dossier.records
        if session.session_id in self._open():
            return False
        turns = {
            done.request_id: _Turn(
                done.fingerprint,
                b"",
                done=True,
                reply=records[done.reply_record - 1].body if done.reply_record else b"",
            )
            for done in dossier.requests
        }
        requests = [record.n for record in records if record.kind == "user_request"]
        self._open()[session.session_id] = _Kept(
            fence=first_fence(self._clock()),
            session=session,
            due_at=dossier.due_at,
            log=list(records),
            requests=requests,
            turns=turns,
            late=list(dossier.late),
        )
        return True

    async def purge(self, session_id: str) -> bool:
        kept = self._open().get(session_id)
        if kept and kept.lease_until > self._clock():
            raise _busy(session_id, kept.lease_until - self._clock())
        self._recent.forget(session_id)
        self._past_actions.forget(session_id)
        return self._open().pop(session_id, None) is not None

    async def sessions(self, limit: int = 100) -> tuple[SessionRow, ...]:
        epoch = datetime.fromtimestamp(0, UTC)
        stored = [kept.session for kept in self._open().values() if kept.session]
        stored.sort(key=lambda s: s.updated_at or epoch, reverse=True)
        return tuple(SessionRow(s.session_id, s.flow, s.state, s.turn, s.records, s.updated_at) for s in stored[:limit])

    async def due(self, now: datetime, limit: int = 100) -> tuple[str, ...]:
        waiting = [(kept.due_at, name) for name, kept in self._open().items() if kept.due_at and kept.due_at <= now]
        return tuple(name for _, name in sorted(waiting)[:limit])

    async def close(self) -> None:
        """What is kept stays with the object, out of reach."""
        self._closed = True

    def _open(self) -> dict[str, _Kept]:
        if self._closed:
            raise StoreUnavailable("the memory store is closed")
        return self._sessions


def _busy(session_id: str, for_s: float) -> SessionBusy:
    return SessionBusy(f"session {session_id!r} is in the middle of a turn", max(for_s, 0.0))
