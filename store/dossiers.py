"""Dossiers: all of a session out of SQLite, into it, or gone from it. Called by `sqlite.py`, inside a transaction of its."""

from contextlib import suppress
from datetime import UTC, datetime

import apsw

from ..protocol.errors import SessionBusy
from ..protocol.log import LogRecord
from ..protocol.ports import Dossier, Finished
from ..protocol.session import Session, session_json
from .fences import first_fence


def read_dossier(db: apsw.Connection, session_id: str, now: float) -> Dossier | None:
    """Raises SessionBusy while a turn is open."""
    row = db.execute(
        "SELECT open_request, lease_until, due_at, snapshot FROM sessions WHERE session_id=?", (session_id,)
    ).fetchone()
    if row is None or row[3] is None:
        return None
    if row[0] is not None:
        raise _busy(session_id, row[1] - now)
    log = db.execute("SELECT n, kind, CAST(body AS BLOB), prev FROM log WHERE session_id=? ORDER BY n", (session_id,))
    records = tuple(LogRecord(n, kind, bytes(body), prev) for n, kind, body, prev in log)
    turns = db.execute(
        "SELECT request_id, fingerprint, reply_record FROM turns WHERE session_id=? AND done", (session_id,)
    )
    requests = tuple(Finished(*turn) for turn in turns)
    due_at = datetime.fromtimestamp(row[2], UTC) if row[2] is not None else None
    return Dossier(Session.model_validate_json(row[3]), records, requests, due_at, late_of(db, session_id))


def late_of(db: apsw.Connection, session_id: str) -> tuple[bytes, ...]:
    """What is kept beside the log, in the order it came."""
    rows = db.execute("SELECT result FROM late WHERE session_id=? ORDER BY rowid", (session_id,))
    return tuple(bytes(result) for (result,) in rows)


def write_dossier(db: apsw.Connection, dossier: Dossier, now: float) -> bool:
    """False if the session is there."""
    session = dossier.session
    name = session.session_id
    if db.execute("SELECT 1 FROM sessions WHERE session_id=?", (name,)).fetchone():
        return False
    due_at = dossier.due_at.timestamp() if dossier.due_at else None
    db.execute(
        "INSERT INTO sessions VALUES(?,?,0,'',NULL,?,?,?,0)",
        (name, first_fence(now), session.event_seq, due_at, session_json(session)),
    )
    db.executemany("INSERT INTO log VALUES(?,?,?,?,?)", [(name, r.n, r.kind, r.prev, r.body) for r in dossier.records])
    db.executemany(
        "INSERT INTO turns VALUES(?,?,?,NULL,1,2,1,?)",
        [(name, done.request_id, done.fingerprint, done.reply_record) for done in dossier.requests],
    )
    db.executemany("INSERT INTO late VALUES(?,?)", [(name, result) for result in dossier.late])
    return True


def remove(db: apsw.Connection, session_id: str, now: float) -> bool:
    """False if there is none. Raises SessionBusy while somebody is in it."""
    row = db.execute("SELECT lease_until FROM sessions WHERE session_id=?", (session_id,)).fetchone()
    if row is None:
        return False
    if row[0] > now:
        raise _busy(session_id, row[0] - now)
    for table in ("log", "turns", "late", "sessions"):
        db.execute(f"DELETE FROM {table} WHERE session_id=?", (session_id,))
    return True


def leave_no_trace(db: apsw.Connection) -> None:
    """The WAL still holds the pages as they were: write it back and cut it to nothing. Readers may keep it from that, for now."""
    with suppress(apsw.BusyError):
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)


def _busy(session_id: str, for_s: float) -> SessionBusy:
    return SessionBusy(f"session {session_id!r} is in the middle of a turn", max(for_s, 0.0))
