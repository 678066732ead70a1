"""migration: a session of an older version as it goes on under this flow. Values in, values out.

Asked by `runtime/flows.py` (may it go on?), by the machine (the event `flow_changed` carries the whole session as it is then, so
that a log can be folded from there on without the older flow) and by `check_store.py`.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

from pydantic import JsonValue

from ..protocol.session import PendingCall, Session
from .findings import data_names
from .flow import ENDED, Flow
from .parts import Migration, Terminal
from .slot_values import BadValue, parse_value
from .ways import passed_before

CARRIED = (
    "lang", "lang_doubt", "episode", "episode_turns", "turns_before", "data", "meta", "last_tool", "invalid", "resume_to",
    "agreed", "done", "calls",
)  # fmt: skip
"""What a session keeps of itself. Everything else begins anew: an open question is asked again, no tool's answer stands."""


def migration_of(flow: Flow, session: Session) -> Migration | None:
    """The declared way from the session's version to this one, if there is one and it leads somewhere.

    None while a tool call is open: only the older version knows what its end would mean.
    """
    declared = next((m for m in flow.migrations if m.from_version == session.flow_version), None)
    if session.flow != flow.name or declared is None or isinstance(session.pending, PendingCall):
        return None
    return None if strays(flow, session, declared) else declared


def strays(flow: Flow, session: Session, migration: Migration) -> list[str]:
    """Names of states of the session that lead to none of this flow."""
    known = {*flow.states, Terminal.ESCALATED, None}
    places = {session.state: known, session.resume_to: known | ENDED}  # a human may have one that had ended
    return [str(place) for place, fit in places.items() if migration.states.get(str(place), place) not in fit]


def migrated(flow: Flow, session: Session, migration: Migration) -> tuple[str, dict[str, JsonValue]]:
    """The state that the session goes on in, and what it keeps (the fields of `CARRIED`)."""
    kept: dict[str, Any] = session.model_dump(mode="json", include=set(CARRIED))
    kept["data"] = {
        _new_name(migration, name): _as_slot_has_it(flow, _new_name(migration, name), value)
        for name, value in sorted(session.data.items(), key=lambda item: item[0] in migration.data)
        if carries(flow, session, migration, name)
    }  # two that come under one name: what is said to, by the migration, counts
    if session.resume_to is not None:
        place = migration.states.get(session.resume_to, session.resume_to)
        kept["resume_to"] = _asking(flow, session, place, kept["data"])
    if session.last_tool:
        name = _new_name(migration, session.last_tool[0])
        kept["last_tool"] = [name, session.last_tool[1].value] if name in kept["data"] else None
    state = _asking(flow, session, migration.states.get(session.state, session.state), kept["data"])
    if state == Terminal.ESCALATED and kept["resume_to"] in (None, Terminal.ESCALATED):
        kept["resume_to"] = (
            Terminal.ABANDONED.value
        )  # no step is left of what it did; from the first one it would be done again
    return state, kept


def _asking(flow: Flow, session: Session, state: str, data: Mapping[str, object]) -> str:
    """`state`, or the first step on every way to it that lacks a value by now and asks for it.

    Not behind an agreement, an effect or an event from outside: who goes back there does it twice.
    """
    if state not in flow.states or session.agreed or session.done:
        return state
    return next((step for step in passed_before(flow, state) if _lacks(flow, step, data)), state)


def _lacks(flow: Flow, state: str, data: Mapping[str, object]) -> bool:
    """Whether the step completes by slots, and one that it must have is not there."""
    step = flow.step(state)
    return bool(step.complete) and any(slot.required and data.get(name) is None for name, slot in step.collects.items())


def carries(flow: Flow, session: Session, migration: Migration, name: str) -> bool:
    """Whether what the session holds under `name` still means something: the flow knows it, and its slot takes the value."""
    new = _new_name(migration, name)
    slot = flow.slots.get(new)
    fits = slot is None or not isinstance(parse_value(slot, session.data[name], today=date.min), BadValue)
    return new in data_names(flow) and fits


def _as_slot_has_it(flow: Flow, name: str, value: JsonValue) -> JsonValue:
    """A slot whose type has changed holds what it was told before in the type that it has now: conditions compare it."""
    if name not in flow.slots:
        return value
    parsed = parse_value(flow.slots[name], value, today=date.min)
    return value if isinstance(parsed, BadValue) else parsed


def _new_name(migration: Migration, name: str) -> str:
    return migration.data.get(name, name) or ""
