"""`maitred bench turn` and `bench growth` on the command line: options, progress, a table for people."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from ..benchmarks.turn import bench_growth, bench_turn
from ..protocol.errors import BadRequest
from ..store.redis_url import is_redis_url
from .bench_output import AsJson, progress_bar
from .turn_view import wide_console


def turn(
    turns: Annotated[int, typer.Option(min=50, help="Turns to measure per kind of store.")] = 2000,
    floor: Annotated[
        Path | None, typer.Option(help="A Python file with Memory() and Sqlite(sync) to compare with, instead of ours.")
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="A Redis to measure, too, with a floor that has one; what is written there stays.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """CPU and wall time of a whole turn without a model, beside a floor written by hand, in one run."""
    if store is not None and not is_redis_url(store):
        raise BadRequest("--store is a Redis URL; memory and SQLite are measured anyway")
    with progress_bar("rounds", as_json) as show:
        figures = bench_turn(turns, floor, show, store)
    _print(figures, as_json)


def growth(
    turns: Annotated[int, typer.Option(min=10, help="Turns of one session.")] = 1000, as_json: AsJson = False
) -> None:
    """Does a long session cost more? CPU and bytes per turn at its 10th, 100th and 1,000th turn."""
    with progress_bar("turns", as_json) as show:
        figures = bench_growth(turns, show)
    _print(figures, as_json)


def _print(figures: dict[str, dict[str, float]], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(figures))
        return
    columns = list(next(iter(figures.values())))
    table = Table("", *columns)
    for name, row in figures.items():
        table.add_row(name, *(f"{row[column]:g}" for column in columns))
    wide_console().print(table)
