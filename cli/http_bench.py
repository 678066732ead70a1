"""`maitred bench http` on the command line: options, progress, tables for people."""

import sys
from typing import Annotated

import typer
from pydantic import JsonValue
from rich.table import Table

from ..benchmarks.http import bench_http
from ..protocol.errors import BadRequest
from ..store.redis_url import is_redis_url
from .bench_output import AsJson, print_figures, progress_bar
from .turn_view import wide_console


def http(
    requests: Annotated[int, typer.Option(min=1000, help="Turns for each store, and as many echoes.")] = 10_000,
    streams: Annotated[int, typer.Option(min=10, help="Replies of a model for each way to get them.")] = 200,
    store: Annotated[
        str | None, typer.Option(metavar="URL", help="A Redis to measure, too; what is written there stays.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """What the service costs: turns beside a FastAPI echo, and a stream beside the model asked directly. On Linux.

    turns    CPU of the serving process for a turn (keyword decider, named
             session), turns a second and core, and how much of the echo
             that is; turns a second over 8 connections at once.
    streams  milliseconds until the reply's first word is here, since the
             model wrote that word, and for the whole; CPU of the service.
    """
    if store is not None and not is_redis_url(store):
        raise BadRequest("--store is a Redis URL; memory and SQLite are measured anyway")
    if sys.platform != "linux":
        raise BadRequest("bench http reads the CPU time of other processes, which it can on Linux only")
    with progress_bar("rounds", as_json) as show:
        figures = bench_http(requests, streams, show, store)
    if as_json:
        print_figures(figures, as_json=True)
    else:
        for name, rows in figures.items():
            _print(name, rows)


def _print(name: str, rows: JsonValue) -> None:
    if not isinstance(rows, dict):
        return
    columns = [column for row in rows.values() if isinstance(row, dict) for column in row]
    table = Table(name, *dict.fromkeys(columns))
    for side, row in rows.items():
        if isinstance(row, dict):
            table.add_row(side, *(str(row.get(column, "")) for column in dict.fromkeys(columns)))
    wide_console().print(table)
