"""A random walk over the example: 48,000 proposals of every actor, legal and not, and what must hold after each of them."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from maitred.examples.presales.flow import build_flow
from maitred.examples.presales.shop import Shop
from maitred.protocol.log import chain
from maitred.protocol.messages import Actor, StateEvent, ToolStatus
from maitred.protocol.session import PendingCall, PendingConfirmation, Session
from maitred.statemachine.flow import ENDED, Flow
from maitred.statemachine.fold import fold
from maitred.statemachine.machine import WISHES, advance, new_session
from maitred.statemachine.menu import menu_of
from maitred.statemachine.parts import Terminal
from maitred.statemachine.proposals import Outcome, Proposal, Rejected
from maitred.statemachine.replay import replay
from maitred.statemachine.rows import RESERVED_EVENTS

WALKS, PROPOSALS = 100, 480
VALUES: dict[str, tuple[Any, ...]] = {
    "company": ("Leeds Dental", "蓝海牙科", ""),
    "seats": (20, "25", "many", -1, 1e300),
    "contact": ("13800138000", "x"),
    "use": ("support", "外呼", "nothing"),
    "budget": (2000, "三千", float("nan")),
    "term_months": (12, 900),
    "recording": (True, "no", "perhaps"),
    "plan_wish": ("basic", "gold"),
}
JUNK: tuple[Any, ...] = (
    None,
    [],
    {},
    {"a": [1]},
    "\ud800",
    float("inf"),
    2**70,
    "{seats}",
    "SO20261130-000001",
    object(),
)


class Walk:
    """One session, proposed to at random."""

    def __init__(self, flow: Flow, seed: int) -> None:
        self.flow, self.random = flow, random.Random(seed)
        self.now = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
        self.session: Session = new_session(flow, f"s{seed}")
        self.events: list[StateEvent] = []
        self.rejected = 0
        rows = {event for _, event in flow.rows}
        self.names = sorted(rows | RESERVED_EVENTS | set(flow.outside) | {name for name, _ in WISHES} | {"nonsense"})

    def proposal(self) -> Proposal:
        """Mostly what could be legal here, so that the walk gets far; else anything by anybody."""
        pick = self.random.random()
        name, actor, payload = self._wild() if pick < 0.3 else self._likely()
        turn = self.session.turn + self.random.choice((0, 0, 0, 1)) if pick < 0.97 else self.random.randint(-1, 99)
        return Proposal(name, actor, payload, key=f"k{turn}", turn=turn)

    def _wild(self) -> tuple[str, Actor, dict[str, Any]]:
        keys = self.random.sample([*VALUES, "lang", "call_id", "status", "result", "order_no", "origin"], k=2)
        payload = {key: self.random.choice(JUNK) for key in keys} if self.random.random() < 0.5 else {}
        return self.random.choice(self.names), self.random.choice(list(Actor)), payload

    def _likely(self) -> tuple[str, Actor, dict[str, Any]]:
        session = self.session
        if not session.episode or session.state in ENDED:
            return "start", Actor.SYSTEM, {"lang": self.random.choice(("zh", "en"))}
        if isinstance(session.pending, PendingCall):
            return "return_tool", Actor.TOOL, self._result(session.pending)
        if session.state == Terminal.ESCALATED:
            return "resume", Actor.HUMAN, {}
        if isinstance(session.pending, PendingConfirmation) and self.random.random() < 0.6:
            return self.random.choice(("confirm", "confirm", "decline", "ask_again")), Actor.GUARD, {}
        if session.state == "payment_guidance" and self.random.random() < 0.3:
            return "payment_complete", Actor.OUTSIDE, {"order_no": "SO20261130-000001"}
        if session.deadline and self.random.random() < 0.1:
            self.now = session.deadline
            return "payment_overdue", Actor.TIMER, {}
        if self.random.random() < 0.02:
            return self.random.choice(("expire", "payment_overdue")), Actor.TIMER, {}
        name = self.random.choice(menu_of(self.flow, session).names)
        wanted = self.flow.step(session.state).collects or VALUES
        values = {n: self.random.choice(VALUES[n]) for n in wanted if self.random.random() < 0.7}
        return name, Actor.MODEL, values if name == "provide" else {}

    def _result(self, call: PendingCall) -> dict[str, Any]:
        status = self.random.choice([ToolStatus.OK] * 16 + list(ToolStatus))
        result = {"plan": "basic", "plan_name": "Basic", "quote_no": "Q-20261130-0001", "order_no": "SO20261130-000001"}
        return {"call_id": call.call_id, "status": status.value, "result": result}

    def step(self) -> None:
        self.now += timedelta(seconds=self.random.choice((1, 30, 30, 7200)) if self.random.random() < 0.99 else 10**6)
        before, proposal = self.session, self.proposal()
        frozen = before.model_dump_json()
        outcome = advance(self.flow, before, proposal, self.now)
        assert before.model_dump_json() == frozen, ("changed in place", proposal)
        if isinstance(outcome, Rejected):
            self.rejected += 1
            return
        self._judge(before, outcome)
        self.session = outcome.session
        self.events += outcome.events

    def _judge(self, before: Session, outcome: Outcome) -> None:
        for event in outcome.events:
            assert event.event_seq == len(self.events) + outcome.events.index(event) + 1
        states = [before.state, *(event.target_state for event in outcome.events)]
        for (source, target), event in zip(pairwise(states), outcome.events, strict=True):
            assert event.source_state == source
            if source in {*Terminal} and target != source:
                assert (event.event, event.actor) in (
                    ("session_started", Actor.SYSTEM),
                    ("escalated_by_rule", Actor.SYSTEM),
                    ("human_resumed", Actor.HUMAN),
                ), (source, event)
        assert outcome.session.state == states[-1]
        assert outcome.session.state_version >= before.state_version


def orders_without_a_yes(events: list[StateEvent]) -> Iterator[StateEvent]:
    """Calls of create_order with no yes to the parameters since the session was last asked to start or to change them."""
    confirmed = False
    for event in events:
        if event.event in ("session_started", "params_changed", "plan_reopened"):
            confirmed = False
        if event.event == "params_confirmed":
            confirmed = event.actor is Actor.HUMAN
        if event.event == "tool_called" and event.payload["tool"] == "create_order" and not confirmed:
            yield event


@pytest.fixture(scope="module")
def presales(tmp_path_factory: pytest.TempPathFactory) -> Flow:
    return build_flow(Shop(Path(tmp_path_factory.mktemp("shop")) / "shop.db"))


@pytest.fixture(scope="module")
def walks(presales: Flow) -> list[Walk]:
    """Walked once; each step checks that nothing changed in place, numbers have no gap and ends are final."""
    walks = [Walk(presales, seed) for seed in range(WALKS)]
    for walk in walks:
        for _ in range(PROPOSALS):
            walk.step()
    return walks


def test_the_walk_gets_everywhere(presales: Flow, walks: list[Walk]) -> None:
    """Else it would prove little: every state and end, every own row but the rare ones, rejected and accepted in plenty."""
    events = [event for walk in walks for event in walk.events]
    assert {event.target_state for event in events} == {*presales.states, *Terminal}
    assert {event for _, event in presales.transitions} - {event.event for event in events} == set()
    assert sum(walk.rejected for walk in walks) > 2_000
    assert len(events) > 5_000
    assert max(walk.session.episode for walk in walks) > 3


def test_numbers_have_no_gap(walks: list[Walk]) -> None:
    """From 1, across episodes; the snapshot has the last one, and as many versions as there were moves."""
    for walk in walks:
        assert [event.event_seq for event in walk.events] == list(range(1, len(walk.events) + 1))
        assert walk.session.event_seq == len(walk.events)
        assert walk.events[-1].state_version == walk.session.state_version


def test_the_log_gives_the_snapshot_back_byte_for_byte(presales: Flow, walks: list[Walk]) -> None:
    """Written, hashed, read and judged again by the flow."""
    for walk in walks:
        records, head = chain(walk.events, 0, "")
        stored = walk.session.model_copy(update={"records": len(records), "head": head})
        folded = fold(presales, walk.session.session_id, records, head, len(records))
        assert folded.model_dump_json() == stored.model_dump_json()
        assert replay(presales, walk.session.session_id, records, stored).equal


def test_no_order_without_a_yes_to_its_parameters(walks: list[Walk]) -> None:
    """In that episode, after the last change; and orders there were."""
    calls = [
        e for walk in walks for e in walk.events if e.event == "tool_called" and e.payload["tool"] == "create_order"
    ]
    assert len(calls) > 20
    assert [event for walk in walks for event in orders_without_a_yes(walk.events)] == []
