"""What each event does to a snapshot. `advance` and `fold` both go through `apply`, so a replay cannot differ from the run.

One function per event name in one table; everything else is an event of the flow. Pure: time comes from the event itself.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from ..protocol.messages import Actor, StateEvent, ToolStatus
from ..protocol.session import PendingCall, PendingConfirmation, Session
from ..protocol.trusted import changed
from .calls import Good, good_after_call, good_after_return
from .deadlines import deadline_on_entry
from .flow import Flow
from .parts import Terminal
from .resolve import Resolved
from .rows import BUILT_IN_EVENTS, ESCALATED, HUMAN_RESUMED

Change = dict[str, Any]


def apply(flow: Flow, session: Session, event: StateEvent, row: Resolved | None) -> Session:
    """The snapshot after `event`. `row`: where the map leads, None for an event that only stays (see `resolve.py`)."""
    session = _this_turn(session, event)
    change: Change = {"event_seq": event.event_seq, "state": event.target_state, "updated_at": event.timestamp}
    if row and row.entered:
        change |= _entry(flow, session, event)
    elif event.actor is Actor.TIMER:
        change["deadline"] = None  # it has fired; without an entry nothing sets the next one
    own = CHANGES.get(event.event)
    change |= own(session, event) if own else _flow_event(session, event, ignored=row is not None and not row.entered)
    if asked_anew := _entry_tool_asked_anew(flow, session, event):
        change["data"] = {
            name: value for name, value in session.data.items() if name != flow.specs[asked_anew].data_name
        }
    if (good := _good_calls(flow, session, event)) != session.good_calls:
        change["good_calls"] = good
    if event.actor is Actor.HUMAN and event.event != HUMAN_RESUMED:
        change["agreed"] = True
    if _is_done(flow, session, event):
        change["done"] = True
    if row and row.forget:
        data = change.get("data", session.data)
        change["data"] = {name: value for name, value in data.items() if name not in row.forget}
    return changed(session, change)


def _entry_tool_asked_anew(flow: Flow, session: Session, event: StateEvent) -> str | None:
    """The entry tool that is called, or could not be: what it said before is no answer to what is asked now."""
    if event.event == "tool_called" and not event.payload.get("origin") and not event.payload.get("reused"):
        return str(event.payload["tool"])
    on_enter = flow.step(session.state).on_enter
    failed = event.event == ESCALATED and event.payload.get("rule") == "entry_tool"
    return on_enter.tool if failed and on_enter else None


def _is_done(flow: Flow, session: Session, event: StateEvent) -> bool:
    """Whether something happened that nobody can take back: an effect, known or possible, or what comes from outside."""
    if event.actor is not Actor.TOOL or not isinstance(session.pending, PendingCall):
        return event.actor is Actor.OUTSIDE
    status = event.payload["status"]
    may_have_run = status in (ToolStatus.OK.value, ToolStatus.TIMEOUT.value) and not session.pending.reused
    return status == ToolStatus.UNKNOWN.value or (may_have_run and flow.specs[session.pending.tool].effect != "none")


def _good_calls(flow: Flow, session: Session, event: StateEvent) -> Good:
    """Which answers of tools still stand after `event`."""
    specs, pending, payload = flow.specs, session.pending, event.payload
    if event.event in ("session_started", "flow_changed", HUMAN_RESUMED) or event.actor is Actor.OUTSIDE:
        return {}
    if event.event == "tool_called" and not payload.get("reused"):
        return good_after_call(specs[str(payload["tool"])], session.good_calls)
    if event.actor is Actor.TOOL and isinstance(pending, PendingCall) and payload["status"] == ToolStatus.OK.value:
        return (
            session.good_calls
            if pending.reused
            else good_after_return(specs, pending, session.good_calls, event.turn, event.timestamp)
        )
    return session.good_calls


def _this_turn(session: Session, event: StateEvent) -> Session:
    """The snapshot with the counts of the event's turn: an occurrence without a customer's message counts calls anew, too.

    A turn brings no progress until one of its events is a move, new data or a tool's result, each of which sets `stuck` to 0.
    """
    if event.turn != session.turn:
        counts = {"episode_turns": session.episode_turns + 1, "stuck": session.stuck + 1}
        return changed(session, {"turn": event.turn, "calls": 0, **counts})
    return changed(session, {"calls": 0}) if event.actor in (Actor.OUTSIDE, Actor.TIMER) else session


def _entry(flow: Flow, session: Session, event: StateEvent) -> Change:
    change: Change = {
        "state_version": session.state_version + 1,
        "pending": None,
        "stuck": 0,
        "deadline": deadline_on_entry(flow, event.target_state, event.timestamp),
    }
    if event.target_state == Terminal.ESCALATED and session.state != Terminal.ESCALATED:
        change["resume_to"] = session.state
    return change


def _flow_event(session: Session, event: StateEvent, *, ignored: bool) -> Change:
    """An event of the map: keeps what came with it (not of an ignored one), and counts repeats of deciders and the outside."""
    change: Change = {"invalid": 0} if event.actor is Actor.MODEL else {}
    if event.actor is Actor.TOOL:
        return change | _tool_returned(session, event)
    if event.payload and event.actor is not Actor.TIMER and not ignored:
        brought = {event.event: event.payload} if event.actor is Actor.OUTSIDE else event.payload
        change["data"] = {**session.data, **brought}
    if event.actor in (Actor.MODEL, Actor.OUTSIDE, Actor.HUMAN):
        change |= _counted(session, event.event, event.timestamp)
    return change


def _built_in_move(session: Session, event: StateEvent) -> Change:
    """What comes with a built-in move says why it was made; it is none of the customer's data."""
    return {"invalid": 0} if event.actor is Actor.MODEL else {}


def _resumed(session: Session, event: StateEvent) -> Change:
    """A human has seen to it: what had gone wrong before is not held against what comes."""
    return {"invalid": 0, "calls": 0, "turns_before": session.episode_turns}


def _passed_on(session: Session, event: StateEvent) -> Change:
    """A message that a human reads: a turn like any other, but no lack of progress."""
    return {"stuck": 0}


def _counted(session: Session, name: str, at: datetime) -> Change:
    before = session.same_event_at if session.same_event == name else ()
    return {"same_event": name, "same_event_at": (*before, at.timestamp())[-32:]}


def _started(session: Session, event: StateEvent) -> Change:
    return {
        "flow_version": event.payload["flow_version"],
        "fingerprint": event.payload["fingerprint"],
        "lang": event.payload["lang"],
        "lang_doubt": 0,
        "meta": event.payload.get("meta", {}),
        "episode": session.episode + 1,
        "episode_turns": 1,
        "turns_before": 0,
        "data": {},
        "last_tool": None,
        "invalid": 0,
        "same_event": "",
        "same_event_at": (),
        "calls": 0,
        "resume_to": None,
        "agreed": False,
        "done": False,
    }


def _flow_changed(session: Session, event: StateEvent) -> Change:
    carried: Change = dict(event.payload["session"])  # type: ignore[arg-type]  # its shape was checked
    tool = carried["last_tool"]
    return {
        "flow_version": event.payload["flow_version"],
        "fingerprint": event.payload["fingerprint"],
        "same_event": "",
        "same_event_at": (),
        **carried,
        "last_tool": tool and (tool[0], ToolStatus(tool[1])),
    }


def _language_noted(session: Session, event: StateEvent) -> Change:
    return {"lang": event.payload["lang"], "lang_doubt": event.payload["doubt"]}


def _meta_noted(session: Session, event: StateEvent) -> Change:
    return {"meta": event.payload}


def _slots_provided(session: Session, event: StateEvent) -> Change:
    values = event.payload.get("values")
    if not isinstance(values, dict) or not values:
        return {}
    data = {**session.data, **values}
    if data == session.data:  # nothing new: a question that is open stays open
        return {"invalid": 0}
    return {"data": data, "invalid": 0, "pending": None, "stuck": 0}


def _answered(session: Session, event: StateEvent) -> Change:
    return {"invalid": 0}


def _confirmation_asked(session: Session, event: StateEvent) -> Change:
    return {"pending": PendingConfirmation.model_validate(event.payload), "invalid": 0}


def _declined(session: Session, event: StateEvent) -> Change:
    return {"pending": None}


def _tool_called(session: Session, event: StateEvent) -> Change:
    return {"pending": PendingCall.model_validate(event.payload), "calls": session.calls + 1, "invalid": 0}


def _tool_returned(session: Session, event: StateEvent) -> Change:
    tool, status = str(event.payload["tool"]), ToolStatus(str(event.payload["status"]))
    change: Change = {"pending": None, "last_tool": (str(event.payload.get("saves", tool)), status)}
    if not event.payload.get("reused"):  # the same answer again is nothing new
        change["stuck"] = 0
    if status is ToolStatus.OK:
        change["data"] = {**session.data, str(event.payload.get("saves", tool)): event.payload.get("result")}
    return change


def _decision_rejected(session: Session, event: StateEvent) -> Change:
    return {"invalid": session.invalid + 1}


def _rolled_back(session: Session, event: StateEvent) -> Change:
    return {"invalid": event.payload["invalid"]}


def _nothing(session: Session, event: StateEvent) -> Change:
    return {}


CHANGES: Mapping[str, Callable[[Session, StateEvent], Change]] = {
    **dict.fromkeys(BUILT_IN_EVENTS, _built_in_move),
    HUMAN_RESUMED: _resumed,
    "session_started": _started,
    "flow_changed": _flow_changed,
    "language_noted": _language_noted,
    "meta_noted": _meta_noted,
    "slots_provided": _slots_provided,
    "answer_given": _answered,
    "detail_shown": _nothing,
    "confirmation_asked": _confirmation_asked,
    "confirmation_declined": _declined,
    "tool_called": _tool_called,
    "tool_returned": _tool_returned,
    "decision_rejected": _decision_rejected,
    "rolled_back": _rolled_back,
    "input_refused": _nothing,
    "event_refused": _nothing,
    "values_dropped": _nothing,
    "reply_replaced": _nothing,
    "message_passed_on": _passed_on,
    "unexpected_event": _nothing,
}
