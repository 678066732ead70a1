"""The contract of the boxes, on every store; and the steps of a conversation against it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from maitred.gateway.webhooks.boxes import Boxes, MemoryBoxes, Step
from maitred.gateway.webhooks.boxes_redis import RedisBoxes
from maitred.gateway.webhooks.boxes_sqlite import SqliteBoxes
from maitred.gateway.webhooks.conversation import (
    SEEN,
    Conversation,
    claimed,
    delayed,
    dropped,
    due_at,
    finished,
    looked_for,
    put_back,
    received,
    renewed,
    sent,
    taken,
)
from maitred.gateway.webhooks.letters import pieces
from maitred.gateway.webhooks.words import Entry, Letter, Place
from maitred.store.redis import RedisStore

PLACE = Place(channel="desk", account="1", conversation="7")
KINDS = ("memory", "sqlite", "redis", "valkey")


def entry(name: str, text: str = "hello", **more: Any) -> Entry:
    return Entry(message_id=name, sender_kind=more.pop("sender", "customer"), text=text, ts=more.pop("ts", 1.0), **more)


def took(*names: str, settle_s: float = 0.0) -> Step:
    """A step that takes messages in."""

    def step(c: Conversation | None, now: float) -> Conversation | None:
        c = c or Conversation(place=PLACE)
        for name in names:
            c = received(c, entry(name), now, settle_s) or c
        return c

    return step


def test_no_two_places_are_one_session():
    """Whatever stands in their names."""
    names = ("a", "a\nb", "b", "b~c", "c", "a~", "a\n", "b\nc", "~", "\n", '"a"', "a\n\nb")
    sessions = {
        Place(channel="desk", account=account, conversation=name).session("t", "f")
        for account in names
        for name in names
    }
    assert len(sessions) == len(names) ** 2


def test_only_our_own_message_is_an_echo():
    """A customer who names the key of a letter does not keep it from being sent."""
    waits = Conversation(place=PLACE, letters=(letter("k"),))
    for sender, left in (("customer", 1), ("human", 1), ("bot", 0)):
        after = received(waits, entry("m", sender=sender, echo="k"), 1.0, 0.0)
        assert after
        assert len(after.letters) == left


def letter(key: str, kind: Any = "say") -> Letter:
    return Letter(key=key, kind=kind, text="words", made_at=0)


@pytest.fixture(params=KINDS)
async def opened(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Callable[[], Boxes]]:
    """Opens the same boxes, as another worker does."""
    kind, shared = request.param, MemoryBoxes()
    server = request.getfixturevalue("redis_servers")(kind) if kind in ("redis", "valkey") else None
    stores: list[RedisStore] = []
    boxes: list[Boxes] = []

    def open_() -> Boxes:
        if server:
            stores.append(RedisStore(server.url))
            boxes.append(RedisBoxes(stores[-1]))
        else:
            boxes.append(SqliteBoxes(str(tmp_path / "b.db")) if kind == "sqlite" else shared)
        return boxes[-1]

    yield open_
    for each in boxes:
        await each.close()
    for store in stores:
        await store.close()


class TestContract:
    async def test_what_is_written_is_read_by_another_worker(self, opened: Callable[[], Boxes]) -> None:
        one, other = opened(), opened()
        assert await one.read("s1") is None
        written = await one.change("s1", took("m1", "m2"))
        assert written
        assert await other.read("s1") == written
        assert await other.waiting() == ("s1",)

    async def test_a_step_that_changes_nothing_writes_nothing(self, opened: Callable[[], Boxes]) -> None:
        boxes = opened()
        assert await boxes.change("s1", lambda c, now: None) is None
        assert await boxes.read("s1") is None
        assert await boxes.waiting() == ()

    async def test_an_error_in_a_step_leaves_all_as_it_was(self, opened: Callable[[], Boxes]) -> None:
        boxes = opened()
        before = await boxes.change("s1", took("m1"))
        with pytest.raises(ZeroDivisionError):
            await boxes.change("s1", lambda c, now: 1 / 0)  # type: ignore[arg-type, return-value]
        assert await boxes.read("s1") == before
        assert await boxes.change("s1", took("m2"))

    async def test_many_who_write_at_once_lose_nothing(self, opened: Callable[[], Boxes]) -> None:
        workers = [opened() for _ in range(4)]
        await asyncio.gather(*(workers[n % 4].change("s1", took(f"m{n}")) for n in range(24)))
        held = await workers[0].read("s1")
        assert held
        assert sorted(e.message_id for _, e in held.entries) == sorted(f"m{n}" for n in range(24))
        assert await workers[1].waiting() == ("s1",)

    async def test_one_of_many_gets_the_claim(self, opened: Callable[[], Boxes]) -> None:
        workers = [opened() for _ in range(4)]
        await workers[0].change("s1", took("m1"))

        def claim(c: Conversation | None, now: float) -> Conversation | None:
            return claimed(c, now, 30) if c else None

        claims = await asyncio.gather(*(worker.change("s1", claim) for worker in workers))
        assert sum(claim is not None for claim in claims) == 1
        assert await workers[0].waiting() == ()

    async def test_who_is_due_is_told_in_order_and_no_more_when_done(self, opened: Callable[[], Boxes]) -> None:
        boxes = opened()
        for name in ("s1", "s2", "s3"):
            await boxes.change(name, took("m1", settle_s=60 if name == "s2" else 0))
        assert await boxes.waiting() == ("s1", "s3")
        assert await boxes.waiting(1) == ("s1",)
        claim = await boxes.change("s1", lambda c, now: claimed(c, now, 30) if c else None)
        assert claim
        await boxes.change("s1", lambda c, now: finished(c, claim, now, 0, ()) if c else None)
        assert await boxes.waiting() == ("s3",)


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_what_is_long_over_is_forgotten_and_what_waits_is_not(kind: str, tmp_path: Path) -> None:
    boxes: Boxes = MemoryBoxes() if kind == "memory" else SqliteBoxes(str(tmp_path / "b.db"))
    await boxes.change("s1", took("m1"))
    await boxes.change("s2", lambda c, now: Conversation(place=PLACE))
    await boxes.forget(1)
    assert await boxes.read("s2")
    await boxes.forget(0)
    assert await boxes.read("s1")
    assert await boxes.read("s2") is None
    await boxes.close()


def test_threads_on_one_file_lose_nothing(tmp_path: Path) -> None:
    """As processes do: each with a connection of its own."""
    path = str(tmp_path / "b.db")

    def work(name: str) -> None:
        boxes = SqliteBoxes(path)
        for n in range(20):
            asyncio.run(boxes.change("s1", took(f"{name}-{n}")))
        asyncio.run(boxes.close())

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, "abcd"))
    held = asyncio.run(SqliteBoxes(path).read("s1"))
    assert held
    assert len(held.entries) == 80


async def test_keys_in_redis_go_by_themselves_only_when_nothing_waits(redis_server: Any) -> None:
    store = RedisStore(redis_server.url)
    boxes = RedisBoxes(store, keep_days=1)
    await boxes.change("s1", took("m1"))
    await boxes.change("s2", lambda c, now: Conversation(place=PLACE))
    with redis_server.client() as client:
        assert client.ttl("{agent_state:s1}:webhook") == -1
        assert 86_000 < client.ttl("{agent_state:s2}:webhook") <= 86_400
        assert client.zcard("{agent_bucket:webhooks}:due") == 1
    await store.close()


async def test_a_write_that_was_announced_and_never_came_is_forgotten(redis_server: Any) -> None:
    """The index may say too much, never too little."""
    store = RedisStore(redis_server.url)
    boxes = RedisBoxes(store)
    with redis_server.client() as client:
        client.zadd("{agent_bucket:webhooks}:due", {"s1 abc": 5.0, "s2 def": 4e9})
        assert await boxes.waiting() == ()
        assert client.zrange("{agent_bucket:webhooks}:due", 0, -1) == [b"s2 def"]
    await store.close()


# --- steps, without a store -------------------------------------------------------------------------------------------


def heard(*entries: Entry, now: float = 10.0, settle_s: float = 2.0, c: Conversation | None = None) -> Conversation:
    c = c or Conversation(place=PLACE)
    for each in entries:
        c = received(c, each, now, settle_s) or c
    return c


class TestInbox:
    def test_a_message_is_taken_once(self) -> None:
        c = heard(entry("m1"))
        assert received(c, entry("m1", "other words"), 11, 2) is None
        many = heard(*(entry(f"x{n}", sender="bot") for n in range(SEEN + 5)), c=c)
        assert len(many.seen) == SEEN

    def test_a_customer_who_goes_on_is_waited_for_but_not_for_ever(self) -> None:
        c = heard(entry("m1"))
        assert due_at(c) == 12
        c = heard(entry("m2"), now=11.5, c=c)
        assert due_at(c) == 13.5
        c = heard(entry("m3"), now=15, c=c)
        assert due_at(c) == 16
        assert claimed(c, 15.9, 30) is None
        claim = claimed(c, 16, 30)
        assert claim
        assert claim.batch == 3

    def test_a_claimed_batch_stays_the_same_for_who_takes_it_over(self) -> None:
        """Else the turn would be another one, and the customer answered twice."""
        claim = claimed(heard(entry("m1")), 12, 30)
        assert claim
        more = heard(entry("m2"), now=13, c=claim)
        assert claimed(more, 41, 30) is None
        again = claimed(more, 42, 30)
        assert again
        assert (again.batch, again.tries) == (1, 2)
        assert finished(again, claim, 43, 5, (letter("k"),)) is None  # the first one comes too late
        assert renewed(again, claim.inbox.fence, 99) is None
        assert put_back(again, claim.inbox.fence, 99) is None
        done = finished(again, again, 43, 5, (letter("k"),))
        assert done
        assert [e.message_id for _, e in done.entries] == ["m2"]
        assert done.letters == (letter("k"),)
        next_claim = claimed(done, 43, 30)
        assert next_claim
        assert (next_claim.batch, next_claim.tries) == (1, 1)

    def test_put_back_it_waits(self) -> None:
        claim = claimed(heard(entry("m1")), 12, 30)
        assert claim
        c = put_back(claim, claim.inbox.fence, 20)
        assert c
        assert due_at(c) == 20
        assert claimed(c, 19, 30) is None
        assert claimed(c, 20, 30)

    def test_a_look_is_done_once_and_not_forgotten_if_the_worker_dies(self) -> None:
        c = looked_for(Conversation(place=PLACE), 50)
        assert claimed(c, 49, 30) is None
        claim = claimed(c, 50, 30)
        assert claim
        assert due_at(claim) == 80
        assert claimed(claim, 80, 30)
        done = finished(claim, claim, 60, 3, ())
        assert done
        assert due_at(done) is None

    def test_a_look_that_is_wished_for_during_another_is_done_behind_it(self) -> None:
        claim = claimed(looked_for(Conversation(place=PLACE), 50), 50, 30)
        assert claim
        done = finished(looked_for(claim, 55), claim, 60, 3, ())
        assert done
        assert due_at(done) == 55


class TestControl:
    def test_older_news_does_not_count(self) -> None:
        c = heard(entry("m1", control="bot", ts=5), entry("s1", sender="system", control="human", ts=9))
        assert heard(entry("m2", control="bot", ts=8), c=c).control == "human"
        back = heard(entry("m3", control="bot", ts=10), c=c)
        assert (back.control, back.back) == ("bot", "m3")

    def test_a_hand_off_on_its_way_is_not_taken_back_by_a_channel_that_does_not_know(self) -> None:
        c = heard(entry("m1", control="bot", ts=5)).model_copy(update={"letters": (letter("k", "hand_off"),)})
        c = heard(entry("m2", sender="human", control="bot", ts=6), c=c)
        assert c.control == "human"
        assert len(c.letters) == 1
        assert heard(entry("m3", control="bot", ts=7), c=c).control == "human"
        taking = taken(c, 11, 30)
        assert taking
        after = sent(taking, taking, 12)
        assert after
        assert (after.control, after.control_at) == ("human", 12)

    def test_our_own_words_that_come_back_hand_nothing_back(self) -> None:
        """Chatwoot's clock may be ahead of ours, so they may look newer than the hand-off."""
        c = heard(entry("m1", control="human", ts=5))
        c = heard(entry("e1", sender="bot", control="bot", ts=9), c=c)
        assert (c.control, c.back) == ("human", "")

    def test_a_channel_that_says_nothing_of_humans_is_not_locked_by_a_hand_off(self) -> None:
        taking = taken(heard(entry("m1")).model_copy(update={"letters": (letter("k", "hand_off"),)}), 11, 30)
        assert taking
        after = sent(taking, taking, 12)
        assert after
        assert after.control is None


class TestOutbox:
    def test_letters_leave_in_order_one_at_a_time(self) -> None:
        c = Conversation(place=PLACE, letters=(letter("a"), letter("b")))
        first = taken(c, 1, 30)
        assert first
        assert taken(first, 30, 30) is None
        over = taken(first, 31, 30)  # who had it is silent
        assert over
        assert over.sends == 2
        assert sent(over, first, 32) is None
        assert dropped(over, first, 32) is None
        assert delayed(over, first.outbox.fence, 99) is None
        after = sent(over, over, 32)
        assert after
        assert [each.key for each in after.letters] == ["b"]
        assert after.sends == 0

    def test_a_letter_that_comes_back_as_an_echo_has_arrived(self) -> None:
        taking = taken(Conversation(place=PLACE, letters=(letter("a"), letter("b"))), 1, 30)
        assert taking
        c = heard(entry("e1", sender="bot", echo="a"), c=taking)
        assert [each.key for each in c.letters] == ["b"]
        assert sent(c, taking, 2) is None
        assert heard(entry("e2", sender="bot", echo="zzz"), c=c).letters == c.letters


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("short", ["short"]),
        ("", []),
        ("one two three", ["one two", "three"]),
        ("line one\nline two", ["line one", "line two"]),
        ("茶" * 7, ["茶茶茶", "茶茶茶", "茶"]),
    ],
)
def test_long_words_are_parted(text: str, parts: list[str]) -> None:
    """At a line or a word, never inside a letter."""
    found = list(pieces(text, 10))
    assert found == parts
    assert all(len(part.encode()) <= 10 for part in found)
