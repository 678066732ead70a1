"""A worker process of `throughput.py`: plays its share of a load when told to, and says how long it took.

Three things are played in the same way: whole turns (`ours`), two round trips to Redis and nothing else (`raw`), and the floor.
"""

import asyncio
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Protocol

from ..app.maitred import Maitred, open_store
from ..protocol.ports import Store
from ..store.memory import MemoryStore
from ..store.sqlite import SqliteStore
from .turn import Say, Straight, floor_module, floor_of, ring_flow

_TRIP = b"return redis.call('EXISTS', KEYS[1])"
_TEXT = "please go on with it"


class Counter(Protocol):
    """Shared with the process that shows progress."""

    value: int


@dataclass(frozen=True, slots=True)
class Load:
    """`place`: a file or a URL; `at_once`: turns in flight, of all workers; `turns`: of a session."""

    kind: str
    place: str
    workers: int
    sessions: int
    at_once: int
    turns: int
    floor: Path | None
    run: str

    def share(self, worker: int, *, keeps: bool) -> Iterator[tuple[int, int]]:
        """(turn, session) of one worker: all sessions by turns. Unless it `keeps` its own, each turn is at another worker."""
        return (
            (turn, session)
            for turn in range(self.turns)
            for session in range(self.sessions)
            if (session + (0 if keeps else turn)) % self.workers == worker
        )


@dataclass(frozen=True, slots=True)
class Measured:
    """When a share was begun and ended, in seconds of a clock that all processes have; CPU seconds; seconds of each turn."""

    begun: float
    ended: float
    cpu_s: float
    took_s: list[float]


def work(load: Load, worker: int, orders: Connection, done: Counter) -> None:
    """Measures (what, round) for each order, until there is none."""
    asyncio.run(_work(load, worker, orders, done))


async def _work(load: Load, worker: int, orders: Connection, done: Counter) -> None:
    store = _opened(load)
    async with Maitred(ring_flow(load.turns), store=store, decider=Straight()) as maitred:
        plays = _plays(load, maitred, store)
        for what, say in plays.items():
            await say(f"{load.run}-warm-{worker}-{what}", "m", _TEXT)
        orders.send(list(plays))
        while order := await asyncio.to_thread(orders.recv):
            what, round_ = order
            keeps = what == "floor"  # which does not wait for another worker that is in the session
            name = f"{load.run}-{what}-{round_}"
            orders.send(await _played(load, worker, plays[what], name, done, keeps=keeps))


def _opened(load: Load) -> Store:
    if load.kind == "memory":
        return MemoryStore()
    return SqliteStore(load.place) if load.kind == "sqlite" else open_store(load.place)


def _plays(load: Load, maitred: Maitred, store: Store) -> Mapping[str, Say]:
    plays: dict[str, Say] = {"ours": lambda session, request, text: maitred.say(session, text, message_id=request)}
    if load.kind == "redis":
        plays["raw"] = _two_trips(store)
    if load.floor:
        kind = "sqlite_full" if load.kind == "sqlite" else load.kind
        plays["floor"] = floor_of(floor_module(load.floor), kind, Path(load.place).parent, load.place).turn
    return plays


def _two_trips(store: Store) -> Say:
    """Two EVALSHA over the store's own connections."""
    from hashlib import sha1

    from redis.exceptions import NoScriptError

    from ..store.redis import RedisStore

    if not isinstance(store, RedisStore):
        raise TypeError("round trips are of a RedisStore")
    sha = sha1(_TRIP, usedforsecurity=False).hexdigest()

    async def two(session: str, request: str, text: str) -> None:
        key = f"agent_state:{session}"
        for _ in range(2):
            async with store.call() as server:
                try:
                    await server.ask(key, "EVALSHA", sha, 1, key)
                except NoScriptError:
                    await server.ask(key, "EVAL", _TRIP, 1, key)

    return two


async def _played(load: Load, worker: int, say: Say, name: str, done: Counter, *, keeps: bool) -> Measured:
    todo = load.share(worker, keeps=keeps)
    took_s: list[float] = []

    async def play() -> None:
        for turn, session in todo:
            begun = time.monotonic()
            await say(f"{name}-{session}", f"t{turn}", _TEXT)
            took_s.append(time.monotonic() - begun)
            done.value += 1

    begun, cpu = time.monotonic(), time.process_time()
    await asyncio.gather(*(play() for _ in range(max(1, load.at_once // load.workers))))
    return Measured(begun, time.monotonic(), time.process_time() - cpu, took_s)
