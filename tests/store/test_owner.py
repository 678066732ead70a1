"""On one machine the lease of a dead process is void at once; that of a living one, or of another place, only in time."""

import asyncio
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from maitred.protocol.ports import Begun, Busy, Store
from maitred.store.owner import surely_dead, this_owner
from maitred.store.redis import RedisStore
from maitred.store.sqlite import SqliteStore


@pytest.fixture(params=["sqlite", "redis"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Store]:
    if request.param == "redis":
        url = request.getfixturevalue("redis_server").url
        return lambda: RedisStore(url)
    return lambda: SqliteStore(str(tmp_path / "s.db"))


def begin_in_a_child(open_store: Callable[[], Store]) -> int:
    """A process that begins a turn, says so and waits to be killed; its id."""
    said, saying = os.pipe()
    pid = os.fork()
    if pid == 0:
        asyncio.run(open_store().begin("s1", "m1", "print", b"body"))
        os.write(saying, b"!")
        signal.pause()
    assert os.read(said, 1) == b"!"
    os.close(said)
    os.close(saying)
    return pid


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


async def test_lease_of_a_killed_process_is_void_at_once(open_store: Callable[[], Store]):
    """Busy while it lives; taken over without waiting once it is gone."""
    pid = begin_in_a_child(open_store)
    store = open_store()
    try:
        assert isinstance(await store.begin("s1", "m2", "print", b"body"), Busy)
    finally:
        kill(pid)
    taken = await store.begin("s1", "m2", "print", b"body")
    assert isinstance(taken, Begun)
    assert (taken.lease.request_id, taken.attempt) == ("m1", 2)
    await store.close()


def dead_pid() -> int:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return pid


def test_only_a_dead_process_of_this_very_place_is_surely_dead():
    """Another host or process-id namespace is never judged; nor is an owner of another shape."""
    place = this_owner().rpartition(":")[0]
    pid = dead_pid()
    assert surely_dead(f"{place}:{pid}")
    assert not surely_dead(this_owner())
    assert not surely_dead(f"elsewhere:{pid}")
    assert not surely_dead(f"{socket.gethostname()}/pid:[1]:{pid}")
    assert not surely_dead(f"{place}:{'9' * 30}")
    for odd in ("", ":", f"{place}:", f"{place}:x", f"{place}:-1"):
        assert not surely_dead(odd)


def test_process_of_another_user_is_alive(monkeypatch: pytest.MonkeyPatch):
    """The system refuses the question: so somebody is there."""

    def refuse(pid: int, sig: int) -> Any:
        raise PermissionError

    monkeypatch.setattr(os, "kill", refuse)
    assert not surely_dead(this_owner())
