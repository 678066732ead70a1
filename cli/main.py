"""The command line: `maitred demo | chat | new | serve | check | graph | replay | sessions | schema | bench`.

Exit codes: 0 clean, 1 findings (a flow with mistakes, a damaged log, a demo that did not complete), 2 bad input. Errors go to
stderr as one line with their code.
"""

import io
import os
import sys
from importlib import import_module
from typing import Annotated

import typer
from rich.console import Console

from .. import __version__
from ..protocol.errors import MaitredError

COMMANDS = ("demo", "chat", "new", "serve", "check", "graph", "replay", "sessions", "schema", "bench")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"maitred {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """The model orders from the menu; code runs the floor.

    Start with: maitred demo
    """


def build() -> typer.Typer:
    """The application. Each command is a file of its own name with a `register(app)`."""
    app = typer.Typer(
        name="maitred",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    app.callback()(_options)
    for name in COMMANDS:
        import_module(f".{name}_command", __package__).register(app)
    return app


def main() -> None:
    """Entry point of the script `maitred`."""
    for stream in (sys.stdout, sys.stderr):  # a terminal that cannot show a character shows `?`, not a traceback
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        build()()
    except MaitredError as error:
        console = Console(stderr=True, soft_wrap=True, highlight=False)
        console.print(f"error {error.code}: {error}", style="red", markup=False)
        sys.exit(2)
    except BrokenPipeError:  # the reader of our output has gone, say `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        sys.stderr.write(f"error: {error.strerror or error}\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
