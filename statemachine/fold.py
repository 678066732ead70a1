"""fold: the snapshot from the log. Every event is judged by the flow again: the log is the truth, the map says whether it may be.

Judged are the chain, the numbers, the shape of what an event carries, where it starts and leads, and whether its actor could
bring it here and now. Not judged are values: what a customer said or a tool found is believed.
"""

from collections.abc import Callable, Iterable, Mapping

from ..protocol.errors import BadRequest, LogBroken
from ..protocol.log import LogRecord, Message, verify_chain
from ..protocol.messages import Actor, StateEvent, ToolStatus, parse_message
from ..protocol.session import PendingCall, PendingConfirmation, Session
from .apply import apply
from .calls import answer_stands
from .deadlines import too_early
from .findings import data_names
from .flow import ENDED, Flow
from .machine import new_session
from .parts import Terminal
from .payloads import misshapen
from .resolve import Resolved, caller_of, outcome_event, resolve, unconfirmed, unconfirmed_call
from .rows import BUILT_IN_ACTORS, STAYING_ACTORS, STAYING_EVENTS


def fold(
    flow: Flow, session_id: str, records: Iterable[LogRecord], head: str | None = None, length: int | None = None
) -> Session:
    """Rebuild the snapshot. Raises LogBroken naming the record that was changed, is missing, or is illegal under `flow`.

    `head`, `length`: what the stored snapshot says of its log. Episodes that ran under another version of the flow are not
    judged: only their numbers are, and the chain.
    """
    records = tuple(records)
    end = verify_chain(records, head, length)
    session = new_session(flow, session_id)
    for record in records:
        message = read_record(record)
        if isinstance(message, StateEvent) != (record.kind == "state_event"):
            raise LogBroken(f"record {record.n} is not the {record.kind} that it is filed as", record.n)
        if message.session_id != session_id:
            raise LogBroken(f"record {record.n} belongs to session {message.session_id!r}", record.n)
        if isinstance(message, StateEvent):
            session = _step(flow, session, message, record.n)
    return session.model_copy(update={"records": len(records), "head": end})


def read_record(record: LogRecord) -> Message:
    """The message in a record; raises LogBroken if there is none."""
    try:
        return parse_message(record.body)
    except BadRequest as error:
        raise LogBroken(f"record {record.n} cannot be read: {error}", record.n) from error


def _step(flow: Flow, session: Session, event: StateEvent, n: int) -> Session:
    if event.event_seq <= session.event_seq:
        return session  # a repeat
    names_flow = event.event in ("session_started", "flow_changed")
    if names_flow and not event.payload.get("fingerprint"):
        raise LogBroken(f"record {n}: {event.event!r} does not say under which flow", n)
    if names_flow and event.payload.get("fingerprint") == flow.fingerprint:
        session = _before(flow, session, event)
    elif names_flow or session.fingerprint != flow.fingerprint:
        if event.event_seq != session.event_seq + 1:
            raise LogBroken(f"record {n}: {event.event!r} leaves a gap after event_seq {session.event_seq}", n)
        return session.model_copy(update={"event_seq": event.event_seq, "fingerprint": "another"})
    row = _row(flow, session, event)
    problem = _problem(flow, session, event, row)
    if problem:
        raise LogBroken(f"record {n}: {event.event!r} {problem}", n)
    return apply(flow, session, event, row)


def _before(flow: Flow, session: Session, event: StateEvent) -> Session:
    """The session that the part under this flow starts from: after what ran under another version, what its first event says."""
    if session.fingerprint == flow.fingerprint:
        return session
    known = {
        "event_seq": session.event_seq,
        "state": event.source_state,
        "state_version": (event.state_version or 1) - 1,
        "turn": max(event.turn - 1, 0),
    }
    if event.event == "flow_changed":
        known |= {"fingerprint": session.fingerprint, "episode": 1}  # all else that it keeps is in the event
    else:
        episode = event.payload.get("episode")
        known["episode"] = episode - 1 if isinstance(episode, int) else 0
    return new_session(flow, session.session_id).model_copy(update=known)


def _row(flow: Flow, session: Session, event: StateEvent) -> Resolved | None:
    if event.event == "session_started":
        return Resolved(flow.initial, entered=True)
    if event.event == "flow_changed":
        return Resolved(event.target_state, entered=True)
    return None if event.event in STAYING_EVENTS else resolve(flow, session, event.event, event.payload, event.actor)


def _problem(flow: Flow, session: Session, event: StateEvent, row: Resolved | None) -> str | None:
    """Why this event cannot follow here; None if it can."""
    if event.session_id != session.session_id:
        return f"belongs to session {event.session_id!r}, not to {session.session_id!r}"
    if event.event_seq != session.event_seq + 1:
        return f"has event_seq {event.event_seq} after {session.event_seq}: a gap"
    if event.source_state != session.state:
        return f"starts in {event.source_state!r}; the session is in {session.state!r}"
    if row is None and event.event not in STAYING_EVENTS:
        return f"has no row in {session.state!r}"
    target = row.target if row else session.state
    if target != event.target_state:
        return f"leads to {target!r}; the log says {event.target_state!r}"
    if event.state_version != session.state_version + (1 if row and row.entered else 0):
        return f"has state_version {event.state_version} after {session.state_version}"
    if event.turn not in (session.turn, session.turn + 1):
        return f"belongs to turn {event.turn}; the session is in turn {session.turn}"
    shape = misshapen(event.event, event.actor, event.payload)
    return shape or _out_of_turn(session, event) or _unauthorised(flow, session, event)


def _out_of_turn(session: Session, event: StateEvent) -> str | None:
    if event.event == "session_started":
        return (
            f"opens an episode while one is open in {session.state!r}"
            if session.episode and session.state not in ENDED
            else None
        )
    if not session.episode:
        return "comes before the session was started"
    pending = session.pending
    if event.actor is Actor.TOOL:
        matches = isinstance(pending, PendingCall) and pending.call_id == event.payload.get("call_id")
        return None if matches else "ends a tool call that is not pending"
    return f"passes the pending call of {pending.tool!r}" if isinstance(pending, PendingCall) else None


def _unauthorised(flow: Flow, session: Session, event: StateEvent) -> str | None:
    if event.event == "flow_changed":
        return _wrong_arrival(flow, session, event)
    origin = event.payload.get("origin")
    guarded = unconfirmed(flow, session, event.event, event.actor)
    if event.event == "tool_called" and isinstance(origin, str):
        guarded = unconfirmed_call(flow, session, origin, event.actor)
    if guarded:
        return f"needs the confirmation of {guarded!r}"
    if event.event == "message_passed_on" and session.state != Terminal.ESCALATED:
        return f"is for a human, and none has the session in {session.state!r}"
    if _reuses_nothing(flow, session, event):
        return "uses an answer again that the session does not hold"
    if event.event == "slots_provided" and (strange := _strange_slots(flow, session, event)):
        return f"gives {', '.join(map(repr, strange))}, which the flow does not have"
    if not _may_bring(flow, session, event):
        return f"cannot be brought by {event.actor.value}"
    if event.actor is Actor.TIMER and too_early(flow, session, event.event, event.timestamp):
        return "comes before its time"
    return None


def _wrong_arrival(flow: Flow, session: Session, event: StateEvent) -> str | None:
    """What is wrong with a change of version; whether a migration was declared then, nobody knows any more."""
    if session.fingerprint == flow.fingerprint:
        return "leads to the version that the session is under already"
    if event.actor is not Actor.SYSTEM:
        return f"cannot be brought by {event.actor.value}"
    carried: Mapping[str, object] = event.payload["session"]  # type: ignore[assignment]  # its shape was checked
    states, data = {*flow.states, Terminal.ESCALATED}, carried["data"]
    strange = {event.target_state} - states | {carried["resume_to"] or event.target_state} - states - ENDED
    strange |= set(data if isinstance(data, dict) else ()) - data_names(flow)
    return (
        f"brings {', '.join(map(repr, sorted(map(str, strange))))}, which the flow does not have" if strange else None
    )


def _reuses_nothing(flow: Flow, session: Session, event: StateEvent) -> bool:
    """Whether a call claims to be answered already and is not, or its return brings another answer than the one that stands."""
    payload, pending = event.payload, session.pending
    if event.event == "tool_called":
        spec, call = flow.specs.get(str(payload["tool"])), PendingCall.model_validate(payload)
        return call.reused and (spec is None or not answer_stands(spec, session, call, event.turn, event.timestamp))
    if event.actor is Actor.TOOL and isinstance(pending, PendingCall) and pending.reused:
        return payload.get("result") != session.data[flow.specs[pending.tool].data_name]
    return False


def _strange_slots(flow: Flow, session: Session, event: StateEvent) -> list[str]:
    values = event.payload.get("values")
    parameters = {name for action in flow.step(session.state).actions for name in action.parameters}
    return sorted(set(values if isinstance(values, dict) else ()) - set(flow.slots) - parameters)


def _may_bring(flow: Flow, session: Session, event: StateEvent) -> bool:
    actors = BUILT_IN_ACTORS.get(event.event) or STAYING_ACTORS.get(event.event)
    if actors is None:
        return _MAY_BRING[event.actor](flow, session, event)
    return event.actor in actors and (event.event != "tool_called" or _may_call(flow, session, event))


def _may_call(flow: Flow, session: Session, event: StateEvent) -> bool:
    """The tool of an action by whoever chose that action; the tool of the step's entry by code."""
    origin = event.payload.get("origin")
    caller = caller_of(flow, session, origin if isinstance(origin, str) else None)
    by_code = event.actor is Actor.SYSTEM
    return caller is not None and caller.tool == event.payload["tool"] and by_code == (origin is None)


def _model(flow: Flow, session: Session, event: StateEvent) -> bool:
    return any(action.event == event.event for action in flow.step(session.state).actions)


def _human(flow: Flow, session: Session, event: StateEvent) -> bool:
    return isinstance(session.pending, PendingConfirmation) and _model(flow, session, event)


def _tool(flow: Flow, session: Session, event: StateEvent) -> bool:
    pending, status = session.pending, ToolStatus(str(event.payload["status"]))
    return isinstance(pending, PendingCall) and outcome_event(flow, session, pending, status) == event.event


def _timer(flow: Flow, session: Session, event: StateEvent) -> bool:
    deadline = flow.step(session.state).deadline
    return deadline is not None and deadline.event == event.event


_MAY_BRING: Mapping[Actor, Callable[[Flow, Session, StateEvent], bool]] = {
    Actor.MODEL: _model,
    Actor.HUMAN: _human,
    Actor.TOOL: _tool,
    Actor.TIMER: _timer,
    Actor.OUTSIDE: lambda flow, session, event: event.event in flow.outside,
    Actor.GUARD: lambda flow, session, event: event.event == flow.step(session.state).on_close,
    Actor.SYSTEM: lambda flow, session, event: event.event == flow.step(session.state).complete,
}
"""Who may bring an event of the map; the same as the machine's wishes by actor, seen from the log."""
