"""When must the timer look at a session again? Pure; the store keeps the answer in an index, `tick` acts on it."""

from datetime import datetime, timedelta

from ..protocol.session import Session
from .flow import ENDED, Flow
from .parts import Terminal
from .rows import EXPIRED


def deadline_on_entry(flow: Flow, state: str, now: datetime) -> datetime | None:
    """Deadline of a step entered at `now`."""
    deadline = flow.step(state).deadline
    return now + timedelta(seconds=deadline.after_s) if deadline else None


def expires_at(flow: Flow, session: Session) -> datetime | None:
    """When the session expires if nothing more happens; None for ended sessions and those with a human."""
    if session.state in ENDED or session.state == Terminal.ESCALATED or session.updated_at is None:
        return None
    return session.updated_at + timedelta(seconds=flow.limits.expires_s)


def due_at(flow: Flow, session: Session) -> datetime | None:
    """The step's deadline or the session's expiry, whichever is first."""
    expiry = expires_at(flow, session)
    return min(expiry, session.deadline) if expiry and session.deadline else expiry


def too_early(flow: Flow, session: Session, event: str, now: datetime) -> bool:
    """Whether the timer must not bring `event` yet: a session that was due when the timer looked may have gone on since."""
    due = expires_at(flow, session) if event == EXPIRED else session.deadline
    return due is None or now < due
