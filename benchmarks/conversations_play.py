"""One conversation of `bench conversations`: a customer, the real engine, and what came of every message.

Owns the loop and the reading of a turn's events; judges nothing but what the customer meant. Time is injected, half a minute a
message, so that the rules about haste see a person. Called by `conversations.py`.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from ..app.maitred import Maitred
from ..protocol.messages import AgentResponse, StateEvent
from ..protocol.ports import Decider
from ..protocol.session import Session
from ..protocol.turn_events import Asked, Decided, Planned, Replied, TurnEvent
from ..protocol.usage import Attempt
from ..statemachine.flow import Flow
from ..statemachine.machine import new_session
from ..statemachine.menu import missing_slots
from ..statemachine.replay import Replay
from ..statemachine.rows import RESUME
from .conversations_customer import ENDS, Customer, Said, Seen

MOST_MESSAGES = 30
"""After so many a customer gives up."""

MOST_REPEATS = 8
"""Nor does it say one thing more often than that in a row. More than the engine's own limit of turns without progress."""

START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
_STEP = timedelta(seconds=30)
_SESSION = "customer"


class Books(Protocol):
    """The shop, as far as the bench reads it."""

    def orders(self) -> Sequence[Mapping[str, object]]: ...


class World(Protocol):
    """The example and what happens around it: given by the caller, for the harness does not import examples."""

    flow: Flow

    @property
    def shop(self) -> Books: ...

    async def after_turn(
        self, maitred: Maitred, response: AgentResponse, came_from: str
    ) -> Sequence[AgentResponse]: ...


class Clock:
    """The time of one conversation, the shop's and the engine's."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def pass_on(self) -> None:
        """Somebody thinks and types."""
        self.now += _STEP


@dataclass
class Turn:
    """A message, what was made of it, and what it cost. `told`: every slot that it gives is stored as meant, and nothing else."""

    said: Said
    state: str
    asked: str
    menu: tuple[str, ...] = ()
    decisions: list[Decided] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    response: AgentResponse | None = None
    seconds: float = 0.0
    told: bool | None = None

    def take(self, event: TurnEvent) -> None:
        """Add one TurnEvent."""
        if isinstance(event, Planned) and not self.menu:
            self.menu = event.menu.names
        elif isinstance(event, Asked):
            self.attempts += event.attempts
        elif isinstance(event, Decided):
            self.decisions.append(event)
        elif isinstance(event, Replied):
            self.response = event.response

    @property
    def reached_decider(self) -> bool:
        """Whether neither a guard nor code's own reading answered."""
        return bool(self.attempts) or any(decided.by not in ("guard", "code") for decided in self.decisions)

    @property
    def read_by_code(self) -> bool:
        """Whether no decider was asked because code read all that the message says."""
        return not self.attempts and any(decided.by == "code" for decided in self.decisions)

    @property
    def chosen(self) -> str:
        """The action of the first decision that was legal, whoever made it; empty if there was none."""
        return next((decided.decision.action for decided in self.decisions if not decided.problem), "")

    @property
    def right(self) -> bool:
        """Whether that action is one that the customer meant."""
        return self.chosen in self.said.expects

    def as_json(self) -> dict[str, Any]:
        """A line of a transcript."""
        used = [attempt.usage for attempt in self.attempts if attempt.usage]
        return {
            "state": self.state,
            "asked": self.asked,
            "topic": self.said.topic,
            "again": self.said.again,
            "user": self.said.text,
            "means": sorted(self.said.expects),
            "gives": dict(self.said.gives),
            "menu": list(self.menu),
            "decisions": [{"by": d.by, **d.decision.model_dump(), "problem": d.problem} for d in self.decisions],
            "right": self.right if self.reached_decider or self.read_by_code else None,
            "values_right": self.told,
            "reply": self.response.text if self.response else None,
            "state_after": self.response.state if self.response else None,
            "calls": len(self.attempts),
            "prompt_tokens": sum(usage.prompt for usage in used),
            "cached_tokens": sum(usage.cached for usage in used),
            "completion_tokens": sum(usage.completion for usage in used),
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation that is over. `end`: an end of the flow, or `given_up`; `wrong_orders`: orders of other values than the
    customer's; `illegal`: moves without a row in the flow's map."""

    customer: str
    turns: tuple[Turn, ...]
    end: str
    orders: int
    wrong_orders: int
    illegal: int
    replay_equal: bool


async def converse(
    customer: Customer, world: World, decider: Decider | None, clock: Clock, told: Callable[[int], None]
) -> Conversation:
    """Talk until the flow ends or the customer has had enough. `told` hears the number of messages so far."""
    turns: list[Turn] = []
    state, reply = world.flow.initial, ""
    async with Maitred(world.flow, decider=decider, clock=clock) as maitred:
        while state not in ENDS and not _has_had_enough(turns):
            clock.pass_on()
            before = await maitred.store.load(_SESSION) or new_session(world.flow, _SESSION)
            seen = Seen(before, missing_slots(world.flow, before), reply, turns[-1].chosen if turns else "")
            turns.append(await _turn(maitred, seen, customer))
            for response in await _replies(maitred, world, turns[-1]):
                state, reply = response.state, response.text
            told(len(turns))
        replayed = await maitred.replay(_SESSION)
    orders = world.shop.orders()
    return Conversation(
        customer.persona.name,
        tuple(turns),
        state if state in ENDS else "given_up",
        len(orders),
        sum(not is_meant(customer, order) for order in orders),
        illegal_moves(world.flow, replayed),
        replayed.equal,
    )


def _has_had_enough(turns: Sequence[Turn]) -> bool:
    last = [turn.said.topic for turn in turns[-MOST_REPEATS:]]
    return len(turns) >= MOST_MESSAGES or (len(last) == MOST_REPEATS and len(set(last)) == 1)


async def _turn(maitred: Maitred, seen: Seen, customer: Customer) -> Turn:
    said = customer.speak(seen)
    turn = Turn(said, seen.session.state, seen.asked)
    began = time.perf_counter()
    async for event in maitred.stream(maitred.request(_SESSION, said.text)):
        turn.take(event)
    turn.seconds = time.perf_counter() - began
    if turn.reached_decider or turn.read_by_code:
        turn.told = told_as_meant(customer, said, seen.session, await maitred.session(_SESSION), maitred.flow)
    return turn


async def _replies(maitred: Maitred, world: World, turn: Turn) -> Sequence[AgentResponse]:
    """What the customer reads: the reply, then what the world causes."""
    if turn.response is None:
        return ()
    return turn.response, *await world.after_turn(maitred, turn.response, turn.state)


def told_as_meant(customer: Customer, said: Said, before: Session, after: Session, flow: Flow) -> bool | None:
    """Whether the slots are as the customer means them after a message; None if it told nothing and nothing was stored."""
    changed = {name for name in flow.slots if before.data.get(name) != after.data.get(name)}
    slots = changed | set(said.gives)
    return all(customer.takes(slot, after.data.get(slot)) for slot in slots) if slots else None


def is_meant(customer: Customer, order: Mapping[str, object]) -> bool:
    """Whether an order of the shop's books is what the customer wants."""
    slots = ("company", "contact", "seats", "term_months")
    return order["plan"] == customer.wants["plan_wish"] and all(customer.takes(slot, order[slot]) for slot in slots)


def illegal_moves(flow: Flow, replayed: Replay) -> int:
    """Moves of the log that no row allows. Looked up here, in the table alone: the engine is what is judged."""
    return sum(not _has_row(flow, event) for event in replayed.moves if event.source_state != event.target_state)


def _has_row(flow: Flow, event: StateEvent) -> bool:
    targets = {when.target for when in flow.rows.get((event.source_state, event.event), ())}
    return event.target_state in targets or RESUME in targets
