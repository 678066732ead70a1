"""Turns per second of many sessions by turns: worker processes over one store, through the whole engine, with no model.

Beside each figure, in the same run and rounds: two bare round trips from the same client (Redis), and the floor if one is given.
Called by `cli/throughput_bench.py`.
"""

import multiprocessing
import statistics
import tempfile
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from uuid import uuid4

from ..protocol.errors import InternalError
from .throughput_worker import Load, Measured, work

ROUNDS = 3
Progress = Callable[[int, int], None]
_POLL_S = 0.1
_SPAWN = multiprocessing.get_context("spawn")  # a fork would take over threads and open files


def bench_throughput(
    redis: str | None,
    workers: Sequence[int],
    sessions: int,
    at_once: int,
    turns: int,
    floor: Path | None,
    progress: Progress = lambda done, all_: None,
) -> dict[str, Any]:
    """Figures by store and number of workers: `ours`, `raw`, `floor`, and `cpu_ratio` of ours to the floor's.

    `turns_per_s` and CPU are medians over rounds, `p50_ms` and `p99_ms` of all turns: from the message to the reply, with
    `at_once` turns in flight. `turns_per_cpu_s`: for each second of CPU that the workers used; the server's is not in it.
    """
    with tempfile.TemporaryDirectory() as folder:
        places = [("memory", "", 1), ("sqlite", str(Path(folder) / "sessions.db"), 1)]
        places += [("redis", redis, count) for count in workers] if redis else []
        loads = [
            Load(kind, place, count, sessions, at_once, turns, floor, uuid4().hex[:8]) for kind, place, count in places
        ]
        figures: dict[str, Any] = {}
        for n, load in enumerate(loads):
            team = _Team(load)
            try:
                figures.setdefault(load.kind, {})[str(load.workers)] = team.figures(
                    lambda part, n=n: progress(round(1000 * (n + part)), 1000 * len(loads))  # type: ignore[misc]
                )
            finally:
                team.dismiss()
        return figures


class _Team:
    """The workers of one load."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._lines: list[Connection] = []
        self._counters = [_SPAWN.Value("q", 0, lock=False) for _ in range(load.workers)]
        self._workers = []
        for n, counter in enumerate(self._counters):
            ours, theirs = _SPAWN.Pipe()
            worker = _SPAWN.Process(target=work, args=(load, n, theirs, counter), daemon=True)
            worker.start()
            theirs.close()
            self._lines.append(ours)
            self._workers.append(worker)

    def figures(self, progress: Callable[[float], None]) -> dict[str, Any]:
        """Each thing in each round, in turn: what disturbs the machine disturbs all of them."""
        plays = self._answers(lambda: None)[0]
        rounds: dict[str, list[list[Measured]]] = {what: [] for what in plays}
        whole = ROUNDS * len(plays) * self._load.turns * self._load.sessions
        for round_ in range(ROUNDS):
            for what in plays:
                for line in self._lines:
                    line.send((what, round_))
                rounds[what].append(
                    self._answers(lambda: progress(sum(counter.value for counter in self._counters) / whole))
                )
        found: dict[str, Any] = {what: _figures(measured) for what, measured in rounds.items()}
        if "floor" in found:
            found["cpu_ratio"] = round(found["ours"]["cpu_us"] / found["floor"]["cpu_us"], 2)
        return found

    def dismiss(self) -> None:
        for line in self._lines:
            try:
                line.send(None)
            except OSError:  # it is dead
                continue
        for worker in self._workers:
            worker.join(timeout=10)
            if worker.is_alive():
                worker.kill()

    def _answers(self, meanwhile: Callable[[], None]) -> list[Any]:
        answers = []
        for line in self._lines:
            while not line.poll(_POLL_S):
                meanwhile()
            try:
                answers.append(line.recv())
            except EOFError:
                raise InternalError("a worker of the bench died; what it said stands above") from None
        meanwhile()
        return answers


def _figures(rounds: list[list[Measured]]) -> dict[str, float]:
    took = sorted(seconds for workers in rounds for worker in workers for seconds in worker.took_s)
    rates, cpus = [], []
    for workers in rounds:
        turns = sum(len(worker.took_s) for worker in workers)
        rates.append(turns / (max(worker.ended for worker in workers) - min(worker.begun for worker in workers)))
        cpus.append(sum(worker.cpu_s for worker in workers) / turns)
    cpu_s = statistics.median(cpus)
    return {
        "turns_per_s": round(statistics.median(rates)),
        "turns_per_cpu_s": round(1 / cpu_s),
        "cpu_us": round(cpu_s * 1e6, 1),
        "p50_ms": round(took[len(took) // 2] * 1e3, 2),
        "p99_ms": round(took[len(took) * 99 // 100] * 1e3, 2),
    }
