"""`maitred check`: what is wrong with a flow, before a customer finds out."""

import json
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console

from ..app.flow_loading import flow_findings
from .check_store import check_store
from .opening import EXAMPLE, EXAMPLE_REF, FLOW_HELP

_STYLES = {"error": "red", "warning": "yellow", "note": "dim"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(check)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def check(
    flow: Annotated[str, typer.Argument(help=FLOW_HELP)] = EXAMPLE,
    against_store: Annotated[
        str | None,
        typer.Option(
            metavar="DB",
            help="Instead: what becomes of live sessions that began under another version.",
        ),
    ] = None,
    notes: Annotated[bool, typer.Option(help="Show notes too (facts worth knowing).")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON array of findings.")] = False,
) -> None:
    """Find mistakes in a flow: unknown states, events nobody can propose, states without a way in or out, tool outcomes
    without a row, ambiguous rows, labels that hold conditions, templates that nothing fills, tools that get no arguments.

    Exits with 1 if there are errors or warnings. With `--against-store` it lists the sessions that are in the middle of another
    version: `strands`, `changes` or `pinned` (would fit); exits with 1 if there is any, for without that version none is served.
    """
    if against_store is not None:
        raise typer.Exit(check_store(flow, against_store, as_json=as_json))
    found = [f for f in flow_findings(EXAMPLE_REF if flow == EXAMPLE else flow) if notes or f.severity != "note"]
    wrong = [f for f in found if f.severity != "note"]
    if as_json:
        typer.echo(json.dumps([asdict(f) for f in found], ensure_ascii=False))
    else:
        console = Console(soft_wrap=True, highlight=False)
        for finding in found:
            console.print(str(finding), style=_STYLES[finding.severity], markup=False)
        counts = ", ".join(_count(sum(f.severity == s for f in found), s) for s in _STYLES)
        console.print(f"{flow}: {counts}", style="red" if wrong else "green", markup=False)
    raise typer.Exit(1 if wrong else 0)
