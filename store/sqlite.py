"""SqliteStore: sessions in one SQLite file (or in memory). Each port method is one `BEGIN IMMEDIATE` transaction.

The lease clock is the store's own. Writes are inline: a commit costs less than handing it to a thread would.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from ..protocol.decision import Exchange
from ..protocol.errors import Fenced, Stopped
from ..protocol.history import EVENT_BYTES, NO_ACTION_TURNS, Row, joined, text_exchanges
from ..protocol.log import LogRecord
from ..protocol.ports import Append, BeginOutcome, Begun, Busy, Conflict, Dossier, Lease, Replay, SessionRow, Stage
from ..protocol.session import Session, session_json
from .dossiers import late_of, leave_no_trace, read_dossier, remove, write_dossier
from .fences import first_fence
from .owner import surely_dead, this_owner
from .past_actions import PastActions
from .recent import Recent
from .schema import open_database, translated
from .sqlite_ready import check_writable

_TEXTS = "SELECT kind, body FROM log WHERE session_id=? AND kind IN ('user_request','agent_response') ORDER BY n DESC"
_TURN_BEFORE = "SELECT n FROM log WHERE session_id=? AND kind='user_request' ORDER BY n DESC LIMIT 1 OFFSET ?"
_ACTIONS = (
    f"SELECT kind, CASE kind WHEN 'state_event' THEN substr(body, 1, {EVENT_BYTES}) END FROM log "
    "WHERE session_id=? AND n>=? AND n<? AND kind IN ('user_request','state_event') ORDER BY n DESC"
)


class SqliteStore:
    """`path`: file or ":memory:". `lease_s`: how long a worker may be silent. `clock`: seconds since the epoch, for leases."""

    immediate = True

    def __init__(
        self,
        path: str = ":memory:",
        *,
        lease_s: float = 15.0,
        durable: bool = True,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = path
        self.lease_s = lease_s
        self._clock = clock
        self._owner = this_owner()
        self._past_actions = PastActions(self._action_rows)
        self._recent = Recent(self._texts)
        self._db = open_database(path, durable=durable)

    async def begin(self, session_id: str, request_id: str, request_fingerprint: str, body: bytes) -> BeginOutcome:
        with translated(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                outcome = self._begin(session_id, request_id, request_fingerprint, body)
                self._db.execute("COMMIT")
            except BaseException:
                self._undo()
                raise
            return outcome

    def _begin(self, session_id: str, request_id: str, request_fingerprint: str, body: bytes) -> BeginOutcome:
        turn = self._row(
            "SELECT fingerprint, done, reply_record FROM turns WHERE session_id=? AND request_id=?",
            session_id,
            request_id,
        )
        if turn and turn[0] != request_fingerprint:
            return Conflict()
        if turn and turn[1]:
            return Replay(self._reply(session_id, turn[2]))
        now = self._clock()
        row = self._row(
            "SELECT fence, lease_until, owner, open_request, snapshot FROM sessions WHERE session_id=?", session_id
        )
        if row and row[1] > now and not surely_dead(row[2]):
            return Busy(row[1] - now)
        fence = row[0] + 1 if row else first_fence(now)
        current = row[3] if row and row[3] is not None else request_id
        self._db.execute(
            "INSERT INTO sessions VALUES(?1,?2,?3,?4,?5,0,NULL,NULL,0) ON CONFLICT(session_id) DO UPDATE SET "
            "fence=?2, lease_until=?3, owner=?4, open_request=?5",
            (session_id, fence, now + self.lease_s, self._owner, current),
        )
        if not turn and current == request_id:
            self._db.execute(
                "INSERT INTO turns VALUES(?,?,?,?,1,0,0,NULL)", (session_id, request_id, request_fingerprint, body)
            )
            stored = (body, 1, Stage.NEW)
        else:
            self._db.execute(
                "UPDATE turns SET attempts=attempts+1 WHERE session_id=? AND request_id=?", (session_id, current)
            )
            stored = self._row(
                "SELECT body, attempts, stage FROM turns WHERE session_id=? AND request_id=?", session_id, current
            )
        session, history = self._so_far(session_id, row[4]) if row and row[4] else (None, ())
        return Begun(
            lease=Lease(session_id, current, fence),
            body=bytes(stored[0]),
            session=session,
            history=history,
            attempt=stored[1],
            stage=Stage(stored[2]),
        )

    def _row(self, sql: str, *values: object) -> Any:
        return self._db.execute(sql, values).fetchone()

    def _reply(self, session_id: str, n: int | None) -> bytes:
        row = self._row("SELECT body FROM log WHERE session_id=? AND n=?", session_id, n) if n else None
        return bytes(row[0]) if row else b""

    def _so_far(self, session_id: str, snapshot: bytes) -> tuple[Session, tuple[Exchange, ...]]:
        """The session, and its episode's last turns, as `protocol/history.py` says what of which."""
        known = self._recent.read(session_id, snapshot, lambda: Session.model_validate_json(snapshot))
        session, texts = known.session, known.texts
        older = session.episode_turns - NO_ACTION_TURNS
        first = self._row(_TURN_BEFORE, session_id, NO_ACTION_TURNS - 1) if older > 0 else None
        return session, joined(self._past_actions.until(session, older, first[0]), texts) if first else texts

    def _texts(self, session: Session) -> tuple[Exchange, ...]:
        return tuple(text_exchanges(self._db.execute(_TEXTS, (session.session_id,)), session.episode_turns))

    def _action_rows(self, session_id: str, first: int, before: int) -> Iterable[Row]:
        return self._db.execute(_ACTIONS, (session_id, first, before))

    async def append(self, write: Append) -> None:
        with translated(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                snapshot = self._append(write)
                self._db.execute("COMMIT")
            except BaseException:
                self._undo()
                raise
        self._recent.wrote(write, snapshot)

    def _append(self, write: Append) -> bytes:
        """The snapshot as stored."""
        lease, session = write.lease, write.session
        snapshot = session_json(session)
        self._db.execute(
            "UPDATE sessions SET event_seq=?, snapshot=?, due_at=?, lease_until=?, open_request=?, stop=stop AND ? "
            "WHERE session_id=? AND fence=? AND event_seq=? AND open_request=? AND NOT (stop AND ?)",
            (
                session.event_seq,
                snapshot,
                write.due_at.timestamp() if write.due_at else None,
                0.0 if write.final else self._clock() + self.lease_s,
                None if write.final else lease.request_id,
                not write.final,
                lease.session_id,
                lease.fence,
                write.after_event_seq,
                lease.request_id,
                write.stoppable,
            ),
        )
        if self._db.changes() != 1:
            if write.stoppable and self._holds(lease):
                raise Stopped(f"session {lease.session_id!r}: a stop was asked for")
            raise Fenced(f"session {lease.session_id!r}: fence {lease.fence} is void or the session moved on")
        self._db.executemany(
            "INSERT INTO log VALUES(?,?,?,?,?)",
            [(lease.session_id, r.n, r.kind, r.prev, r.body) for r in write.records],
        )
        if write.final:
            self._db.execute(
                "UPDATE turns SET done=1, body=NULL, reply_record=? WHERE session_id=? AND request_id=?",
                (write.reply_record, lease.session_id, lease.request_id),
            )
        else:
            self._db.execute(
                "UPDATE turns SET stage=? WHERE session_id=? AND request_id=?",
                (write.stage, lease.session_id, lease.request_id),
            )
        return snapshot

    def _holds(self, lease: Lease) -> bool:
        row = self._row("SELECT fence, open_request FROM sessions WHERE session_id=?", lease.session_id)
        return bool(row == (lease.fence, lease.request_id))

    async def stop(self, session_id: str, by: str) -> None:
        with translated(self.path):
            self._db.execute(
                "UPDATE sessions SET stop=1 WHERE session_id=?1 AND open_request<>?2 "
                "AND NOT EXISTS (SELECT 1 FROM turns WHERE session_id=?1 AND request_id=?2 AND done)",
                (session_id, by),
            )

    async def keep_late(self, session_id: str, result: bytes) -> None:
        with translated(self.path):
            self._db.execute(
                "INSERT INTO late SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM sessions WHERE session_id=?1)",
                (session_id, result),
            )

    async def late(self, session_id: str) -> tuple[bytes, ...]:
        with translated(self.path):
            return late_of(self._db, session_id)

    def _undo(self) -> None:
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    async def renew(self, lease: Lease) -> None:
        with translated(self.path):
            self._db.execute(
                "UPDATE sessions SET lease_until=? WHERE session_id=? AND fence=? AND open_request=?",
                (self._clock() + self.lease_s, lease.session_id, lease.fence, lease.request_id),
            )
            if self._db.changes() != 1:
                raise Fenced(f"session {lease.session_id!r}: fence {lease.fence} is void")

    async def release(self, lease: Lease, *, untried: bool = False) -> None:
        with translated(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._release(lease, untried)
                self._db.execute("COMMIT")
            except BaseException:
                self._undo()
                raise

    def _release(self, lease: Lease, untried: bool) -> None:
        names = (lease.session_id, lease.request_id)
        self._db.execute(
            "UPDATE sessions SET lease_until=0 WHERE session_id=? AND open_request=? AND fence=?", (*names, lease.fence)
        )
        if not untried or self._db.changes() != 1:
            return
        self._db.execute("UPDATE turns SET attempts=attempts-1 WHERE session_id=? AND request_id=?", names)
        self._db.execute("DELETE FROM turns WHERE session_id=? AND request_id=? AND attempts=0", names)
        if self._db.changes() == 1:
            self._db.execute("UPDATE sessions SET open_request=NULL, stop=0 WHERE session_id=?", (lease.session_id,))

    async def load(self, session_id: str) -> Session | None:
        with translated(self.path):
            row = self._row("SELECT snapshot FROM sessions WHERE session_id=?", session_id)
            return Session.model_validate_json(row[0]) if row and row[0] else None

    async def log(self, session_id: str) -> tuple[LogRecord, ...]:
        with translated(self.path):
            # CAST: whoever edits a log by hand leaves text where bytes were; the chain is to find it, not a TypeError
            rows = self._db.execute(
                "SELECT n, kind, CAST(body AS BLOB), prev FROM log WHERE session_id=? ORDER BY n", (session_id,)
            )
            return tuple(LogRecord(n, kind, bytes(body), prev) for n, kind, body, prev in rows)

    async def dossier(self, session_id: str) -> Dossier | None:
        with translated(self.path), self._transaction():
            return read_dossier(self._db, session_id, self._clock())

    async def restore(self, dossier: Dossier) -> bool:
        with translated(self.path), self._transaction():
            return write_dossier(self._db, dossier, self._clock())

    async def purge(self, session_id: str) -> bool:
        with translated(self.path):
            with self._transaction():
                found = remove(self._db, session_id, self._clock())
            self._recent.forget(session_id)
            self._past_actions.forget(session_id)
            if found:
                leave_no_trace(self._db)
        return found

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            self._undo()
            raise

    async def sessions(self, limit: int = 100) -> tuple[SessionRow, ...]:
        with translated(self.path):
            rows = self._db.execute("SELECT snapshot FROM sessions WHERE snapshot IS NOT NULL")
            sessions = [Session.model_validate_json(row[0]) for row in rows]
        epoch = datetime.fromtimestamp(0, UTC)
        sessions.sort(key=lambda s: s.updated_at or epoch, reverse=True)
        return tuple(
            SessionRow(s.session_id, s.flow, s.state, s.turn, s.records, s.updated_at) for s in sessions[:limit]
        )

    async def due(self, now: datetime, limit: int = 100) -> tuple[str, ...]:
        with translated(self.path):
            sql = "SELECT session_id FROM sessions WHERE due_at <= ? ORDER BY due_at LIMIT ?"
            return tuple(row[0] for row in self._db.execute(sql, (now.timestamp(), limit)))

    async def ready(self) -> None:
        """Raises StoreUnavailable unless it takes a write now."""
        check_writable(self._db, self.path)

    async def close(self) -> None:
        self._db.close()
