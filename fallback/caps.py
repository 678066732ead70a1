"""Caps: counts that end a turn or a session before it becomes a loop. Pure; every number comes from Limits."""

from datetime import datetime

from ..protocol.limits import Limits
from ..protocol.session import Session


def too_many_turns(session: Session, limits: Limits) -> bool:
    """Whether the message about to be handled is one over the cap of the episode."""
    return session.episode_turns >= limits.turns_per_session


def repeated_too_often(session: Session, event: str, now: datetime, limits: Limits) -> bool:
    """Whether `event`, proposed by decider or outside, is one too many: in a row, or within the burst time.

    A different event resets the row. Slots, answers, entry tools, guards and AUTO moves are never counted.
    """
    if session.same_event != event:
        return False
    times = session.same_event_at
    if len(times) >= limits.same_event_in_a_row:
        return True
    recent = sum(1 for at in times if now.timestamp() - at < limits.same_event_burst_s)
    return recent >= limits.same_event_burst - 1


def stuck_level(session: Session, limits: Limits) -> int:
    """0: going on; 1: offer the menu as choices; 2: hand over."""
    if session.stuck >= limits.stuck_escalate:
        return 2
    return 1 if session.stuck >= limits.stuck_offer else 0
