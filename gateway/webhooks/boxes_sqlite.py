"""SqliteBoxes: the boxes in a SQLite file of their own, beside the store's. Each step is one transaction, synced before a channel
is told that its message arrived. A conversation is one row; its words go when they are sent.
"""

import time
from collections.abc import Callable

import apsw
from pydantic import ValidationError

from ...protocol.errors import StoreUnavailable
from ...protocol.messages import explain
from ...store.schema import BUSY_TIMEOUT_MS, translated
from ...store.sqlite_ready import check_writable
from .boxes import Step
from .conversation import Conversation, due_at

_TABLES = """
CREATE TABLE IF NOT EXISTS conversations(session TEXT PRIMARY KEY, held BLOB NOT NULL, due_at REAL, changed_at REAL NOT NULL);
CREATE INDEX IF NOT EXISTS conversations_due ON conversations(due_at) WHERE due_at IS NOT NULL;
"""


class SqliteBoxes:
    """`path`: the file. `clock`: seconds since the epoch."""

    def __init__(self, path: str, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self._clock = clock
        with translated(path):
            self._db = apsw.Connection(path)
            self._db.set_busy_timeout(BUSY_TIMEOUT_MS)
            self._db.pragma("journal_mode", "wal")
            self._db.pragma("synchronous", "full")
            self._db.pragma("secure_delete", True)  # what customers wrote must not be found between rows
            self._db.execute(f"BEGIN IMMEDIATE;{_TABLES}COMMIT;")

    async def change(self, session: str, step: Step) -> Conversation | None:
        with translated(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                now = self._clock()
                after = step(self._read(session), now)
                if after:
                    values = (session, after.model_dump_json(exclude_defaults=True).encode(), due_at(after), now)
                    self._db.execute("INSERT OR REPLACE INTO conversations VALUES(?,?,?,?)", values)
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
            return after

    async def read(self, session: str) -> Conversation | None:
        with translated(self.path):
            return self._read(session)

    def _read(self, session: str) -> Conversation | None:
        row = self._db.execute("SELECT held FROM conversations WHERE session=?", (session,)).fetchone()
        return held_in(row[0], self.path) if row else None

    async def waiting(self, limit: int = 100) -> tuple[str, ...]:
        with translated(self.path):
            sql = "SELECT session FROM conversations WHERE due_at<=? ORDER BY due_at LIMIT ?"
            return tuple(str(name) for (name,) in self._db.execute(sql, (self._clock(), limit)))

    async def forget(self, days: float) -> None:
        with translated(self.path):
            sql = "DELETE FROM conversations WHERE changed_at<? AND due_at IS NULL"
            self._db.execute(sql, (self._clock() - days * 86_400,))

    async def ready(self) -> None:
        """Raises StoreUnavailable unless it takes a write now."""
        check_writable(self._db, self.path)

    async def close(self) -> None:
        self._db.close()


def held_in(body: bytes, name: str) -> Conversation:
    """A conversation as stored. Raises StoreUnavailable."""
    try:
        return Conversation.model_validate_json(body)
    except ValidationError as error:
        raise StoreUnavailable(f"{name} holds a conversation that cannot be read: {explain(error)}") from None
