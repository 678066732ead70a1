"""`maitred bench`: the benchmark harness."""

from pathlib import Path
from typing import Annotated

import typer

from ..benchmarks.malformed import bench_malformed
from ..benchmarks.star import bench_star
from ..benchmarks.tau import bench_tau
from ..examples.presales.world import World
from ..protocol.errors import BadRequest
from .bench_output import AsJson, print_figures, progress_bar
from .conversations_bench import conversations
from .exits_bench import exits
from .faults_bench import faults
from .http_bench import http
from .menus_bench import menus
from .throughput_bench import throughput
from .turn_bench import growth, turn

bench = typer.Typer(help="Measure maitred.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(bench, name="bench")


@bench.callback()
def _group() -> None:
    """Measure maitred."""


bench.command()(conversations)
bench.command()(turn)
bench.command()(growth)
bench.command()(throughput)
bench.command()(exits)
bench.command()(faults)
bench.command()(menus)
bench.command()(http)


@bench.command()
def star(
    machines: Annotated[Path, typer.Option(help="STAR task graphs (JSON).")],
    dialogues: Annotated[Path, typer.Option(help="STAR dialogues (JSON lines, may be gzipped).")],
    as_json: AsJson = False,
) -> None:
    """Turn the STAR graphs into flows by one converter and walk the real dialogues through the real engine."""
    for path in (machines, dialogues):
        if not path.is_file():
            raise BadRequest(f"no file {str(path)!r}")
    with progress_bar("dialogues", as_json) as show:
        figures = bench_star(machines, dialogues, show)
    print_figures(figures, as_json)


@bench.command()
def malformed(
    file: Annotated[Path, typer.Option(help="Rows of text that is not quite JSON (JSON lines: text, expected, kind).")],
    as_json: AsJson = False,
) -> None:
    """Send damaged decisions over HTTP, 1, 2 and 3 in a row, and count what comes of them. Exits with 1 on a finding."""
    with progress_bar("cases", as_json) as show:
        figures = bench_malformed(file, World, show)
    print_figures(figures, as_json)
    raise typer.Exit(1 if figures["findings"] else 0)


@bench.command()
def tau(
    cases: Annotated[Path, typer.Option(help="tau-bench cases (JSON lines: id, actions, writes).")],
    tools: Annotated[Path, typer.Option(help="Their tools (JSON: domain -> name and JSON Schema of each).")],
    as_json: AsJson = False,
) -> None:
    """Make tau-bench's gold writes, and the same in a wrong state and without a yes. Exits with 1 if one of those happened."""
    with progress_bar("cases", as_json) as show:
        figures = bench_tau(cases, tools, show)
    print_figures(figures, as_json)
    raise typer.Exit(1 if figures["not_rejected"] or figures["illegal_moves"] else 0)
