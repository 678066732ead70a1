"""Inbox and outbox when something fails: how long they go on, and what comes of it. The clock is the test's."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from maitred.app.maitred import Maitred
from maitred.gateway.webhooks.boxes import MemoryBoxes
from maitred.gateway.webhooks.channel import Call, Channel, Heard
from maitred.gateway.webhooks.conversation import Conversation
from maitred.gateway.webhooks.inbox import GIVE_UP_AFTER, Inbox
from maitred.gateway.webhooks.outbox import GIVE_UP_S, Outbox
from maitred.gateway.webhooks.posting import Posting, Unsent
from maitred.gateway.webhooks.receivers import Receivers
from maitred.gateway.webhooks.webhooks import Webhook, Webhooks
from maitred.gateway.webhooks.words import Control, Letter, Place
from maitred.gateway.work import Work
from maitred.protocol.errors import StoreUnavailable
from maitred.store.memory import MemoryStore

from ..in_process import tea_flow
from .test_boxes import PLACE, letter, took

SESSION = "local:tea:1~7"


class Time:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Down(MemoryStore):
    """A store that cannot begin a turn."""

    async def begin(self, *_: Any) -> Any:
        raise StoreUnavailable("down")


@dataclass(frozen=True)
class Desk(Channel):
    """Fails as it is told to, then takes letters. `human`: who has the conversation, when asked."""

    failures: list[Exception] = field(default_factory=list)
    took: list[tuple[str, bool]] = field(default_factory=list)
    human: list[Control] = field(default_factory=list)

    def hear(self, call: Call) -> Heard:
        return Heard()

    async def say(self, posting: Posting, place: Place, letter: Letter, *, again: bool) -> None:
        if self.failures:
            raise self.failures.pop(0)
        self.took.append((letter.key, again))

    async def control(self, posting: Posting, place: Place) -> Control | None:
        return self.human[0] if self.human else None


async def test_messages_that_cannot_be_answered_are_handed_to_a_human_in_the_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Eight attempts, with longer pauses; what the customer wrote is in no log."""
    time = Time()
    boxes = MemoryBoxes(time)
    async with Maitred(tea_flow(), store=Down()) as maitred:
        inbox = Inbox(maitred, boxes, {}, None, 30)
        await boxes.change(SESSION, took("m1"))
        for n in range(GIVE_UP_AFTER):
            held = await boxes.read(SESSION)
            assert held
            assert held.letters == ()
            assert await inbox.serve(SESSION)
            if n < GIVE_UP_AFTER - 1:
                assert not await inbox.serve(SESSION)  # not before its time
            time.now += 61
    held = await boxes.read(SESSION)
    assert held
    assert [each.kind for each in held.letters] == ["say", "hand_off"]
    assert held.entries == ()
    assert held.cursor == 0
    assert "down" in caplog.text
    assert "hello" not in caplog.text


class Odd(MemoryStore):
    """Raises what is none of ours, and quotes what it was given."""

    async def log(self, *_: Any) -> Any:
        raise ValueError("cannot take 'hello, I am Lee'")


async def test_the_words_of_a_foreign_exception_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Its kind is; where it was raised stands in the trace, whose messages the log leaves out."""
    boxes = MemoryBoxes(Time())
    async with Maitred(tea_flow(), store=Odd()) as maitred:
        await boxes.change(SESSION, took("m1"))
        assert await Inbox(maitred, boxes, {}, None, 30).serve(SESSION)
    failed = [record for record in caplog.records if "failed, attempt" in record.getMessage()]
    assert [record.getMessage() for record in failed] == [f"messages of {SESSION} failed, attempt 1: ValueError"]
    assert failed[0].exc_info


class Away(MemoryBoxes):
    """Boxes in a store that cannot be reached, as long as `looks` have not been made."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks, self.seen = looks, asyncio.Event()

    async def waiting(self, limit: int = 100) -> tuple[str, ...]:
        self.looks -= 1
        if self.looks >= 0:
            raise StoreUnavailable("no answer")
        if self.looks < -1:
            self.seen.set()
        return await super().waiting(limit)


async def test_an_outage_of_the_store_is_said_once(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not with every look, five times a second with its trace; and so is its end."""
    monkeypatch.setattr("maitred.gateway.webhooks.webhooks._PAUSE_S", 0.01)
    boxes = Away(looks=20)
    async with Maitred(tea_flow()) as maitred:
        webhooks = Webhooks(maitred, [Webhook(Desk(name="desk"), tenant="local")], boxes=boxes)
        async with asyncio.timeout(20), webhooks.working(Work(), 1):
            await boxes.seen.wait()
    assert [record.getMessage() for record in caplog.records] == [
        "the inbox of the webhooks waits for the store: no answer",
        "the inbox of the webhooks goes on: the store answers",
    ]


@dataclass(frozen=True)
class Hanging(Desk):
    """Takes a letter when it may go on."""

    goes_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def say(self, posting: Posting, place: Place, letter: Letter, *, again: bool) -> None:
        await self.goes_on.wait()
        await super().say(posting, place, letter, again=again)


class TestOutbox:
    @pytest.fixture
    async def desk(self) -> Desk:
        return Desk(name="desk")

    async def _outbox(self, desk: Desk, time: Time, *letters: Letter) -> tuple[Outbox, MemoryBoxes]:
        boxes = MemoryBoxes(time)
        await boxes.change(SESSION, lambda c, now: Conversation(place=PLACE, letters=letters))
        return Outbox(boxes, {"desk": desk}, Posting(), 30), boxes

    async def test_again_later_in_its_own_time_and_not_before_the_receiver_said(self, desk: Desk) -> None:
        time = Time()
        outbox, _ = await self._outbox(desk, time, letter("a"), letter("b"))
        desk.failures.extend((Unsent("busy", again=True), Unsent("busy", again=True, after_s=100), OSError("odd")))
        assert await outbox.send(SESSION)
        assert not await outbox.send(SESSION)
        time.now += 1.3
        assert await outbox.send(SESSION)
        time.now += 99
        assert not await outbox.send(SESSION)
        time.now += 2
        assert await outbox.send(SESSION)
        time.now += 10
        assert await outbox.send(SESSION)
        assert await outbox.send(SESSION)
        assert desk.took == [("a", True), ("b", False)]

    async def test_what_will_never_be_taken_does_not_hold_up_the_next(self, desk: Desk) -> None:
        outbox, _ = await self._outbox(desk, Time(), letter("a"), letter("b"))
        desk.failures.append(Unsent("gone", again=False))
        assert await outbox.send(SESSION)
        assert await outbox.send(SESSION)
        assert desk.took == [("b", False)]

    async def test_a_letter_that_is_too_old_is_not_sent(self, desk: Desk) -> None:
        time = Time()
        time.now = GIVE_UP_S + 1
        outbox, _ = await self._outbox(desk, time, letter("a"))
        assert await outbox.send(SESSION)
        assert not await outbox.send(SESSION)
        assert desk.took == []

    async def test_who_sends_too_long_stops_before_another_may(self) -> None:
        """A channel that hangs longer than the lease: another process has sent the letter by then, and it goes out once."""
        slow, quick, time, lease_s = Hanging(name="desk"), Desk(name="desk"), Time(), 0.2
        boxes = MemoryBoxes(time)
        await boxes.change(SESSION, lambda c, now: Conversation(place=PLACE, letters=(letter("a"),)))
        first = asyncio.ensure_future(Outbox(boxes, {"desk": slow}, Posting(), lease_s).send(SESSION))
        await asyncio.wait([first], timeout=lease_s)
        time.now += 10
        assert await Outbox(boxes, {"desk": quick}, Posting(), lease_s).send(SESSION)
        slow.goes_on.set()
        await first
        assert (slow.took, quick.took) == ([], [("a", True)])

    async def test_a_channel_that_hangs_is_tried_by_one_letter_at_a_time(self) -> None:
        """Of many conversations one waits for it, so that those of other channels find a place; once it takes one, all go."""
        desk, boxes = Hanging(name="desk"), MemoryBoxes(Time())
        sessions = [f"local:tea:1~{n}" for n in range(5)]
        for session in sessions:
            await boxes.change(session, lambda c, now: Conversation(place=PLACE, letters=(letter("a"),)))
        outbox = Outbox(boxes, {"desk": desk}, Posting(), 600)
        outbox.receivers = Receivers(clock := Time())
        tried = [asyncio.ensure_future(outbox.send(sessions[0]))]
        await asyncio.sleep(0)
        clock.now += 11
        desk.failures.append(Unsent("no answer", again=True))
        desk.goes_on.set()
        await tried.pop()
        desk.goes_on.clear()
        tried = [asyncio.ensure_future(outbox.send(session)) for session in sessions[1:]]
        done, waits = await asyncio.wait(tried, timeout=0.1)
        assert ([task.result() for task in done], len(waits)) == ([False, False, False], 1)
        desk.goes_on.set()
        await asyncio.wait(waits)
        assert len(desk.took) == 1
        assert outbox.receivers.admits("desk")

    async def test_a_human_who_has_the_conversation_now_is_remembered(self, desk: Desk) -> None:
        outbox, boxes = await self._outbox(desk, Time(), letter("a"))
        desk.human.append("human")
        assert await outbox.send(SESSION)
        held = await boxes.read(SESSION)
        assert held
        assert (held.control, held.letters, desk.took) == ("human", (), [])
