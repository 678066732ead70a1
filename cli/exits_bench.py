"""`maitred bench exits` on the command line. Counts nothing itself; registered by `bench_command.py`."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from ..benchmarks.exits import bench_exits


def exits(
    file: Annotated[Path, typer.Option(help="Utterances (JSON lines: lang, text, prev, label, contested).")],
    as_json: Annotated[bool, typer.Option("--json", help="Print only the JSON document.")] = False,
) -> None:
    """Ask the exit detector what each utterance is, and count precision and recall. Misses are told by line only."""
    with Progress(console=Console(stderr=True), transient=True, disable=as_json) as progress:
        task = progress.add_task("utterances", total=None)
        figures = bench_exits(file, lambda done, total: progress.update(task, completed=done, total=total))
    typer.echo(json.dumps(figures, ensure_ascii=False, indent=None if as_json else 2))
