"""Occurrence: something that happens to a session without a customer's message: an outside event, a deadline, a human's return,
or that its version of the flow is not served any more when the timer looks.

Stored as the body of its turn, so that a crash loses neither it nor its key.
"""

from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, JsonValue, TypeAdapter

from ..protocol.ids import PlainId
from ..protocol.messages import Actor, UserRequest
from ..protocol.ports import Clock

_ACTORS = {
    "outside": Actor.OUTSIDE,
    "deadline": Actor.TIMER,
    "expiry": Actor.TIMER,
    "resume": Actor.HUMAN,
    "version": Actor.SYSTEM,
}


class Occurrence(BaseModel):
    """`key`: what makes it one occurrence; the same key again changes nothing. `timestamp`: when it happened."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["outside", "deadline", "expiry", "resume", "version"]
    session_id: PlainId
    event: str
    key: PlainId
    payload: dict[str, JsonValue] = {}
    timestamp: AwareDatetime

    @property
    def actor(self) -> Actor:
        return _ACTORS[self.kind]


Cause = UserRequest | Occurrence
CAUSE: TypeAdapter[Cause] = TypeAdapter(Cause)


def clock_of(cause: Cause, clock: Clock) -> Clock:
    """The clock of a turn. For the timer it is at least as late as when it saw what was due, or it would judge otherwise."""
    if isinstance(cause, UserRequest):
        return clock
    return lambda: max(clock(), cause.timestamp)
