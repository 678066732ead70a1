"""What happens to a session without a message: outside events by `post`, time by `tick`, humans by `resume`."""

import asyncio
from datetime import datetime
from typing import Any

import pytest

from maitred.protocol.errors import BadRequest, RequestConflict, StoreUnavailable, UnknownEvent, UnknownSession
from maitred.protocol.limits import Limits
from maitred.protocol.messages import AgentResponse
from maitred.store.sqlite import SqliteStore

Desk = Any
Clock = Any
DAY = 24 * 3600


async def at_payment(desk_: Desk, session: str = "s1") -> Any:
    maitred = desk_.open()
    await maitred.say(session, "name Ann", message_id="p1")
    await maitred.say(session, "order", message_id="p2")
    return maitred


class TestPost:
    async def test_outside_event_moves_and_is_answered(self, desk_: Desk):
        """Its payload is on record and in the data."""
        maitred = await at_payment(desk_)
        reply = await maitred.post("s1", "paid", {"amount": 7}, key="PAY-1")
        assert (reply.state, reply.reply_to) == ("completed", "PAY-1")
        last = (await desk_.events())[-1]
        assert (last.event, last.actor.value, last.payload) == ("paid", "outside", {"amount": 7})
        assert (await maitred.session("s1")).data["paid"] == {"amount": 7}
        await desk_.sound()

    async def test_same_key_moves_once_and_gets_the_same_words(self, desk_: Desk):
        """Twice, eight times at once, and from another worker."""
        maitred, other = await at_payment(desk_), desk_.open()
        replies = await asyncio.gather(*(m.post("s1", "paid", {"a": 1}, key="P") for m in [maitred, other] * 4))
        assert len({reply.model_dump_json() for reply in replies}) == 1
        assert (await desk_.names()).count("paid") == 1
        await desk_.sound()

    async def test_same_key_with_other_content_is_a_conflict(self, desk_: Desk):
        """A second amount under one payment id is somebody's mistake."""
        maitred = await at_payment(desk_)
        await maitred.post("s1", "paid", {"amount": 7}, key="P")
        before = await desk_.records()
        with pytest.raises(RequestConflict):
            await maitred.post("s1", "paid", {"amount": 8}, key="P")
        assert await desk_.records() == before

    async def test_customers_message_id_cannot_take_a_payments_key(self, desk_: Desk):
        """They are kept apart."""
        maitred = await at_payment(desk_)
        await maitred.say("s1", "hello", message_id="PAY-1")
        await maitred.say("s1", "hello", message_id="outside:PAY-1")
        assert (await maitred.post("s1", "paid", {}, key="PAY-1")).state == "completed"

    async def test_event_out_of_place_is_kept_and_says_nothing(self, desk_: Desk):
        """It moves nothing; a repeat neither."""
        maitred = desk_.open()
        await maitred.say("s1", "hello")
        for _ in range(2):
            assert await maitred.post("s1", "news", {"x": 1}, key="N") is None
        assert (await desk_.names()).count("unexpected_event") == 1
        assert (await maitred.session("s1")).state == "ask"
        await desk_.sound()

    @pytest.mark.parametrize("ended", [False, True])
    async def test_unexpected_money_goes_to_a_human(self, desk_: Desk, ended: bool):
        """Before its time, and after the end; never dropped."""
        maitred = await at_payment(desk_) if ended else desk_.open()
        if ended:
            await maitred.post("s1", "paid", {}, key="first")
        else:
            await maitred.say("s1", "hello")
        reply = await maitred.post("s1", "paid", {"amount": 9}, key="second")
        assert reply.state == "escalated"
        kept = [event.payload for event in await desk_.events() if event.event == "unexpected_event"]
        assert kept == [{"event": "paid", "payload": {"amount": 9}}]
        await desk_.sound()

    async def test_undeclared_event_is_refused_with_the_declared_ones(self, desk_: Desk):
        """An event of the map that is not declared as outside is refused, too."""
        maitred = await at_payment(desk_)
        for name in ("refund", "overdue", ""):
            with pytest.raises(UnknownEvent, match="paid, news"):
                await maitred.post("s1", name, key="K")

    async def test_unknown_session_is_not_made(self, desk_: Desk):
        """A payment for nobody is the caller's to sort out."""
        maitred = desk_.open()
        with pytest.raises(UnknownSession):
            await maitred.post("nobody", "paid", {}, key="P")
        with pytest.raises(UnknownSession):
            await maitred.resume("nobody", key="P")
        assert await maitred.sessions() == ()

    @pytest.mark.parametrize(
        ("payload", "key"),
        [
            ({"a": float("nan")}, "K"),
            ({"a": 10**5000}, "K"),
            ({"a": "\ud800"}, "K"),
            ({"a": "x" * 2_000_000}, "K"),
            ({"a": {1, 2}}, "K"),
            ({1: 2}, "K"),
            ([1], "K"),
            ([], "K"),
            ("paid", "K"),
            (7, "K"),
            ({}, ""),
            ({}, "a b"),
            ({}, "a\nb"),
            ({}, "k" * 201),
            ({}, 7),
            ({}, None),
        ],
    )
    async def test_bad_payload_or_key_is_an_error_and_changes_nothing(self, desk_: Desk, payload: Any, key: Any):
        """JSON objects only, and a plain key."""
        maitred = await at_payment(desk_)
        before = await desk_.records()
        with pytest.raises(BadRequest):
            await maitred.post("s1", "paid", payload, key=key)
        assert await desk_.records() == before

    async def test_payload_nested_ten_thousand_deep_is_an_error(self, desk_: Desk):
        """And no crash."""
        maitred = await at_payment(desk_)
        deep: Any = {}
        for _ in range(10_000):
            deep = {"a": deep}
        with pytest.raises(BadRequest, match="nested deeper"):
            await maitred.post("s1", "paid", deep, key="K")

    async def test_event_whose_worker_died_is_finished_by_the_next(self, desk_: Desk):
        """By a repeat of it, or by whatever comes next."""
        maitred = await at_payment(desk_)
        store = Broken(desk_.path)
        failing = desk_.open(store=store)
        with pytest.raises(StoreUnavailable):
            await failing.post("s1", "paid", {"amount": 7}, key="P")
        reply = await maitred.say("s1", "hello?", message_id="after")
        assert (await desk_.names()).count("paid") == 1
        assert (reply.state, (await maitred.session("s1")).episode) == ("ask", 2)
        assert (await maitred.post("s1", "paid", {"amount": 7}, key="P")).state == "completed"
        await desk_.sound()


class Broken(SqliteStore):
    """A store that takes no writes."""

    async def append(self, write: Any) -> None:
        raise StoreUnavailable("gone")


class TestTick:
    async def test_deadline_fires_once(self, desk_: Desk, clock: Clock):
        """Not before its time, not twice, not by two workers at once."""
        maitred, other = await at_payment(desk_), desk_.open()
        clock.pass_(seconds=59)
        assert await maitred.tick() == ()
        clock.pass_(seconds=1)
        fired = await asyncio.gather(maitred.tick(), other.tick(), maitred.tick())
        assert [reply.state for replies in fired for reply in replies if reply].count("abandoned") >= 1
        assert await maitred.tick() == ()
        events = [event for event in await desk_.events() if event.event == "overdue"]
        assert [(event.actor.value, event.target_state) for event in events] == [("timer", "abandoned")]
        await desk_.sound()

    async def test_deadline_is_gone_once_the_step_is_left(self, desk_: Desk, clock: Clock):
        """Paid in time."""
        maitred = await at_payment(desk_)
        await maitred.post("s1", "paid", {}, key="P")
        clock.pass_(hours=1)
        assert await maitred.tick() == ()
        assert "overdue" not in await desk_.names()

    async def test_given_time_counts_even_if_the_clock_is_behind(self, desk_: Desk, clock: Clock):
        """What `tick(now)` sees as over, the machine sees as over, too; before that nothing is used up."""
        maitred = await at_payment(desk_)
        (early,) = [await maitred.tick(clock.now)]
        assert early == ()
        later = datetime.fromtimestamp(clock.now.timestamp() + 61, clock.now.tzinfo)
        (reply,) = await maitred.tick(later)
        assert reply.state == "abandoned"
        await desk_.sound()

    async def test_store_that_goes_away_on_the_way_is_no_fault_of_ours(
        self, desk_: Desk, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ):
        """One line in the log for a session, no trace of a stack; what was due is due when the store is back."""
        maitred = await at_payment(desk_)
        clock.pass_(seconds=61)
        with monkeypatch.context() as gone:
            gone.setattr(type(maitred.store), "load", Broken.append)
            assert await maitred.tick() == ()
        assert [(record.levelname, record.exc_info) for record in caplog.records] == [("WARNING", None)]
        assert [reply.state for reply in await maitred.tick()] == ["abandoned"]

    async def test_time_without_zone_is_refused(self, desk_: Desk):
        """It could be any time."""
        with pytest.raises(BadRequest):
            await desk_.open().tick(datetime(2026, 11, 30))  # noqa: DTZ001

    async def test_idle_session_expires_without_words(self, desk_: Desk, clock: Clock):
        """After seven days, by an event; the next message starts anew."""
        maitred = desk_.open()
        await maitred.say("s1", "name Ann")
        clock.pass_(seconds=7 * DAY - 1)
        assert await maitred.tick() == ()
        assert (await maitred.session("s1")).state == "offer"
        clock.pass_(seconds=1)
        assert await maitred.tick() == ()
        session = await maitred.session("s1")
        assert (session.state, (await desk_.names())[-1]) == ("abandoned", "session_expired")
        assert (await maitred.say("s1", "hello")).state == "ask"
        assert (await maitred.session("s1")).data == {}
        await desk_.sound()

    async def test_session_with_a_human_does_not_expire(self, desk_: Desk, clock: Clock):
        """Somebody has it."""
        maitred = desk_.open()
        await maitred.say("s1", "I want to talk to a human")
        assert (await maitred.session("s1")).state == "escalated"
        clock.pass_(days=100)
        assert await maitred.tick() == ()
        assert (await maitred.session("s1")).state == "escalated"

    async def test_customer_who_writes_just_before_the_expiry_is_not_thrown_out(self, desk_: Desk, clock: Clock):
        """The timer saw the session idle; the message came first. The machine judges again."""
        maitred = desk_.open()
        await maitred.say("s1", "name Ann")
        clock.pass_(seconds=7 * DAY)
        stale = Stale(desk_.path)
        stale.seen = await maitred.session("s1")
        late = desk_.open(store=stale)
        await maitred.say("s1", "hello, I am back")
        assert await late.tick() == ()
        assert (await maitred.session("s1")).state == "offer"
        assert (await maitred.replay("s1")).equal

    async def test_timer_does_not_wait_for_a_session_that_somebody_is_in(self, desk_: Desk, clock: Clock):
        """The others are served; that one is due again."""
        maitred = desk_.open()
        for session in ("a", "b", "c"):
            await maitred.say(session, "name Ann")
            await maitred.say(session, "order")
        clock.pass_(seconds=60)
        holder = SqliteStore(desk_.path)
        begun = await holder.begin("b", "message:x", "x", b"")
        assert [reply.session_id for reply in await maitred.tick()] == ["a", "c"]
        await holder.release(begun.lease, untried=True)
        assert [reply.session_id for reply in await maitred.tick()] == ["b"]
        await holder.close()

    async def test_sessions_of_a_version_that_is_gone_go_to_a_human_and_keep_nobody_waiting(
        self, desk_: Desk, clock: Clock
    ):
        """More of them than are fetched at once, all due before the one of ours; once."""
        old = desk_.open(version="0", store=SqliteStore(desk_.path, durable=False))
        for n in range(120):
            await old.say(f"old-{n}", "name Ann")
        clock.pass_(days=8)
        maitred = await at_payment(desk_)
        clock.pass_(days=1)
        states = {reply.session_id: reply.state for reply in await maitred.tick()}
        assert states.pop("s1") == "abandoned"
        assert states == {f"old-{n}": "escalated" for n in range(120)}
        assert await maitred.tick() == ()

    async def test_session_that_fails_does_not_keep_it_from_the_others(self, desk_: Desk, clock: Clock):
        """Its error is in the log of the program."""
        maitred = desk_.open()
        for session in ("a", "b"):
            await maitred.say(session, "name Ann")
            await maitred.say(session, "order")
        clock.pass_(seconds=60)
        failing = desk_.open(store=Refusing(desk_.path))
        assert [reply.session_id for reply in await failing.tick()] == ["b"]
        assert [reply.session_id for reply in await maitred.tick()] == ["a"]


class Stale(SqliteStore):
    """A store whose snapshots are read a moment too early."""

    seen: Any = None

    async def due(self, now: datetime, limit: int = 100) -> tuple[str, ...]:
        return (self.seen.session_id,)

    async def load(self, session_id: str) -> Any:
        return self.seen


class Refusing(SqliteStore):
    """A store that cannot write session a."""

    async def append(self, write: Any) -> None:
        if write.lease.session_id == "a":
            raise StoreUnavailable("gone")
        await super().append(write)


class TestResume:
    async def test_human_hands_back_to_where_it_was(self, desk_: Desk):
        """The data is kept, the flow goes on; a second hand-back is refused."""
        maitred = desk_.open()
        await desk_.lead(maitred, "name Ann", "I want to talk to a human")
        assert (await maitred.say("s1", "anybody?")).text.startswith("Your message has been passed on")
        reply = await maitred.resume("s1", key="R1")
        assert (reply.state, reply.text) == ("offer", "An offer for Ann.")
        assert [e.actor.value for e in await desk_.events() if e.event == "human_resumed"] == ["human"]
        with pytest.raises(BadRequest, match="not with a human"):
            await maitred.resume("s1", key="R2")
        assert (await maitred.say("s1", "order")).state == "waiting"
        await desk_.sound()

    async def test_two_hands_at_once_are_one(self, desk_: Desk):
        """The session is resumed once."""
        maitred = desk_.open()
        await desk_.lead(maitred, "name Ann", "I want to talk to a human")
        hands = (maitred.resume("s1", key=f"R{n % 2}") for n in range(4))
        results = await asyncio.gather(*hands, return_exceptions=True)
        assert all(isinstance(result, (AgentResponse, BadRequest)) for result in results)
        assert isinstance(results[0], AgentResponse)
        assert (await desk_.names()).count("human_resumed") == 1
        await desk_.sound()


class TestBackFromAHuman:
    async def test_messages_to_the_human_are_turns_and_what_was_said_before_is_remembered(self, desk_: Desk):
        """Each has a number of its own, and none pushes out of the past what the decider should know."""
        maitred = desk_.open()
        await desk_.lead(
            maitred, "name Ann", "hello there", "I want to speak to a human", "first to the human", "second"
        )
        turns = [event.turn for event in await desk_.events() if event.event == "message_passed_on"]
        assert turns == [4, 5]
        await maitred.resume("s1", key="R1")
        await desk_.lead(maitred, "and now?")
        history = desk_.decider.requests[-1].history
        said = [exchange.user for exchange in history if exchange.user]
        assert said == ["name Ann", "hello there", "I want to speak to a human", "first to the human", "second"]
        assert [exchange.turn for exchange in history if exchange.user] == [1, 2, 3, 4, 5]
        await desk_.sound()

    async def test_what_had_gone_wrong_is_not_held_against_what_comes(self, desk_: Desk):
        """The caps count from the human's return: else the first message would go straight back."""
        maitred = desk_.open(limits=Limits(turns_per_session=4, stuck_offer=8, stuck_escalate=9))
        await desk_.lead(maitred, "name Ann", "one", "two", "three", "four")
        assert (await maitred.session("s1")).state == "escalated"
        await maitred.resume("s1", key="R1")
        await desk_.lead(maitred, "five", "six", "seven")
        assert (await maitred.session("s1")).state == "offer"
        await desk_.lead(maitred, "eight", "nine")
        assert (await maitred.session("s1")).state == "escalated"
        await desk_.sound()

    async def test_a_decider_that_failed_before_may_fail_once_more(self, desk_: Desk):
        """Three bad answers in a row sent it to the human; after that one is one."""
        maitred = desk_.open()
        await desk_.lead(maitred, "name Ann", "bad", "bad")
        assert (await maitred.session("s1")).state == "escalated"
        await maitred.resume("s1", key="R1")
        assert (await maitred.session("s1")).invalid == 0
        await desk_.sound()
