"""`maitred sessions`: the sessions of a store; and `export`, `import`, `purge`: out of it, into it, gone from it."""

import asyncio
import json
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated, TextIO

import typer
from rich.table import Column, Table
from rich.text import Text

from ..app.maitred import open_store
from ..protocol.errors import BadRequest
from ..protocol.ports import SessionRow, Store
from .bench_output import progress_bar
from .moving_sessions import chosen, count_whole, read_in, remove, write_out
from .opening import DB_ENV, DB_HELP, DB_NAMES, DEFAULT_DB, open_existing, shown_db
from .turn_view import wide_console

Db = Annotated[str, typer.Option(*DB_NAMES, help=DB_HELP, envvar=DB_ENV)]
Names = Annotated[list[str] | None, typer.Argument(help="Session ids.")]
Before = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"], help="Those not touched since (UTC).")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(app: typer.Typer) -> None:
    """Add the command and what it does besides listing."""
    group = typer.Typer(invoke_without_command=True, rich_markup_mode="rich")
    group.callback()(sessions)
    group.command("export")(export)
    group.command("import")(import_)
    group.command("purge")(purge)
    app.add_typer(group, name="sessions")


def sessions(
    context: typer.Context,
    db: Db = DEFAULT_DB,
    limit: Annotated[int, typer.Option(min=1, help="At most so many, the last touched first.")] = 100,
    as_json: AsJson = False,
) -> None:
    """List sessions: where each one is, how many turns and log records it has, when it was last touched."""
    if context.invoked_subcommand:
        return
    rows = asyncio.run(_listed(db, limit))
    if as_json:
        typer.echo(json.dumps([asdict(row) for row in rows], default=lambda at: at.isoformat(), ensure_ascii=False))
        return
    table = Table(Column("session", overflow="fold"), "flow", "state", "turns", "records", "last touched")
    for row in rows:
        touched = row.updated_at.strftime("%Y-%m-%d %H:%M:%S %Z") if row.updated_at else ""
        cells = (row.session_id, row.flow, row.state, str(row.turn), str(row.records), touched)
        table.add_row(*(Text(cell) for cell in cells))  # an id may look like markup
    wide_console().print(table if rows else f"{shown_db(db)}: no sessions yet")


def export(
    names: Names = None,
    every: Annotated[bool, typer.Option("--all", help="All sessions.")] = False,
    before: Before = None,
    out: Annotated[Path | None, typer.Option(help="File to write; standard output if not given.")] = None,
    db: Db = DEFAULT_DB,
) -> None:
    """Write whole sessions as JSON lines: snapshot, log, answered requests. `sessions import` reads them, into any store.

    One that somebody is in (or whose turn was interrupted, until its next message) is left out, and the exit code is 1 then.
    """
    if [bool(names), every, before is not None].count(True) != 1:
        raise BadRequest("export takes session ids, --all, or --before DATE")
    if out and out.exists():
        raise BadRequest(f"{out} is there already; export writes a new file")
    busy = asyncio.run(_export(db, names or [], every, before, out))
    if busy:
        typer.echo(f"left out, for somebody is in: {', '.join(busy)}", err=True)
    raise typer.Exit(1 if busy else 0)


def import_(
    file: Annotated[Path, typer.Argument(help="What `sessions export` wrote; - for standard input.")],
    db: Db = DEFAULT_DB,
    as_json: AsJson = False,
) -> None:
    """Put exported sessions into a store, where they go on as if they had always been there.

    The file is checked as a whole first; a session that the store has already is left as it is, and the exit code is 1 then.
    """
    try:
        with _read_twice(file) as lines:
            total = count_whole(lines, str(file))
            moved, there = asyncio.run(_import(db, lines, str(file), total, as_json))
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(f"{file} cannot be read: {type(error).__name__}") from error
    if as_json:
        typer.echo(json.dumps({"imported": moved, "already_there": there}))
    else:
        typer.echo(f"{shown_db(db)}: {len(moved)} imported" + (f"; already there: {', '.join(there)}" if there else ""))
    raise typer.Exit(1 if there else 0)


def purge(
    names: Names = None,
    before: Before = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    db: Db = DEFAULT_DB,
    as_json: AsJson = False,
) -> None:
    """Remove sessions for good, log and all: by id, or all that were not touched since a date.

    A session that somebody is in is left, and the exit code is 1 then.
    """
    if bool(names) == (before is not None):
        raise BadRequest("purge takes session ids, or --before DATE")
    gone, busy = asyncio.run(_purge(db, names or [], before, yes, as_json))
    if as_json:
        typer.echo(json.dumps({"purged": gone, "busy": busy}))
    else:
        typer.echo(f"{shown_db(db)}: {len(gone)} purged" + (f"; somebody is in: {', '.join(busy)}" if busy else ""))
    raise typer.Exit(1 if busy else 0)


@asynccontextmanager
async def _store(db: str, *, new: bool = False) -> AsyncIterator[Store]:
    store = open_store(db) if new else open_existing(db)
    try:
        yield store
    finally:
        await store.close()


async def _listed(db: str, limit: int) -> Sequence[SessionRow]:
    async with _store(db) as store:
        return await store.sessions(limit)


async def _export(db: str, names: Sequence[str], every: bool, before: datetime | None, out: Path | None) -> list[str]:
    async with _store(db) as store:
        wanted = await chosen(store, names, every=every, before=before)
        with (
            _new_file(out) if out else nullcontext(sys.stdout) as file,
            progress_bar("export", as_json=False) as progress,
        ):
            return await write_out(store, wanted, file, progress)


@contextmanager
def _new_file(path: Path) -> Iterator[TextIO]:
    """Gone again, if it does not become whole."""
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            yield file
    except BaseException:
        path.unlink(missing_ok=True)
        raise


@contextmanager
def _read_twice(file: Path) -> Iterator[TextIO]:
    """Its lines end at a line feed only: JSON may hold other separators."""
    if str(file) != "-":
        with file.open(encoding="utf-8", newline="\n") as lines:
            yield lines
        return
    with tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n") as lines:
        shutil.copyfileobj(sys.stdin, lines)
        yield lines


async def _import(db: str, lines: TextIO, source: str, total: int, as_json: bool) -> tuple[list[str], list[str]]:
    async with _store(db, new=True) as store:
        with progress_bar("import", as_json) as progress:
            return await read_in(store, lines, source, total, progress)


async def _purge(
    db: str, names: Sequence[str], before: datetime | None, yes: bool, as_json: bool
) -> tuple[list[str], list[str]]:
    async with _store(db) as store:
        wanted = await chosen(store, names, before=before)
        if wanted and not yes:
            typer.confirm(f"Remove {len(wanted)} session(s) from {shown_db(db)} for good?", abort=True, err=True)
        with progress_bar("purge", as_json) as progress:
            return await remove(store, wanted, progress)
