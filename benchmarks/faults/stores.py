"""Stores: the kinds of store that the harness can put under fault. A new kind is one entry in `KINDS`.

Owns how one is opened on a folder and what must run meanwhile. Faults that only one kind can have are in `run.py`'s table.
"""

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from ...protocol.errors import BadRequest, StoreUnavailable
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


def _socket(folder: Path) -> Path:
    return folder / "redis.sock"


def _redis(folder: Path, how: Opening) -> Store:
    from ...store.redis import RedisStore  # redis is loaded by those who use it

    clock = None if how.clock is time.time else how.clock  # the server's own, as in earnest
    return RedisStore(f"unix://{_socket(folder)}", lease_s=how.lease_s, clock=clock)


@contextmanager
def _redis_server(folder: Path) -> Iterator[None]:
    """A server on a socket in `folder`. Raises BadRequest if there is none on this machine."""
    program = shutil.which("redis-server") or shutil.which("valkey-server")
    if program is None:
        raise BadRequest("no redis-server or valkey-server on the path (Debian: apt-get install redis-server)")
    command = (
        program, "--port", "0", "--unixsocket", str(_socket(folder)), "--dir", str(folder), "--save", "", "--appendonly", "yes",
    )  # fmt: skip
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 20
        while not _socket(folder).exists():
            if server.poll() is not None or time.monotonic() > until:
                raise StoreUnavailable(f"{program} does not start")
            time.sleep(0.01)
        yield
    finally:
        server.kill()
        server.wait()


KINDS: Mapping[str, Kind] = {
    "sqlite": Kind("sqlite", _sqlite, lambda folder: nullcontext()),
    "redis": Kind("redis", _redis, _redis_server),
}
