"""What the service costs: requests a second beside a FastAPI echo, and words of a stream beside the model asked directly.

Real processes on real sockets, the two sides of each comparison in turn, in one run. Called by `cli/http_bench.py`.
"""

import asyncio
import re
import statistics
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from uuid import uuid4

from pydantic import JsonValue

from .http_load import Line, Part, request_of
from .http_processes import Running, program, service
from .turn import TURNS_A_SESSION

ROUNDS = 5
LINES = 8
"""Connections at once, for requests a second; a stream is measured alone."""
Progress = Callable[[int, int], None]
_MARK = re.compile(rb"@(\d+)@")


def bench_http(
    requests: int, streams: int, progress: Progress = lambda done, all_: None, redis: str | None = None
) -> dict[str, JsonValue]:
    """`requests`: for each store and the echo; `streams`: for each way. `redis`: URL of a server; what is written there stays."""
    stores = {"memory": ":memory:", "sqlite": "http.db", **({"redis": redis} if redis else {})}
    steps, done = ROUNDS * (len(stores) + 1), 0

    def step() -> None:
        nonlocal done
        done += 1
        progress(done, steps)

    turns = asyncio.run(_turns(stores, requests // ROUNDS, step))
    return {"turns": turns, "streams": asyncio.run(_streams(streams // ROUNDS, step))}


async def _turns(stores: Mapping[str, str], requests: int, step: Callable[[], None]) -> dict[str, JsonValue]:
    with ExitStack() as running:
        echo = running.enter_context(program(["-m", "maitred.benchmarks.http_echo"]))
        sides = {name: running.enter_context(service(place, "ring")) for name, place in stores.items()}
        spent = {name: Spent() for name in ("echo", *sides)}
        for _ in range(ROUNDS):
            for name, side in sides.items():
                await _load(echo, requests // len(sides), spent["echo"])
                await _load(side, requests, spent[name])
                step()
    return {
        name: {
            "cpu_us": round(one.cpu_s / one.requests * 1e6),
            "per_s_and_core": round(one.requests / one.cpu_s),
            "of_echo": round(spent["echo"].cpu_s / spent["echo"].requests * one.requests / one.cpu_s, 3),
            "per_s": round(one.requests / one.wall_s),
        }
        for name, one in spent.items()
    }


@dataclass(slots=True)
class Spent:
    """What requests have cost so far."""

    requests: int = 0
    cpu_s: float = 0.0
    wall_s: float = 0.0


async def _load(side: Running, requests: int, spent: Spent) -> None:
    """Over several connections at once; new sessions of some turns each."""
    run, each = uuid4().hex[:8], max(1, requests // LINES)

    async def client(name: str) -> None:
        line = await Line.to(side.port)
        for n in range(each):
            await line.ask(_turn(f"{run}-{name}-{n // TURNS_A_SESSION}", f"m{n}"))
        line.close()

    cpu, wall = side.cpu_s, time.perf_counter()
    await asyncio.gather(*(client(str(n)) for n in range(LINES)))
    spent.requests += each * LINES
    spent.cpu_s += side.cpu_s - cpu
    spent.wall_s += time.perf_counter() - wall


def _turn(session: str, message: str, **fields: object) -> bytes:
    body = {"model": "ring", "messages": [{"role": "user", "content": "please go on with it"}], **fields}
    return request_of(body, x_conversation_id=session, x_message_id=message)


async def _streams(streams: int, step: Callable[[], None]) -> dict[str, JsonValue]:
    with ExitStack() as running:
        model = running.enter_context(program(["-m", "maitred.benchmarks.http_model"]))
        asked = ("--model", "m", "--base-url", f"http://127.0.0.1:{model.port}/v1")
        plain = running.enter_context(service(":memory:", "ring", *asked))
        checked = running.enter_context(service(":memory:", "ring_with_facts", *asked))
        ways = {
            "model": (model, True),
            "answer": (plain, True),
            "answer_with_facts": (checked, True),
            "not_streamed": (plain, False),
            "model_not_streamed": (model, False),
        }
        rows: dict[str, list[dict[str, float]]] = {name: [] for name in ways}
        cpu: dict[str, float] = dict.fromkeys(ways, 0.0)
        for _ in range(ROUNDS):
            for name, (side, streamed) in ways.items():
                line = await Line.to(
                    side.port
                )  # anew, for a service closes one that waits while the others are measured
                await _one(line, streamed=streamed)  # warm
                before = side.cpu_s
                rows[name] += [await _one(line, streamed=streamed) for _ in range(streams)]
                cpu[name] += side.cpu_s - before
                line.close()
            step()
    return {name: {**_medians(all_), "cpu_ms": round(cpu[name] * 1000 / len(all_), 1)} for name, all_ in rows.items()}


async def _one(line: Line, *, streamed: bool) -> dict[str, float]:
    """Milliseconds of one request of a new session."""
    request = _turn(uuid4().hex, "m1", **({"stream": True} if streamed else {}))
    began = time.monotonic_ns()
    parts = await line.ask(request)
    first, written = _first_word(parts)
    return {
        "first_word_ms": (first - began) / 1e6,
        "behind_model_ms": (first - written) / 1e6,
        "whole_ms": (parts[-1].at_ns - began) / 1e6,
    }


def _first_word(parts: list[Part]) -> tuple[int, int]:
    """When the first word of the reply was here, and when the model wrote it."""
    for part in parts:
        if found := _MARK.search(part.data):
            return part.at_ns, int(found[1])
    raise ValueError(f"no word of the model in {b''.join(part.data for part in parts)[:300]!r}")


def _medians(rows: list[dict[str, float]]) -> dict[str, JsonValue]:
    late = sorted(row["behind_model_ms"] for row in rows)[int(len(rows) * 0.95)]
    medians = {name: round(statistics.median(row[name] for row in rows), 2) for name in rows[0]}
    return {**medians, "behind_model_p95_ms": round(late, 2)}
