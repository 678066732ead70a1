"""Stores: the kinds of store that the harness can put under fault. A new kind is one entry in `KINDS`.

Owns how one is opened on a folder and what must run meanwhile. Faults that only one kind can have are in `run.py`'s table.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from ...protocol.ports import Store
from ...store.sqlite import SqliteStore


@dataclass(frozen=True, slots=True)
class Opening:
    """How a store is opened. `clock`: seconds since the epoch, for leases. `durable`: a commit survives a power cut."""

    lease_s: float = 15.0
    clock: Callable[[], float] = time.time
    durable: bool = True


@dataclass(frozen=True, slots=True)
class Kind:
    """`serving`: what runs as long as a folder is in use, such as a server; entered in the process that forks the workers."""

    name: str
    open: Callable[[Path, Opening], Store]
    serving: Callable[[Path], AbstractContextManager[None]]


def sqlite_file(folder: Path) -> Path:
    return folder / "sessions.db"


def _sqlite(folder: Path, how: Opening) -> Store:
    return SqliteStore(str(sqlite_file(folder)), lease_s=how.lease_s, clock=how.clock, durable=how.durable)


KINDS: Mapping[str, Kind] = {
    "sqlite": Kind("sqlite", _sqlite, lambda folder: nullcontext()),
}
