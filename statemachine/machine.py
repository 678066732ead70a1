"""The machine: `advance(flow, session, proposal, now)`. One choke point: whatever wants to change a session comes through here.

Values in, values out; nothing is read but the arguments. An illegal proposal is a `Rejected` and changes nothing. An accepted one
may cause more: a completing event, the tool of a step that was entered, a confirmation to ask (`_settle`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import JsonValue

from ..protocol.canonical import kept_json
from ..protocol.errors import BadRequest
from ..protocol.ids import event_message_id, idempotency_key
from ..protocol.menu import MenuItem
from ..protocol.messages import Actor, StateEvent, ToolStatus
from ..protocol.session import PendingCall, PendingConfirmation, Session
from ..protocol.slots import Slot
from ..protocol.texts import look_up
from ..protocol.tool_spec import ToolSpec
from .apply import apply
from .deadlines import too_early
from .flow import ENDED, Flow
from .menu import menu_of
from .parts import Action, Terminal
from .payloads import misshapen
from .proposals import CallTool, Outcome, Proposal, Rejected
from .resolve import Resolved, outcome_event, resolve, unconfirmed
from .rows import ESCALATED, EXPIRED, HUMAN_REQUESTED, HUMAN_RESUMED, LEFT
from .slot_values import BadValue, parse_value


def new_session(flow: Flow, session_id: str) -> Session:
    """A session before its first event."""
    return Session(
        session_id=session_id,
        flow=flow.name,
        flow_version=flow.version,
        fingerprint=flow.fingerprint,
        state=flow.initial,
    )


def advance(flow: Flow, session: Session, proposal: Proposal, now: datetime) -> Outcome | Rejected:
    """Accept `proposal` and say what it causes, or reject it and change nothing. `now` is aware."""
    run = _Run(flow, session, proposal, now)
    handler = WISHES.get((proposal.name, proposal.actor)) or _BY_ACTOR.get(proposal.actor, _not_proposable)
    problem = _out_of_place(run) or _unfit(run) or handler(run)
    return problem or Outcome(run.session, tuple(run.events), tuple(run.effects))


@dataclass
class _Run:
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
        event = StateEvent(
            session_id=before.session_id,
            timestamp=self.now,
            message_id=event_message_id(before.event_seq + 1),
            state_version=before.state_version + (1 if to and to.entered else 0),
            event=name,
            event_seq=before.event_seq + 1,
            source_state=before.state,
            target_state=to.target if to else before.state,
            actor=actor or self.proposal.actor,
            turn=self.proposal.turn,
            reason=reason or self.proposal.reason,
            payload=dict(payload),
        )
        self.events.append(event)
        self.session = apply(self.flow, before, event, to)


_Wish = Callable[[_Run], Rejected | None]


def _out_of_place(run: _Run) -> Rejected | None:
    """What no proposal may do: come before the start, go back in turns, or pass a tool call that has not ended."""
    name, session = run.proposal.name, run.session
    wish = (name, run.proposal.actor)
    if not session.episode and wish != ("start", Actor.SYSTEM):
        return Rejected("not_started", f"{name!r} before the session was started")
    if run.proposal.turn not in (session.turn, session.turn + 1):
        return Rejected(
            "wrong_turn", f"{name!r} belongs to turn {run.proposal.turn}; the session is in turn {session.turn}"
        )
    if isinstance(session.pending, PendingCall) and wish != ("return_tool", Actor.TOOL):
        return Rejected("call_pending", f"{name!r} has to wait: tool {session.pending.tool!r} has not answered")
    return None


def _unfit(run: _Run) -> Rejected | None:
    """A payload that is no JSON: it could not be put on record."""
    try:
        kept_json(run.proposal.payload)
    except BadRequest as error:
        return Rejected("bad_payload", f"payload of {run.proposal.name!r}: {error}")
    return None


def _misshapen(run: _Run, event: str) -> Rejected | None:
    """A wish of code whose payload does not have the shape of its event."""
    problem = misshapen(event, run.proposal.actor, run.proposal.payload)
    return Rejected("bad_payload", f"payload of {run.proposal.name!r}: {problem}") if problem else None


def _move(
    run: _Run, event: str, payload: Mapping[str, JsonValue], *, actor: Actor | None = None, reason: str = ""
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
    _settle(run, entered=resolved.entered and event != HUMAN_RESUMED)
    return None


def _settle(run: _Run, *, entered: bool = False, provided: bool = False) -> None:
    """What code does by itself after an accepted event: run the step's tool, complete it, ask its confirmation."""
    step = run.flow.step(run.session.state)
    if entered and step.on_enter:
        problem = _call_tool(run, step.on_enter.tool, {}, origin=None, actor=Actor.SYSTEM)
        if problem:  # nobody can answer for it: neither the model nor the customer asked for this call
            _move(run, ESCALATED, {"rule": "entry_tool"}, actor=Actor.SYSTEM, reason=problem.why)
    elif _complete_now(run, provided):
        _move(run, str(step.complete), {}, actor=Actor.SYSTEM, reason="all required slots are known")
    elif entered and step.confirms:
        _ask_confirmation(run, step.confirms, {}, on_enter=True, actor=Actor.SYSTEM)


def _complete_now(run: _Run, provided: bool) -> bool:
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


def missing_slots(flow: Flow, session: Session) -> tuple[str, ...]:
    """Required slots of the current step without a value, in the order of the flow: the first is the one to ask for."""
    collects = flow.step(session.state).collects
    return tuple(name for name, slot in collects.items() if slot.required and session.data.get(name) is None)


# --- wishes of the model ---------------------------------------------------------------------------------------------


def _choose(run: _Run) -> Rejected | None:
    """An action of the menu."""
    item = menu_of(run.flow, run.session).get(run.proposal.name)
    action = run.flow.step(run.session.state).action(run.proposal.name)
    if item is None or action is None:
        names = ", ".join(menu_of(run.flow, run.session).names) or "none"
        return Rejected("not_in_menu", f"{run.proposal.name!r} is not on the menu of {run.session.state!r}: {names}")
    problem = _misfit(item, run.proposal.payload)
    if problem:
        return problem
    values, refused = _read_values(run, item.parameters, run.proposal.payload)
    if refused:
        run.emit("slots_provided", {"values": {}, "refused": refused})
        return None
    if action.confirm:
        _ask_confirmation(run, action.name, values)
        return None
    return _perform(run, action, values)


def _misfit(item: MenuItem, given: Mapping[str, JsonValue]) -> Rejected | None:
    """Parameters that the action does not have, or required ones that are not given."""
    unknown = sorted(set(given) - set(item.parameters) - set(item.also))
    if unknown:
        allowed = ", ".join((*item.parameters, *item.also)) or "none"
        return Rejected(
            "unknown_parameter", f"{item.name!r} has no parameter {', '.join(map(repr, unknown))}; it has: {allowed}"
        )
    absent = (
        [] if item.name == "provide" else [n for n, slot in item.parameters.items() if slot.required and n not in given]
    )
    return Rejected("missing_parameter", f"{item.name!r} needs {', '.join(map(repr, absent))}") if absent else None


def _perform(run: _Run, action: Action, values: Mapping[str, JsonValue], actor: Actor | None = None) -> Rejected | None:
    if action.tool:
        return _call_tool(run, action.tool, values, origin=action.name, actor=actor)
    if action.event:
        return _move(run, action.event, values, actor=actor)
    run.emit("answer_given", {"action": action.name, **({"values": dict(values)} if values else {})})
    return None


def _read_values(
    run: _Run, slots: Mapping[str, Slot], given: Mapping[str, JsonValue]
) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
    values: dict[str, JsonValue] = {}
    refused: dict[str, JsonValue] = {}
    for name, raw in given.items():
        parsed = parse_value(slots[name], raw, today=run.now.date())
        if isinstance(parsed, BadValue):
            refused[name] = {"code": parsed.code, "allowed": parsed.allowed}
        else:
            values[name] = parsed
    return values, refused


def _provide(run: _Run) -> Rejected | None:
    """Slot values, of this step or another: customers answer ahead and correct themselves. A bad value is asked again."""
    item = menu_of(run.flow, run.session).get("provide")
    given = run.proposal.payload
    if item is None:
        return Rejected("not_in_menu", f"'provide' is not on the menu of {run.session.state!r}")
    problem = _misfit(item, given)
    if problem:
        return problem
    values, refused = _read_values(run, {**item.parameters, **item.also}, given)
    run.emit("slots_provided", {"values": values, **({"refused": refused} if refused else {})})
    if values:
        _settle(run, provided=True)
    return None


def _answer(run: _Run) -> Rejected | None:
    if "answer" not in menu_of(run.flow, run.session).names and run.proposal.actor is Actor.MODEL:
        return Rejected("not_in_menu", f"'answer' is not on the menu of {run.session.state!r}")
    run.emit("answer_given", {})
    return None


def _show_detail(run: _Run) -> Rejected | None:
    if "show_detail" not in menu_of(run.flow, run.session).names or run.session.last_tool is None:
        return Rejected("not_in_menu", "'show_detail' needs a stored tool result")
    run.emit("detail_shown", {"tool": run.session.last_tool[0]})
    return None


def _ask_human(run: _Run) -> Rejected | None:
    if run.proposal.actor is Actor.MODEL and "ask_human" not in menu_of(run.flow, run.session).names:
        return Rejected("not_in_menu", f"'ask_human' is not on the menu of {run.session.state!r}")
    return _move(run, HUMAN_REQUESTED, run.proposal.payload)


def _wish_to_leave(run: _Run) -> Rejected | None:
    """The model thinks the customer wants to leave: code asks once."""
    if "leave" not in menu_of(run.flow, run.session).names:
        return Rejected("not_in_menu", f"'leave' is not on the menu of {run.session.state!r}")
    _ask_confirmation(run, "leave", {})
    return None


# --- confirmations ---------------------------------------------------------------------------------------------------


def _ask_confirmation(
    run: _Run,
    action: str,
    values: Mapping[str, JsonValue],
    *,
    on_enter: bool = False,
    asked: int = 1,
    actor: Actor | None = None,
) -> None:
    pending = PendingConfirmation(action=action, parameters=dict(values), asked=asked, on_enter=on_enter)
    run.emit("confirmation_asked", pending.model_dump(exclude_defaults=True), actor=actor)


def _confirm(run: _Run) -> Rejected | None:
    """The customer said yes to what was asked."""
    pending = run.session.pending
    if not isinstance(pending, PendingConfirmation):
        return Rejected("nothing_to_confirm", "no confirmation is pending")
    if pending.action == "leave":
        return _move(run, LEFT, {}, reason="the customer confirmed")
    action = run.flow.step(run.session.state).action(pending.action)
    if action is None:
        return Rejected("not_in_menu", f"{pending.action!r} is no action of {run.session.state!r}")
    return _perform(run, action, pending.parameters, actor=Actor.HUMAN)


def _decline(run: _Run) -> Rejected | None:
    pending = run.session.pending
    if not isinstance(pending, PendingConfirmation):
        return Rejected("nothing_to_confirm", "no confirmation is pending")
    run.emit("confirmation_declined", {"action": pending.action})
    return None


def _ask_again(run: _Run) -> Rejected | None:
    pending = run.session.pending
    if not isinstance(pending, PendingConfirmation):
        return Rejected("nothing_to_confirm", "no confirmation is pending")
    _ask_confirmation(run, pending.action, pending.parameters, on_enter=pending.on_enter, asked=pending.asked + 1)
    return None


# --- tools -----------------------------------------------------------------------------------------------------------


def _call_tool(
    run: _Run, name: str, given: Mapping[str, JsonValue], origin: str | None, actor: Actor | None = None
) -> Rejected | None:
    """Make a tool call pending. The cap of calls per turn ends with a human, not with an error."""
    session, spec = run.session, run.flow.tools[name].spec
    calls = session.calls if session.turn == run.proposal.turn else 0
    if calls >= run.flow.limits.tool_calls_per_turn:
        return _move(
            run, ESCALATED, {"rule": "too_many_calls"}, actor=Actor.SYSTEM, reason=f"call of {name!r} over the cap"
        )
    cause = run.proposal.key or f"e{session.event_seq}"
    key = idempotency_key(run.proposal.tenant, session.session_id, cause, name, calls + 1)
    arguments = _arguments(spec, session, given, key)
    absent = sorted(spec.required - set(arguments))
    if absent:
        return Rejected("missing_argument", f"tool {name!r} needs {', '.join(map(repr, absent))}")
    call = PendingCall(call_id=f"c{session.event_seq + 1}", tool=name, key=key, arguments=arguments, origin=origin)
    run.emit("tool_called", call.model_dump(exclude={"kind"}, exclude_none=True), actor=actor)
    run.effects.append(CallTool(call.call_id, name, key, arguments))
    return None


def _arguments(spec: ToolSpec, session: Session, given: Mapping[str, JsonValue], key: str) -> dict[str, JsonValue]:
    """Bound parameters by their path, the others as given or, failing that, from session data of the same name."""
    scope = {
        "meta": session.meta,
        "data": session.data,
        "session": {"id": session.session_id, "lang": session.lang, "episode": session.episode},
        "call": {"key": key},
    }
    arguments: dict[str, JsonValue] = {}
    for name in (*spec.parameters, *spec.bind):
        bound = name in spec.bind
        value = look_up(spec.bind[name], scope) if bound else given.get(name, session.data.get(name))
        if value is not None:
            arguments[name] = value  # type: ignore[assignment]  # scopes hold JSON
    return arguments


def _tool_returned(run: _Run) -> Rejected | None:
    """A pending call ended. Its outcome is an event if the caller maps it and the map has a row; else it only stays on record."""
    pending, payload = run.session.pending, run.proposal.payload
    if not isinstance(pending, PendingCall) or pending.call_id != payload.get("call_id"):
        return Rejected("no_such_call", f"call {payload.get('call_id')!r} is not pending")
    record = _record_of(run, pending)
    problem = misshapen("tool_returned", Actor.TOOL, record)
    if problem:
        return Rejected("bad_payload", f"return of {pending.tool!r}: {problem}")
    status = ToolStatus(str(record["status"]))
    event = outcome_event(run.flow, run.session, pending, status)
    resolved = resolve(run.flow, run.session, event, record, Actor.TOOL) if event else None
    if event and unconfirmed(run.flow, run.session, event, Actor.TOOL):
        resolved = None
    run.emit(event if event and resolved else "tool_returned", record, to=resolved)
    if status is ToolStatus.UNKNOWN:
        return _move(
            run,
            ESCALATED,
            {"rule": "tool_unknown"},
            actor=Actor.SYSTEM,
            reason=f"nobody knows whether {pending.tool!r} ran",
        )
    if resolved and resolved.entered:
        _settle(run, entered=True)
    elif status is ToolStatus.OK and pending.origin is None:
        _settle_after_entry_tool(run)
    return None


def _record_of(run: _Run, call: PendingCall) -> dict[str, JsonValue]:
    """What goes on record of a call that ended: who asked, and how it ended."""
    payload, saves = run.proposal.payload, run.flow.tools[call.tool].spec.saves
    ending = {
        "call_id": call.call_id,
        "tool": call.tool,
        "status": payload.get("status"),
        "result": payload.get("result"),
    }
    known = {"saves": saves, "origin": call.origin, "error": payload.get("error")}
    return ending | {name: value for name, value in known.items() if value}


def _settle_after_entry_tool(run: _Run) -> None:
    """The entry tool went well and moved nothing: now the step may complete or ask its confirmation."""
    step = run.flow.step(run.session.state)
    if _complete_now(run, provided=False):
        _move(run, str(step.complete), {}, actor=Actor.SYSTEM, reason="all required slots are known")
    elif step.confirms:
        _ask_confirmation(run, step.confirms, {}, on_enter=True, actor=Actor.SYSTEM)


# --- wishes of guards, ladder, timer, outside, humans ------------------------------------------------------------------


def _start(run: _Run) -> Rejected | None:
    """Open the first episode, or a new one after an end."""
    if run.session.episode and run.session.state not in ENDED:
        return Rejected("not_ended", f"an episode is open in state {run.session.state!r}")
    problem = _misshapen(run, "session_started")
    if problem:
        return problem
    run.emit("session_started", run.proposal.payload, to=Resolved(run.flow.initial, entered=True))
    _settle(run, entered=True)
    return None


def _note(name: str) -> _Wish:
    """A wish that only puts an event on record."""

    def record(run: _Run) -> Rejected | None:
        problem = _misshapen(run, name)
        if problem is None:
            run.emit(name, run.proposal.payload)
        return problem

    return record


def _built_in_move(event: str) -> _Wish:
    def move(run: _Run) -> Rejected | None:
        return _move(run, event, run.proposal.payload)

    return move


def _from_outside(run: _Run) -> Rejected | None:
    """A declared outside event: a move if it has a row here, else kept as `unexpected`; money without a row goes to a human."""
    name, payload = run.proposal.name, run.proposal.payload
    declared = run.flow.outside.get(name)
    if declared is None:
        return Rejected(
            "undeclared", f"{name!r} is not an outside event of this flow: {', '.join(run.flow.outside) or 'none'}"
        )
    if _may_happen(run):
        return _move(run, name, payload)
    _keep_unexpected(run)
    if declared.money and run.session.state != Terminal.ESCALATED:
        return _move(
            run, ESCALATED, {"rule": "unexpected_money"}, actor=Actor.SYSTEM, reason=f"{name!r} has no row here"
        )
    return None


def _may_happen(run: _Run) -> bool:
    """Whether the proposal, an event, has a row here and is free to take it."""
    name, payload, actor = run.proposal.name, run.proposal.payload, run.proposal.actor
    has_row = resolve(run.flow, run.session, name, payload, actor) is not None
    return has_row and not unconfirmed(run.flow, run.session, name, actor)


def _keep_unexpected(run: _Run) -> None:
    run.emit("unexpected_event", {"event": run.proposal.name, "payload": dict(run.proposal.payload)})


def _from_timer(run: _Run) -> Rejected | None:
    """The step's deadline is over: a move, or where no condition of its row holds, a fact on record, and no deadline any more."""
    deadline = run.flow.step(run.session.state).deadline
    if deadline is None or deadline.event != run.proposal.name:
        return Rejected("no_deadline", f"state {run.session.state!r} has no deadline event {run.proposal.name!r}")
    if too_early(run.flow, run.session, deadline.event, run.now):
        return Rejected("not_due", f"the deadline of {run.session.state!r} is not over")
    if _may_happen(run):
        return _move(run, run.proposal.name, run.proposal.payload)
    _keep_unexpected(run)
    return None


def _expire(run: _Run) -> Rejected | None:
    if too_early(run.flow, run.session, EXPIRED, run.now):
        return Rejected("not_due", f"the session in {run.session.state!r} has not expired")
    return _move(run, EXPIRED, run.proposal.payload)


def _from_guard(run: _Run) -> Rejected | None:
    """The one event of the map that a guard may propose: the step's `on_close`."""
    if run.flow.step(run.session.state).on_close != run.proposal.name:
        return _not_proposable(run)
    return _move(run, run.proposal.name, run.proposal.payload)


def _not_proposable(run: _Run) -> Rejected:
    return Rejected("not_proposable", f"{run.proposal.actor.value} cannot propose {run.proposal.name!r}")


_BY_ACTOR: Mapping[Actor, _Wish] = {
    Actor.MODEL: _choose,
    Actor.OUTSIDE: _from_outside,
    Actor.TIMER: _from_timer,
    Actor.GUARD: _from_guard,
}

WISHES: Mapping[tuple[str, Actor], _Wish] = {
    ("start", Actor.SYSTEM): _start,
    ("note_language", Actor.SYSTEM): _note("language_noted"),
    ("note_meta", Actor.SYSTEM): _note("meta_noted"),
    ("provide", Actor.MODEL): _provide,
    ("provide", Actor.GUARD): _provide,
    ("answer", Actor.MODEL): _answer,
    ("answer", Actor.GUARD): _answer,
    ("show_detail", Actor.MODEL): _show_detail,
    ("ask_human", Actor.MODEL): _ask_human,
    ("ask_human", Actor.GUARD): _ask_human,
    ("leave", Actor.MODEL): _wish_to_leave,
    ("leave", Actor.GUARD): _built_in_move(LEFT),
    ("confirm", Actor.GUARD): _confirm,
    ("decline", Actor.GUARD): _decline,
    ("ask_again", Actor.GUARD): _ask_again,
    ("return_tool", Actor.TOOL): _tool_returned,
    ("reject_decision", Actor.SYSTEM): _note("decision_rejected"),
    ("roll_back", Actor.SYSTEM): _note("rolled_back"),
    ("refuse_input", Actor.GUARD): _note("input_refused"),
    ("refuse_event", Actor.GUARD): _note("event_refused"),
    ("replace_reply", Actor.GUARD): _note("reply_replaced"),
    ("escalate", Actor.SYSTEM): _built_in_move(ESCALATED),
    ("expire", Actor.TIMER): _expire,
    ("resume", Actor.HUMAN): _built_in_move(HUMAN_RESUMED),
}
"""(wish, who) -> what it does. Whoever is not listed cannot wish it; other names are actions or events by `_BY_ACTOR`."""
