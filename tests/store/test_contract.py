"""What every store promises. Runs for each way of opening one that `conftest.py` lists."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from maitred.protocol.errors import Fenced, MaitredError
from maitred.protocol.log import verify_chain
from maitred.protocol.ports import Begun, Busy, Conflict, Replay, Stage, Store

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
Writer = Any
LeaseClock = Any


async def everything(store: Store, session: str = "s1") -> tuple[object, ...]:
    return (await store.load(session), await store.log(session), await store.sessions())


class TestBegin:
    async def test_first_message_begins_with_no_session_no_history_and_the_body_as_given(
        self, store: Store, writer: Writer
    ):
        """A new request of a new session: NEW, first attempt, a fence of its own."""
        begun = await writer.begin(store, content="hello")
        assert (begun.session, begun.history, begun.attempt, begun.stage) == (None, (), 1, Stage.NEW)
        assert (begun.body, begun.lease.request_id) == (b"hello", "m1")
        assert begun.lease.fence > 0

    async def test_answered_request_is_replayed_byte_for_byte_and_changes_nothing(self, store: Store, writer: Writer):
        """The stored reply is handed back; no fence, no record, no snapshot moves."""
        write = await writer.turn(store, "m1")
        before = await everything(store)
        outcome = await writer.ask(store, "m1", content="m1")
        assert outcome == Replay(write.records[-1].body)
        assert await everything(store) == before
        assert (await writer.begin(store, "m2")).lease.fence == write.lease.fence + 1

    async def test_replay_does_not_wait_for_a_turn_that_runs(self, store: Store, writer: Writer):
        """An old reply is there even while another message holds the lease."""
        await writer.turn(store, "m1")
        await writer.begin(store, "m2")
        assert isinstance(await writer.ask(store, "m1", content="m1"), Replay)

    async def test_turn_that_ended_without_words_is_replayed_as_empty(self, store: Store, writer: Writer):
        """An outside event that gave nothing to say."""
        begun = await writer.begin(store)
        await store.append(replace(writer.write(begun), reply_record=None))
        assert await writer.ask(store) == Replay(b"")

    @pytest.mark.parametrize("ended", [True, False])
    async def test_same_id_with_other_content_is_a_conflict(self, store: Store, writer: Writer, ended: bool):
        """Whether the first one was answered or still runs."""
        begun = await writer.begin(store, content="one")
        if ended:
            await store.append(writer.write(begun))
        before = await everything(store)
        assert isinstance(await writer.ask(store, content="two"), Conflict)
        assert await everything(store) == before

    async def test_held_lease_makes_every_request_busy_for_as_long_as_it_lasts(
        self, store: Store, another: Store, writer: Writer, clock: LeaseClock
    ):
        """The same request and another one, seen from this worker and from a second."""
        await writer.begin(store)
        clock.now += 5
        assert await writer.ask(another) == Busy(10.0)
        assert await writer.ask(another, "m2") == Busy(10.0)
        assert await writer.ask(store) == Busy(10.0)

    async def test_sessions_do_not_hold_each_other_up(self, store: Store, writer: Writer):
        """A lease is of one session."""
        await writer.begin(store, session="s1")
        assert (await writer.begin(store, session="s2")).lease.session_id == "s2"

    async def test_expired_lease_is_recovered_with_the_next_fence_and_attempt(
        self, store: Store, another: Store, writer: Writer, clock: LeaseClock
    ):
        """Nothing was durable: the next worker sees a NEW turn, and that it is not the first try."""
        first = await writer.begin(store)
        clock.now += 15.0
        second = await writer.begin(another)
        assert (second.attempt, second.stage, second.lease.fence) == (2, Stage.NEW, first.lease.fence + 1)

    async def test_open_turn_of_another_request_is_handed_back_first(
        self, store: Store, another: Store, writer: Writer, clock: LeaseClock
    ):
        """m2 finds m1 unfinished: it gets m1's body, snapshot and stage, and leaves no trace of its own."""
        begun = await writer.begin(store, "m1", content="one")
        await store.append(writer.write(begun, final=False, stage=Stage.OPENED))
        clock.now += 15.0
        taken = await writer.begin(another, "m2", content="two")
        assert (taken.lease.request_id, taken.body, taken.stage, taken.attempt) == ("m1", b"one", Stage.OPENED, 2)
        assert taken.session is not None
        assert taken.session.event_seq == 1
        await another.append(writer.write(taken))
        own = await writer.begin(another, "m2", content="two")
        assert (own.lease.request_id, own.attempt, own.body) == ("m2", 1, b"two")

    async def test_history_is_texts_and_before_them_only_what_was_done(self, store: Store, writer: Writer):
        """Oldest first, with numbers of turns; no further back than the two windows."""
        for n in range(1, 46):
            await writer.turn(store, f"m{n}", text=f"reply {n}")
        history = (await writer.begin(store, "m46")).history
        recent = [(e.user, e.reply, e.turn) for e in history if e.user]
        assert recent == [(f"m{n}", f"reply {n}", n) for n in range(26, 46)]
        assert [(e.turn, e.actions) for e in history if e.actions] == [(n, ("waved",)) for n in range(6, 36)]
        assert [e.turn for e in history] == list(range(6, 46))

    async def test_history_is_the_same_for_a_store_that_has_seen_nothing_yet(
        self, store: Store, another: Store, writer: Writer, clock: LeaseClock
    ):
        """Whatever a worker keeps in memory, it is what the log says; also when another worker wrote in between."""
        for n in range(1, 60):
            worker = store if n % 7 else another
            begun = await writer.begin(worker, f"m{n}", content=f"m{n}")
            await worker.append(writer.write(begun, new_episode=n == 40))
        seen = (await writer.begin(store, "m60")).history
        clock.now += 60
        assert (await writer.begin(another, "m60")).history == seen
        assert [e.turn for e in seen] == list(range(1, 21))

    async def test_history_ends_where_the_episode_began(self, store: Store, writer: Writer):
        """The texts of an earlier episode are over, as is its data."""
        for n in range(1, 4):
            await writer.turn(store, f"m{n}", text=f"reply {n}")
        await writer.turn(store, "m4", text="reply 4", new_episode=True)
        await writer.turn(store, "m5", text="reply 5")
        history = (await writer.begin(store, "m6")).history
        assert [(e.user, e.reply, e.turn) for e in history] == [("m4", "reply 4", 1), ("m5", "reply 5", 2)]

    async def test_history_of_a_turn_taken_over_ends_with_its_own_message(
        self, store: Store, writer: Writer, clock: LeaseClock
    ):
        """Without a reply, for there was none."""
        await writer.turn(store, "m1", text="reply 1")
        await store.append(writer.write(await writer.begin(store, "m2", content="m2"), final=False))
        clock.now += 60
        history = (await writer.begin(store, "m2", content="m2")).history
        assert [(e.user, e.reply, e.turn) for e in history] == [("m1", "reply 1", 1), ("m2", "", 2)]


class TestAppend:
    async def test_final_write_stores_session_and_log_and_frees_the_lease(self, store: Store, writer: Writer):
        """What was written is what is read, and the chain holds up to the snapshot's head."""
        write = await writer.turn(store, "m1")
        session = await store.load("s1")
        assert session == write.session
        assert await store.log("s1") == write.records
        assert verify_chain(await store.log("s1"), session.head) == session.head
        assert isinstance(await writer.ask(store, "m2"), Begun)

    async def test_write_in_mid_turn_keeps_the_lease_and_starts_its_time_anew(
        self, store: Store, writer: Writer, clock: LeaseClock
    ):
        """A worker that writes lives."""
        begun = await writer.begin(store)
        clock.now += 10
        await store.append(writer.write(begun, final=False))
        assert await writer.ask(store) == Busy(15.0)

    @pytest.mark.parametrize("final", [True, False])
    async def test_void_fence_is_refused_and_leaves_nothing(
        self, store: Store, another: Store, writer: Writer, clock: LeaseClock, final: bool
    ):
        """A worker that was away too long: its write is not there, the one that took over can end the turn."""
        zombie = await writer.begin(store)
        clock.now += 15.0
        heir = await writer.begin(another)
        before = await everything(store)
        with pytest.raises(Fenced):
            await store.append(writer.write(zombie, final=final))
        assert await everything(store) == before
        await another.append(writer.write(heir))
        with pytest.raises(Fenced):
            await store.append(writer.write(zombie, final=final))
        assert len(await store.log("s1")) == 3

    async def test_worker_past_its_lease_may_still_write_if_nobody_took_over(
        self, store: Store, writer: Writer, clock: LeaseClock
    ):
        """The fence decides, not the clock."""
        begun = await writer.begin(store)
        clock.now += 1000
        await store.append(writer.write(begun))
        assert isinstance(await writer.ask(store), Replay)

    async def test_session_that_moved_on_refuses_the_write(self, store: Store, writer: Writer):
        """The last event_seq is compared, beside the fence."""
        await writer.turn(store, "m1")
        begun = await writer.begin(store, "m2")
        before = await everything(store)
        with pytest.raises(Fenced):
            await store.append(replace(writer.write(begun), after_event_seq=0))
        assert await everything(store) == before

    async def test_failing_write_leaves_nothing_at_all(self, store: Store, writer: Writer):
        """A record whose number is taken: neither snapshot nor earlier records nor the end of the turn remain."""
        await writer.turn(store, "m1")
        begun = await writer.begin(store, "m2", content="m2")
        before = await everything(store)
        write = writer.write(begun)
        clash = replace(write, records=(*write.records[:-1], replace(write.records[-1], n=1)))
        with pytest.raises(MaitredError):
            await store.append(clash)
        assert await everything(store) == before
        await store.append(write)
        assert await writer.ask(store, "m2", content="m2") == Replay(write.records[-1].body)

    async def test_stage_is_handed_to_whoever_takes_over(self, store: Store, writer: Writer, clock: LeaseClock):
        """OPENED, then DECIDED."""
        begun = await writer.begin(store)
        for stage in (Stage.OPENED, Stage.DECIDED):
            await store.append(writer.write(begun, final=False, stage=stage))
            clock.now += 15.0
            begun = await writer.begin(store)
            assert begun.stage is stage


class TestLease:
    async def test_renewal_starts_the_time_anew(self, store: Store, writer: Writer, clock: LeaseClock):
        """For as long as it is renewed, nobody else gets in."""
        begun = await writer.begin(store)
        for _ in range(3):
            clock.now += 14
            await store.renew(begun.lease)
        assert await writer.ask(store) == Busy(15.0)

    async def test_void_lease_cannot_be_renewed(self, store: Store, another: Store, writer: Writer, clock: LeaseClock):
        """Neither after a takeover nor after the end of the turn."""
        begun = await writer.begin(store)
        clock.now += 15
        heir = await writer.begin(another)
        with pytest.raises(Fenced):
            await store.renew(begun.lease)
        await another.append(writer.write(heir))
        with pytest.raises(Fenced):
            await another.renew(heir.lease)
        assert isinstance(await writer.ask(store, "m2"), Begun)

    async def test_lease_ends_with_its_turn(self, store: Store, writer: Writer):
        """Nothing can be written under it any more, though nobody has taken the session since."""
        begun = await writer.begin(store)
        write = writer.write(begun)
        await store.append(write)
        with pytest.raises(Fenced):
            await store.append(writer.write(replace(begun, session=write.session)))
        assert await store.log("s1") == write.records

    async def test_released_lease_is_free_at_once_and_the_turn_stays_open(
        self, store: Store, another: Store, writer: Writer
    ):
        """The next worker goes on with it, and it counts as an attempt."""
        begun = await writer.begin(store)
        await store.append(writer.write(begun, final=False))
        await store.release(begun.lease)
        heir = await writer.begin(another, "m2")
        assert (heir.lease.request_id, heir.attempt, heir.stage) == ("m1", 2, Stage.DECIDED)

    async def test_release_by_a_fenced_worker_does_nothing(
        self, store: Store, another: Store, writer: Writer, clock: LeaseClock
    ):
        """Only the holder can give a lease back."""
        zombie = await writer.begin(store)
        clock.now += 15
        await writer.begin(another)
        await store.release(zombie.lease)
        await store.release(zombie.lease, untried=True)
        assert await writer.ask(store, "m2") == Busy(15.0)

    async def test_untried_release_takes_the_attempt_back(self, store: Store, writer: Writer):
        """A request that nobody tried leaves no trace; one that was tried before keeps its count."""
        untried = await writer.begin(store, "m1")
        await store.release(untried.lease, untried=True)
        other = await writer.begin(store, "m2")
        assert (other.lease.request_id, other.attempt) == ("m2", 1)
        await store.release(other.lease)
        again = await writer.begin(store, "m2")
        assert again.attempt == 2
        await store.release(again.lease, untried=True)
        assert (await writer.begin(store, "m2")).attempt == 2


class TestReading:
    async def test_unknown_session_is_none_and_has_no_log(self, store: Store):
        """Nothing is made by looking."""
        assert await everything(store, "nobody") == (None, (), ())

    async def test_session_that_was_begun_and_never_written_is_not_listed(self, store: Store, writer: Writer):
        """A snapshot exists from the first commit on."""
        await writer.begin(store)
        assert await everything(store) == (None, (), ())

    async def test_sessions_are_listed_last_touched_first(self, store: Store, writer: Writer):
        """Up to the limit."""
        for n, name in enumerate(("a", "b", "c")):
            begun = await writer.begin(store, session=name)
            write = writer.write(begun)
            touched = write.session.model_copy(update={"updated_at": NOW + timedelta(minutes=(n * 2) % 3)})
            await store.append(replace(write, session=touched))
        assert [row.session_id for row in await store.sessions()] == ["b", "c", "a"]
        assert [row.session_id for row in await store.sessions(limit=1)] == ["b"]
        assert (await store.sessions())[0].records == 3

    async def test_due_sessions_come_in_the_order_of_their_time(self, store: Store, writer: Writer):
        """Those whose time has come, at the instant itself too; none without a time; a later write replaces the time."""
        for name, minutes in (("late", 2), ("first", 1), ("later", 30)):
            await writer.turn(store, "m", session=name, due=NOW + timedelta(minutes=minutes))
        await writer.turn(store, "m", session="never")
        assert await store.due(NOW) == ()
        assert await store.due(NOW + timedelta(minutes=2)) == ("first", "late")
        assert await store.due(NOW + timedelta(minutes=2), limit=1) == ("first",)
        await writer.turn(store, "m2", session="first")
        assert await store.due(NOW + timedelta(minutes=2)) == ("late",)
