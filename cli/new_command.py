"""`maitred new`: writes a small flow that runs, to be changed into one's own."""

import re
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from ..protocol.errors import BadRequest

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,40}\Z")
_FILES = {"flow.yaml": "new_flow.yaml", "tools.py": "new_tools.txt"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(new)


def new(
    name: Annotated[
        str, typer.Argument(help="Name of the flow, and of the folder that is made: small letters, digits, - and _.")
    ],
) -> None:
    """Write a flow of your own: NAME/flow.yaml with three steps in English and Chinese, and NAME/tools.py with one tool."""
    if not _NAME.match(name):
        raise BadRequest(
            f"a flow's name starts with a small letter and holds small letters, digits, - and _; got {name!r}"
        )
    folder = Path(name)
    if folder.exists():
        raise BadRequest(f"{name}/ is there already; choose another name, or remove it")
    try:
        folder.mkdir()
        for target, template in _FILES.items():
            text = files(__package__).joinpath("templates", template).read_text(encoding="utf-8")
            (folder / target).write_text(text.replace("FLOW_NAME", name), encoding="utf-8")
    except OSError as error:
        raise BadRequest(f"{name}/ cannot be written: {error}") from error
    typer.echo(f"wrote {name}/flow.yaml and {name}/tools.py\n")
    typer.echo(f"  maitred check {name}\n  maitred graph {name}\n  maitred chat --flow {name} --why")
