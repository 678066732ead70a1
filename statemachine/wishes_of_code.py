"""Wishes of code: guards, ladder, tools, timer, the outside and humans. Each is a small function of the run."""

from collections.abc import Callable

from pydantic import JsonValue

from ..protocol.messages import Actor
from ..protocol.session import PendingCall, PendingConfirmation
from .deadlines import too_early
from .flow import ENDED
from .migration import migrated, migration_of
from .parts import Terminal
from .payloads import misshapen
from .proposals import Rejected
from .resolve import Resolved, resolve, unconfirmed
from .rows import ESCALATED, EXPIRED, LEFT
from .run import Run, ask_confirmation, end_call, move, perform, reads_anew, settle

Wish = Callable[[Run], Rejected | None]

# --- confirmations ---------------------------------------------------------------------------------------------------


def confirm(run: Run) -> Rejected | None:
    """The customer said yes to what was asked."""
    pending = run.session.pending
    if not isinstance(pending, PendingConfirmation):
        return Rejected("nothing_to_confirm", "no confirmation is pending")
    if pending.action == "leave":
        return move(run, LEFT, {}, reason="the customer confirmed")
    action = run.flow.step(run.session.state).action(pending.action)
    if action is None:
        return Rejected("not_in_menu", f"{pending.action!r} is no action of {run.session.state!r}")
    return perform(run, action, pending.parameters, actor=Actor.HUMAN)


def decline(run: Run) -> Rejected | None:
    pending = run.session.pending
    if not isinstance(pending, PendingConfirmation):
        return Rejected("nothing_to_confirm", "no confirmation is pending")
    run.emit("confirmation_declined", {"action": pending.action})
    return None


def ask_again(run: Run) -> Rejected | None:
    """The question stands in this answer, too; or for the first time, if it came unprompted."""
    pending = run.session.pending
    if not isinstance(pending, PendingConfirmation):
        return Rejected("nothing_to_confirm", "no confirmation is pending")
    asked = pending.asked + (not pending.unprompted)
    ask_confirmation(run, pending.action, pending.parameters, on_enter=pending.on_enter, asked=asked)
    return None


# --- tools -----------------------------------------------------------------------------------------------------------


def tool_returned(run: Run) -> Rejected | None:
    """A pending call ended."""
    pending, payload = run.session.pending, run.proposal.payload
    if not isinstance(pending, PendingCall) or pending.call_id != payload.get("call_id"):
        return Rejected("no_such_call", f"call {payload.get('call_id')!r} is not pending")
    return end_call(run, pending, payload)


# --- start, notes, the outside, timer, guards ----------------------------------------------------------------------------


def _misshapen(run: Run, event: str) -> Rejected | None:
    """A wish of code whose payload does not have the shape of its event."""
    problem = misshapen(event, run.proposal.actor, run.proposal.payload)
    return Rejected("bad_payload", f"payload of {run.proposal.name!r}: {problem}") if problem else None


def start(run: Run) -> Rejected | None:
    """Open the first episode, or a new one after an end."""
    if run.session.episode and run.session.state not in ENDED:
        return Rejected("not_ended", f"an episode is open in state {run.session.state!r}")
    problem = _misshapen(run, "session_started")
    if problem:
        return problem
    flow, episode = run.flow, run.session.episode + 1
    of_flow: dict[str, JsonValue] = {"flow_version": flow.version, "fingerprint": flow.fingerprint, "episode": episode}
    run.emit("session_started", {**run.proposal.payload, **of_flow}, to=Resolved(run.flow.initial, entered=True))
    settle(run, entered=True)
    return None


def migrate(run: Run) -> Rejected | None:
    """Bring a session that is in the middle of an older version under this one, by the migration that the flow declares.

    Payload: `in_turn`, true if a part of the turn is durable under the older one: its calls are counted on, for keys are made of
    their numbers.
    """
    flow, session = run.flow, run.session
    migration = migration_of(flow, session)
    if migration is None:
        return Rejected("no_migration", f"no migration leads from version {session.flow_version!r} to {flow.version!r}")
    state, kept = migrated(flow, session, migration)
    kept["episode_turns"] = session.episode_turns + (run.proposal.turn != session.turn)
    kept["calls"] = session.calls if run.proposal.payload.get("in_turn") else 0
    versions: dict[str, JsonValue] = {
        "from_version": session.flow_version,
        "from_fingerprint": session.fingerprint,
        "flow_version": flow.version,
        "fingerprint": flow.fingerprint,
    }
    run.emit("flow_changed", {**versions, "session": kept}, to=Resolved(state, entered=True))
    settle(run, entered=reads_anew(run))  # what the old version did under another name must not be done once more
    return None


def pass_on(run: Run) -> Rejected | None:
    """A message for the human who has the session."""
    if run.session.state != Terminal.ESCALATED:
        return Rejected("not_with_human", f"no human has the session; it is in {run.session.state!r}")
    return note("message_passed_on")(run)


def note(name: str) -> Wish:
    """A wish that only puts an event on record."""

    def record(run: Run) -> Rejected | None:
        problem = _misshapen(run, name)
        if problem is None:
            run.emit(name, run.proposal.payload)
        return problem

    return record


def built_in_move(event: str) -> Wish:
    """A wish that takes a row which every flow has."""

    def take_row(run: Run) -> Rejected | None:
        return move(run, event, run.proposal.payload)

    return take_row


def from_outside(run: Run) -> Rejected | None:
    """A declared outside event: a move if it has a row here, else kept as `unexpected`; money without a row goes to a human."""
    name, payload = run.proposal.name, run.proposal.payload
    declared = run.flow.outside.get(name)
    if declared is None:
        return Rejected(
            "undeclared", f"{name!r} is not an outside event of this flow: {', '.join(run.flow.outside) or 'none'}"
        )
    if _may_happen(run):
        return move(run, name, payload)
    _keep_unexpected(run)
    return _to_human(run, "unexpected_money", f"{name!r} has no row here") if declared.money else None


def keep_event(run: Run) -> Rejected | None:
    """An outside event that cannot be taken, though its sender was told that it is: another version declares it. It goes on
    record and to a human, for it may be money. Payload: `event`, `payload`."""
    if problem := _misshapen(run, "unexpected_event"):
        return problem
    run.emit("unexpected_event", run.proposal.payload, actor=Actor.OUTSIDE)
    return _to_human(run, "unknown_event", run.proposal.reason)


def _to_human(run: Run, rule: str, why: str) -> Rejected | None:
    if run.session.state == Terminal.ESCALATED:
        return None
    return move(run, ESCALATED, {"rule": rule}, actor=Actor.SYSTEM, reason=why)


def _may_happen(run: Run) -> bool:
    """Whether the proposal, an event, has a row here and is free to take it."""
    name, payload, actor = run.proposal.name, run.proposal.payload, run.proposal.actor
    has_row = resolve(run.flow, run.session, name, payload, actor) is not None
    return has_row and not unconfirmed(run.flow, run.session, name, actor)


def _keep_unexpected(run: Run) -> None:
    run.emit("unexpected_event", {"event": run.proposal.name, "payload": dict(run.proposal.payload)})


def from_timer(run: Run) -> Rejected | None:
    """The step's deadline is over: a move, or where no condition of its row holds, a fact on record, and no deadline any more."""
    deadline = run.flow.step(run.session.state).deadline
    if deadline is None or deadline.event != run.proposal.name:
        return Rejected("no_deadline", f"state {run.session.state!r} has no deadline event {run.proposal.name!r}")
    if too_early(run.flow, run.session, deadline.event, run.now):
        return Rejected("not_due", f"the deadline of {run.session.state!r} is not over")
    if _may_happen(run):
        return move(run, run.proposal.name, run.proposal.payload)
    _keep_unexpected(run)
    return None


def expire(run: Run) -> Rejected | None:
    if too_early(run.flow, run.session, EXPIRED, run.now):
        return Rejected("not_due", f"the session in {run.session.state!r} has not expired")
    return move(run, EXPIRED, run.proposal.payload)


def from_guard(run: Run) -> Rejected | None:
    """The one event of the map that a guard may propose: the step's `on_close`."""
    if run.flow.step(run.session.state).on_close != run.proposal.name:
        return not_proposable(run)
    return move(run, run.proposal.name, run.proposal.payload)


def not_proposable(run: Run) -> Rejected:
    return Rejected("not_proposable", f"{run.proposal.actor.value} cannot propose {run.proposal.name!r}")
