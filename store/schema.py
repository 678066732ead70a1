"""Tables of the SQLite store, their version, and opening a file that may be anything.

`sessions`: one row per session with fence, lease and snapshot (NULL until the first commit). `turns`: one row per request id or
outside event key; `body` is kept only until the turn ends. `log`: the messages, hash-chained.
"""

import apsw

from ..protocol.errors import StoreUnavailable

APPLICATION_ID = 0x6D747264  # "mtrd"
VERSION = 1
BUSY_TIMEOUT_MS = 2000

_TABLES = """
CREATE TABLE sessions(
    session_id TEXT PRIMARY KEY, fence INTEGER NOT NULL, lease_until REAL NOT NULL, owner TEXT NOT NULL,
    open_request TEXT, event_seq INTEGER NOT NULL, due_at REAL, snapshot BLOB
) WITHOUT ROWID;
CREATE INDEX sessions_due ON sessions(due_at) WHERE due_at IS NOT NULL;
CREATE TABLE turns(
    session_id TEXT NOT NULL, request_id TEXT NOT NULL, fingerprint TEXT NOT NULL, body BLOB,
    attempts INTEGER NOT NULL, stage INTEGER NOT NULL, done INTEGER NOT NULL, reply_record INTEGER,
    PRIMARY KEY(session_id, request_id)
) WITHOUT ROWID;
CREATE TABLE log(
    session_id TEXT NOT NULL, n INTEGER NOT NULL, kind TEXT NOT NULL, prev TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY(session_id, n)
) WITHOUT ROWID;
"""


def open_database(path: str, *, durable: bool = True) -> apsw.Connection:
    """Open or create the database at `path` (":memory:" for one that lives as long as the connection).

    `durable`: synchronous=FULL, so that a commit survives a power cut; else NORMAL. Raises StoreUnavailable with the reason.
    """
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
    version = connection.pragma("user_version")
    application = connection.pragma("application_id")
    tables = connection.execute("SELECT count(*) FROM sqlite_master").get
    if tables and application != APPLICATION_ID:
        raise StoreUnavailable(f"{path}: a SQLite database of another application; choose another file")
    if version > VERSION:
        raise StoreUnavailable(
            f"{path}: written by a newer maitred (store version {version}, this one knows {VERSION})"
        )
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "full" if durable else "normal")
    if tables:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not connection.execute("SELECT count(*) FROM sqlite_master").get:  # another process may have been faster
            connection.execute(_TABLES)
            connection.pragma("application_id", APPLICATION_ID)
            connection.pragma("user_version", VERSION)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


_REASONS: tuple[tuple[type[apsw.Error], str], ...] = (
    (apsw.BusyError, "is locked by another process"),
    (apsw.LockedError, "is locked by another connection"),
    (apsw.FullError, "cannot grow: the disk is full"),
    (apsw.ReadOnlyError, "is read-only"),
    (apsw.NotADBError, "is not a SQLite database"),
    (apsw.CorruptError, "is damaged"),
    (apsw.CantOpenError, "cannot be opened: does its folder exist, and may this user write there?"),
    (apsw.PermissionsError, "may not be accessed by this user"),
    (apsw.IOError, "cannot be read or written (I/O error)"),
)


class translated:  # noqa: N801  # reads as a statement: `with translated(path):`
    """Turns apsw's errors into StoreUnavailable, once, at this edge; a class because a generator costs more per turn."""

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, apsw.Error):
            reason = next((text for known, text in _REASONS if isinstance(error, known)), "failed")
            raise StoreUnavailable(f"{self._path} {reason} ({type(error).__name__})") from error
