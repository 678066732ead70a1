"""A wizard's labels played through the real engine. It knows how to say a label, never whether it is legal: the engine decides.

What the data does not hold is played: the customer tells every missing value before a query, and a tool may bring any of its
outcomes. A walk is accepted if for some outcomes the engine accepts every label; sessions that differ in nothing count once.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pydantic import JsonValue

from ..protocol.log import LogRecord, chain
from ..protocol.messages import Actor, StateEvent, ToolStatus
from ..protocol.session import PendingCall, Session
from ..protocol.tool_spec import OUTCOME_OF
from ..statemachine.flow import Flow
from ..statemachine.fold import fold
from ..statemachine.machine import advance, new_session
from ..statemachine.menu import menu_of, missing_slots
from ..statemachine.proposals import Outcome, Proposal, Rejected
from .star_flow import CLOSING, SILENT, SILENT_S
from .star_graph import Graph, is_closing, is_goodbye

BEGIN = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
TURN = timedelta(seconds=20)
NO_TIME = timedelta()
TOLD = "told"

_STATUS_OF = {outcome: status for status, outcome in reversed(tuple(OUTCOME_OF.items()))}
_STEPS = 8


@dataclass(frozen=True, slots=True)
class Branch:
    """One way that the talk may have gone: its session, the events of the last step, and the branch before."""

    session: Session
    events: tuple[StateEvent, ...] = ()
    before: "Branch | None" = None

    def log(self) -> list[StateEvent]:
        """Every event from the first."""
        branch: Branch | None = self
        parts: list[tuple[StateEvent, ...]] = []
        while branch is not None:
            parts.append(branch.events)
            branch = branch.before
        return [event for part in reversed(parts) for event in part]


@dataclass(frozen=True, slots=True)
class Walked:
    """How a walk went: labels accepted, the engine's answer to the first that was not, and the size of each label's menu."""

    accepted: int
    refused: Rejected | None
    branches: tuple[Branch, ...]
    menus: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stage:
    """A flow to walk on. `known`: every label that any graph knows; other labels are the wizard's own words."""

    graph: Graph
    flow: Flow
    known: frozenset[str]

    def walk(self, labels: Sequence[str]) -> Walked:
        """Play `labels` as one talk, a turn each."""
        branches: tuple[Branch, ...] = (self.opened(),)
        menus: list[int] = []
        for turn, label in enumerate(labels, start=1):
            menu = len(menu_of(self.flow, branches[0].session).items)
            said = [self.say(branch, label, turn) for branch in branches]
            ways = tuple(way for ways in said if not isinstance(ways, Rejected) for way in ways)
            if not ways:
                return Walked(turn - 1, next(r for r in said if isinstance(r, Rejected)), branches, tuple(menus))
            branches = _distinct(ways)
            menus.append(menu)
        return Walked(len(labels), None, branches, tuple(menus))

    def opened(self) -> Branch:
        """A started session."""
        branch = Branch(new_session(self.flow, "star"))
        started = self.play(branch, Proposal("start", Actor.SYSTEM, {"lang": "en"}))
        if isinstance(started, Rejected):
            raise ValueError(f"{self.flow!r} does not start: {started.why}")
        return started

    def play(self, branch: Branch, proposal: Proposal, after: timedelta = NO_TIME) -> "Branch | Rejected":
        """One proposal to the engine, at its turn's time and `after` more."""
        outcome = advance(self.flow, branch.session, proposal, BEGIN + proposal.turn * TURN + after)
        return Branch(outcome.session, outcome.events, branch) if isinstance(outcome, Outcome) else outcome

    def say(self, branch: Branch, label: str, turn: int) -> list[Branch] | Rejected:
        """One label: the ways that the talk may go on, or the engine's refusal."""
        if label in self.graph.queries:
            return self._query(branch, label, turn)
        said = self.play(branch, self._proposal(branch, label, turn))
        return said if isinstance(said, Rejected) else list(self._returned(self._replied(said, label, turn), turn))

    def _proposal(self, branch: Branch, label: str, turn: int) -> Proposal:
        if label not in self.known and not is_closing(label):
            return Proposal("answer", Actor.MODEL, turn=turn)
        names = menu_of(self.flow, branch.session).names
        closes = label in self.graph.closings or is_goodbye(label)
        if label not in names and closes:
            return Proposal(CLOSING, Actor.GUARD, turn=turn)
        return Proposal(label, Actor.MODEL, turn=turn)

    def _replied(self, branch: Branch, label: str, turn: int) -> Branch:
        """The customer answers a question, unless that would complete the request: the query's own label does that."""
        missing = missing_slots(self.flow, branch.session)
        if label not in missing or len(missing) < 2:
            return branch
        told = self.play(branch, Proposal("provide", Actor.MODEL, {label: TOLD}, turn=turn))
        return branch if isinstance(told, Rejected) else told

    def _query(self, branch: Branch, query: str, turn: int) -> list[Branch] | Rejected:
        """Whatever leads to the call of `query`: its line on the menu, and the customer's missing values."""
        at = branch
        for _ in range(_STEPS):
            step = self._towards(at, query, turn)
            if step is None:
                break
            at = step
            pending = at.session.pending
            if isinstance(pending, PendingCall):
                if pending.tool == query:
                    return list(self._returned(at, turn))
                break
        refused = self.play(branch, Proposal(query, Actor.MODEL, turn=turn))
        return (
            refused if isinstance(refused, Rejected) else Rejected("not_called", f"{query!r} does not lead to its call")
        )

    def _towards(self, branch: Branch, query: str, turn: int) -> Branch | None:
        missing = missing_slots(self.flow, branch.session)
        if query in menu_of(self.flow, branch.session).names:
            step = self.play(branch, Proposal(query, Actor.MODEL, turn=turn))
        elif missing:
            told: dict[str, JsonValue] = dict.fromkeys(missing, TOLD)
            step = self.play(branch, Proposal("provide", Actor.MODEL, told, turn=turn))
        else:
            return None
        return None if isinstance(step, Rejected) else step

    def _returned(self, branch: Branch, turn: int) -> Iterator[Branch]:
        """A pending call comes back with each outcome that the flow names; without one, the branch itself."""
        pending = branch.session.pending
        if not isinstance(pending, PendingCall):
            yield branch
            return
        for way in self.returns(branch, turn):
            yield from self._returned(way, turn)

    def returns(self, branch: Branch, turn: int) -> Iterator[Branch]:
        """The pending call of `branch`, returned with each outcome."""
        pending, call = branch.session.pending, self.flow.step(branch.session.state).on_enter
        if not isinstance(pending, PendingCall) or call is None:
            return
        for outcome in call.on:
            status = _STATUS_OF[outcome]
            result: JsonValue = {"event": call.on[outcome]} if status is ToolStatus.OK else None
            payload: dict[str, JsonValue] = {"call_id": pending.call_id, "status": status.value, "result": result}
            way = self.play(branch, Proposal("return_tool", Actor.TOOL, payload, turn=turn))
            if not isinstance(way, Rejected):
                yield way

    def fell_silent(self, branch: Branch) -> Branch:
        """The branch after the silence that its step waits for, if it waits for one: the timer has fired."""
        proposal = Proposal(SILENT, Actor.TIMER, turn=branch.session.turn)
        ended = self.play(branch, proposal, timedelta(seconds=SILENT_S))
        return branch if isinstance(ended, Rejected) else ended

    def folds(self, branch: Branch) -> bool:
        """Whether the log of `branch` gives its session back, byte for byte."""
        records, head = log_of(branch)
        expected = branch.session.model_copy(update={"records": len(records), "head": head})
        return fold(self.flow, branch.session.session_id, records, head).model_dump_json() == expected.model_dump_json()


def log_of(branch: Branch) -> tuple[tuple[LogRecord, ...], str]:
    """The chained log of a branch and its head hash."""
    return chain(branch.log(), 0, "")


def _distinct(branches: Iterable[Branch]) -> tuple[Branch, ...]:
    """Branches whose sessions can still go different ways."""
    found: dict[tuple[str, frozenset[str]], Branch] = {}
    for branch in branches:
        found.setdefault((branch.session.state, frozenset(branch.session.data)), branch)
    return tuple(found.values())
