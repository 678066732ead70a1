"""Fixtures of the runtime's tests: a small flow with every kind of step, a decider that obeys the text, and a clock.

The customer's text says what the decider answers: `name Ann` provides, `bad` is no decision, `boom` raises, the name of an
action takes it, anything else is echoed.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from maitred.app.maitred import Maitred
from maitred.decision.scripted import ScriptedDecider
from maitred.protocol.decision import DecisionRequest
from maitred.protocol.log import LogRecord
from maitred.protocol.messages import StateEvent, ToolCall, parse_message
from maitred.protocol.slots import Slot
from maitred.runtime.turns import Times
from maitred.statemachine.flow import Flow
from maitred.statemachine.parts import Action, Call, Deadline, Outside, Step, Terminal
from maitred.store.sqlite import SqliteStore
from maitred.tools.tool import ToolError, tool

NAME = Slot(type="str", ask="Your name?")


class Clock:
    """A clock moved by hand, in whole or in part of a second."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, **time: float) -> None:
        self.now += timedelta(**time)


class Outcomes:
    """What the flow's tool does: returns, raises, or waits to be let go. `calls` by key."""

    def __init__(self) -> None:
        self.value: Any = {"price": 7}
        self.calls: Counter[str] = Counter()
        self.reached = asyncio.Event()
        self.let_go = asyncio.Event()
        self.let_go.set()
        self.found: Any = None

    async def run(self, key: str) -> Any:
        self.calls[key] += 1
        self.reached.set()
        await self.let_go.wait()
        if isinstance(self.value, BaseException):
            raise self.value
        return self.value

    def lookup(self, key: str) -> Any:
        return self.found

    @property
    def refuse(self) -> ToolError:
        return ToolError("not today")


def desk(
    outcomes: Outcomes, effect: str = "idempotent", *, on_arrival: bool = False, version: str = "1", **how: Any
) -> Flow:
    """ask -> offer -> waiting -> completed, with a step without words of its own. `on_arrival`: the tool runs first of all."""

    @tool(effect=effect, timeout_s=how.pop("timeout_s", 5.0), bind={"key": "call.key"}, lookup=how.pop("lookup", None))
    async def probe(key: str) -> Any:
        return await outcomes.run(key)

    @tool(effect="none", bind={"shoe": "data.shoe_size"})
    def needs_more(shoe: int) -> int:
        return shoe

    first = Call("probe") if on_arrival else None
    steps = {
        "ask": Step(say="Welcome. {ask}", collects={"name": NAME}, complete="known", on_enter=first),
        "offer": Step(
            say="An offer for {name}.",
            actions=(
                Action("probe_it", tool="probe", reply="It costs {probe.price}."),
                Action("move_on_result", tool="probe", on={"ok": "ordered"}),
                Action("too_early", tool="needs_more"),
                Action("order", event="ordered"),
                Action("sure_order", event="ordered_surely", confirm=True),
                Action("go_quiet", event="went_quiet"),
                Action("again", event="again"),
            ),
        ),
        "quiet": Step(actions=(Action("finish", event="done"),)),
        "waiting": Step(say="Please pay.", deadline=Deadline(60, "overdue")),
    }  # fmt: skip
    return Flow(
        name="desk",
        version=version,
        states=("ask", "offer", "quiet", "waiting"),
        initial="ask",
        transitions={
            ("ask", "known"): "offer",
            ("offer", "ordered"): "waiting",
            ("offer", "ordered_surely"): "waiting",
            ("offer", "went_quiet"): "quiet",
            ("offer", "again"): "offer",
            ("quiet", "done"): Terminal.COMPLETED,
            ("waiting", "paid"): Terminal.COMPLETED,
            ("waiting", "overdue"): Terminal.ABANDONED,
        },
        steps=steps,
        tools=(probe, needs_more),
        outside=(Outside("paid", money=True), "news"),
        **how,
    )


def obey(request: DecisionRequest) -> Any:
    """The decider: the text is the decision."""
    word, _, rest = request.text.partition(" ")
    if word == "bad" and not request.moved:
        return {"action": "no such action"}
    if word == "boom":
        raise ConnectionError("the model is down")
    if word == "name":
        return {"action": "provide", "parameters": {"name": rest}}
    if word in request.menu.names and not request.moved:
        return {"action": word, "parameters": {}, "reply_text": f"doing {word}"}
    return {"action": "answer", "parameters": {}, "reply_text": f"you said {request.text}"}


class Desk:
    """A Maitred over the desk, with what a test needs to look behind it."""

    def __init__(self, path: str, clock: Clock) -> None:
        self.path, self.clock = path, clock
        self.outcomes = Outcomes()
        self.decider = ScriptedDecider(obey)
        self.opened: list[Maitred] = []

    def open(
        self,
        *,
        effect: str = "idempotent",
        times: Times | None = None,
        decider: Any = None,
        store: Any = None,
        **how: Any,
    ) -> Maitred:
        """Another Maitred on the same file."""
        maitred = Maitred(
            how.pop("flow", None) or desk(self.outcomes, effect, **how), store=store or SqliteStore(self.path),
            decider=decider or self.decider, clock=self.clock, times=times or Times(wait_s=10.0),
        )  # fmt: skip
        self.opened.append(maitred)
        return maitred

    async def lead(self, maitred: Maitred, *texts: str, session: str = "s1") -> list[str]:
        """Messages one after the other, with ids m1, m2, ... over the whole test; the replies."""
        replies = []
        for text in texts:
            self.sent = getattr(self, "sent", 0) + 1
            replies.append((await maitred.say(session, text, message_id=f"m{self.sent}")).text)
        return replies

    async def records(self, session: str = "s1") -> tuple[LogRecord, ...]:
        return await self.opened[-1].store.log(session)

    async def events(self, session: str = "s1") -> list[StateEvent]:
        messages = [parse_message(record.body) for record in await self.records(session)]
        return [message for message in messages if isinstance(message, StateEvent)]

    async def names(self, session: str = "s1") -> list[str]:
        return [event.event for event in await self.events(session)]

    async def calls(self, session: str = "s1") -> list[tuple[str, str]]:
        """(call id, status) of every tool_call in the log."""
        messages = [parse_message(record.body) for record in await self.records(session)]
        return [(message.call_id, message.status.value) for message in messages if isinstance(message, ToolCall)]

    async def sound(self, session: str = "s1") -> None:
        """The log replays to the snapshot, no call is left open, and each has one end."""
        for maitred in self.opened[-1:]:
            checked = await maitred.replay(session)
            assert (checked.equal, checked.problem) == (True, None)
        calls = await self.calls(session)
        begun = [call for call, status in calls if status == "pending"]
        ended = [call for call, status in calls if status != "pending"]
        assert begun == ended
        assert len(set(begun)) == len(begun)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def desk_(tmp_path: Path, clock: Clock) -> AsyncIterator[Desk]:
    made = Desk(str(tmp_path / "desk.db"), clock)
    yield made
    made.outcomes.let_go.set()
    for maitred in made.opened:
        await maitred.close()


@pytest.fixture
def flow_of() -> Callable[..., Flow]:
    return desk
