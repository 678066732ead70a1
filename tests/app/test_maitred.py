"""Maitred: what a Python program uses. Says, looks, replays and closes; defaults need nothing."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from maitred.app.maitred import Maitred
from maitred.decision.scripted import ScriptedDecider
from maitred.protocol.errors import BadRequest, StoreUnavailable, UnknownSession
from maitred.protocol.messages import UserRequest
from maitred.protocol.slots import Slot
from maitred.protocol.turn_events import Decided, Moved, Planned, Replied
from maitred.statemachine.flow import Flow
from maitred.statemachine.parts import Action, Step, Terminal
from maitred.store.sqlite import SqliteStore
from maitred.tools.tool import tool

KEYS: list[str] = []


@tool(effect="idempotent", bind={"key": "call.key"})
def book(key: str) -> str:
    """Book it."""
    KEYS.append(key)
    return "booked"


@pytest.fixture
def flow() -> Flow:
    KEYS.clear()
    return Flow(
        name="table",
        states=("party", "booking"),
        initial="party",
        transitions={("party", "known"): "booking", ("booking", "done"): Terminal.COMPLETED},
        steps={
            "party": Step(
                say="{ask}", collects={"size": Slot(type="int", read="number", ask="How many?")}, complete="known"
            ),
            "booking": Step(
                say="A table for {size}?",
                actions=(Action("book", tool="book", on={"ok": "done"}, examples=("book it",)),),
            ),
        },
        tools=(book,),
        greeting="Welcome!",
    )


async def test_conversation_in_memory_needs_neither_store_nor_decider(flow: Flow):
    """The keyword decider and ":memory:" are the defaults."""
    async with Maitred(flow) as maitred:
        said = [(await maitred.say("s1", text)).text for text in ("hello", "5", "book it")]
        assert said == ["Welcome!", "A table for 5?", "That is all done. Thank you!"]
        assert (await maitred.session("s1")).state == "completed"
        assert (await maitred.replay("s1")).equal


@pytest.mark.parametrize("kind", [str, Path, SqliteStore])
async def test_store_is_a_path_of_any_kind_or_a_store(flow: Flow, tmp_path: Path, kind: type):
    """The next program finds the session where the first left it."""
    where = os.fspath(tmp_path / "s.db")
    async with Maitred(flow, store=kind(where)) as maitred:
        await maitred.say("s1", "5")
    async with Maitred(flow, store=where) as maitred:
        assert [row.session_id for row in await maitred.sessions()] == ["s1"]
        assert (await maitred.say("s1", "book it")).state == "completed"


async def test_path_that_cannot_be_opened_fails_at_once(flow: Flow, tmp_path: Path):
    """Not at the first customer."""
    with pytest.raises(StoreUnavailable):
        Maitred(flow, store=str(tmp_path / "nowhere" / "s.db"))


async def test_ended_program_has_closed_its_store(flow: Flow, tmp_path: Path):
    """Nothing is left beside the file."""
    async with Maitred(flow, store=str(tmp_path / "s.db")) as maitred:
        await maitred.say("s1", "5")
    assert os.listdir(tmp_path) == ["s.db"]  # noqa: PTH208


async def test_tenants_do_not_share_tool_keys(flow: Flow):
    """The same session and message id at two tenants are two bookings."""
    for tenant in ("", "a", "b", "a"):
        async with Maitred(flow, tenant=tenant) as maitred:
            await maitred.say("s1", "5", message_id="m1")
            await maitred.say("s1", "book it", message_id="m2")
    assert len(KEYS) == 4
    assert len(set(KEYS)) == 3
    assert KEYS[1] == KEYS[3]


async def test_stream_tells_what_happens_and_ends_with_the_reply(flow: Flow):
    """In the order in which it happens."""
    async with Maitred(flow) as maitred:
        events = [event async for event in maitred.stream(maitred.request("s1", "5"))]
    kinds = [type(event) for event in events]
    assert kinds == [Moved, Planned, Decided, Moved, Moved, Replied]
    assert events[-1].response.text == "A table for 5?"


async def test_stream_raises_the_error_of_its_turn(flow: Flow):
    """After what happened before it."""
    async with Maitred(flow, decider=ScriptedDecider([])) as maitred:
        await maitred.close()
        with pytest.raises(StoreUnavailable):
            async for _ in maitred.stream(maitred.request("s1", "5")):
                pass


async def test_listener_that_stops_listening_does_not_stop_the_turn(flow: Flow):
    """Its message is answered all the same."""
    async with Maitred(flow) as maitred:
        request = maitred.request("s1", "5", message_id="m1")
        stream = maitred.stream(request)
        await anext(stream)
        await stream.aclose()
        reply = await maitred.handle(request)
        assert reply.text == "A table for 5?"
        assert [m.message_id for m in (await maitred.replay("s1")).messages if isinstance(m, UserRequest)] == ["m1"]


async def test_messages_without_an_id_are_messages_of_their_own(flow: Flow):
    """The same words twice are said twice."""
    async with Maitred(flow) as maitred:
        first, second = [await maitred.say("s1", "hello") for _ in range(2)]
        assert first.message_id != second.message_id


async def test_clock_is_the_one_given(flow: Flow):
    """Every message carries its time."""
    noon = datetime(2026, 11, 30, 12, tzinfo=UTC)
    async with Maitred(flow, clock=lambda: noon) as maitred:
        await maitred.say("s1", "5")
        assert {message.timestamp for message in (await maitred.replay("s1")).messages} == {noon}


async def test_looking_for_a_session_that_is_not_there(flow: Flow):
    """Is an error that names it, and makes nothing."""
    async with Maitred(flow) as maitred:
        for looking in (maitred.session("nobody"), maitred.replay("nobody")):
            with pytest.raises(UnknownSession, match="nobody"):
                await looking
        with pytest.raises(BadRequest):
            await maitred.say("no body", "hello")
        assert await maitred.sessions() == ()


def test_what_is_no_flow_is_told_by_its_type() -> None:
    """A path in its place is the mistake that is made."""
    with pytest.raises(BadRequest, match=r"such as maitred.app.flow_loading.load_flow\('shop'\) gives; got a str"):
        Maitred("shop")  # type: ignore[arg-type]
    with pytest.raises(BadRequest, match="got a str"):
        Maitred(flows=["shop"])  # type: ignore[list-item]


class Nameless:
    """Decides, but who is it?"""

    async def decide(self, request: object) -> object:
        return request


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"decider": object()}, r"a `name` and `async def decide\(self, request\)`; got a object"),
        ({"decider": Nameless()}, "got a Nameless without a name"),
        ({"decider": ScriptedDecider}, "got the class ScriptedDecider"),
        ({"store": 5}, "a store is a file, a Redis URL, ':memory:' or a Store; got a int"),
        ({"store": SqliteStore}, "got the class SqliteStore"),
    ],
)
def test_what_is_no_decider_or_store_is_told_at_once(flow: Flow, given: dict[str, Any], says: str) -> None:
    """Not by an AttributeError, nor in the first turn."""
    with pytest.raises(BadRequest, match=says):
        Maitred(flow, **given)


async def test_a_snapshot_that_was_looked_at_is_not_the_one_that_is_kept() -> None:
    """Whoever changes what it was shown changes nothing."""
    flow = Flow(
        name="f",
        states=["a"],
        initial="a",
        transitions={("a", "b"): Terminal.COMPLETED},
        steps={"a": Step(say="A.", actions=(Action("b", event="b"),))},
    )
    async with Maitred(flow) as maitred:
        await maitred.say("s", "hello")
        (await maitred.session("s")).data["planted"] = True
        assert (await maitred.session("s")).data == {}
        assert (await maitred.replay("s")).equal
