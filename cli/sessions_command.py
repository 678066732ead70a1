"""`maitred sessions`: the sessions of a store."""

import asyncio
import json
from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Column, Table

from .opening import DB_HELP, DEFAULT_DB, open_existing
from .turn_view import wide_console


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(sessions)


def sessions(
    db: Annotated[str, typer.Option(help=DB_HELP, envvar="MAITRED_DB")] = DEFAULT_DB,
    limit: Annotated[int, typer.Option(min=1, help="At most so many, the last touched first.")] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON array.")] = False,
) -> None:
    """List sessions: where each one is, how many turns and log records it has, when it was last touched."""
    store = open_existing(db)
    rows = asyncio.run(store.sessions(limit))
    if as_json:
        typer.echo(json.dumps([asdict(row) for row in rows], default=lambda at: at.isoformat(), ensure_ascii=False))
        return
    table = Table(Column("session", overflow="fold"), "flow", "state", "turns", "records", "last touched")
    for row in rows:
        touched = row.updated_at.strftime("%Y-%m-%d %H:%M:%S %Z") if row.updated_at else ""
        table.add_row(row.session_id, row.flow, row.state, str(row.turn), str(row.records), touched)
    wide_console().print(table if rows else f"{db}: no sessions yet")
