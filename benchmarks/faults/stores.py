"""Stores: the kinds of store that the harness can put under fault. A new kind is one entry in `KINDS`.

Owns how one is opened on a folder and what must run meanwhile. Faults that only one kind can have are in `run.py`'s table.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from ...protocol.ports import Store
from ...store.sqlite import SqliteStore
from .server import Server, socket_of


@dataclass(frozen=True, slots=True)
class Opening:
    """How a store is opened. `clock`: seconds since the epoch, for leases. `durable`: a commit survives a power cut.

    Of a store that has a server: `kept`: it has a file; `answer_s`: how long it may take; `address`: another way to it than its
    socket.
    """

    lease_s: float = 15.0
    clock: Callable[[], float] = time.time
    durable: bool = True
    kept: bool = True
    answer_s: float = 10.0
    address: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """`serving`: what runs as long as a folder is in use, such as a server; entered in the process that forks the workers."""

    name: str
    open: Callable[[Path, Opening], Store]
    serving: Callable[[Path, Opening], AbstractContextManager[Server | None]]


def sqlite_file(folder: Path) -> Path:
    return folder / "sessions.db"


def _sqlite(folder: Path, how: Opening) -> Store:
    return SqliteStore(str(sqlite_file(folder)), lease_s=how.lease_s, clock=how.clock, durable=how.durable)


def _redis(folder: Path, how: Opening) -> Store:
    from ...store.redis import RedisStore

    clock = None if how.clock is time.time else how.clock  # the server's own, as in earnest
    address = how.address or f"unix://{socket_of(folder)}"
    return RedisStore(address, lease_s=how.lease_s, answer_s=how.answer_s, clock=clock)


@contextmanager
def _redis_server(folder: Path, how: Opening) -> Iterator[Server]:
    from ...store import redis  # noqa: F401  # loaded where it is used, but once, before workers are forked

    server = Server(folder, synced=how.durable, kept=how.kept)
    try:
        yield server
    finally:
        server.kill()


KINDS: Mapping[str, Kind] = {
    "sqlite": Kind("sqlite", _sqlite, lambda folder, how: nullcontext()),
    "redis": Kind("redis", _redis, _redis_server),
}
