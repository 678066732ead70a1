"""`maitred check FLOW --against-store DB`: the live sessions that a changed flow would strand or change.

Prints; the rules are the core's (`statemachine/check_store.py`).
"""

import asyncio
import json
from dataclasses import asdict

import typer
from rich.console import Console

from ..protocol.session import Session
from ..statemachine.check_store import StoreFinding, against_store
from .opening import EVERY, open_existing, open_flow

_STYLES = {"strands": "red", "changes": "yellow", "pinned": "dim", "moves": "green", "elsewhere": "dim"}
_FINE = ("moves", "elsewhere")


def check_store(flow: str, db: str, *, as_json: bool) -> int:
    """The exit code."""
    sessions = asyncio.run(_sessions(db))
    found = list(against_store(open_flow(flow).flow, sessions))
    if as_json:
        typer.echo(json.dumps([asdict(finding) for finding in found], ensure_ascii=False))
    else:
        _print(flow, len(sessions), found)
    return 1 if _troubled(found) else 0


def _troubled(found: list[StoreFinding]) -> bool:
    return any(finding.verdict not in _FINE for finding in found)


async def _sessions(db: str) -> list[Session]:
    store = open_existing(db)
    try:
        loaded = [await store.load(row.session_id) for row in await store.sessions(EVERY)]
        return [session for session in loaded if session]
    finally:
        await store.close()


def _print(flow: str, total: int, found: list[StoreFinding]) -> None:
    console = Console(soft_wrap=True, highlight=False)
    for finding in found:
        console.print(str(finding), style=_STYLES[finding.verdict], markup=False)
    counts = ", ".join(f"{sum(f.verdict == verdict for f in found)} {verdict}" for verdict in _STYLES)
    troubled = _troubled(found)
    console.print(f"{flow} against {total} sessions: {counts}", style="red" if troubled else "green", markup=False)
    if troubled:
        console.print(
            "serve the old version beside the new, Maitred(flows=[old, new]), until these have ended; or declare a migration "
            "in the new one; else each goes to a human with its next message",
            style="dim",
            markup=False,
        )
