"""The lifecycle of a turn: the second table, ours. The turn's loop does nothing but look here what comes next.

Rules. A turn begins and ends idle. Asking (planning) and doing (executing, waiting) are separate phases; a failure of either
goes through error, which retries, rolls back or hands over; nothing reaches the customer before completed, where the turn is
made durable. What is not in the table cannot happen: `NEXT[phase, signal]` raises.
"""

from collections.abc import Mapping
from enum import StrEnum


class Phase(StrEnum):
    """Where a turn is."""

    IDLE = "idle"
    PLANNING = "planning"
    EXECUTING = "executing"
    WAITING = "waiting"
    ERROR = "error"
    COMPLETED = "completed"


class Signal(StrEnum):
    """What a phase reports when it is done; past facts."""

    MESSAGE_CAME = "message_came"
    EVENT_CAME = "event_came"
    CALL_LEFT_OPEN = "call_left_open"
    PART_WAS_DONE = "part_was_done"
    PROPOSED = "proposed"
    FAILED = "failed"
    CALL_MADE = "call_made"
    CALL_ENDED = "call_ended"
    WORDS_WANTED = "words_wanted"
    SPOKEN = "spoken"
    SETTLED = "settled"
    RETRY = "retry"
    ROLLED_BACK = "rolled_back"
    ESCALATED = "escalated"
    COMMITTED = "committed"


NEXT: Mapping[tuple[Phase, Signal], Phase] = {
    # A customer's message goes to guards and decider; an outside event or a deadline is a proposal already.
    (Phase.IDLE, Signal.MESSAGE_CAME): Phase.PLANNING,
    (Phase.IDLE, Signal.EVENT_CAME): Phase.EXECUTING,
    # The first step of an episode may have a tool on entry; the message waits for it.
    (Phase.IDLE, Signal.CALL_MADE): Phase.WAITING,
    (Phase.EXECUTING, Signal.MESSAGE_CAME): Phase.PLANNING,
    # A worker died in this turn: go on where the log ends.
    (Phase.IDLE, Signal.CALL_LEFT_OPEN): Phase.WAITING,
    (Phase.IDLE, Signal.PART_WAS_DONE): Phase.EXECUTING,
    # Guards and decider only propose.
    (Phase.PLANNING, Signal.PROPOSED): Phase.EXECUTING,
    (Phase.PLANNING, Signal.FAILED): Phase.ERROR,
    (Phase.PLANNING, Signal.SPOKEN): Phase.COMPLETED,
    # The machine accepts or rejects; an accepted proposal may order a tool call, or leave the words to the decider.
    (Phase.EXECUTING, Signal.CALL_MADE): Phase.WAITING,
    (Phase.EXECUTING, Signal.FAILED): Phase.ERROR,
    (Phase.EXECUTING, Signal.WORDS_WANTED): Phase.PLANNING,
    (Phase.EXECUTING, Signal.SETTLED): Phase.COMPLETED,
    # However a call ends, its outcome is a proposal.
    (Phase.WAITING, Signal.CALL_ENDED): Phase.EXECUTING,
    # The customer asked to stop before it was made.
    (Phase.WAITING, Signal.ROLLED_BACK): Phase.COMPLETED,
    # The ladder.
    (Phase.ERROR, Signal.RETRY): Phase.PLANNING,
    (Phase.ERROR, Signal.ROLLED_BACK): Phase.COMPLETED,
    (Phase.ERROR, Signal.ESCALATED): Phase.COMPLETED,
    # The reply leaves after the commit.
    (Phase.COMPLETED, Signal.COMMITTED): Phase.IDLE,
}
