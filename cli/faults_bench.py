"""`maitred bench faults` on the command line: options, progress, the document."""

import json
import random
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, TaskID

from ..protocol.errors import BadRequest


def faults(
    seed: Annotated[int | None, typer.Option(help="Of all chances; drawn and printed if none is given.")] = None,
    scale: Annotated[float, typer.Option(help="1 is the full proof; 0.01 takes some ten seconds.")] = 1.0,
    store: Annotated[str, typer.Option(help="The kind of store to hurt: sqlite or redis.")] = "sqlite",
    as_json: Annotated[bool, typer.Option("--json", help="Print only the JSON document.")] = False,
) -> None:
    """Kill, stop, cancel, cut and double turns on real files and processes, and audit. Exits with 1 on a violation."""
    try:
        from ..benchmarks.faults.run import bench_faults
    except ModuleNotFoundError as error:
        raise BadRequest(f"bench faults needs {error.name}: pip install 'maitred[faults]'") from error
    seed = random.randrange(2**32) if seed is None else seed
    console = Console(stderr=True)
    if not as_json:
        console.print(f"seed {seed}")
    # No thread that refreshes: this process forks.
    with Progress(console=console, transient=True, auto_refresh=False, disable=as_json) as progress:
        tasks: dict[str, TaskID] = {}

        def show(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = progress.add_task(what)
            progress.update(tasks[what], completed=done, total=total, refresh=True)

        report = bench_faults(seed, scale, store, show)
    typer.echo(json.dumps(report.figures, indent=None if as_json else 2))
    for problem in (*report.violations, *(f"mutant {name!r} was not caught" for name in report.escaped)):
        typer.echo(problem, err=True)
    raise typer.Exit(1 if report.violations or report.escaped else 0)
