"""`maitred graph`: a picture of a flow, from the flow itself."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from ..app.graph_svg import svg
from ..protocol.errors import BadRequest
from ..statemachine.render import mermaid
from .opening import EXAMPLE, FLOW_HELP, open_flow


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(graph)


def graph(
    flow: Annotated[str, typer.Argument(help=FLOW_HELP)] = EXAMPLE,
    form: Annotated[
        Literal["mermaid", "svg"] | None, typer.Option("--format", help="svg needs the extra `maitred\\[svg]`.")
    ] = None,
    lang: Annotated[Literal["en", "zh"], typer.Option(help="Language of the labels.")] = "en",
    built_in: Annotated[
        bool, typer.Option(help="Also draw the rows that every flow has (human, leave, expiry).")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Write to this file instead of printing.")] = None,
) -> None:
    """Draw a flow: states, events, conditions, ends."""
    loaded = open_flow(flow).flow
    wants_svg = form == "svg" or (form is None and out is not None and out.suffix == ".svg")
    text = svg(loaded, lang, built_in) if wants_svg else mermaid(loaded, lang, built_in)
    if out is None:
        typer.echo(text)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadRequest(f"{out}: cannot be written: {error}") from error
    typer.echo(f"wrote {out}")
