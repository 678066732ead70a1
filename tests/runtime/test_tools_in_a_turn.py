"""Tool calls inside turns: each is on record before it is made and ends as exactly one status, whatever becomes of it."""

import asyncio
from typing import Any

import pytest

from maitred.protocol.errors import StoreUnavailable
from maitred.protocol.messages import ToolStatus
from maitred.protocol.ports import Stage
from maitred.protocol.tool_spec import ToolResult
from maitred.statemachine.flow import Flow
from maitred.statemachine.parts import Call, Step
from maitred.store.sqlite import SqliteStore
from maitred.tools.tool import tool

Desk = Any
Clock = Any
EFFECTS = ("none", "idempotent", "non_idempotent")
TROUBLE = "That is not available at the moment. Please try again a little later."
UNKNOWN = "I could not find out whether that went through, so a colleague will check it before anything else is done."


@pytest.mark.parametrize("effect", EFFECTS)
async def test_call_is_durable_before_it_is_made(desk_: Desk, effect: str):
    """While the tool runs, whoever looks sees what is pending and an empty menu; nothing else can happen."""
    maitred = desk_.open(effect=effect)
    await maitred.say("s1", "name Ann")
    desk_.outcomes.let_go.clear()
    turn = asyncio.ensure_future(maitred.say("s1", "probe_it"))
    await desk_.outcomes.reached.wait()
    session = await maitred.session("s1")
    assert (session.pending.tool, session.pending.key) == ("probe", next(iter(desk_.outcomes.calls)))
    assert (await desk_.calls())[-1] == (session.pending.call_id, "pending")
    desk_.outcomes.let_go.set()
    assert (await turn).text == "It costs 7."
    assert [status for _, status in await desk_.calls()] == ["pending", "ok"]
    await desk_.sound()


async def test_outcome_can_move_the_session(desk_: Desk):
    """`on={"ok": ...}` is a proposal of the tool."""
    maitred = desk_.open()
    assert await desk_.lead(maitred, "name Ann", "move_on_result") == ["An offer for Ann.", "Please pay."]
    await desk_.sound()


@pytest.mark.parametrize(
    ("effect", "value", "status", "state", "reply"),
    [
        ("none", ValueError("broken"), "error", "offer", TROUBLE),
        ("none", float("nan"), "error", "offer", TROUBLE),
        ("idempotent", {1, 2}, "error", "offer", TROUBLE),
        ("idempotent", "x" * 2_000_000, "error", "offer", TROUBLE),
        ("idempotent", ValueError("\ud800"), "error", "offer", TROUBLE),
        ("non_idempotent", "refusal", "error", "offer", TROUBLE),
        ("non_idempotent", ValueError("broken"), "unknown", "escalated", UNKNOWN),
        ("non_idempotent", float("nan"), "unknown", "escalated", UNKNOWN),
    ],
)
async def test_failing_tool_costs_a_sentence_or_a_human(
    desk_: Desk, effect: str, value: Any, status: str, state: str, reply: str
):
    """Only where nobody knows whether it happened the session is handed over."""
    desk_.outcomes.value = desk_.outcomes.refuse if value == "refusal" else value
    maitred = desk_.open(effect=effect)
    replies = await desk_.lead(maitred, "name Ann", "probe_it")
    assert (replies[-1], (await maitred.session("s1")).state) == (reply, state)
    assert [end for _, end in await desk_.calls()] == ["pending", status]
    await desk_.sound()


@pytest.mark.parametrize(
    ("effect", "found", "status", "state", "made"),
    [
        ("none", None, "timeout", "offer", 1),
        ("idempotent", None, "timeout", "offer", 2),
        ("non_idempotent", None, "unknown", "escalated", 1),
        ("non_idempotent", {"price": 9}, "ok", "offer", 1),
    ],
)
async def test_hanging_tool_follows_the_rule_of_its_effect(
    desk_: Desk, effect: str, found: Any, status: str, state: str, made: int
):
    """None: not available. Idempotent: once more with the same key. Else: looked up, or unknown. Then frozen for everyone."""
    desk_.outcomes.let_go.clear()
    desk_.outcomes.found = found
    lookup = desk_.outcomes.lookup if found else None
    maitred = desk_.open(effect=effect, timeout_s=0.03, lookup=lookup)
    await desk_.lead(maitred, "name Ann", "probe_it")
    assert (await maitred.session("s1")).state == state
    assert [end for _, end in await desk_.calls()] == ["pending", status]
    assert list(desk_.outcomes.calls.values()) == [made]
    await desk_.sound()
    await desk_.lead(maitred, "name Bo", "probe_it", session="s2")
    assert [end for _, end in await desk_.calls("s2")] == ["pending", "frozen"]
    assert (await maitred.session("s2")).state == "offer"
    await desk_.sound("s2")


async def test_fourth_call_of_a_turn_is_a_human_and_no_call(desk_: Desk):
    """Two steps whose tools lead into each other for ever: the cap ends it, with a sentence that says why."""

    @tool(effect="none", bind={"key": "call.key"}, fresh=True)
    async def probe(key: str) -> Any:
        return await desk_.outcomes.run(key)

    entry = Step(on_enter=Call("probe", {"ok": "next"}))
    flow = Flow(
        name="round",
        states=("here", "there"),
        initial="here",
        transitions={("here", "next"): "there", ("there", "next"): "here"},
        steps={"here": entry, "there": entry},
        tools=[probe],
    )
    maitred = desk_.open(flow=flow)
    reply = await maitred.say("s1", "hello there, you")
    assert reply.text == "This took more checks than I may make at once, so a colleague takes over."
    assert len(desk_.outcomes.calls) == 3
    assert [end for _, end in await desk_.calls()] == ["pending", "ok"] * 3
    await desk_.sound()


class DiesAt(SqliteStore):
    """A store whose n-th write from now on fails, as if the process had died there."""

    writes_left: int | None = None

    async def append(self, write: Any) -> None:
        if self.writes_left is not None:
            self.writes_left -= 1
            if self.writes_left < 0:
                raise StoreUnavailable("gone")
        await super().append(write)


class TestTakingOver:
    @pytest.mark.parametrize("effect", ["none", "idempotent"])
    async def test_harmless_call_is_made_again_with_the_same_key(self, desk_: Desk, effect: str):
        """The worker died before it could tell the result."""
        store = DiesAt(desk_.path)
        maitred = desk_.open(effect=effect, store=store)
        await maitred.say("s1", "name Ann")
        store.writes_left = 1
        with pytest.raises(StoreUnavailable):
            await maitred.say("s1", "probe_it", message_id="m1")
        heir = desk_.open(effect=effect)
        assert (await heir.say("s1", "probe_it", message_id="m1")).text == "It costs 7."
        assert list(desk_.outcomes.calls.values()) == [2]
        assert len(desk_.decider.requests) == 2
        await desk_.sound()

    async def test_result_that_was_durable_is_used_and_the_call_not_repeated(self, desk_: Desk):
        """The worker died between RESULT and COMMIT."""
        store = DiesAt(desk_.path)
        maitred = desk_.open(effect="non_idempotent", store=store)
        await maitred.say("s1", "name Ann")
        store.writes_left = 2
        with pytest.raises(StoreUnavailable):
            await maitred.say("s1", "probe_it", message_id="m1")
        heir = desk_.open(effect="non_idempotent")
        reply = await heir.say("s1", "probe_it", message_id="m1")
        assert (reply.state, list(desk_.outcomes.calls.values())) == ("offer", [1])
        assert (await heir.session("s1")).data["probe"] == {"price": 7}
        await desk_.sound()

    async def test_other_call_is_unknown_and_never_made_again(self, desk_: Desk):
        """The worker died after the call and before RESULT."""
        store = DiesAt(desk_.path)
        maitred = desk_.open(effect="non_idempotent", store=store)
        await maitred.say("s1", "name Ann")
        store.writes_left = 1
        with pytest.raises(StoreUnavailable):
            await maitred.say("s1", "probe_it", message_id="m1")
        heir = desk_.open(effect="non_idempotent")
        assert (await heir.say("s1", "probe_it", message_id="m1")).text == UNKNOWN
        assert list(desk_.outcomes.calls.values()) == [1]
        assert [end for _, end in await desk_.calls()] == ["pending", "unknown"]
        await desk_.sound()

    async def test_message_that_waited_for_the_entry_tool_is_heard_after_the_takeover(self, desk_: Desk):
        """With the question that the customer was answering, and without itself as history."""
        store = DiesAt(desk_.path)
        maitred = desk_.open(on_arrival=True, store=store)
        store.writes_left = 1
        with pytest.raises(StoreUnavailable):
            await maitred.say("s1", "hello there, you", message_id="m1")
        heir = desk_.open(on_arrival=True)
        assert (await heir.say("s1", "hello there, you", message_id="m1")).text == "you said hello there, you"
        assert [(r.text, r.history) for r in desk_.decider.requests[1:]] == [("hello there, you", ())]
        await desk_.sound()


class TestQuarantine:
    async def fail(self, desk_: Desk, text: str, times: int, *, late: bool = False, **how: Any) -> Any:
        """A turn that stops `times` times at its first write; the first time, if `late`, at its second."""
        store = DiesAt(desk_.path)
        maitred = desk_.open(store=store, **how)
        await maitred.say("s1", "name Ann")
        for n in range(times):
            store.writes_left = 1 if n == 0 and late else 0
            with pytest.raises(StoreUnavailable):
                await maitred.say("s1", text, message_id="m1")
        store.writes_left = None
        return maitred

    async def test_turn_that_failed_twice_is_tried_a_third_time(self, desk_: Desk):
        """And served."""
        maitred = await self.fail(desk_, "hello", 2)
        assert (await maitred.say("s1", "hello", message_id="m1")).text == "you said hello"

    async def test_after_three_times_a_human_takes_it(self, desk_: Desk):
        """Without another question to the decider, and with a sentence that says why."""
        maitred = await self.fail(desk_, "hello", 3)
        asked = len(desk_.decider.requests)
        reply = await maitred.say("s1", "hello", message_id="m1")
        assert (reply.state, reply.text) == (
            "escalated",
            "Your last message made trouble here several times, so a colleague will look at it.",
        )
        assert len(desk_.decider.requests) == asked
        await desk_.sound()

    @pytest.mark.parametrize("effect", EFFECTS)
    async def test_call_that_was_pending_ends_as_unknown(self, desk_: Desk, effect: str):
        """It may have been made three times or never: on record it ends once, and is not made again."""
        maitred = await self.fail(desk_, "probe_it", 3, effect=effect, late=True)
        made = sum(desk_.outcomes.calls.values())
        reply = await maitred.say("s1", "probe_it", message_id="m1")
        assert (reply.state, reply.text) == ("escalated", UNKNOWN)
        assert sum(desk_.outcomes.calls.values()) == made
        assert [end for _, end in await desk_.calls()] == ["pending", "unknown"]
        await desk_.sound()

    async def test_entry_tool_that_was_never_on_record_ends_as_unknown_too(self, desk_: Desk):
        """The very first write failed each time."""
        store = DiesAt(desk_.path)
        maitred = desk_.open(store=store, on_arrival=True)
        store.writes_left = 0
        for _ in range(3):
            with pytest.raises(StoreUnavailable):
                await maitred.say("s1", "hello", message_id="m1")
        store.writes_left = None
        assert (await maitred.say("s1", "hello", message_id="m1")).state == "escalated"
        assert desk_.outcomes.calls == {}
        await desk_.sound()


class Misbehaving:
    """A runner that breaks its promise not to raise."""

    async def run(self, tool: Any, arguments: Any, context: Any) -> ToolResult:
        raise RuntimeError("runner")

    async def recover(self, tool: Any, arguments: Any, context: Any) -> ToolResult:
        return ToolResult(ToolStatus.OK, {"price": 1})


async def test_turn_of_a_runner_that_raises_can_be_taken_over(desk_: Desk):
    """The call stays on record as pending until somebody ends it."""
    maitred = desk_.open()
    maitred._service._turns._parts = replace_runner(maitred)
    await maitred.say("s1", "name Ann")
    with pytest.raises(RuntimeError):
        await maitred.say("s1", "probe_it", message_id="m1")
    assert (await maitred.say("s1", "probe_it", message_id="m1")).text == "It costs 1."
    await desk_.sound()


def replace_runner(maitred: Any) -> Any:
    from dataclasses import replace

    return replace(maitred._service._turns._parts, runner=Misbehaving())


def test_stages_are_in_order():
    """NEW, OPENED, DECIDED: a later one never means less."""
    assert list(Stage) == sorted(Stage)
