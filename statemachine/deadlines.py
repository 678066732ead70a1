"""When must the timer look at a session again? Pure; the store keeps the answer in an index, `tick` acts on it."""

from datetime import datetime, timedelta

from ..protocol.session import Session
from .flow import ENDED, Flow
from .parts import Terminal


def deadline_on_entry(flow: Flow, state: str, now: datetime) -> datetime | None:
    """Deadline of a step entered at `now`."""
    deadline = flow.step(state).deadline
    return now + timedelta(seconds=deadline.after_s) if deadline else None


def due_at(flow: Flow, session: Session) -> datetime | None:
    """The step's deadline or the session's expiry, whichever is first; None for ended sessions and those with a human."""
    if session.state in ENDED or session.state == Terminal.ESCALATED or session.updated_at is None:
        return None
    expiry = session.updated_at + timedelta(seconds=flow.limits.expires_s)
    return min(expiry, session.deadline) if session.deadline else expiry
