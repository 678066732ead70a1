"""What a changed flow does to the sessions that are in the middle of the one before. Called by `maitred check --against-store`.

A session is pinned to its flow's structure, so every live one of another version needs that version beside the new
(`Maitred(flows=[old, new])`) or a migration. These rules say what would go wrong without, as far as the snapshot tells: the old
flow itself is not at hand. Pure.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

from ..protocol.session import PendingCall, PendingConfirmation, Session
from .findings import data_names, nearest
from .flow import ENDED, Flow
from .migration import carries, migrated, migration_of, strays
from .parts import Migration, Terminal
from .slot_values import BadValue, parse_value

Verdict = Literal["pinned", "strands", "changes", "moves", "elsewhere"]


@dataclass(frozen=True, slots=True)
class StoreFinding:
    """A live session of another version. `moves`: a migration brings it over; without one it is `pinned`: it would fit;
    `changes`: some of it means nothing any more, or something else; or `strands`: it stands where the new flow has no way on.
    `elsewhere`: it belongs to a flow of another name. `reasons`: what does not fit, or what a migration drops."""

    session_id: str
    verdict: Verdict
    version: str
    fingerprint: str
    state: str
    reasons: tuple[str, ...] = ()

    def __str__(self) -> str:
        said = "; ".join(self.reasons) or _UNSAID[self.verdict]
        return (
            f"{self.verdict} {self.session_id} in {self.state} (version {self.version}, {self.fingerprint[:8]}): {said}"
        )


def against_store(flow: Flow, sessions: Iterable[Session]) -> Iterator[StoreFinding]:
    """Live sessions that are not of this version. Ended ones begin anew, under the new flow."""
    for session in sessions:
        if session.fingerprint != flow.fingerprint and session.state not in ENDED:
            verdict, reasons = _judged(flow, session)
            yield StoreFinding(
                session.session_id, verdict, session.flow_version, session.fingerprint, session.state, reasons
            )


_UNSAID = {
    "pinned": "it would fit, and still goes to a human without its own version",
    "moves": "a migration brings it over",
}


def _judged(flow: Flow, session: Session) -> tuple[Verdict, tuple[str, ...]]:
    if session.flow != flow.name:
        return "elsewhere", (f"it belongs to flow {session.flow!r}",)
    if migration := migration_of(flow, session):
        gone = sorted(name for name in session.data if not carries(flow, session, migration, name))
        return "moves", (*(f"{name!r} is dropped" for name in gone), *_goes_on(flow, session, migration))
    stranded, changed = tuple(_stranded(flow, session)), tuple(_changed(flow, session))
    return "strands" if stranded else "changes" if changed else "pinned", stranded + changed


def _goes_on(flow: Flow, session: Session, migration: Migration) -> Iterator[str]:
    """Where it goes on, if not under the name that it had."""
    place = session.resume_to or session.state
    state, kept = migrated(flow, session, migration)
    there = str(kept["resume_to"] or state)
    if there == Terminal.ABANDONED and place not in ENDED:
        yield "it goes to a human, and no step is left to hand it back to"
    if there not in flow.states or there == migration.states.get(place, place):
        return
    known = kept["data"] if isinstance(kept["data"], dict) else {}
    lacking = [name for name, slot in flow.step(there).collects.items() if slot.required and known.get(name) is None]
    yield f"it goes on in {there!r}, which asks for {', '.join(map(repr, lacking))}"


def _stranded(flow: Flow, session: Session) -> Iterator[str]:
    """Where it stands, or where a human would hand it back to, is not in the flow."""
    for migration in flow.migrations:
        if migration.from_version == session.flow_version and (lost := strays(flow, session, migration)):
            yield f"the migration from {migration.from_version!r} does not say where {', '.join(map(repr, lost))} leads"
    places = {"state": session.state, "the state before the human": session.resume_to}
    for what, state in places.items():
        if state is not None and state not in {*flow.states, Terminal.ESCALATED, *ENDED}:
            yield f"{what} {state!r} is not in the flow{nearest(state, flow.states)}"
    pending = session.pending
    if isinstance(pending, PendingCall) and pending.tool not in flow.tools:
        yield f"it waits for tool {pending.tool!r}, which is not in the flow{nearest(pending.tool, flow.tools)}"


def _changed(flow: Flow, session: Session) -> Iterator[str]:
    pending = session.pending
    if isinstance(pending, PendingConfirmation) and pending.action != "leave" and session.state in flow.states:
        action = flow.step(session.state).action(pending.action)
        if action is None or not action.confirm:
            yield f"the customer was asked to confirm {pending.action!r}, which is no confirmed action of {session.state!r}"
    known = data_names(flow)
    for name, value in session.data.items():
        slot = flow.slots.get(name)
        if name not in known:
            yield f"{name!r} is stored, and nothing of the flow is called that"
        elif slot and isinstance(parse_value(slot, value, today=date.min), BadValue):
            yield f"the stored {name!r} does not fit its slot any more"
