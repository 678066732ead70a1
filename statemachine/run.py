"""Run: one `advance` in progress, and what any wish may do in it: emit an event, take a row, call a tool, ask a confirmation.

`settle` is what code does by itself after an accepted event. Called by the wishes; nothing else makes events.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import JsonValue

from ..protocol.canonical import kept_json
from ..protocol.ids import event_message_id, idempotency_key
from ..protocol.messages import Actor, StateEvent, ToolStatus, clean_text
from ..protocol.session import PendingCall, PendingConfirmation, Session
from ..protocol.trusted import changed, made
from .apply import apply
from .calls import answer_stands, arguments_of, one_call_too_many
from .flow import Flow
from .menu import has_entry_result, missing_slots
from .parts import Action
from .payloads import misshapen
from .proposals import CallTool, Proposal, Rejected
from .resolve import Resolved, outcome_event, resolve, unconfirmed
from .rows import ESCALATED, HUMAN_RESUMED


@dataclass
class Run:
    """One advance in progress: the session so far and what was made."""

    flow: Flow
    session: Session
    proposal: Proposal
    now: datetime
    events: list[StateEvent] = field(default_factory=list)
    effects: list[CallTool] = field(default_factory=list)

    def emit(
        self,
        name: str,
        payload: Mapping[str, JsonValue],
        *,
        actor: Actor | None = None,
        reason: str = "",
        to: Resolved | None = None,
    ) -> None:
        """Make one event of the session's log and apply it."""
        before = self.session
        event = made(
            StateEvent,
            {
                "session_id": before.session_id,
                "timestamp": self.now,
                "message_id": event_message_id(before.event_seq + 1),
                "state_version": before.state_version + (1 if to and to.entered else 0),
                "event": name,
                "event_seq": before.event_seq + 1,
                "source_state": before.state,
                "target_state": to.target if to else before.state,
                "actor": actor or self.proposal.actor,
                "turn": self.proposal.turn,
                "reason": clean_text(reason or self.proposal.reason),
                "payload": kept_json(payload),
            },
        )
        self.events.append(event)
        self.session = apply(self.flow, before, event, to)


def move(
    run: Run, event: str, payload: Mapping[str, JsonValue], *, actor: Actor | None = None, reason: str = ""
) -> Rejected | None:
    """Take the row of `event`, if there is one and its confirmation was given; then settle."""
    actor = actor or run.proposal.actor
    resolved = resolve(run.flow, run.session, event, payload, actor)
    if resolved is None:
        allowed = ", ".join(run.flow.events_of(run.session.state))
        return Rejected("no_row", f"event {event!r} has no row in state {run.session.state!r}; rows there: {allowed}")
    guarded = unconfirmed(run.flow, run.session, event, actor)
    if guarded:
        return Rejected("unconfirmed", f"event {event!r} needs the customer's confirmation of action {guarded!r}")
    run.emit(event, payload, actor=actor, reason=reason, to=resolved)
    # Back from a human: the step is as it was left; its tool has run, or the human has seen to it.
    settle(run, entered=resolved.entered and (event != HUMAN_RESUMED or reads_anew(run)))
    return None


def reads_anew(run: Run) -> bool:
    """Whether a step that the session did not come to by itself (after a human, in another version) asks its entry tool: one that
    only reads and has all that it needs, unless the customer has agreed to what it said before."""
    session, on_enter = run.session, run.flow.step(run.session.state).on_enter
    if on_enter is None or (session.agreed and has_entry_result(run.flow, session)):
        return False
    spec = run.flow.specs[on_enter.tool]
    return spec.effect == "none" and spec.required <= arguments_of(spec, session, {}, "").keys()


def settle(run: Run, *, entered: bool = False, provided: bool = False, changed: Collection[str] = ()) -> None:
    """What code does by itself after an accepted event: run the step's tool, complete it, ask its confirmation.

    `provided`: slot values came; `changed`: those that are not what they were. An entry tool that only reads runs again when an
    argument of it changed, so that nobody agrees to a price for other numbers; one with an effect never does by itself.
    """
    step = run.flow.step(run.session.state)
    if step.on_enter and (entered or _is_stale(run, step.on_enter.tool, changed)):
        problem = call_tool(run, step.on_enter.tool, {}, origin=None, actor=Actor.SYSTEM)
        if problem:  # nobody can answer for it: neither the model nor the customer asked for this call
            move(run, ESCALATED, {"rule": "entry_tool"}, actor=Actor.SYSTEM, reason=problem.why)
    elif complete_now(run, provided):
        move(run, str(step.complete), {}, actor=Actor.SYSTEM, reason="all required slots are known")
    elif step.confirms and run.session.pending is None and has_entry_result(run.flow, run.session):
        ask_confirmation(run, step.confirms, {}, on_enter=True, actor=Actor.SYSTEM)


def _is_stale(run: Run, tool: str, changed: Collection[str]) -> bool:
    """Whether the result of a reading entry tool was made of values that have changed."""
    spec = run.flow.tools[tool].spec
    bound = {path.split(".")[1] for path in spec.bind.values() if path.startswith("data.")}
    return spec.effect == "none" and not bound.union(spec.parameters).isdisjoint(changed)


def complete_now(run: Run, provided: bool) -> bool:
    """Whether the step's completing event is due: all slots known, and new values came or the event leads elsewhere."""
    step = run.flow.step(run.session.state)
    if not step.complete or missing_slots(run.flow, run.session):
        return False
    completions = sum(
        1 for e in run.events if e.actor is Actor.SYSTEM and e.event == run.flow.step(e.source_state).complete
    )
    if completions >= run.flow.limits.steps_per_turn:
        return False
    there = resolve(run.flow, run.session, step.complete, {}, Actor.SYSTEM)
    if there is None or unconfirmed(run.flow, run.session, step.complete, Actor.SYSTEM):
        return False
    return provided or there.target != run.session.state


def perform(run: Run, action: Action, values: Mapping[str, JsonValue], actor: Actor | None = None) -> Rejected | None:
    if action.tool:
        return call_tool(run, action.tool, values, origin=action.name, actor=actor)
    if action.event:
        return move(run, action.event, values, actor=actor)
    run.emit("answer_given", {"action": action.name, **({"values": dict(values)} if values else {})})
    return None


def ask_confirmation(
    run: Run,
    action: str,
    values: Mapping[str, JsonValue],
    *,
    on_enter: bool = False,
    asked: int = 1,
    actor: Actor | None = None,
) -> None:
    pending = PendingConfirmation(
        action=action,
        parameters=dict(values),
        asked=asked,
        on_enter=on_enter,
        unprompted=run.proposal.unprompted,
    )
    run.emit("confirmation_asked", pending.model_dump(exclude_defaults=True), actor=actor)


def call_tool(
    run: Run, name: str, given: Mapping[str, JsonValue], origin: str | None, actor: Actor | None = None
) -> Rejected | None:
    """Order a tool call, or use an answer that still stands. The cap of calls per turn ends with a human, not with an error."""
    session, spec, turn = run.session, run.flow.tools[name].spec, run.proposal.turn
    if one_call_too_many(session, turn, run.flow.limits):
        return move(
            run, ESCALATED, {"rule": "too_many_calls"}, actor=Actor.SYSTEM, reason=f"call of {name!r} over the cap"
        )
    cause = run.proposal.key or f"e{session.event_seq}"
    calls = session.calls if session.turn == turn else 0
    key = idempotency_key(run.proposal.tenant, session.session_id, cause, name, calls + 1)
    arguments = arguments_of(spec, session, given, key)
    absent = sorted(spec.required - set(arguments))
    if absent:
        return Rejected("missing_argument", f"tool {name!r} needs {', '.join(map(repr, absent))}")
    call = PendingCall(call_id=f"c{session.event_seq + 1}", tool=name, key=key, arguments=arguments, origin=origin)
    stands = answer_stands(spec, session, call, turn, run.now)
    call = changed(call, {"reused": True}) if stands else call
    run.emit("tool_called", call.model_dump(exclude={"kind"}, exclude_defaults=True), actor=actor)
    if stands:
        return end_call(run, call, {"status": ToolStatus.OK.value, "result": session.data[spec.data_name]})
    run.effects.append(CallTool(call.call_id, name, key, arguments))
    return None


def end_call(run: Run, call: PendingCall, ending: Mapping[str, JsonValue]) -> Rejected | None:
    """A call ended. Its outcome is an event if the caller maps it and the map has a row; else it only stays on record.

    `ending`: `status`, `result`, perhaps `error`.
    """
    record = _record_of(run, call, ending)
    problem = misshapen("tool_returned", Actor.TOOL, record)
    if problem:
        return Rejected("bad_payload", f"return of {call.tool!r}: {problem}")
    status = ToolStatus(str(record["status"]))
    event = outcome_event(run.flow, run.session, call, status)
    resolved = resolve(run.flow, run.session, event, record, Actor.TOOL) if event else None
    if event and unconfirmed(run.flow, run.session, event, Actor.TOOL):
        resolved = None
    run.emit(event if event and resolved else "tool_returned", record, actor=Actor.TOOL, to=resolved)
    if status is ToolStatus.UNKNOWN:
        return move(
            run,
            ESCALATED,
            {"rule": "tool_unknown"},
            actor=Actor.SYSTEM,
            reason=f"nobody knows whether {call.tool!r} ran",
        )
    if status is ToolStatus.OK or call.origin or resolved:  # after a failed entry tool there is nothing to go on with
        settle(run, entered=bool(resolved and resolved.entered))
    return None


def _record_of(run: Run, call: PendingCall, ending: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """What goes on record of a call that ended: who asked, and how it ended."""
    saves = run.flow.tools[call.tool].spec.saves
    known = {"saves": saves, "origin": call.origin, "error": ending.get("error"), "reused": call.reused}
    return {
        "call_id": call.call_id,
        "tool": call.tool,
        "status": ending.get("status"),
        "result": ending.get("result"),
        **{name: value for name, value in known.items() if value},
    }
