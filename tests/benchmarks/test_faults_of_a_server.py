"""The faults bench on Redis: a small part of each experiment finds nothing, the mistakes that only a server shows are caught."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from maitred.benchmarks.faults.mutant import FAITHFUL
from maitred.benchmarks.faults.mutants import MUTANTS, Hunt
from maitred.benchmarks.faults.proxy import FAULTS, Fate, Proxy
from maitred.benchmarks.faults.run import PARTS
from maitred.benchmarks.faults.server import Server
from maitred.benchmarks.faults.site import Site
from maitred.benchmarks.faults.stores import KINDS
from maitred.protocol.errors import BadRequest

pytestmark = pytest.mark.usefixtures("redis_server")  # fails or skips where there is none

REDIS = KINDS["redis"]
SMALL = {
    "kills": 20, "duplicates": 200, "zombies": 6, "aof_cuts": 12, "restarts": 4, "cancellations": 40, "lost_replies": 40,
    "hang_ups": 50, "races": 40, "slow_turns": 1, "clock_jumps": 10, "upgrades": 40, "store_examples": 5,
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name, part in PARTS.items() if part.only in (None, "redis")])
def test_a_small_part_of_each_experiment_finds_no_violation(name: str) -> None:
    """As many faults as were asked for."""
    tally = PARTS[name].experiment(REDIS, FAITHFUL, Random(f"1 {name}"), SMALL[name], lambda done: None)
    assert (tally.violations, tally.done >= SMALL[name]) == ([], True)


@pytest.mark.parametrize("hunt", [hunt for hunt in MUTANTS if hunt.only == "redis"], ids=lambda hunt: hunt.mutant.name)
def test_a_mistake_that_only_a_server_shows_is_caught(hunt: Hunt) -> None:
    assert hunt.caught(REDIS, Random(f"1 {hunt.mutant.name}"))


# --- the instruments -----------------------------------------------------------------------------------------------------


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path, synced=True)
    yield running
    running.kill()


async def say(path: Path, words: str) -> bytes:
    """One command, straight to the server."""
    reader, writer = await asyncio.open_unix_connection(str(path))
    writer.write(f"{words}\r\n".encode())
    try:
        return await reader.readline()
    finally:
        writer.close()


async def test_a_server_that_was_killed_has_what_it_had(server: Server) -> None:
    """Its file is whole; it answers when it is started."""
    await say(server.socket, "SET k 1")
    server.kill()
    server.start()
    assert await say(server.socket, "INCR k") == b":2\r\n"


async def test_a_copy_of_a_log_holds_what_stood_before_the_cut(server: Server, tmp_path: Path) -> None:
    """A command that was cut is gone, those before it are not."""
    await say(server.socket, "SET k 1")
    one = server.log.stat().st_size
    await say(server.socket, "SET k 2")
    for size, left in (
        (one, b"1\r\n"),
        (server.log.stat().st_size - 1, b"1\r\n"),
        (server.log.stat().st_size, b"2\r\n"),
    ):
        folder = tmp_path / str(size)
        folder.mkdir()
        server.copy_log(folder, size)
        other = Server(folder, synced=True)
        try:
            assert await say(other.socket, "INCRBY k 0") == b":" + left
        finally:
            other.kill()


def test_a_server_says_itself_when_its_log_is_synced(server: Server) -> None:
    """The experiment asks it, and does not trust itself."""
    assert server.synced
    server.sync_later()
    assert not server.synced


def test_a_store_without_a_server_has_none_to_hurt(tmp_path: Path) -> None:
    with pytest.raises(BadRequest):
        _ = Site(tmp_path, KINDS["sqlite"]).server


class Doomed(Proxy):
    """Every request has the same fate."""

    fate_of_all = Fate.CARRIED

    def fate(self, request: bytes) -> Fate:
        return self.fate_of_all


@pytest.mark.parametrize(
    ("fate", "answer", "executed"),
    [
        (Fate.CARRIED, b":1\r\n", 1),
        (Fate.CUT, b"", 0),
        (Fate.TORN, b"", 0),
        (Fate.LOST, b"", 1),
        (Fate.HALF_ANSWERED, None, 1),
        (Fate.DOUBLED, b":2\r\n", 2),
        (Fate.LATE, b":1\r\n", 1),
        (Fate.ANSWERED_LATE, b":1\r\n", 1),
    ],
)
async def test_a_line_does_to_a_request_what_its_fate_is(
    server: Server, fate: Fate, answer: bytes | None, executed: int
) -> None:
    """What the client reads, and how often the server did it."""
    async with Doomed(server.socket, Random(1), 1.0) as line:
        line.fate_of_all = fate
        reader, writer = await asyncio.open_connection("127.0.0.1", int(line.url.rpartition(":")[2]))
        writer.write(b"*2\r\n$4\r\nINCR\r\n$1\r\nk\r\n")
        heard = await reader.readline()
        writer.close()
        assert heard == answer if answer is not None else len(heard) < len(b":1\r\n")
        assert await say(server.socket, "INCRBY k 0") == f":{executed}\r\n".encode()


async def test_a_late_request_is_executed_though_its_client_has_gone(server: Server) -> None:
    """As a packet is that is still on its way."""
    async with Doomed(server.socket, Random(1), 1.0) as line:
        line.fate_of_all = Fate.LATE
        _, writer = await asyncio.open_connection("127.0.0.1", int(line.url.rpartition(":")[2]))
        writer.write(b"*2\r\n$4\r\nINCR\r\n$1\r\nk\r\n")
        await writer.drain()
        writer.close()
        assert await say(server.socket, "INCRBY k 0") == b":0\r\n"
        for _ in range(500):
            if await say(server.socket, "INCRBY k 0") == b":1\r\n":
                return
            await asyncio.sleep(0.02)
    pytest.fail("it was never executed")


async def test_a_bad_line_hurts_so_many_requests_and_counts_them(server: Server) -> None:
    """In every way, and never what a client says of itself when it comes."""
    line = Proxy(server.socket, Random(1), 0.5)
    fates = [line.fate(b"*2\r\n$4\r\nINCR\r\n$1\r\nk\r\n") for _ in range(400)]
    assert {*fates} == {*FAULTS, Fate.CARRIED}
    assert line.faults == sum(fate is not Fate.CARRIED for fate in fates)
    assert 150 < line.faults < 250
    assert {line.fate(b"*4\r\n$6\r\nCLIENT\r\n$7\r\nSETINFO\r\n") for _ in range(100)} == {Fate.CARRIED}
