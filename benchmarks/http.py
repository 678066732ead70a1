"""What the service costs: requests a second beside a FastAPI echo, and words of a stream beside the model asked directly.

Real processes on real sockets, the two sides of each comparison in turn, in one run. Called by `cli/http_bench.py`.
"""

import asyncio
import re
import statistics
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
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
        rounds: dict[str, list[tuple[float, float]]] = {name: [] for name in ("echo", *sides)}
        for _ in range(ROUNDS):
            for name, side in sides.items():
                rounds["echo"].append(await _loaded(echo, requests // len(sides)))
                rounds[name].append(await _loaded(side, requests))
                step()
    medians = {name: [statistics.median(column) for column in zip(*rows, strict=True)] for name, rows in rounds.items()}
    echo_cpu = medians["echo"][0]
    return {
        name: {
            "cpu_us": round(cpu * 1e6),
            "per_s_and_core": round(1 / cpu),
            "of_echo": round(echo_cpu / cpu, 3),
            "per_s": round(1 / wall),
        }
        for name, (cpu, wall) in medians.items()
    }


async def _loaded(side: Running, requests: int) -> tuple[float, float]:
    """CPU and wall seconds of a request, over several connections at once; new sessions of some turns each."""
    run = uuid4().hex[:8]

    async def client(name: str) -> None:
        line = await Line.to(side.port)
        for n in range(requests // LINES):
            await line.ask(_turn(f"{run}-{name}-{n // TURNS_A_SESSION}", f"m{n}"))
        line.close()

    await client("warm") if requests > 200 else None
    cpu, wall = side.cpu_s, time.perf_counter()
    await asyncio.gather(*(client(str(n)) for n in range(LINES)))
    count = requests // LINES * LINES
    return (side.cpu_s - cpu) / count, (time.perf_counter() - wall) / count


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
        lines = {name: await Line.to(side.port) for name, (side, _) in ways.items()}
        for name, (_, streamed) in ways.items():
            await _one(lines[name], streamed=streamed)  # warm
        for _ in range(ROUNDS):
            for name, (side, streamed) in ways.items():
                cpu = side.cpu_s
                rows[name] += [await _one(lines[name], streamed=streamed) for _ in range(streams)]
                rows[name][-1]["cpu_ms"] = (side.cpu_s - cpu) * 1000 / streams
            step()
        for line in lines.values():
            line.close()
    return {name: _shown(measured) for name, measured in rows.items()}


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


def _shown(rows: list[dict[str, float]]) -> JsonValue:
    shown: dict[str, JsonValue] = {}
    for name in rows[-1]:
        values = sorted(row[name] for row in rows if name in row)
        shown[name] = round(statistics.median(values), 2)
        if name == "behind_model_ms":
            shown["behind_model_p95_ms"] = round(values[int(len(values) * 0.95)], 2)
    return shown
