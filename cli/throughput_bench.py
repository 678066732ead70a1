"""`maitred bench throughput` on the command line: options, progress, a table for people."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from ..benchmarks.throughput import bench_throughput
from ..protocol.errors import BadRequest
from ..store.redis_url import CLUSTER, is_redis_url
from .bench_output import AsJson, progress_bar
from .turn_view import wide_console

_MOST_WORKERS = 64


def throughput(
    store: Annotated[
        str | None, typer.Option(metavar="URL", help="A Redis that the workers share. What is written there stays.")
    ] = None,
    workers: Annotated[
        list[str] | None,
        typer.Option(metavar="N", help="Worker processes on that Redis: one run for each number; 2,4 if not said."),
    ] = None,
    sessions: Annotated[int, typer.Option(min=1, help="Sessions, served by turns.")] = 1000,
    at_once: Annotated[int, typer.Option(min=1, help="Turns in flight, of all workers together.")] = 50,
    turns: Annotated[int, typer.Option(min=1, help="Turns of each session, in each of three rounds.")] = 4,
    floor: Annotated[
        Path | None, typer.Option(help="A Python file with Memory(), Sqlite(sync) and Redis(url) to play beside ours.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """How many turns a second? Many sessions by turns, whole turns through the real engine, no model.

    Memory and a SQLite file are measured with one process. With --store, worker processes share a Redis; each turn of a session
    is at another worker than the one before it.

    ours    whole turns, from message to durable reply
    raw     two EVALSHA round trips from the same client, nothing else
    floor   the least that such a turn costs, written by hand (--floor)

    turns/CPU s: for each second of CPU that the workers used. p50 and p99
    are waiting times with that many in flight: half of what you see there
    is the turns before yours. Alone, a turn takes what bench turn says.

    maitred bench throughput --store redis://localhost:6379 --workers 2,4
    """
    if store is not None and not is_redis_url(store):
        raise BadRequest("--store is a Redis URL; memory and SQLite are measured anyway")
    if store and floor and CLUSTER in store.partition("://")[0]:
        raise BadRequest("a floor plays on one Redis, not on a cluster; leave --floor or the cluster out")
    if sessions < 2 * at_once:
        raise BadRequest(
            f"--sessions is at least twice --at-once, {2 * at_once}, so that sessions take turns; got {sessions}"
        )
    with progress_bar("turns", as_json) as show:
        figures = bench_throughput(store, _counts(workers or ["2,4"]), sessions, at_once, turns, floor, show)
    if as_json:
        typer.echo(json.dumps(figures))
    else:
        _print(figures)


def _counts(words: list[str]) -> list[int]:
    numbers = [word.strip() for words_ in words for word in words_.split(",")]
    for number in numbers:
        if not number.isascii() or not number.isdigit() or not 1 <= int(number) <= _MOST_WORKERS:
            raise BadRequest(f"--workers is a number from 1 to {_MOST_WORKERS}, or several with commas; got {number!r}")
    return [int(number) for number in numbers]


def _print(figures: dict[str, dict[str, dict[str, Any]]]) -> None:
    table = Table("store", "workers", "", "turns/s", "turns/CPU s", "CPU us", "p50 ms", "p99 ms")
    for kind, by_workers in figures.items():
        for count, plays in by_workers.items():
            for what, row in plays.items():
                if isinstance(row, dict):
                    table.add_row(kind, count, what, *(f"{value:g}" for value in row.values()))
    wide_console().print(table)
