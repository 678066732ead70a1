"""Fixtures of the machine's tests: a small flow with every kind of row, step and action, and a driver that keeps its log."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

import pytest

from maitred.protocol.log import LogRecord, chain
from maitred.protocol.messages import Actor, StateEvent
from maitred.protocol.session import PendingCall, Session
from maitred.protocol.slots import Slot
from maitred.protocol.tool_spec import ToolSpec
from maitred.statemachine.conditions import When
from maitred.statemachine.flow import Flow
from maitred.statemachine.machine import advance, new_session
from maitred.statemachine.parts import IGNORE, Action, Call, Deadline, Outside, Step, Terminal
from maitred.statemachine.proposals import Outcome, Proposal, Rejected

START = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)


@dataclass(frozen=True)
class FakeTool:
    """A tool as the core sees it: its spec."""

    spec: ToolSpec
    lookup: None = None

    async def call(self, arguments: Any, context: Any) -> Any:
        raise NotImplementedError


def fake_tool(name: str, **spec: Any) -> FakeTool:
    """Reads, and is called each time, if nothing else is said."""
    return FakeTool(ToolSpec(name, **{"effect": "none", "fresh": True, **spec}))


class Desk(StrEnum):
    INTAKE = "intake"
    OFFER = "offer"
    REVIEW = "review"
    SIGN = "sign"
    WAIT = "wait"
    CARE = "care"


D = Desk
DESK_ROWS: dict[tuple[Desk, str], Any] = {
    (D.INTAKE, "intake_done"): [When({"size": {"gt": 50}}, D.REVIEW), When(None, D.OFFER)],
    (D.OFFER, "accepted"): D.SIGN,
    (D.OFFER, "found"): [When({"count": {"gte": 1}}, D.REVIEW)],
    (D.OFFER, "nothing"): IGNORE,
    (D.OFFER, "charged"): D.CARE,
    (D.OFFER, "again"): D.OFFER,
    (D.OFFER, "skipped"): [When(None, IGNORE, forget=("mail",))],
    (D.OFFER, "restarted"): [When(None, D.INTAKE, forget=("size", "find"))],
    (D.OFFER, "coloured"): D.OFFER,
    (D.REVIEW, "assessed"): [When({"approved": True}, D.WAIT), When({"approved": False}, Terminal.ABANDONED)],
    (D.REVIEW, "rejected"): D.OFFER,
    (D.SIGN, "changed"): D.SIGN,
    (D.SIGN, "signed"): D.WAIT,
    (D.WAIT, "paid"): D.CARE,
    (D.WAIT, "overdue"): [When({"patient": {"present": False}}, Terminal.ESCALATED)],
    (D.WAIT, "cancelled"): Terminal.ABANDONED,
    (D.CARE, "closed"): Terminal.COMPLETED,
    (D.CARE, "delivered"): IGNORE,
}
NAME = Slot(str, read="text", ask={"en": "Your name?", "zh": "您贵姓？"})
SIZE = Slot(int, read="number", minimum=1, maximum=100, ask="How many?")
MAIL = Slot(str, read="email", required=False)
DESK_STEPS: dict[Desk | Terminal, Step] = {
    D.INTAKE: Step(say="{ask}", collects={"name": NAME, "size": SIZE, "mail": MAIL}, complete="intake_done"),
    D.OFFER: Step(
        say="For {name}: {size}.",
        actions=(
            Action("accept", "take it", event="accepted", confirm=True),
            Action("take", "take it too", event="accepted"),
            Action("find", "look it up", tool="find", on={"ok": "found", "error": "nothing"}),
            Action(
                "charge", "charge", tool="charge", on={"ok": "charged"}, confirm=True, parameters={"sum": Slot(int)}
            ),
            Action("again", event="again"),
            Action("skip", event="skipped"),
            Action("restart", event="restarted"),
            Action("paint", event="coloured", parameters={"colour": Slot("choice", choices={"red": ("rot",)})}),
            Action("chat", reply="Nice weather, {name}."),
        ),
    ),
    D.REVIEW: Step(on_enter=Call("assess", {"ok": "assessed", "error": "rejected"}), say="Looking."),
    D.SIGN: Step(
        say="Sign for {size}?",
        collects={"size": SIZE},
        complete="changed",
        on_enter=Call("draft"),
        confirms="sign",
        actions=(Action("sign", "sign", event="signed", confirm=True, ask="Really, {name}?"),),
    ),
    D.WAIT: Step(
        deadline=Deadline(60, "overdue"),
        actions=(Action("cancel", tool="cancel", on={"ok": "cancelled"}, confirm=True),),
    ),
    D.CARE: Step(on_close="closed", actions=(Action("close", event="closed"),), without=("hours", "leave", "answer")),
    Terminal.COMPLETED: Step(say="Bye, {name}."),
}


def build_desk(**over: Any) -> Flow:
    values: dict[str, Any] = {
        "name": "desk",
        "states": Desk,
        "initial": D.INTAKE,
        "transitions": DESK_ROWS,
        "steps": DESK_STEPS,
        "everywhere": [Action("hours", "opening hours", reply="9 to 5")],
        "tools": [
            fake_tool("find", parameters={"size": True}, required=frozenset({"size"})),
            fake_tool("charge", parameters={"sum": True}, bind={"key": "call.key", "level": "meta.level"}),
            fake_tool("assess", saves="assessment"),
            fake_tool("draft"),
            fake_tool("cancel"),
        ],
        "outside": [Outside("paid", money=True), "delivered", "accepted"],
        "no_leave": [D.WAIT],
        "greeting": "Hello!",
    }
    return Flow(**(values | over))


@dataclass
class Driver:
    """A session under a flow, its log, and a clock. Each `send` is checked: a rejection changes nothing."""

    flow: Flow
    session: Session = field(init=False)
    events: list[StateEvent] = field(default_factory=list)
    now: datetime = START

    def __post_init__(self) -> None:
        self.session = new_session(self.flow, "s1")

    def send(
        self, name: str, actor: Actor = Actor.MODEL, payload: Mapping[str, Any] | None = None, *, new_turn: bool = False
    ) -> Outcome | Rejected:
        before = self.session.model_dump_json()
        turn = self.session.turn + new_turn
        outcome = advance(self.flow, self.session, Proposal(name, actor, payload or {}, key="k", turn=turn), self.now)
        assert self.session.model_dump_json() == before, "advance changed the session that it was given"
        if isinstance(outcome, Outcome):
            self.session = outcome.session
            self.events += outcome.events
        return outcome

    def must(
        self, name: str, actor: Actor = Actor.MODEL, payload: Mapping[str, Any] | None = None, **more: Any
    ) -> Outcome:
        outcome = self.send(name, actor, payload, **more)
        assert isinstance(outcome, Outcome), outcome
        return outcome

    def refused(
        self, name: str, actor: Actor = Actor.MODEL, payload: Mapping[str, Any] | None = None, **more: Any
    ) -> str:
        outcome = self.send(name, actor, payload, **more)
        assert isinstance(outcome, Rejected), outcome
        return outcome.code

    def start(self, **payload: Any) -> "Driver":
        self.must("start", Actor.SYSTEM, {"lang": "en", **payload}, new_turn=True)
        return self

    def give_back(self, result: Any = None, status: str = "ok", **more: Any) -> Outcome:
        pending = self.session.pending
        assert isinstance(pending, PendingCall)
        payload = {"call_id": pending.call_id, "status": status, "result": result, **more}
        return self.must("return_tool", Actor.TOOL, payload)

    def at(self, state: str) -> "Driver":
        """From the start to a state of the desk, by legal ways only."""
        self.start()
        if state == D.INTAKE:
            return self
        self.must("provide", Actor.MODEL, {"name": "Ann", "size": 60 if state == D.REVIEW else 5})
        if state in (D.SIGN, D.WAIT, D.CARE, Terminal.COMPLETED, Terminal.ABANDONED, Terminal.ESCALATED):
            self.must("accept")
            self.must("confirm", Actor.GUARD)
            self.give_back({"text": "x"})
        if state in (D.WAIT, D.CARE, Terminal.COMPLETED, Terminal.ABANDONED, Terminal.ESCALATED):
            self.must("confirm", Actor.GUARD)
        if state in (D.CARE, Terminal.COMPLETED):
            self.must("paid", Actor.OUTSIDE, {"sum": 3})
        if state == Terminal.COMPLETED:
            self.must("closed", Actor.GUARD)
        if state == Terminal.ESCALATED:
            self.must("escalate", Actor.SYSTEM, {"rule": "no_progress"})
        if state == Terminal.ABANDONED:
            self.must("cancel")
            self.must("confirm", Actor.GUARD)
            self.give_back({})
        assert self.session.state == state
        return self

    def later(self, seconds: float) -> "Driver":
        self.now += timedelta(seconds=seconds)
        return self

    def log(self) -> tuple[tuple[LogRecord, ...], str]:
        return chain(self.events, 0, "")

    def stored(self) -> Session:
        """The snapshot as a store would hold it, behind this log."""
        records, head = self.log()
        return self.session.model_copy(update={"records": len(records), "head": head})


@pytest.fixture(scope="session")
def desk() -> Flow:
    return build_desk()


@pytest.fixture(scope="session")
def make_desk() -> Callable[..., Flow]:
    """The desk with parts of its definition replaced."""
    return build_desk


@pytest.fixture(scope="session")
def tool_named() -> Callable[..., FakeTool]:
    return fake_tool


@pytest.fixture(scope="session")
def drive() -> Callable[[Flow], Driver]:
    return Driver


@pytest.fixture
def desk_steps() -> dict[Desk | Terminal, Step]:
    """The desk's steps, to be changed by a test."""
    return dict(DESK_STEPS)


@pytest.fixture
def desk_rows() -> dict[tuple[Desk, str], Any]:
    return dict(DESK_ROWS)
