"""Where does an event lead from here? The one place that reads the map; `advance` and `fold` both ask it."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from ..protocol.messages import Actor, ToolStatus
from ..protocol.session import PendingCall, PendingConfirmation, Session
from ..protocol.tool_spec import OUTCOME_OF
from .conditions import holds
from .flow import Flow
from .parts import IGNORE, Action, Call
from .rows import RESUME


@dataclass(frozen=True, slots=True)
class Resolved:
    """`target`: the state after the event. `entered`: whether the step is entered (also by a row that leads to itself).
    `forget`: names of session data that the row drops."""

    target: str
    entered: bool
    forget: tuple[str, ...] = ()


def resolve(
    flow: Flow, session: Session, event: str, payload: Mapping[str, JsonValue], actor: Actor
) -> Resolved | None:
    """The row for (state, event) under the data, or None: no such row, or none of its conditions holds."""
    row = flow.rows.get((session.state, event))
    if row is None:
        return None
    scope = condition_scope(session, payload, actor)
    when = next((when for when in row if holds(when.condition, scope)), None)
    if when is None:
        return None
    if when.target == RESUME:
        return Resolved(session.resume_to or flow.initial, entered=True)
    if when.target == IGNORE:
        return Resolved(session.state, entered=False, forget=when.forget)
    return Resolved(when.target, entered=True, forget=when.forget)


def condition_scope(session: Session, payload: Mapping[str, JsonValue], actor: Actor) -> Mapping[str, JsonValue]:
    """What a condition may read: session data, and over it the event's payload; of a tool's return the fields of its result."""
    if actor is not Actor.TOOL:
        return {**session.data, **payload}
    result = payload.get("result")
    return {**session.data, **result} if isinstance(result, dict) else session.data


def outcome_event(flow: Flow, session: Session, call: PendingCall, status: ToolStatus) -> str | None:
    """The event that whoever asked for `call` wants for this ending of it; None: the session stays."""
    caller = caller_of(flow, session, call.origin)
    outcome = OUTCOME_OF[status]
    return None if caller is None else next((event for name, event in caller.on.items() if name == outcome), None)


def caller_of(flow: Flow, session: Session, origin: str | None) -> Action | Call | None:
    """What asks for a tool in this step: the action named `origin`, or for None the step on entry."""
    step = flow.step(session.state)
    return step.action(origin) if origin else step.on_enter


def unconfirmed(flow: Flow, session: Session, event: str, actor: Actor) -> str | None:
    """The action behind `event` that needs the customer's yes and does not have it; None if the event is free to happen.

    Looked up by event, not by proposer: whoever brings it, only a yes to the question that is pending counts, and only the
    machine's `_confirm` makes an event with actor human.
    """
    guarded = [action.name for action in flow.step(session.state).actions if action.confirm and action.event == event]
    if not guarded or _said_yes(session, actor, guarded):
        return None
    return guarded[0]


def unconfirmed_call(flow: Flow, session: Session, origin: str | None, actor: Actor) -> str | None:
    """The same for a tool call that an action asks for."""
    action = flow.step(session.state).action(origin) if origin else None
    if action is None or not action.confirm or _said_yes(session, actor, [action.name]):
        return None
    return action.name


def _said_yes(session: Session, actor: Actor, actions: list[str]) -> bool:
    pending = session.pending
    return actor is Actor.HUMAN and isinstance(pending, PendingConfirmation) and pending.action in actions
