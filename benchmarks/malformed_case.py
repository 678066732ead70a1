"""One case: a customer's lines played through the whole path while the model's server says damaged decisions; what came of it.

Owns how a case runs and how it is judged, by the session's log alone. Called by `malformed.py`.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, Protocol

from pydantic import JsonValue

from ..app.maitred import Maitred
from ..protocol.decision import AgentDecision, Answered, DecisionRequest
from ..protocol.messages import AgentResponse, StateEvent
from ..protocol.ports import Clock, PatientDecider
from ..protocol.texts import Lang
from ..protocol.turn_events import Decided, Moved, Replied
from ..statemachine.flow import Flow
from ..statemachine.parts import Terminal
from ..statemachine.rows import ESCALATED
from ..store.sqlite import SqliteStore
from .malformed_damage import written
from .malformed_scenes import Line
from .malformed_server import SayingServer

Outcome = Literal["salvaged", "accepted_after_retry", "rolled_back", "escalated", "crashed"]
Move = tuple[str, str, str, str, JsonValue]
"""(event, actor, source, target, payload without what numbers its call)."""

SESSION = "bench"
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
_LADDER = ("decision_rejected", "rolled_back")
_MOST_TRIES = 3
"""A line is said again after each rollback; the third invalid decision ends that."""


class World(Protocol):
    """The example's: its flow over a shop, and what the bank does after a turn."""

    @property
    def flow(self) -> Flow: ...

    async def after_turn(
        self, maitred: Maitred, response: AgentResponse, came_from: str
    ) -> Sequence[AgentResponse]: ...


WorldAt = Callable[[Path, Clock], World]
"""Opens the world whose shop is in this file. Handed in: examples and benchmarks are of one layer."""


@dataclass
class Judged:
    """`why`: what broke, or what was illegal, for people."""

    outcome: Outcome
    illegal_moves: int = 0
    why: str = ""


@dataclass
class Mouth:
    """The decider: before each question it tells the server what the model says to it, then the real client asks.

    `meant`: the decision on the line just said. `damage`: what becomes of it, for the next `left` questions.
    """

    server: SayingServer
    client: PatientDecider
    damage: Callable[[AgentDecision], str] = written
    left: int = 0
    meant: AgentDecision = field(default_factory=lambda: AgentDecision(action="answer"))

    def __post_init__(self) -> None:
        self.name, self.timeout_s = self.client.name, self.client.timeout_s

    async def decide(self, request: DecisionRequest) -> AgentDecision | Mapping[str, JsonValue] | Answered:
        self.server.says = self.damage(self.meant) if self.left else written(self.meant)
        self.left = max(self.left - 1, 0)
        return await self.client.decide(request)


@dataclass
class Stage:
    """The example flow over the shop and the sessions in one folder, with this decider.

    `began_after`: the log's event_seq at first. `taken`: each decision that was accepted, beside the one that was meant.
    """

    maitred: Maitred
    world: World
    mouth: Mouth
    lang: Lang
    began_after: int
    taken: list[tuple[AgentDecision, AgentDecision]] = field(default_factory=list)
    replies: list[AgentResponse] = field(default_factory=list)

    async def play(self, line: Line) -> None:
        """The line, again after each rollback, and what follows if it was understood."""
        self.mouth.meant = line.meant
        for _ in range(_MOST_TRIES):
            if "rolled_back" not in await self._say(line.text):
                break
        if line.agrees and not self.is_escalated:
            await self._say(line.agrees)

    async def _say(self, text: str) -> list[str]:
        """One turn and what the world does after it; the names of the turn's events."""
        before = await self.maitred.store.load(SESSION)
        request = self.maitred.request(SESSION, text, meta={"lang": self.lang})
        happened: list[str] = []
        async for event in self.maitred.stream(request):
            if isinstance(event, Decided) and event.by == self.mouth.name and not event.problem:
                self.taken.append((event.decision, self.mouth.meant))
            elif isinstance(event, Moved):
                happened.append(event.event.event)
            elif isinstance(event, Replied):
                self.replies.append(event.response)
        await self.world.after_turn(self.maitred, self.replies[-1], before.state if before else "")
        return happened

    @property
    def is_escalated(self) -> bool:
        return bool(self.replies) and self.replies[-1].state == Terminal.ESCALATED


@asynccontextmanager
async def opened(folder: Path, world_at: WorldAt, mouth: Mouth, lang: Lang) -> AsyncIterator[Stage]:
    """The stage as the files of the folder have it; new ones if there are none."""
    world = world_at(folder / "shop.db", lambda: NOW)
    store = SqliteStore(str(folder / "sessions.db"), durable=False)
    async with Maitred(world.flow, store=store, decider=mouth, clock=lambda: NOW) as maitred:
        session = await store.load(SESSION)
        yield Stage(maitred, world, mouth, lang, session.event_seq if session else 0)


async def play_case(stage: Stage, lines: Sequence[Line], meant: Sequence[Move]) -> Judged:
    """Play until all the damage is done. `meant`: the moves that the lines cause undamaged."""
    try:
        for line in lines:
            await stage.play(line)
            if not stage.mouth.left or stage.is_escalated:
                break
    except Exception as error:  # noqa: BLE001  # whatever reaches the caller is the finding
        return Judged("crashed", why=f"{type(error).__name__}: {error}")
    if not all(reply.text.strip() for reply in stage.replies):
        return Judged("crashed", why="a reply without words")
    return await _judged(stage, meant)


def moves(events: Sequence[StateEvent]) -> list[Move]:
    """What was done, without what the ladder put on record."""
    return [
        (event.event, event.actor, event.source_state, event.target_state, _without_call_numbers(event.payload))
        for event in events
        if event.event not in _LADDER and not _is_ladders_end(event)
    ]


def _is_ladders_end(event: StateEvent) -> bool:
    return event.event == ESCALATED and event.payload.get("rule") == "invalid_decisions"


def _without_call_numbers(value: JsonValue) -> JsonValue:
    """A turn that was said again numbers its calls otherwise."""
    if not isinstance(value, dict):
        return value
    return {name: _without_call_numbers(inner) for name, inner in value.items() if name not in ("call_id", "key")}


def _outcome(events: Sequence[StateEvent]) -> Outcome:
    names = [event.event for event in events]
    if any(_is_ladders_end(event) for event in events):
        return "escalated"
    if "rolled_back" in names:
        return "rolled_back"
    return "accepted_after_retry" if "decision_rejected" in names else "salvaged"


async def _judged(stage: Stage, meant: Sequence[Move]) -> Judged:
    """Illegal are a log that the flow's rows do not bear out, moves that were not meant, and decisions that were not."""
    checked = await stage.maitred.replay(SESSION)
    events = [event for event in checked.moves if event.event_seq > stage.began_after]
    if checked.problem:
        return Judged(_outcome(events), 1, checked.problem)
    done = moves(events)
    as_meant = next((n for n, (one, other) in enumerate(zip(done, meant, strict=False)) if one != other), len(meant))
    strays = done[as_meant:]
    others = [decision for decision, right in stage.taken if decision != right]
    why = f"not meant: {strays[0][0]}" if strays else "another decision was taken" if others else ""
    return Judged(_outcome(events), max(len(strays), len(others)), why)
