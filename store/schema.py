"""Tables of the SQLite store, their version, and opening a file that may be anything.

`sessions`: one row per session with fence, lease and snapshot (NULL until the first commit); not WITHOUT ROWID, for there a row
of more than 1 kB spills into pages of its own, written with every turn. `turns`: one row per request id or
outside event key; `body` is kept only until the turn ends. `log`: the messages, hash-chained. `late`: what came too late for it.
"""

import time

import apsw
from pydantic import ValidationError

from ..protocol.errors import BadRequest, StoreUnavailable
from ..protocol.messages import explain

APPLICATION_ID = 0x6D747264  # "mtrd"
VERSION = 2
BUSY_TIMEOUT_MS = 2000

_WHAT_IT_IS = """
SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master) FROM pragma_application_id, pragma_user_version
"""

_TABLES = """
CREATE TABLE sessions(
    session_id TEXT PRIMARY KEY, fence INTEGER NOT NULL, lease_until REAL NOT NULL, owner TEXT NOT NULL,
    open_request TEXT, event_seq INTEGER NOT NULL, due_at REAL, snapshot BLOB, stop INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX sessions_due ON sessions(due_at) WHERE due_at IS NOT NULL;
CREATE TABLE turns(
    session_id TEXT NOT NULL, request_id TEXT NOT NULL, fingerprint TEXT NOT NULL, body BLOB,
    attempts INTEGER NOT NULL, stage INTEGER NOT NULL, done INTEGER NOT NULL, reply_record INTEGER,
    PRIMARY KEY(session_id, request_id)
) WITHOUT ROWID;
CREATE TABLE log(
    session_id TEXT NOT NULL, n INTEGER NOT NULL, kind TEXT NOT NULL, prev TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY(session_id, n)
);
"""
_LATE = "CREATE TABLE late(session_id TEXT NOT NULL, result BLOB NOT NULL); CREATE INDEX late_of ON late(session_id);"
_FROM_1 = "ALTER TABLE sessions ADD COLUMN stop INTEGER NOT NULL DEFAULT 0;"


def open_database(path: str, *, durable: bool = True) -> apsw.Connection:
    """Open or create the database at `path` (":memory:" for one that lives as long as the connection).

    `durable`: synchronous=FULL, so that a commit survives a power cut; else NORMAL. Raises StoreUnavailable with the reason.
    """
    if not path or "\0" in path:
        raise BadRequest(f"a store needs a file name, or ':memory:'; got {path!r}")
    with translated(path):
        connection = apsw.Connection(path)
        try:
            connection.set_busy_timeout(BUSY_TIMEOUT_MS)
            _prepare(connection, path, durable)
        except BaseException:
            connection.close(True)
            raise
        return connection


def _prepare(connection: apsw.Connection, path: str, durable: bool) -> None:
    if _version(connection, path) < VERSION:
        _create(connection, path)
    _switch_to_wal(connection)
    connection.pragma("synchronous", "full" if durable else "normal")
    connection.pragma("secure_delete", True)  # what is purged must not be found in the space between rows


def _switch_to_wal(connection: apsw.Connection) -> None:
    """The switch needs the file for itself and, unlike a transaction, does not always wait for it."""
    until = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            connection.pragma("journal_mode", "wal")
        except apsw.BusyError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


def _version(connection: apsw.Connection, path: str) -> int:
    """Of our tables; 0: empty. Raises StoreUnavailable for anything else."""
    # One statement, so that it sees one moment of a file that another process may be making.
    application, version, tables = next(iter(connection.execute(_WHAT_IT_IS)))
    if not tables and not application:
        return 0
    if application != APPLICATION_ID:
        raise StoreUnavailable(f"{path}: a SQLite database of another application; choose another file")
    if version > VERSION:
        raise StoreUnavailable(
            f"{path}: written by a newer maitred (store version {version}, this one knows {VERSION})"
        )
    return int(version)


def _create(connection: apsw.Connection, path: str) -> None:
    """Make our tables, or bring those of an older version up to this one.

    Before the switch to WAL, so that the file itself says what it is, even if its WAL is lost.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection, path)
        if version < VERSION:  # or another process was faster
            connection.execute((_FROM_1 if version else _TABLES) + _LATE)
            connection.pragma("application_id", APPLICATION_ID)
            connection.pragma("user_version", VERSION)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


_REASONS: tuple[tuple[type[apsw.Error], str], ...] = (
    (apsw.BusyError, "is locked by another process"),
    (apsw.LockedError, "is locked by another connection"),
    (apsw.FullError, "cannot grow: the disk is full"),
    (apsw.ReadOnlyError, "is read-only: the file, its folder or its disk"),
    (apsw.NotADBError, "is not a SQLite database"),
    (apsw.CorruptError, "is damaged"),
    (apsw.CantOpenError, "cannot be opened: does its folder exist, and may this user write there?"),
    (apsw.PermissionsError, "may not be accessed by this user"),
    (apsw.IOError, "cannot be read or written (I/O error)"),
)


class translated:  # noqa: N801  # reads as a statement: `with translated(path):`
    """Turns apsw's errors, and snapshots that do not parse, into StoreUnavailable, once, at this edge.

    A class because a generator costs more per turn.
    """

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, apsw.Error):
            reason = next((text for known, text in _REASONS if isinstance(error, known)), "failed")
            raise StoreUnavailable(f"{self._path} {reason} ({type(error).__name__})") from error
        if isinstance(error, ValidationError):
            raise StoreUnavailable(f"{self._path} holds a snapshot that cannot be read: {explain(error)}") from error
