"""Disk: SQLite's own way to its files, watched: what is written to a write-ahead log, what of it is synced; and it can be full.

A VFS of apsw over the real one, for the whole process from then on, so only to be made in a child. Used by `power.py` and
`full_disk.py`.
"""

from collections.abc import Callable

import apsw

_REAL = "unix"


class Disk(apsw.VFS):
    """`size`, `synced`: bytes of the write-ahead log that were written, and that survive a power cut. `full`: no byte more.

    `seen` is called after every write and every sync of it. `writes` counts.
    """

    def __init__(self, seen: Callable[[], None] = lambda: None) -> None:
        super().__init__("watched", _REAL, makedefault=True)
        self.seen = seen
        self.size = self.synced = self.writes = 0
        self.full_from: int | None = None

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> "apsw.VFSFile":  # noqa: N802
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if path is None or not path.endswith("-wal"):
            return apsw.VFSFile(_REAL, name, flags)
        return _Wal(self, name, flags)


class _Wal(apsw.VFSFile):
    def __init__(self, disk: Disk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        super().__init__(_REAL, name, flags)
        self._disk = disk

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        disk = self._disk
        disk.writes += 1
        if disk.full_from is not None and disk.writes >= disk.full_from:
            raise apsw.FullError
        super().xWrite(data, offset)
        disk.size = max(disk.size, offset + len(data))
        disk.seen()

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self._disk.synced = self._disk.size
        self._disk.seen()
