"""The rows that every flow has, beside those of its map. Owns the built-in names; nothing else may define them.

Rules. A customer may always reach a human; code may always hand over (caps, ladder, unknown outcomes). A customer may always
leave, except from states that the flow keeps (`no_leave`). A session that nobody touches expires, except with a human.
`escalated` is left only by `human_resumed`, back to where it was. Completed and abandoned sessions move only to `escalated`,
when money arrives late; a new message starts a new episode at the initial state.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from ..protocol.messages import Actor
from .conditions import When
from .parts import Terminal

HUMAN_REQUESTED: Final = "human_requested"
ESCALATED: Final = "escalated_by_rule"
LEFT: Final = "customer_left"
EXPIRED: Final = "session_expired"
HUMAN_RESUMED: Final = "human_resumed"
RESUME: Final = "(where it was)"
"""Target of `human_resumed`: the state that the session was in when it was escalated."""

BUILT_IN_ACTORS: Final[Mapping[str, frozenset[Actor]]] = {
    HUMAN_REQUESTED: frozenset({Actor.MODEL, Actor.GUARD}),
    ESCALATED: frozenset({Actor.SYSTEM}),
    LEFT: frozenset({Actor.GUARD}),
    EXPIRED: frozenset({Actor.TIMER}),
    HUMAN_RESUMED: frozenset({Actor.HUMAN}),
}
"""The built-in moves, and who may bring each."""

STAYING_ACTORS: Final[Mapping[str, frozenset[Actor]]] = {
    "session_started": frozenset({Actor.SYSTEM}),
    "flow_changed": frozenset({Actor.SYSTEM}),
    "language_noted": frozenset({Actor.SYSTEM}),
    "meta_noted": frozenset({Actor.SYSTEM}),
    "slots_provided": frozenset({Actor.MODEL, Actor.GUARD}),
    "answer_given": frozenset({Actor.MODEL, Actor.GUARD}),
    "detail_shown": frozenset({Actor.MODEL}),
    "confirmation_asked": frozenset({Actor.MODEL, Actor.GUARD, Actor.SYSTEM}),
    "confirmation_declined": frozenset({Actor.GUARD}),
    "tool_called": frozenset({Actor.MODEL, Actor.HUMAN, Actor.SYSTEM}),
    "tool_returned": frozenset({Actor.TOOL}),
    "decision_rejected": frozenset({Actor.SYSTEM}),
    "rolled_back": frozenset({Actor.SYSTEM}),
    "input_refused": frozenset({Actor.GUARD}),
    "reply_replaced": frozenset({Actor.GUARD}),
    "event_refused": frozenset({Actor.GUARD}),
    "values_dropped": frozenset({Actor.GUARD}),
    "message_passed_on": frozenset({Actor.GUARD}),
    "unexpected_event": frozenset({Actor.OUTSIDE, Actor.TIMER}),
}
"""Events that change a snapshot and take no row (`session_started` opens an episode, `flow_changed` brings it under another
version of the flow), and who may bring each."""

BUILT_IN_EVENTS: Final = frozenset(BUILT_IN_ACTORS)
STAYING_EVENTS: Final = frozenset(STAYING_ACTORS)

BUILT_IN_ACTIONS: Final = ("provide", "answer", "ask_human", "leave", "show_detail")
RESERVED_STATES: Final = frozenset({*Terminal, "ignore", RESUME})
RESERVED_EVENTS: Final = BUILT_IN_EVENTS | STAYING_EVENTS

Rows = dict[tuple[str, str], tuple[When, ...]]


def built_in_rows(states: Iterable[str], no_leave: frozenset[str]) -> Rows:
    """The rows added to a flow over `states`."""
    rows: Rows = {}
    for state in states:
        rows[state, HUMAN_REQUESTED] = (When(None, Terminal.ESCALATED),)
        rows[state, ESCALATED] = (When(None, Terminal.ESCALATED),)
        rows[state, EXPIRED] = (When(None, Terminal.ABANDONED),)
        if state not in no_leave:
            rows[state, LEFT] = (When(None, Terminal.ABANDONED),)
    for end in (Terminal.COMPLETED, Terminal.ABANDONED):
        rows[end, ESCALATED] = (When(None, Terminal.ESCALATED),)
    rows[Terminal.ESCALATED, HUMAN_RESUMED] = (When(None, RESUME),)
    return rows
