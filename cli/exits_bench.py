"""`maitred bench exits` on the command line. Counts nothing itself; registered by `bench_command.py`."""

from pathlib import Path
from typing import Annotated

import typer

from ..benchmarks.exits import bench_exits
from .bench_output import AsJson, print_figures, progress_bar


def exits(
    file: Annotated[Path, typer.Option(help="Utterances (JSON lines: lang, text, prev, label, contested).")],
    as_json: AsJson = False,
) -> None:
    """Ask the exit detector what each utterance is, and count precision and recall. Misses are told by line only."""
    with progress_bar("utterances", as_json) as show:
        figures = bench_exits(file, show)
    print_figures(figures, as_json)
