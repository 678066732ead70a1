"""What the bench commands share at a terminal: the option --json, a bar while they work, the figures as JSON."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated

import typer
from pydantic import JsonValue
from rich.console import Console
from rich.progress import Progress

AsJson = Annotated[bool, typer.Option("--json", help="Print only the JSON document.")]


@contextmanager
def progress_bar(what: str, as_json: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, unless a program reads. Yields what is to be told (done, total)."""
    with Progress(console=Console(stderr=True), transient=True, disable=as_json) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def print_figures(figures: Mapping[str, JsonValue], as_json: bool) -> None:
    """One line for programs, indented for people."""
    typer.echo(json.dumps(figures, ensure_ascii=False, indent=None if as_json else 2))
