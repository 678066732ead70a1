"""Whether a SQLite file could take a turn now: it is still at its path, nobody keeps it locked, and a write goes through.

A connection goes on reading and writing a file that was moved or deleted, and reads one that is locked, read-only or on a full
disk. Shared by the store and the files beside it.
"""

import ctypes

import apsw

from ..protocol.errors import StoreUnavailable
from .schema import BUSY_TIMEOUT_MS, translated

_PATIENCE_MS = 250


def check_writable(connection: apsw.Connection, path: str) -> None:
    """Writes what is there already. Raises StoreUnavailable."""
    moved = ctypes.c_int(0)
    with translated(path):
        connection.file_control("main", apsw.SQLITE_FCNTL_HAS_MOVED, ctypes.addressof(moved))
        if moved.value:
            raise StoreUnavailable(
                f"{path} is not there any more, or is another file; what is written now would be lost"
            )
        connection.set_busy_timeout(_PATIENCE_MS)
        try:
            connection.pragma("user_version", connection.pragma("user_version"))
        finally:
            connection.set_busy_timeout(BUSY_TIMEOUT_MS)
