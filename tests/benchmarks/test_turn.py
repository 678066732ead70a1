"""bench turn and bench growth: what they print, and that a floor of somebody else's is taken. No figure is judged here."""

import json
from pathlib import Path

import pytest

from maitred.benchmarks.turn import KINDS, bench_growth, bench_turn, ring_flow
from maitred.benchmarks.turn_floor import STATES, Memory
from maitred.cli.main import main
from maitred.protocol.errors import BadRequest
from maitred.statemachine.check import check

from ..conftest import RedisServer


def test_every_kind_of_store_is_measured_beside_its_floor() -> None:
    """The ratio is that of the CPU times; progress ends at its end."""
    seen: list[tuple[int, int]] = []
    figures = bench_turn(50, progress=lambda done, total: seen.append((done, total)))
    assert tuple(figures) == KINDS
    for row in figures.values():
        assert min(row.values()) > 0
        assert row["ratio"] == pytest.approx(row["cpu_us"] / row["floor_cpu_us"], rel=0.05)
    assert seen[-1][0] == seen[-1][1] == len(seen)


def test_another_floor_is_taken(tmp_path: Path) -> None:
    """From a file with the two classes."""
    file = tmp_path / "floor.py"
    file.write_text(
        "import asyncio\n"
        "class Memory:\n    async def turn(self, s, r, t):\n        sum(range(20000)); return 'x'\n"
        "class Sqlite(Memory):\n    def __init__(self, sync): assert sync in ('FULL', 'NORMAL')\n"
    )
    assert bench_turn(50, file)["memory"]["floor_cpu_us"] > bench_turn(50)["memory"]["floor_cpu_us"]


def test_a_redis_is_measured_beside_a_floor_that_has_one(tmp_path: Path, redis_server: RedisServer) -> None:
    """The floor's own class; a floor without one is a plain error."""
    file = tmp_path / "floor.py"
    file.write_text(
        "class Memory:\n    async def turn(self, s, r, t):\n        sum(range(2000)); return 'x'\n"
        "class Sqlite(Memory):\n    def __init__(self, sync): pass\n"
        "class Redis(Memory):\n    def __init__(self, url): assert url.startswith('redis://')\n"
    )
    figures = bench_turn(50, file, redis=redis_server.url)
    assert tuple(figures) == (*KINDS, "redis")
    assert min(figures["redis"].values()) > 0
    with redis_server.client() as client:
        assert client.keys("agent_state:ours-*")
    with pytest.raises(BadRequest, match="no Redis"):
        bench_turn(50, redis=redis_server.url)


@pytest.mark.parametrize(("text", "problem"), [("x = 1", "no Memory and no Sqlite"), (None, "no Python file")])
def test_what_is_no_floor_is_a_plain_error(tmp_path: Path, text: str | None, problem: str) -> None:
    """It names the file and what a floor has."""
    file = tmp_path / "floor.py"
    if text:
        file.write_text(text)
    with pytest.raises(BadRequest, match=problem):
        bench_turn(50, file)


async def test_the_floor_walks_the_same_ring_as_the_flow() -> None:
    """Eight turns around, a repeat gets its reply and moves nothing."""
    floor = Memory()
    for n in range(len(STATES)):
        assert await floor.turn("s", f"t{n}", "on") == "on we go"
        assert await floor.turn("s", f"t{n}", "on") == "on we go"
    assert floor._sessions["s"]["state"] == STATES[0]
    assert [finding for finding in check(ring_flow(10)) if finding.severity == "error"] == []


def test_growth_is_told_at_powers_of_ten() -> None:
    """Of the turns that were made."""
    figures = bench_growth(100)
    assert set(figures) == {"10", "100"}
    assert all(row["log_bytes_per_turn"] > 100 for row in figures.values())


def test_programs_get_json(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """One document on stdout."""
    monkeypatch.setattr("sys.argv", ["maitred", "bench", "growth", "--turns", "10", "--json"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert set(json.loads(capsys.readouterr().out)) == {"10"}
