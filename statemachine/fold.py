"""fold: the snapshot from the log. Every event is checked against the map again; the log is the truth, the flow its judge."""

from collections.abc import Iterable

from ..protocol.errors import LogBroken
from ..protocol.log import LogRecord, verify_chain
from ..protocol.messages import StateEvent, parse_message
from ..protocol.session import Session
from .apply import apply
from .flow import Flow
from .machine import new_session
from .resolve import Resolved, resolve, unconfirmed, unconfirmed_call
from .rows import STAYING_EVENTS


def fold(flow: Flow, session_id: str, records: Iterable[LogRecord], head: str | None = None) -> Session:
    """Rebuild the snapshot. Raises LogBroken naming the record that was changed, is missing, or is illegal under `flow`."""
    records = tuple(records)
    end = verify_chain(records, head)
    session = new_session(flow, session_id)
    for record in records:
        if record.kind == "state_event":
            session = _step(flow, session, record)
    return session.model_copy(update={"records": len(records), "head": end})


def _step(flow: Flow, session: Session, record: LogRecord) -> Session:
    event = parse_message(record.body)
    if not isinstance(event, StateEvent):
        raise LogBroken(f"record {record.n} is not the state_event that it is filed as", record.n)
    if event.event_seq <= session.event_seq:
        return session  # a repeat
    if event.event_seq != session.event_seq + 1:
        raise LogBroken(f"record {record.n}: event_seq {event.event_seq} after {session.event_seq} leaves a gap", record.n)
    return apply(flow, session, event, entered=_judge(flow, session, event, record.n).entered)


def _judge(flow: Flow, session: Session, event: StateEvent, n: int) -> Resolved:
    """Whether the map allows what the event says; raises LogBroken if not."""
    if event.source_state != session.state and event.event != "started":
        raise LogBroken(f"record {n}: {event.event!r} starts in {event.source_state!r}, the session is in {session.state!r}", n)
    if event.event == "started":
        expected = Resolved(flow.initial, entered=True)
    elif event.event in STAYING_EVENTS:
        _judge_call(flow, session, event, n)
        expected = Resolved(session.state, entered=False)
    else:
        resolved = resolve(flow, session, event.event, event.payload)
        guarded = unconfirmed(flow, session, event.event, event.actor)
        if resolved is None or guarded:
            why = f"needs the confirmation of {guarded!r}" if guarded else f"has no row in {session.state!r}"
            raise LogBroken(f"record {n}: event {event.event!r} {why}", n)
        expected = resolved
    if expected.target != event.target_state:
        raise LogBroken(f"record {n}: {event.event!r} leads to {expected.target!r}, the log says {event.target_state!r}", n)
    return expected


def _judge_call(flow: Flow, session: Session, event: StateEvent, n: int) -> None:
    origin = event.payload.get("origin")
    if event.event == "tool_called" and isinstance(origin, str):
        guarded = unconfirmed_call(flow, session, origin, event.actor)
        if guarded:
            raise LogBroken(f"record {n}: the tool call needs the confirmation of {guarded!r}", n)
