"""Limits: every cap and time of a flow, with its default. Part of the flow's fingerprint."""

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from .plainly import plainly

LONGEST_S = 3660 * 86_400
"""Ten years: the longest time a flow may name, so that no date leaves the calendar."""


@plainly
@dataclass(frozen=True, config=ConfigDict(extra="forbid"), kw_only=True)
class Limits:
    """Counts are per session, per turn or in a row, as the name says; times in seconds; sizes in characters."""

    turns_per_session: int = Field(default=30, ge=1)
    steps_per_turn: int = Field(default=5, ge=1)
    tool_calls_per_turn: int = Field(default=3, ge=1)
    invalid_decisions: int = Field(default=3, ge=2)
    """The one that escalates; the one before rolls back, those before are asked again."""
    stuck_offer: int = Field(default=4, ge=1)
    stuck_escalate: int = Field(default=6, ge=2)
    same_event_in_a_row: int = Field(default=3, ge=1, le=30)
    same_event_burst: int = Field(default=3, ge=2, le=30)
    same_event_burst_s: float = Field(default=3.0, ge=0, le=86_400)
    text_chars: int = Field(default=4000, ge=1)
    expires_s: float = Field(default=7 * 86_400, gt=0, le=LONGEST_S)
