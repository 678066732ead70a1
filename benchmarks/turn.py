"""What a whole turn costs without a model: maitred beside a floor written by hand, the two in turn, in one run.

`bench_turn` measures a turn in memory and in SQLite; `bench_growth` one long session: does the thousandth turn cost more than the
tenth? The flow has eight states in a ring and a move per message; the decider answers at once. Called by `cli/turn_bench.py`.
"""

import asyncio
import importlib.util
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

from ..app.maitred import Maitred, open_store
from ..protocol.decision import AgentDecision, DecisionRequest
from ..protocol.errors import BadRequest
from ..protocol.limits import Limits
from ..protocol.ports import Store
from ..statemachine.flow import Flow
from ..statemachine.parts import Action, Step
from ..store.memory import MemoryStore
from ..store.sqlite import SqliteStore
from . import turn_floor

ROUNDS = 5
TURNS_A_SESSION = 8
KINDS = ("memory", "sqlite_normal", "sqlite_full")
Say = Callable[[str, str, str], Awaitable[object]]
Progress = Callable[[int, int], None]


class Straight:
    """Takes the first action of the menu, at once."""

    name = "straight"
    immediate = True

    async def decide(self, request: DecisionRequest) -> AgentDecision:
        return AgentDecision(action=request.menu.names[0], reply_text="on we go")


def ring_flow(most_turns: int, facts: Mapping[str, str] | None = None) -> Flow:
    """Eight states, each with the one way on and the built-in actions."""
    following = turn_floor.NEXT
    return Flow(
        name="ring",
        states=turn_floor.STATES,
        initial=turn_floor.STATES[0],
        transitions={(state, f"to_{after}"): after for state, after in following.items()},
        steps={
            state: Step(say="On we go.", actions=(Action(f"to_{after}", "go on", event=f"to_{after}"),))
            for state, after in following.items()
        },
        limits=Limits(turns_per_session=most_turns + 1),
        facts=facts or {},
    )


def bench_turn(
    turns: int = 2000,
    floor: Path | None = None,
    progress: Progress = lambda done, all_: None,
    redis: str | None = None,
) -> dict[str, Any]:
    """Medians over rounds, in microseconds, per kind of store: `cpu_us`, `wall_us`, the floor's, and `ratio` of the CPU times.

    `floor`: a Python file with the classes `Memory()`, `Sqlite(sync)` and perhaps `Redis(url)`, each with `async turn(session,
    request, text)`. `redis`: URL of a server to measure, too; what is written there stays.
    """
    by_hand = floor_module(floor) if floor else turn_floor
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_compare(turns, by_hand, Path(folder), progress, redis))


async def _compare(
    turns: int, by_hand: ModuleType, folder: Path, progress: Progress, redis: str | None
) -> dict[str, Any]:
    figures = {}
    kinds = (*KINDS, *(("redis",) if redis else ()))
    run = uuid4().hex[:8]  # a server may hold sessions of the run before
    for n, kind in enumerate(kinds):
        maitred = Maitred(ring_flow(turns), store=_store(kind, folder, redis), decider=Straight())
        floor = floor_of(by_hand, kind, folder, redis)
        ours, theirs = [], []
        async with maitred:
            for round_ in range(ROUNDS):
                theirs.append(await _round(floor.turn, f"floor-{run}-{round_}", turns // ROUNDS))
                ours.append(await _round(_saying(maitred), f"ours-{run}-{round_}", turns // ROUNDS))
                progress(n * ROUNDS + round_ + 1, len(kinds) * ROUNDS)
        figures[kind] = _figures(ours, theirs)
    return figures


def _figures(ours: list[tuple[float, float]], theirs: list[tuple[float, float]]) -> dict[str, float]:
    cpu, wall = (statistics.median(column) for column in zip(*ours, strict=True))
    floor_cpu, floor_wall = (statistics.median(column) for column in zip(*theirs, strict=True))
    return {
        "cpu_us": round(cpu, 1),
        "floor_cpu_us": round(floor_cpu, 1),
        "ratio": round(cpu / floor_cpu, 2),
        "wall_us": round(wall, 1),
        "floor_wall_us": round(floor_wall, 1),
    }


def _saying(maitred: Maitred) -> Say:
    return lambda session, request, text: maitred.say(session, text, message_id=request)


async def _round(say: Say, name: str, turns: int) -> tuple[float, float]:
    """CPU and wall time of a turn in microseconds, sessions of eight turns each."""
    for n in range(TURNS_A_SESSION):
        await say(f"{name}-warm", f"w{n}", "please go on")
    wall, cpu = time.perf_counter(), time.process_time()
    for n in range(turns):
        await say(f"{name}-{n // TURNS_A_SESSION}", f"t{n}", "please go on with it")
    return (time.process_time() - cpu) * 1e6 / turns, (time.perf_counter() - wall) * 1e6 / turns


def _store(kind: str, folder: Path, redis: str | None) -> Store:
    if kind == "memory":
        return MemoryStore()
    if kind == "redis":
        return open_store(redis or "")
    return SqliteStore(str(folder / f"{kind}.db"), durable=kind == "sqlite_full")


def floor_of(by_hand: ModuleType, kind: str, folder: Path, redis: str | None) -> Any:
    """The floor's store of a kind; it has `turn(session, request, text)`."""
    if kind == "memory":
        return by_hand.Memory()
    if kind == "redis":
        if not hasattr(by_hand, "Redis"):
            raise BadRequest("this floor has no Redis(url) to compare with; name one that has by --floor")
        return by_hand.Redis(redis)
    sync = "FULL" if kind == "sqlite_full" else "NORMAL"
    return by_hand.Sqlite(sync, folder) if by_hand is turn_floor else by_hand.Sqlite(sync)


def floor_module(path: Path) -> ModuleType:
    """A floor in a file of its own."""
    spec = importlib.util.spec_from_file_location("floor_of_another", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise BadRequest(f"no Python file {str(path)!r}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if missing := [name for name in ("Memory", "Sqlite") if not hasattr(module, name)]:
        raise BadRequest(f"{str(path)!r} has no {' and no '.join(missing)}; a floor has Memory() and Sqlite(sync)")
    return module


def bench_growth(turns: int = 1000, progress: Progress = lambda done, all_: None) -> dict[str, Any]:
    """One session in a SQLite file: CPU of a turn and bytes of the file per turn around the 10th, 100th, ... turn."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_grow(turns, Path(folder), progress))


async def _grow(turns: int, folder: Path, progress: Progress) -> dict[str, Any]:
    marks = [mark for mark in (10, 100, 1000, 10_000) if mark <= turns]
    file, cpu, size = folder / "grow.db", [], []
    store = SqliteStore(str(file), durable=False)
    async with Maitred(ring_flow(turns), store=store, decider=Straight()) as maitred:
        for n in range(turns):
            before = time.process_time()
            await maitred.say("long", "please go on with it", message_id=f"t{n}")
            cpu.append((time.process_time() - before) * 1e6)
            size.append(sum(len(record.body) for record in await store.log("long")) if n + 1 in marks else 0)
            progress(n + 1, turns)
    return {
        str(mark): {
            "cpu_us": round(statistics.median(cpu[max(0, mark - 10) : mark]), 1),
            "log_bytes_per_turn": round(size[mark - 1] / mark, 1),
        }
        for mark in marks
    }
