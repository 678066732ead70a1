"""`maitred replay`: walk a session's log again and say whether it is whole; with `--all` every session's of a store."""

import asyncio
import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..protocol.errors import BadRequest
from ..protocol.messages import StateEvent
from ..statemachine.replay import Replay
from .opening import DB_ENV, DB_HELP, DB_NAMES, DEFAULT_DB, FLOW_HELP, flow_of_session, open_existing
from .replay_all import replay_all
from .turn_view import wide_console


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(replay)


def replay(
    session: Annotated[str | None, typer.Argument(help="Session id; `maitred sessions` lists them.")] = None,
    db: Annotated[str, typer.Option(*DB_NAMES, help=DB_HELP, envvar=DB_ENV)] = DEFAULT_DB,
    flow: Annotated[str | None, typer.Option(help=FLOW_HELP)] = None,
    every: Annotated[bool, typer.Option("--all", help="Check every session of the store.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Each move of a session with who caused it and why; then whether the hash chain holds, every move is legal under the flow,
    and the log rebuilds the stored snapshot byte for byte. Exits with 1 and names the record if not.

    `--all` says it of every session and names those that do not hold.
    """
    if every == (session is not None):
        raise BadRequest("replay takes a session id, or --all for every session of the store")
    if session is None:
        raise typer.Exit(replay_all(db, flow, as_json=as_json))
    checked, late = asyncio.run(_check(session, db, flow))
    if as_json:
        typer.echo(json.dumps({**_as_json(checked), "late": late}, ensure_ascii=False))
    else:
        _print(checked, late)
    raise typer.Exit(0 if checked.equal else 1)


async def _check(session: str, db: str, flow: str | None) -> tuple[Replay, list[Any]]:
    store = open_existing(db)
    try:
        checked = await (await flow_of_session(store, db, session, flow)).replay(session)
        return checked, [json.loads(result) for result in await store.late(session)]
    finally:
        await store.close()


def _as_json(checked: Replay) -> dict[str, Any]:
    moves = [move.model_dump(mode="json", exclude={"session_id", "msg_type", "meta"}) for move in checked.moves]
    return {
        "session": checked.session_id,
        "records": checked.records,
        "equal": checked.equal,
        "problem": checked.problem,
        "record": checked.record,
        "moves": moves,
    }


def _print(checked: Replay, late: list[Any]) -> None:
    console = wide_console()
    table = Table("seq", "time", "event", "from → to", "who", "why", box=None, padding=(0, 1))
    for move in checked.moves:
        table.add_row(*(Text(cell) for cell in _cells(move)))
    console.print(table)
    for result in late:
        told = result.get("error") or _short(result.get("result"))
        ended = f"call {result['call_id']} of {result['tool']} ended as {result['status']} ({told})"
        console.print(f"late: {ended} when another worker had the turn", style="yellow", markup=False)
    _verdict(console, checked)


def _cells(move: StateEvent) -> tuple[str, ...]:
    where = (
        move.source_state if move.source_state == move.target_state else f"{move.source_state} → {move.target_state}"
    )
    details = ", ".join(f"{k}={_short(v)}" for k, v in move.payload.items() if k not in ("call_id", "key"))
    why = "; ".join(part for part in (move.reason, details) if part)
    return str(move.event_seq), move.timestamp.strftime("%H:%M:%S"), move.event, where, move.actor.value, why


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _verdict(console: Console, checked: Replay) -> None:
    if checked.equal:
        message = f"{checked.records} records: the chain holds, every move is legal, and the log equals the snapshot"
        console.print(message, style="green")
    else:
        console.print(str(checked.problem), style="red", markup=False)
