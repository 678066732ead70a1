"""`maitred demo`: plays the example conversation with the real engine, shop and store, a row per turn."""

import asyncio
import json
from pathlib import Path
from typing import Annotated, Literal
from uuid import uuid4

import typer
from pydantic import JsonValue
from rich.console import Console

from ..app.maitred import Maitred
from ..examples.presales.conversation import CONVERSATION
from ..examples.presales.flow import Presales
from ..examples.presales.world import World
from ..protocol.errors import BadRequest
from ..protocol.texts import Lang
from ..protocol.usage import Attempt, Total
from ..statemachine.parts import Terminal
from .model_options import ModelChoice, opened_decider, takes_model, thinking
from .opening import AT_A_TERMINAL, DB_NAMES, open_world, shown
from .turn_view import TurnView, cost_line, header, row, watch, wide_console


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


@takes_model()
def demo(
    lang: Annotated[Literal["en", "zh"] | None, typer.Option(help="Language; en, or that of your messages.")] = None,
    messages: Annotated[Path | None, typer.Option(help="Play these messages instead, one a line.")] = None,
    db: Annotated[
        str | None,
        typer.Option(*DB_NAMES, help="Keep the session there, to look at with `replay`: a SQLite file or a Redis URL."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of the table.")] = False,
    *,
    choice: ModelChoice,
) -> None:
    """Watch a whole conversation, from the first question to a paid order. Needs no model, no key and no server.

    Each turn shows what the customer wrote, the menu, the decision, the moves, and the reply. A simulated bank pays once the
    customer says so. Exits with 1 if the conversation does not end in `completed`. With --model or --local, a real model
    decides, and each turn also shows its tokens and its time.
    """
    lines = _read(messages) if messages else CONVERSATION[lang or "en"]
    console = wide_console()
    session_id = f"demo-{uuid4().hex[:8]}"
    views, equal, records = asyncio.run(_play(session_id, lines, lang, db, choice, None if as_json else console))
    state = next((v.response.state for v in reversed(views) if v.response), "")
    seen = [s for s in Presales if any(s in (m.source_state, m.target_state) for v in views for m in v.moves)]
    done = state == Terminal.COMPLETED and equal
    if as_json:
        turns = [view.as_json() for view in views]
        typer.echo(
            json.dumps(
                {
                    "session": session_id,
                    "state": state,
                    "states_seen": seen,
                    "replay_equal": equal,
                    **({"model": _model(choice.shown, views)} if choice.shown else {}),
                    "turns": turns,
                },
                ensure_ascii=False,
            )
        )
    else:
        if choice.shown:
            console.print(f"{choice.shown}: {cost_line(_attempts(views))}", soft_wrap=True, markup=False)
        _summary(console, session_id, state, seen, len(views), records, equal, db)
    raise typer.Exit(0 if done else 1)


def _attempts(views: list[TurnView]) -> list[Attempt]:
    return [attempt for view in views for attempt in view.attempts]


def _model(name: str, views: list[TurnView]) -> dict[str, JsonValue]:
    return {"name": name, **Total.of(_attempts(views)).as_meta()}


def _read(path: Path) -> tuple[str, ...]:
    try:
        lines = tuple(line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(f"{path}: cannot be read as UTF-8 text: {error}") from error
    if not lines:
        raise BadRequest(f"{path}: holds no messages; write one a line")
    return lines


async def _play(
    session_id: str,
    lines: tuple[str, ...],
    lang: Lang | None,
    db: str | None,
    choice: ModelChoice,
    console: Console | None,
) -> tuple[list[TurnView], bool, int]:
    views: list[TurnView] = []
    async with opened_decider(choice) as decider:
        world = open_world(db)
        async with Maitred(world.flow, store=db or ":memory:", decider=decider, times=AT_A_TERMINAL) as maitred:
            if console:
                header(console, model=choice.shown is not None)
            for line in lines:
                views += await _turn(maitred, world, session_id, line, lang, console, choice)
            checked = await maitred.replay(session_id)
    return views, checked.equal, checked.records


async def _turn(
    maitred: Maitred,
    world: World,
    session_id: str,
    line: str,
    lang: Lang | None,
    console: Console | None,
    choice: ModelChoice,
) -> list[TurnView]:
    """One message, and what the world does after it."""
    before = await maitred.store.load(session_id)
    request = maitred.request(session_id, line, meta={"lang": lang} if lang else None)
    with thinking(console, choice):
        view = await watch(line, maitred.stream(request))
    views = [view]
    if view.response:
        for reply in await world.after_turn(maitred, view.response, before.state if before else ""):
            views.append(await _outside_view(maitred, reply.session_id))
            views[-1].response = reply
    if console:
        for shown in views:
            row(console, shown, model=choice.shown is not None)
    return views


async def _outside_view(maitred: Maitred, session_id: str) -> TurnView:
    """The events that an outside event caused: those of the log behind the last reply but one."""
    checked = await maitred.replay(session_id)
    view = TurnView("(payment callback)")
    for message in reversed(checked.messages[:-1]):
        if message.msg_type == "agent_response":
            break
        if message.msg_type == "state_event":
            view.moves.insert(0, message)
    return view


def _summary(
    console: Console,
    session_id: str,
    state: str,
    seen: list[Presales],
    turns: int,
    records: int,
    equal: bool,
    db: str | None,
) -> None:
    style = "green" if state == Terminal.COMPLETED and equal else "red"
    missing = ", ".join(s for s in Presales if s not in seen)
    console.print(
        f"states: {' → '.join(seen)} → {state}" + (f" (not reached: {missing})" if missing else ""), soft_wrap=True
    )
    kept = f"; look again: maitred replay {session_id} --db {shown(db)}" if db else ""
    console.print(
        f"session {session_id} is in {state} after {turns} turns, {records} log records; "
        f"replay of the log {'equals' if equal else 'DIFFERS FROM'} the snapshot{kept}",
        style=style,
        soft_wrap=True,
    )
