"""TurnEvent: what `Maitred.stream` yields while a turn runs, for consoles and streaming gateways; TurnWatch: who counts them.
Not stored.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from .decision import AgentDecision
from .menu import Menu
from .messages import AgentResponse, StateEvent, ToolCall
from .usage import Attempt


@dataclass(frozen=True, slots=True)
class Planned:
    """The menu was put to the decider."""

    menu: Menu


@dataclass(frozen=True, slots=True)
class Asked:
    """A model was asked: each call with its time and tokens; `problem` if no usable decision came of it."""

    by: str
    attempts: tuple[Attempt, ...]
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Decided:
    """What answered: the decider (`by` is its name) or a guard; `problem` if the decision was refused."""

    by: str
    decision: AgentDecision
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Spoken:
    """More words of the reply, ahead of the commit, if they were asked for: only words that change nothing. The reply that is
    committed begins with them; if the turn fails, they are all that came of it."""

    words: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A state_event was accepted (durable only once Replied or a tool call follows)."""

    event: StateEvent


@dataclass(frozen=True, slots=True)
class Called:
    """A tool call began or ended."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class Replied:
    """The turn is committed; this is its last event. `replayed`: the request had been answered before."""

    response: AgentResponse
    replayed: bool = False


TurnEvent = Planned | Asked | Decided | Spoken | Moved | Called | Replied


class TurnWatch(Protocol):
    """Sees one job, a message or an event, from its arrival to its end. For counting: it must not raise or wait."""

    def event(self, event: TurnEvent) -> None:
        """Something happened in a turn that the job took: its own, or an interrupted one that it finished first."""

    def ended(self, error: BaseException | None) -> None:
        """The job has its reply, or an error."""


Watcher = Callable[[str], TurnWatch]
"""Called when a job arrives, with its kind: `message`, or that of the occurrence, one of `runtime/occurrence.py`'s."""
