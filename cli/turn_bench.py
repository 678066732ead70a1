"""`maitred bench turn` and `bench growth` on the command line: options, progress, a table for people."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from ..benchmarks.turn import bench_growth, bench_turn
from .turn_view import wide_console

AsJson = Annotated[bool, typer.Option("--json", help="Print only the JSON document.")]


def turn(
    turns: Annotated[int, typer.Option(min=50, help="Turns to measure per kind of store.")] = 2000,
    floor: Annotated[
        Path | None, typer.Option(help="A Python file with Memory() and Sqlite(sync) to compare with, instead of ours.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """CPU and wall time of a whole turn without a model, beside a floor written by hand, in one run."""
    with _progress("rounds", as_json) as show:
        figures = bench_turn(turns, floor, show)
    _print(figures, as_json)


def growth(
    turns: Annotated[int, typer.Option(min=10, help="Turns of one session.")] = 1000, as_json: AsJson = False
) -> None:
    """Does a long session cost more? CPU and bytes per turn at its 10th, 100th and 1,000th turn."""
    with _progress("turns", as_json) as show:
        figures = bench_growth(turns, show)
    _print(figures, as_json)


@contextmanager
def _progress(what: str, as_json: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, unless a program reads."""
    with Progress(console=Console(stderr=True), transient=True, disable=as_json) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _print(figures: dict[str, dict[str, float]], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(figures))
        return
    columns = list(next(iter(figures.values())))
    table = Table("", *columns)
    for name, row in figures.items():
        table.add_row(name, *(f"{row[column]:g}" for column in columns))
    wide_console().print(table)
