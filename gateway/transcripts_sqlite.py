"""SqliteTranscripts: the index in a SQLite file of its own, beside the store's, so that neither knows the other's tables.

What is written here is written before the reply leaves, as durably as the turn itself. Each method is one statement, or two that
no other worker can come between.
"""

import apsw

from ..store.schema import BUSY_TIMEOUT_MS, translated
from ..store.sqlite_ready import check_writable
from .transcripts import Place, Sent

_TABLES = """
CREATE TABLE IF NOT EXISTS places(
    space TEXT NOT NULL, point TEXT NOT NULL, session TEXT NOT NULL, message TEXT NOT NULL, at REAL NOT NULL,
    PRIMARY KEY(space, point)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims(
    session TEXT NOT NULL, point TEXT NOT NULL, key TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY(session, point)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sent(
    session TEXT PRIMARY KEY, print TEXT NOT NULL, message TEXT NOT NULL, count INTEGER NOT NULL, answered REAL, at REAL NOT NULL
) WITHOUT ROWID;
"""


class SqliteTranscripts:
    """`path`: the file."""

    def __init__(self, path: str) -> None:
        self.path = path
        with translated(path):
            self._db = apsw.Connection(path)
            self._db.set_busy_timeout(BUSY_TIMEOUT_MS)
            self._db.pragma("journal_mode", "wal")
            self._db.pragma("synchronous", "full")
            self._db.execute(f"BEGIN IMMEDIATE;{_TABLES}COMMIT;")

    async def place(self, space: str, point: str) -> Place | None:
        with translated(self.path):
            sql = "SELECT session, message FROM places WHERE space=? AND point=?"
            row = self._db.execute(sql, (space, point)).fetchone()
            return Place(*row) if row else None

    async def remember(self, space: str, point: str, place: Place, now: float) -> None:
        with translated(self.path):
            values = (space, point, place.session, place.message, now)
            self._db.execute("INSERT OR IGNORE INTO places VALUES(?,?,?,?,?)", values)

    async def claim(self, session: str, point: str, key: str, now: float) -> str:
        with translated(self.path):
            self._db.execute("INSERT OR IGNORE INTO claims VALUES(?,?,?,?)", (session, point, key, now))
            row = self._db.execute("SELECT key FROM claims WHERE session=? AND point=?", (session, point)).fetchone()
            return str(row[0]) if row else key

    async def last_sent(self, session: str) -> Sent | None:
        with translated(self.path):
            sql = "SELECT print, message, count, answered FROM sent WHERE session=?"
            row = self._db.execute(sql, (session,)).fetchone()
            return Sent(*row) if row else None

    async def note_sent(self, session: str, sent: Sent, before: Sent | None, now: float) -> bool:
        values = (session, sent.print, sent.message, sent.count, sent.answered, now)
        with translated(self.path):
            if before is None:
                self._db.execute("INSERT OR IGNORE INTO sent VALUES(?,?,?,?,?,?)", values)
            else:
                self._db.execute(
                    "UPDATE sent SET print=?2, message=?3, count=?4, answered=?5, at=?6 "
                    "WHERE session=?1 AND message=?7 AND answered IS ?8",
                    (*values, before.message, before.answered),
                )
            return self._db.changes() == 1

    async def forget(self, before: float) -> None:
        with translated(self.path):
            for table in ("places", "claims", "sent"):
                self._db.execute(f"DELETE FROM {table} WHERE at < ?", (before,))

    async def ready(self) -> None:
        """Raises StoreUnavailable unless it takes a write now."""
        check_writable(self._db, self.path)

    async def close(self) -> None:
        self._db.close()
