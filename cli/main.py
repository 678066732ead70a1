"""The command line: `maitred demo | chat | new | check | graph | replay | sessions | schema | bench`.

Exit codes: 0 clean, 1 findings (a flow with mistakes, a damaged log, a demo that did not complete), 2 bad input. Errors go to
stderr as one line with their code.
"""

import sys
from importlib import import_module

import typer
from rich.console import Console

from ..protocol.errors import MaitredError

app = typer.Typer(
    name="maitred",
    help="The model orders from the menu; code runs the floor.\n\nStart with: maitred demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

_COMMANDS = ("demo", "chat", "new", "check", "graph", "replay", "sessions", "schema", "bench")


def _register() -> None:
    """Each command is a file of its own name with a `register(app)`."""
    for name in _COMMANDS:
        import_module(f".{name}_command", __package__).register(app)


def main() -> None:
    """Entry point of the script `maitred`."""
    _register()
    try:
        app()
    except MaitredError as error:
        Console(stderr=True).print(
            f"error {error.code}: {error}", style="red", markup=False, highlight=False, soft_wrap=True
        )
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(0)
