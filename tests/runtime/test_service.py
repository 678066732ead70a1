"""One message, one turn, one reply: whoever repeats it, whoever comes at the same time, and whoever goes away meanwhile."""

import asyncio
from typing import Any

import pytest

from maitred.protocol.errors import BadRequest, FlowMismatch, RequestConflict, SessionBusy, StoreUnavailable
from maitred.protocol.limits import Limits
from maitred.protocol.ports import Begun, Stage
from maitred.protocol.turn_events import Decided, Moved, Planned, Replied
from maitred.runtime.turns import Times
from maitred.statemachine.flow import Flow
from maitred.statemachine.parts import Action, Step, Terminal
from maitred.store.sqlite import SqliteStore

Desk = Any
Clock = Any
PATIENT = Limits(stuck_offer=90, stuck_escalate=91)


class Gate:
    """A decider that waits to be let go."""

    name = "gate"

    def __init__(self) -> None:
        self.asked = 0
        self.reached, self.open = asyncio.Event(), asyncio.Event()

    async def decide(self, request: Any) -> Any:
        self.asked += 1
        self.reached.set()
        await self.open.wait()
        return {"action": "answer", "reply_text": f"you said {request.text}"}


class TestRepeats:
    async def test_repeat_gets_the_same_reply_byte_for_byte_and_moves_nothing(self, desk_: Desk):
        """At once, after other messages, from another Maitred on the same file."""
        maitred = desk_.open()
        first = await maitred.say("s1", "name Ann", message_id="m1")
        before = await desk_.records()
        again = await maitred.say("s1", "name Ann", message_id="m1")
        await maitred.say("s1", "again", message_id="m2")
        other = await desk_.open().say("s1", "name Ann", message_id="m1")
        assert again.model_dump_json() == other.model_dump_json() == first.model_dump_json()
        assert (await desk_.names()).count("known") == 1
        assert (await desk_.records())[: len(before)] == before
        assert len([r for r in desk_.decider.requests if r.text == "name Ann"]) == 1

    async def test_time_and_background_do_not_make_it_another_message(self, desk_: Desk, clock: Clock):
        """A gateway that sends again stamps it anew."""
        maitred = desk_.open()
        first = await maitred.say("s1", "hello", message_id="m1")
        clock.pass_(seconds=5)
        assert await maitred.say("s1", "hello", message_id="m1", meta={"try": 2}) == first

    async def test_same_id_with_other_content_is_a_conflict_and_changes_nothing(self, desk_: Desk):
        """The id is named; the texts are not."""
        maitred = desk_.open()
        await maitred.say("s1", "hello", message_id="m1")
        before = await desk_.records()
        with pytest.raises(RequestConflict) as caught:
            await maitred.say("s1", "my secret", message_id="m1")
        assert "m1" in str(caught.value)
        assert "secret" not in str(caught.value)
        assert await desk_.records() == before

    async def test_stream_of_a_repeat_is_just_the_reply(self, desk_: Desk):
        """Marked as replayed."""
        maitred = desk_.open()
        request = maitred.request("s1", "name Ann", message_id="m1")
        events = [event async for event in maitred.stream(request)]
        assert [type(event) for event in events if not isinstance(event, Moved)] == [Planned, Decided, Replied]
        assert [event async for event in maitred.stream(request)] == [Replied(events[-1].response, replayed=True)]


class TestAtOnce:
    async def test_eight_duplicates_are_one_turn(self, desk_: Desk):
        """And seven times the same reply."""
        maitred = desk_.open()
        request = maitred.request("s1", "name Ann", message_id="m1")
        streams = [self.listen(maitred.stream(request)) for _ in range(8)]
        replies = await asyncio.gather(*streams)
        assert len({reply.response.model_dump_json() for reply in replies}) == 1
        assert sorted(reply.replayed for reply in replies) == [False] + [True] * 7
        assert (await desk_.names()).count("known") == 1
        assert len(desk_.decider.requests) == 1

    async def listen(self, stream: Any) -> Replied:
        last = [event async for event in stream][-1]
        assert isinstance(last, Replied)
        return last

    async def test_eight_different_messages_are_all_served_in_order(self, desk_: Desk):
        """Each sees the session as the one before left it; the log has no gap."""
        maitred = desk_.open(decider=Slow(), limits=PATIENT)
        replies = await asyncio.gather(*(maitred.say("s1", f"text {n}", message_id=f"m{n}") for n in range(8)))
        assert [reply.text for reply in replies] == [f"text {n} after {n} turns" for n in range(8)]
        assert [event.event_seq for event in await desk_.events()] == list(range(1, len(await desk_.events()) + 1))
        await desk_.sound()

    async def test_messages_of_one_process_do_not_poll_for_each_other(self, desk_: Desk):
        """They stand in line: the store is asked once for each."""
        store = Recorded(desk_.path)
        maitred = desk_.open(store=store, decider=Slow(), limits=PATIENT)
        await asyncio.gather(*(maitred.say("s1", f"text {n}", message_id=f"m{n}") for n in range(8)))
        assert store.begun == 8

    async def test_two_maitreds_on_one_file_take_turns(self, desk_: Desk):
        """Each message is served once, whichever serves it."""
        both = [desk_.open(decider=Slow(), limits=PATIENT) for _ in range(2)]
        replies = await asyncio.gather(*(both[n % 2].say("s1", f"text {n}", message_id=f"m{n}") for n in range(8)))
        assert sorted(reply.text.split(" after ")[1] for reply in replies) == [f"{n} turns" for n in range(8)]
        repeats = await asyncio.gather(*(both[1 - n % 2].say("s1", f"text {n}", message_id=f"m{n}") for n in range(8)))
        assert repeats == replies
        await desk_.sound()

    async def test_sessions_do_not_wait_for_each_other(self, desk_: Desk):
        """One that hangs holds up nobody but itself."""
        gate = Gate()
        maitred, other = desk_.open(decider=gate), desk_.open()
        hanging = asyncio.ensure_future(maitred.say("s1", "hello"))
        await gate.reached.wait()
        assert (await other.say("s2", "hello")).text == "you said hello"
        gate.open.set()
        await hanging

    async def test_no_line_is_kept_for_a_session_that_nobody_waits_for(self, desk_: Desk):
        """Or a million sessions would be remembered."""
        maitred = desk_.open()
        await asyncio.gather(*(maitred.say(f"s{n % 3}", "hello", message_id=f"m{n}") for n in range(9)))
        assert maitred._service._turns._lines == {}
        assert maitred._service._turns._running == set()


class Slow:
    """Gives the loop a chance to mix things up, and counts what it was told."""

    name = "slow"

    async def decide(self, request: Any) -> Any:
        for _ in range(3):
            await asyncio.sleep(0)
        return {"action": "answer", "reply_text": f"{request.text} after {len(request.history)} turns"}


class TestBusy:
    async def test_message_gives_up_after_its_waiting_time(self, desk_: Desk):
        """Behind a turn of this process and behind one of another; both times it changes nothing and can come again."""
        gate, times = Gate(), Times(wait_s=0.05)
        maitred, other = desk_.open(decider=gate, times=times), desk_.open(times=times)
        first = asyncio.ensure_future(maitred.say("s1", "hello", message_id="m1"))
        await gate.reached.wait()
        for waiting in (maitred, other):
            with pytest.raises(SessionBusy) as caught:
                await asyncio.wait_for(waiting.say("s1", "more", message_id="m2"), 5)
            assert caught.value.retry_after_s > 0
        gate.open.set()
        assert (await first).text == "you said hello"
        assert (await other.say("s1", "more", message_id="m2")).text == "you said more"
        assert [e.event for e in await desk_.events() if e.event == "answer_given"] == ["answer_given"] * 2

    async def test_message_waits_for_another_worker_to_end(self, desk_: Desk):
        """And is served after it."""
        gate = Gate()
        maitred, other = desk_.open(decider=gate), desk_.open()
        first = asyncio.ensure_future(maitred.say("s1", "hello"))
        await gate.reached.wait()
        second = asyncio.ensure_future(other.say("s1", "more"))
        await asyncio.sleep(0.03)
        assert not second.done()
        gate.open.set()
        assert [(await first).text, (await second).text] == ["you said hello", "you said more"]


class TestGoingAway:
    async def test_turn_ends_without_its_caller_and_the_retry_gets_the_reply(self, desk_: Desk):
        """The decider is asked once."""
        gate = Gate()
        maitred = desk_.open(decider=gate)
        caller = asyncio.ensure_future(maitred.say("s1", "hello", message_id="m1"))
        await gate.reached.wait()
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        retry = asyncio.ensure_future(maitred.say("s1", "hello", message_id="m1"))
        gate.open.set()
        assert (await retry).text == "you said hello"
        assert gate.asked == 1
        await desk_.sound()

    async def test_closing_lets_running_turns_end(self, desk_: Desk):
        """What was begun is answered and durable, though nobody waits for it any more."""
        gate = Gate()
        maitred = desk_.open(decider=gate)
        caller = asyncio.ensure_future(maitred.say("s1", "hello", message_id="m1"))
        await gate.reached.wait()
        closing = asyncio.ensure_future(maitred.close())
        await asyncio.sleep(0)
        gate.open.set()
        await closing
        assert (await caller).text == "you said hello"
        assert await desk_.open().say("s1", "hello", message_id="m1") == caller.result()

    async def test_closing_does_not_wait_for_ever_and_gives_the_lease_back(self, desk_: Desk):
        """A turn that hangs is left for the next worker, who need not wait for the lease."""
        gate = Gate()
        maitred = desk_.open(decider=gate, times=Times(close_s=0.02))
        caller = asyncio.ensure_future(maitred.say("s1", "hello", message_id="m1"))
        await gate.reached.wait()
        await maitred.close()
        with pytest.raises(asyncio.CancelledError):
            await caller
        store = SqliteStore(desk_.path)
        begun = await store.begin("s1", "message:m2", "x", b"")
        assert isinstance(begun, Begun)
        assert (begun.lease.request_id, begun.attempt, begun.stage) == ("message:m1", 2, Stage.NEW)
        await store.close()


class Recorded(SqliteStore):
    """A store that counts what is asked of it, and whose next writes may fail."""

    begun = renewed = 0
    broken = False

    async def begin(self, *request: Any) -> Any:
        self.begun += 1
        return await super().begin(*request)

    async def renew(self, lease: Any) -> None:
        self.renewed += 1
        await super().renew(lease)

    async def append(self, write: Any) -> None:
        if self.broken:
            raise StoreUnavailable("the disk is full")
        await super().append(write)

    async def release(self, lease: Any, *, untried: bool = False) -> None:
        if self.broken:
            raise StoreUnavailable("the disk is full, too")
        await super().release(lease, untried=untried)


class TestLease:
    async def test_slow_tool_keeps_its_lease_by_renewals(self, desk_: Desk, clock: Clock):
        """It takes longer than the lease; a second worker finds the session busy all the while."""
        store = Recorded(desk_.path, lease_s=15, clock=lambda: clock.now.timestamp())
        rival = SqliteStore(desk_.path, lease_s=15, clock=lambda: clock.now.timestamp())
        maitred = desk_.open(store=store, times=Times(renew_s=0.005))
        await maitred.say("s1", "name Ann")
        desk_.outcomes.let_go.clear()
        turn = asyncio.ensure_future(maitred.say("s1", "probe_it", message_id="slow"))
        await desk_.outcomes.reached.wait()
        for _ in range(4):
            clock.pass_(seconds=10)
            before = store.renewed
            await until(lambda before=before: store.renewed >= before + 2)
            assert not isinstance(await rival.begin("s1", "message:x", "x", b""), Begun)
        desk_.outcomes.let_go.set()
        assert (await turn).text == "It costs 7."
        renewed = store.renewed
        await asyncio.sleep(0.03)
        assert store.renewed == renewed
        await rival.close()

    async def test_worker_that_slept_past_its_lease_is_fenced_and_its_caller_gets_the_reply_of_the_heir(
        self, desk_: Desk, clock: Clock
    ):
        """It woke in the middle of a tool: what it did is refused, what the heir did stands; the tool saw one key."""
        moved = lambda: clock.now.timestamp()  # noqa: E731
        sleeper = desk_.open(store=SqliteStore(desk_.path, clock=moved), times=Times(renew_s=3600))
        await sleeper.say("s1", "name Ann")
        desk_.outcomes.let_go.clear()
        turn = asyncio.ensure_future(sleeper.say("s1", "probe_it", message_id="m1"))
        await desk_.outcomes.reached.wait()
        clock.pass_(seconds=16)
        heir = desk_.open(store=SqliteStore(desk_.path, clock=moved))
        taking = asyncio.ensure_future(heir.say("s1", "hello?", message_id="m2"))
        await until(lambda: sum(desk_.outcomes.calls.values()) == 2)
        desk_.outcomes.let_go.set()
        assert (await taking).text == "you said hello?"
        assert (await turn).text == "It costs 7."
        assert len(desk_.outcomes.calls) == 1
        assert (await desk_.names()).count("tool_returned") == 1
        await desk_.sound()

    async def test_failing_store_shows_its_own_error_and_the_turn_can_be_repeated(self, desk_: Desk):
        """Not the error of giving the lease back, which fails for the same reason."""
        store = Recorded(desk_.path, lease_s=0)
        maitred = desk_.open(store=store)
        store.broken = True
        with pytest.raises(StoreUnavailable, match=r"the disk is full$"):
            await maitred.say("s1", "name Ann", message_id="m1")
        store.broken = False
        assert await desk_.records() == ()
        assert (await maitred.say("s1", "name Ann", message_id="m1")).text == "An offer for Ann."


async def until(true: Any) -> None:
    """Lets others run until it is so."""
    async with asyncio.timeout(10):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.001)


SHUT = Step(actions=(Action("b", event="b"),))


class TestFlowVersions:
    async def test_session_of_another_flow_is_refused_and_nothing_counts_against_it(self, desk_: Desk):
        """However often it comes to the wrong door, it is served as if new at the right one."""
        right = desk_.open()
        await right.say("s1", "name Ann")
        before = await desk_.records()
        other = Flow(
            name="shop", states=["a"], initial="a", transitions={("a", "b"): Terminal.COMPLETED}, steps={"a": SHUT}
        )
        wrong = desk_.open(flow=other)
        for n in range(6):
            with pytest.raises(FlowMismatch, match="belongs to flow 'desk' version '1'"):
                await wrong.say("s1", "order", message_id=f"w{n % 2}")
        assert await desk_.records() == before
        assert (await right.say("s1", "hello", message_id="other")).text == "you said hello"
        assert (await right.say("s1", "order", message_id="w0")).text == "Please pay."


class TestBadInput:
    @pytest.mark.parametrize(
        ("session", "text", "more"),
        [
            ("", "hello", {}),
            ("a b", "hello", {}),
            ("{a}", "hello", {}),
            ("a\nb", "hello", {}),
            ("a" * 201, "hello", {}),
            (7, "hello", {}),
            ("s1", None, {}),
            ("s1", 7, {}),
            ("s1", "hello", {"message_id": "a b"}),
            ("s1", "hello", {"meta": {"a": float("nan")}}),
            ("s1", "hello", {"meta": {"a": 10**5000}}),
            ("s1", "hello", {"meta": {"a": [1]}}),
            ("s1", "hello", {"meta": {"a": "x" * 501}}),
            ("s1", "hello", {"meta": {str(n): 1 for n in range(21)}}),
            ("s1", "x" * 5_000_001, {}),
        ],
    )
    async def test_what_is_no_message_is_an_error_and_makes_no_session(
        self, desk_: Desk, session: Any, text: Any, more: dict[str, Any]
    ):
        """A plain one, without the text."""
        maitred = desk_.open()
        with pytest.raises(BadRequest, match="not a user_request"):
            await maitred.say(session, text, **more)
        assert await maitred.sessions() == ()

    @pytest.mark.parametrize(
        ("text", "reply"),
        [
            ("", "Your message arrived empty"),
            (" \n\x00", "Your message arrived empty"),
            ("x" * 1_000_000, "too long for me"),
        ],
    )
    async def test_unreadable_text_gets_a_sentence_and_moves_nothing(self, desk_: Desk, text: str, reply: str):
        """It is on record, shortened, and the session goes on."""
        maitred = desk_.open()
        response = await maitred.say("s1", text, message_id="m1")
        assert reply in response.text
        assert response.state == "ask"
        assert sum(len(record.body) for record in await desk_.records()) < 20_000
        assert (await maitred.say("s1", text, message_id="m1")) == response
        assert (await maitred.say("s1", "name Ann")).state == "offer"

    @pytest.mark.parametrize("text", ["lone \ud800 surrogate", "nul \x00 and bell \x07", "\u202eright to left"])
    async def test_odd_characters_are_stored_and_replayed(self, desk_: Desk, text: str):
        """A repeat of them is the same message."""
        maitred = desk_.open()
        first = await maitred.say("s1", text, message_id="m1")
        assert await maitred.say("s1", text, message_id="m1") == first
        await desk_.sound()
