"""bench throughput: what it prints, and that every turn is played. No figure is judged here."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from maitred.benchmarks.throughput import ROUNDS, bench_throughput
from maitred.benchmarks.throughput_worker import Load
from maitred.cli.main import main

Server = Any
FLOOR = """
class Memory:
    async def turn(self, session, request, text): sum(range(200)); return "x"
class Sqlite(Memory):
    def __init__(self, sync): assert sync == "FULL"
class Redis(Memory):
    def __init__(self, url): assert url.startswith("redis://")
"""


@pytest.mark.parametrize("keeps", [True, False])
def test_all_turns_are_shared_out_once(keeps: bool):
    """By turns; a session goes to another worker with each, or stays."""
    load = Load("redis", "", 3, 10, 4, 5, None, "run")
    shares = [list(load.share(worker, keeps=keeps)) for worker in range(3)]
    assert Counter(one for share in shares for one in share) == Counter((t, s) for t in range(5) for s in range(10))
    assert all(share == sorted(share) for share in shares)
    of_session = [next(n for n, share in enumerate(shares) if (turn, 7) in share) for turn in range(5)]
    assert len(set(of_session)) == (1 if keeps else 3)


def test_every_store_is_measured_beside_round_trips_and_floor(redis_server: Server, tmp_path: Path):
    """With two processes on Redis; each round has sessions of its own, and all their turns are there."""
    floor = tmp_path / "floor.py"
    floor.write_text(FLOOR)
    seen: list[tuple[int, int]] = []
    figures = bench_throughput(redis_server.url, [2], 8, 4, 3, floor, lambda *now: seen.append(now))
    assert {kind: list(rows) for kind, rows in figures.items()} == {"memory": ["1"], "sqlite": ["1"], "redis": ["2"]}
    assert list(figures["redis"]["2"]) == ["ours", "raw", "floor", "cpu_ratio"]
    assert list(figures["memory"]["1"]) == ["ours", "floor", "cpu_ratio"]
    for rows in figures.values():
        for row in rows.values():
            assert min(row["ours"].values()) > 0
            assert row["ours"]["p50_ms"] <= row["ours"]["p99_ms"]
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]
    with redis_server.client() as client:
        turns = [client.hlen(key) for key in client.scan_iter("{agent_state:*-ours-*}:turns")]
    assert turns == [3] * (8 * ROUNDS)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], int]:
    """Runs the command; its exit code."""

    def run(words: str) -> int:
        monkeypatch.setattr("sys.argv", ["maitred", "bench", "throughput", *words.split()])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0)

    return run


def test_on_the_command_line(redis_server: Server, bench: Callable[[str], int], capsys: pytest.CaptureFixture[str]):
    """JSON for programs."""
    assert bench(f"--store {redis_server.url} --workers 1 --sessions 4 --at-once 2 --turns 1 --json") == 0
    assert set(json.loads(capsys.readouterr().out)["redis"]["1"]) == {"ours", "raw"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("--workers 0", "--workers is a number from 1"),
        ("--workers 2,x", "got 'x'"),
        ("--sessions 60", "at least twice --at-once, 100"),
        ("--store shop.db", "--store is a Redis URL"),
        ("--store redis+cluster://localhost --floor f.py", "not on a cluster"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    words: str, why: str, bench: Callable[[str], int], capsys: pytest.CaptureFixture[str]
):
    """Before anything is."""
    assert bench(words) == 2
    assert why in capsys.readouterr().err
