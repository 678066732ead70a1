"""The machine: `advance(flow, session, proposal, now)`. One choke point: whatever wants to change a session comes through here.

Values in, values out; nothing is read but the arguments. An illegal proposal is a `Rejected` and changes nothing. An accepted one
may cause more: a completing event, the tool of a step that was entered, a confirmation to ask (`run.py`, `settle`).
"""

from collections.abc import Mapping
from datetime import datetime

from ..protocol.canonical import kept_json
from ..protocol.errors import BadRequest
from ..protocol.messages import Actor
from ..protocol.session import PendingCall, Session
from .flow import Flow
from .proposals import Outcome, Proposal, Rejected
from .rows import ESCALATED, HUMAN_RESUMED, LEFT
from .run import Run
from .wishes_of_code import (
    Wish,
    ask_again,
    built_in_move,
    confirm,
    decline,
    expire,
    from_guard,
    from_outside,
    from_timer,
    keep_event,
    migrate,
    not_proposable,
    note,
    pass_on,
    start,
    tool_returned,
)
from .wishes_of_model import answer, ask_human, choose, provide, show_detail, wish_to_leave


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
    run = Run(flow, session, proposal, now)
    handler = WISHES.get((proposal.name, proposal.actor)) or _BY_ACTOR.get(proposal.actor, not_proposable)
    problem = _out_of_place(run) or _unfit(run) or handler(run)
    return problem or Outcome(run.session, tuple(run.events), tuple(run.effects))


def _out_of_place(run: Run) -> Rejected | None:
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


def _unfit(run: Run) -> Rejected | None:
    """A payload that is no JSON: it could not be put on record."""
    try:
        kept_json(run.proposal.payload)
    except BadRequest as error:
        return Rejected("bad_payload", f"payload of {run.proposal.name!r}: {error}")
    return None


_BY_ACTOR: Mapping[Actor, Wish] = {
    Actor.MODEL: choose,
    Actor.OUTSIDE: from_outside,
    Actor.TIMER: from_timer,
    Actor.GUARD: from_guard,
}

WISHES: Mapping[tuple[str, Actor], Wish] = {
    ("start", Actor.SYSTEM): start,
    ("migrate", Actor.SYSTEM): migrate,
    ("note_language", Actor.SYSTEM): note("language_noted"),
    ("note_meta", Actor.SYSTEM): note("meta_noted"),
    ("provide", Actor.MODEL): provide,
    ("provide", Actor.GUARD): provide,
    ("answer", Actor.MODEL): answer,
    ("answer", Actor.GUARD): answer,
    ("show_detail", Actor.MODEL): show_detail,
    ("ask_human", Actor.MODEL): ask_human,
    ("ask_human", Actor.GUARD): ask_human,
    ("leave", Actor.MODEL): wish_to_leave,
    ("leave", Actor.GUARD): built_in_move(LEFT),
    ("confirm", Actor.GUARD): confirm,
    ("decline", Actor.GUARD): decline,
    ("ask_again", Actor.GUARD): ask_again,
    ("return_tool", Actor.TOOL): tool_returned,
    ("reject_decision", Actor.SYSTEM): note("decision_rejected"),
    ("roll_back", Actor.SYSTEM): note("rolled_back"),
    ("refuse_input", Actor.GUARD): note("input_refused"),
    ("refuse_event", Actor.GUARD): note("event_refused"),
    ("drop_values", Actor.GUARD): note("values_dropped"),
    ("pass_on", Actor.GUARD): pass_on,
    ("keep_event", Actor.SYSTEM): keep_event,
    ("replace_reply", Actor.GUARD): note("reply_replaced"),
    ("escalate", Actor.SYSTEM): built_in_move(ESCALATED),
    ("expire", Actor.TIMER): expire,
    ("resume", Actor.HUMAN): built_in_move(HUMAN_RESUMED),
}
"""(wish, who) -> what it does. Whoever is not listed cannot wish it; other names are actions or events by `_BY_ACTOR`."""
