"""Same event: an event of the flow that comes again and again is refused, with a sentence. Pure; numbers come from Limits."""

from datetime import datetime

from ..protocol.limits import Limits
from ..protocol.session import Session


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
