"""`maitred replay --all`: are all sessions of a store whole? One line for each that is not, and the counts.

Sessions of another flow, or of another version of it, cannot be judged by this one: they are counted apart, by version.
"""

import asyncio
import json
from collections import Counter
from dataclasses import dataclass, field

import typer
from rich.console import Console
from rich.progress import track

from ..app.maitred import Maitred
from ..statemachine.replay import Replay
from .opening import EVERY, EXAMPLE, open_existing, open_flow


@dataclass
class Checked:
    """`others`: sessions that this flow cannot judge, by flow, version and fingerprint."""

    equal: int = 0
    records: int = 0
    broken: list[Replay] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)


def replay_all(db: str, flow: str | None, *, as_json: bool) -> int:
    """Check them, print what was found; the exit code."""
    checked = asyncio.run(_check(db, flow or EXAMPLE, quiet=as_json))
    if as_json:
        typer.echo(json.dumps(_as_json(checked), ensure_ascii=False))
    else:
        _print(checked)
    return 0 if _is_fine(checked) else 1


def _is_fine(checked: Checked) -> bool:
    """Nothing broken, and something looked at: sessions of other flows alone are no proof of anything."""
    return not checked.broken and bool(checked.equal or not checked.others)


async def _check(db: str, flow: str, *, quiet: bool) -> Checked:
    checked = Checked()
    async with Maitred(open_flow(flow).flow, store=open_existing(db)) as maitred:
        rows = await maitred.sessions(EVERY)
        console = Console(stderr=True)
        for row in track(rows, "replaying", console=console, transient=True, disable=quiet or not console.is_terminal):
            session = await maitred.session(row.session_id)
            if session.fingerprint != maitred.flow.fingerprint:
                checked.others[f"{session.flow} {session.flow_version} ({session.fingerprint[:8]})"] += 1
                continue
            found = await maitred.replay(row.session_id)
            checked.records += found.records
            checked.equal += found.equal
            checked.broken += [] if found.equal else [found]
    return checked


def _as_json(checked: Checked) -> dict[str, object]:
    return {
        "sessions": checked.equal + len(checked.broken),
        "records": checked.records,
        "equal": checked.equal,
        "broken": [{"session": b.session_id, "record": b.record, "problem": b.problem} for b in checked.broken],
        "other_flows": dict(checked.others),
    }


def _print(checked: Checked) -> None:
    console = Console(soft_wrap=True, highlight=False)
    for broken in checked.broken:
        console.print(f"{broken.session_id}: {broken.problem}", style="red", markup=False)
    for name, count in checked.others.items():
        console.print(f"not judged: {count} of flow {name}; say where it is with --flow", style="yellow", markup=False)
    judged = checked.equal + len(checked.broken)
    whole = f"chain, legality and snapshot hold in {checked.equal} of {judged} sessions, {checked.records} records"
    console.print(whole if judged else "no session was judged", style="green" if _is_fine(checked) else "red")
