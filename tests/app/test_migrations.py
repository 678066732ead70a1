"""A session in the middle of an older version goes on by a declared migration; where there is none, a human is asked for."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from maitred import Action, Call, Deadline, Flow, Maitred, Migration, Outside, Slot, Step, Terminal, When, tool
from maitred.protocol.errors import FlowError, FlowMismatch, LogBroken
from maitred.protocol.log import chain
from maitred.protocol.messages import Actor, StateEvent, ToolCall, parse_message
from maitred.protocol.tool_spec import ToolResult
from maitred.statemachine.check_store import against_store
from maitred.statemachine.fold import fold
from maitred.statemachine.machine import new_session
from maitred.statemachine.migration import migrated
from maitred.store.sqlite import SqliteStore
from maitred.tools.runner import Runner

OUTSIDE = (Outside("paid", money=True),)


class Clock:
    """Moved by hand."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def first(**more: Any) -> Flow:
    """Tins, then payment."""
    return Flow(
        name="tea",
        version="1",
        states=["order", "pay"],
        initial="order",
        transitions={
            ("order", "known"): "pay",
            ("pay", "paid"): Terminal.COMPLETED,
            ("pay", "late"): Terminal.ABANDONED,
        },
        steps={
            "order": Step(collects={"tins": Slot(int, read="number", ask="How many tins?")}, complete="known"),
            "pay": Step(
                say="{tins} tins. Please pay.", deadline=Deadline(60, "late"), actions=(Action("wait", "wait"),)
            ),
        },
        **{"outside": OUTSIDE, **more},
    )


def second(
    *,
    maximum: int | None = None,
    migrations: tuple[Migration, ...] | None = None,
    outside: tuple[Outside, ...] = OUTSIDE,
) -> Flow:
    """The same trade with other names: boxes, `checkout`, and the price looked up on arrival there."""
    if migrations is None:
        migrations = (Migration("1", states={"pay": "checkout"}, data={"tins": "boxes"}),)
    return Flow(
        name="tea",
        version="2",
        states=["order", "checkout"],
        initial="order",
        transitions={
            ("order", "known"): "checkout",
            ("checkout", "paid"): Terminal.COMPLETED,
            ("checkout", "late"): Terminal.ABANDONED,
        },
        steps={
            "order": Step(
                collects={"boxes": Slot(int, read="number", ask="How many boxes?", maximum=maximum)}, complete="known"
            ),
            "checkout": Step(
                say="{boxes} boxes for {price.yuan} yuan.",
                on_enter=Call("price"),
                deadline=Deadline(600, "late"),
                actions=(
                    Action("again", "say it again", reply="{boxes} boxes, {price.yuan} yuan.", examples=("again",)),
                ),
            ),
        },
        tools=[price],
        outside=outside,
        migrations=migrations,
    )


@tool(effect="none")
async def price(boxes: int) -> Mapping[str, Any]:
    """What that many boxes cost."""
    return {"yuan": 10 * boxes}


async def begun(db: Path, *texts: str, clock: Clock | None = None) -> None:
    async with Maitred(first(), store=db, clock=clock) as before:
        for text in texts:
            await before.say("s", text)


async def test_it_goes_on_under_the_new_version_with_what_was_said(tmp_path: Path) -> None:
    """State and data under their new names; what the new step reads on arrival is read; the log folds without the old flow."""
    db = tmp_path / "tea.db"
    await begun(db, "3 tins")
    async with Maitred(second(), store=db) as new:
        assert (await new.say("s", "again")).text == "3 boxes, 30 yuan."
        session = await new.session("s")
        assert (session.state, session.flow_version, session.data["boxes"]) == ("checkout", "2", 3)
        assert (await new.replay("s")).equal
        moves = (await new.replay("s")).moves
        changed = next(event for event in moves if event.event == "flow_changed")
        assert (changed.source_state, changed.target_state, changed.actor.value) == ("pay", "checkout", "system")
        paid = await new.post("s", "paid", {}, key="p1")
        assert paid
        assert paid.state == "completed"
        assert (await new.replay("s")).equal
        assert (await new.say("s", "hello")).state == "order"
        assert (await new.replay("s")).equal


async def test_a_value_that_does_not_fit_any_more_is_asked_anew(tmp_path: Path) -> None:
    """Nothing is guessed: the customer says it again."""
    db = tmp_path / "tea.db"
    await begun(db, "300 tins")
    async with Maitred(second(maximum=100), store=db) as new:
        assert (await new.say("s", "hello")).text.endswith("How many boxes?")
        assert "boxes" not in (await new.session("s")).data
        assert (await new.replay("s")).equal


async def test_money_that_comes_first_is_placed_by_the_new_version(tmp_path: Path) -> None:
    """The event is judged where the migration leads."""
    db = tmp_path / "tea.db"
    await begun(db, "3 tins")
    async with Maitred(second(), store=db) as new:
        paid = await new.post("s", "paid", {"yuan": 30}, key="p1")
        assert paid
        assert paid.state == "completed"
        assert (await new.replay("s")).equal


async def test_the_timer_brings_a_session_over_without_a_word(tmp_path: Path) -> None:
    """Its deadline begins anew under the new version; then it fires."""
    db, clock = tmp_path / "tea.db", Clock()
    await begun(db, "3 tins", clock=clock)
    clock.now += timedelta(seconds=61)
    async with Maitred(second(), store=db, clock=clock) as new:
        assert await new.tick() == ()
        session = await new.session("s")
        assert (session.state, session.deadline) == ("checkout", clock.now + timedelta(seconds=600))
        clock.now += timedelta(seconds=601)
        assert [reply.state for reply in await new.tick()] == ["abandoned"]
        assert (await new.replay("s")).equal


async def test_a_session_with_a_human_comes_back_to_the_new_name_of_its_state(tmp_path: Path) -> None:
    """`resume` is the first that the new version hears of it."""
    db = tmp_path / "tea.db"
    await begun(db, "3 tins", "I want to speak to a human")
    async with Maitred(second(), store=db) as new:
        await new.resume("s", key="r1")
        assert (await new.session("s")).state == "checkout"
        assert (await new.replay("s")).equal


async def test_without_a_migration_a_human_is_asked_for(tmp_path: Path) -> None:
    """The customer reads a sentence, not an error; when the version is back, it goes on where it was."""
    db = tmp_path / "tea.db"
    await begun(db, "3 tins")
    async with Maitred(second(migrations=()), store=db) as new:
        reply = await new.say("s", "hello")
        assert (reply.state, "colleague" in reply.text) == ("escalated", True)
        assert (await new.say("s", "anybody there?")).state == "escalated"
        session = await new.session("s")
        assert (session.flow_version, session.resume_to) == ("1", "pay")
        with pytest.raises(FlowMismatch, match="version '1'"):
            await new.resume("s", key="r1")
    async with Maitred(flows=[first(), second(migrations=())], store=db) as both:
        assert (await both.replay("s")).equal
        await both.resume("s", key="r1")
        assert (await both.session("s")).state == "pay"
        assert (await both.replay("s")).equal


async def test_where_a_state_leads_nowhere_a_human_is_asked_for_too(tmp_path: Path) -> None:
    """A migration that forgot the state is no way."""
    db = tmp_path / "tea.db"
    await begun(db, "3 tins")
    async with Maitred(second(migrations=(Migration("1", data={"tins": "boxes"}),)), store=db) as new:
        assert (await new.say("s", "hello")).state == "escalated"


async def test_money_for_a_version_that_is_gone_is_on_record(tmp_path: Path) -> None:
    """And the timer does not end such a session: it asks for a human, once."""
    db, clock = tmp_path / "tea.db", Clock()
    await begun(db, "3 tins", clock=clock)
    async with Maitred(second(migrations=()), store=db, clock=clock) as new:
        reply = await new.post("s", "paid", {"yuan": 30}, key="p1")
        assert reply
        assert reply.state == "escalated"
    async with Maitred(first(), store=db, clock=clock) as old:
        replayed = await old.replay("s")
        assert replayed.equal
        assert ("unexpected_event", {"event": "paid", "payload": {"yuan": 30}}) in [
            (event.event, event.payload) for event in replayed.moves if hasattr(event, "event")
        ]


async def test_late_money_for_an_ended_session_of_a_version_that_is_gone(tmp_path: Path) -> None:
    """It is on record and with a human, as under its own version; what is no money is on record alone."""
    for event, state in (("paid", "escalated"), ("seen", "abandoned")):
        db, clock = tmp_path / f"{event}.db", Clock()
        outside = (Outside("paid", money=True), Outside("seen"))
        async with Maitred(first(outside=outside), store=db, clock=clock) as old:
            await old.say("s", "3 tins")
            clock.now += timedelta(seconds=61)
            assert [reply.state for reply in await old.tick()] == ["abandoned"]
        async with Maitred(second(migrations=(), outside=outside), store=db, clock=clock) as new:
            await new.post("s", event, {"yuan": 30}, key="p1")
            assert (await new.session("s")).state == state
        async with Maitred(first(outside=outside), store=db, clock=clock) as old:
            replayed = await old.replay("s")
            assert replayed.equal
            assert ("unexpected_event", {"event": event, "payload": {"yuan": 30}}) in [
                (move.event, move.payload) for move in replayed.moves if hasattr(move, "event")
            ]


async def test_the_timer_asks_for_a_human_where_the_version_is_gone(tmp_path: Path) -> None:
    db, clock = tmp_path / "tea.db", Clock()
    await begun(db, "3 tins", clock=clock)
    clock.now += timedelta(seconds=61)
    async with Maitred(second(migrations=()), store=db, clock=clock) as new:
        assert [reply.state for reply in await new.tick()] == ["escalated"]
        clock.now += timedelta(days=30)
        assert await new.tick() == ()
    async with Maitred(first(), store=db, clock=clock) as old:
        assert (await old.replay("s")).equal


async def test_a_call_that_was_open_when_the_version_went_ends_as_unknown(tmp_path: Path) -> None:
    """Nobody here can tell what its end would mean, with a migration or without; it is on record once, and never made again."""
    db, made = tmp_path / "tea.db", []

    class Dying(Runner):
        """Its process is gone in the middle of the call."""

        async def run(self, tool: Any, arguments: Any, context: Any) -> ToolResult:
            made.append(context.key)
            raise OSError("the process is gone")

    @tool(effect="idempotent", bind={"key": "call.key"})
    async def book(key: str) -> str:
        return key

    calling = Flow(
        name="tea",
        version="1",
        states=["order"],
        initial="order",
        transitions={("order", "booked"): Terminal.COMPLETED},
        steps={"order": Step(actions=(Action("book", tool="book", on={"ok": "booked"}, examples=("book it",)),))},
        tools=[book],
    )
    old = Maitred(calling, store=db, runner=Dying())
    with pytest.raises(OSError, match="gone"):
        await old.say("s", "book it", message_id="m1")
    await old.store.close()
    new = second(migrations=(Migration("1", states={"order": "order"}),))
    async with Maitred(new, store=db) as gone:
        assert (await gone.say("s", "book it", message_id="m1")).state == "escalated"
        log = [parse_message(record.body) for record in await gone.store.log("s")]
        ends = [m.status.value for m in log if isinstance(m, ToolCall)]
        assert ends == ["pending", "unknown"]
    async with Maitred(calling, store=db) as back:
        assert (await back.replay("s")).equal
    assert len(made) == 1


@pytest.mark.parametrize(
    ("migration", "says"),
    [
        (Migration("2"), "own version"),
        (Migration("1", states={"pay": "chekout"}), "did you mean 'checkout'"),
        (Migration("1", data={"tins": "boxs"}), "did you mean 'boxes'"),
        (Migration("1", data={"tins": "boxes", "cans": "boxes"}), "only one of them can be kept"),
    ],
)
def test_check_names_what_is_wrong_with_a_migration(migration: Migration, says: str) -> None:
    with pytest.raises(FlowError, match=says):
        second(migrations=(migration,))
    with pytest.raises(FlowError, match="2 migrations from version '1'"):
        second(migrations=(Migration("1"), Migration("1")))


def test_a_migration_does_not_make_it_another_version() -> None:
    assert second().fingerprint == second(migrations=()).fingerprint


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("target_state", "pay", "brings 'pay', which the flow does not have"),
        ("payload", {"data": {"tins": 3}}, "brings 'tins'"),
        ("payload", {"resume_to": "pay"}, "brings 'pay'"),
        ("payload", {"episode": "1"}, "valid integer"),
        ("actor", Actor.MODEL, "cannot be brought by model"),
        ("event_seq", 9, "a gap"),
    ],
)
async def test_a_log_whose_change_of_version_was_forged_is_refused(
    tmp_path: Path, field: str, value: Any, says: str
) -> None:
    """With a correct chain around it."""
    db = tmp_path / "tea.db"
    await begun(db, "3 tins")
    async with Maitred(second(), store=db) as new:
        await new.say("s", "again")
        log = [parse_message(record.body) for record in await new.store.log("s")]
    at = next(i for i, message in enumerate(log) if getattr(message, "event", "") == "flow_changed")
    event = log[at]
    assert isinstance(event, StateEvent)
    inner = {**event.payload["session"], **value} if field == "payload" else None  # type: ignore[dict-item]
    change = {field: {**event.payload, "session": inner} if inner else value}
    records, head = chain([*log[:at], event.model_copy(update=change), *log[at + 1 :]], 0, "")
    with pytest.raises(LogBroken, match=says) as caught:
        fold(second(), "s", records, head)
    assert caught.value.record == at + 1


async def test_a_change_to_the_version_that_is_there_already_is_refused(tmp_path: Path) -> None:
    """It would bring any data at all into a session."""
    db = tmp_path / "tea.db"
    await begun(db, "3 tins")
    async with Maitred(second(), store=db) as new:
        await new.say("s", "again")
        log = [parse_message(record.body) for record in await new.store.log("s")]
    event = next(message for message in log if getattr(message, "event", "") == "flow_changed")
    last = max(message.event_seq for message in log if isinstance(message, StateEvent))
    again = event.model_copy(
        update={"event_seq": last + 1, "source_state": "checkout", "state_version": event.state_version + 1}
    )
    records, head = chain([*log, again], 0, "")
    with pytest.raises(LogBroken, match="under already"):
        fold(second(), "s", records, head)


@tool(effect="none")
async def stock(tins: int) -> Mapping[str, Any]:
    """What is left."""
    return {"left": 30 - tins}


def asking(version: str, slot: str = "tins", *, tools: tuple[Any, ...] = (), **more: Any) -> Flow:
    """Order, then a question that waits for a yes."""
    return Flow(
        name="tea",
        version=version,
        states=["order", "confirm"],
        initial="order",
        transitions={("order", "known"): "confirm", ("confirm", "bought"): Terminal.COMPLETED},
        steps={
            "order": Step(
                collects={slot: Slot(int, read="number", ask=f"How many {slot}?", maximum=more.pop("maximum", None))},
                complete="known",
            ),
            "confirm": Step(
                say=f"{{{slot}}} {slot} under version {version}. Order them? (yes / no)",
                on_enter=Call(tools[0].spec.name) if tools else None,
                confirms="buy",
                actions=(Action("buy", event="bought", confirm=True),),
            ),
        },
        tools=tools,
        **more,
    )


@pytest.mark.parametrize("tools", [(), (stock,)], ids=["asked at once", "asked behind a tool"])
@pytest.mark.parametrize(("text", "yes"), [("3 tins", "yes"), ("3 罐", "是的")])
async def test_a_yes_to_the_older_question_is_no_yes_to_the_new_one(
    tmp_path: Path, text: str, yes: str, tools: tuple[Any, ...]
) -> None:
    """The customer reads what the new version asks before it happens; the next yes is to that."""
    db = tmp_path / "tea.db"
    async with Maitred(asking("1"), store=db) as old:
        await old.say("s", text)
    async with Maitred(asking("2", tools=tools, migrations=(Migration("1"),)), store=db) as new:
        reply = await new.say("s", yes)
        assert (reply.state, reply.text) == ("confirm", "3 tins under version 2. Order them? (yes / no)")
        assert (await new.say("s", yes)).state == "completed"
        assert (await new.replay("s")).equal


async def test_a_value_that_is_gone_is_asked_for_before_anything_is_agreed(tmp_path: Path) -> None:
    """No order of nothing: the session goes back to the step that asks."""
    db = tmp_path / "tea.db"
    async with Maitred(asking("1"), store=db) as old:
        await old.say("s", "3 tins")
        [stored] = [await old.session("s")]
    flow = asking("2", "boxes", migrations=(Migration("1"),))
    [finding] = against_store(flow, [stored])
    assert str(finding).endswith(": 'tins' is dropped; it goes on in 'order', which asks for 'boxes'")
    async with Maitred(flow, store=db) as new:
        reply = await new.say("s", "yes")
        assert (reply.state, reply.text.endswith("How many boxes?")) == ("order", True)
        assert (await new.say("s", "4")).text == "4 boxes under version 2. Order them? (yes / no)"
        assert (await new.replay("s")).equal


async def test_a_human_hands_back_to_the_step_that_asks(tmp_path: Path) -> None:
    """What is missing is asked for after the human, too."""
    db = tmp_path / "tea.db"
    async with Maitred(asking("1"), store=db) as old:
        await old.say("s", "300 tins")
        await old.say("s", "I want to speak to a human")
    async with Maitred(asking("2", maximum=100, migrations=(Migration("1"),)), store=db) as new:
        await new.resume("s", key="r1")
        assert (await new.session("s")).state == "order"
        assert (await new.replay("s")).equal


@pytest.mark.parametrize("kept", ["agreed", "done"])
def test_nobody_goes_back_behind_what_was_done(kept: str) -> None:
    """An order that was placed is not placed once more for a value that is gone."""
    flow = asking("2", "boxes", migrations=(Migration("1"),))
    session = new_session(asking("1"), "s").model_copy(update={"state": "confirm", "data": {"tins": 3}})
    assert migrated(flow, session, flow.migrations[0])[0] == "order"
    assert migrated(flow, session.model_copy(update={kept: True}), flow.migrations[0])[0] == "confirm"


async def test_the_first_message_is_no_yes_to_what_nobody_asked_yet(tmp_path: Path) -> None:
    """A flow that begins with a question asks it first."""
    flow = Flow(
        name="terms",
        states=["terms"],
        initial="terms",
        transitions={("terms", "taken"): Terminal.COMPLETED},
        steps={
            "terms": Step(
                say="May I keep what you say? (yes / no)",
                confirms="take",
                actions=(Action("take", event="taken", confirm=True),),
            )
        },
    )
    async with Maitred(flow, store=":memory:") as maitred:
        reply = await maitred.say("s", "yes")
        assert (reply.state, reply.text) == ("terms", "May I keep what you say? (yes / no)")
        assert (await maitred.say("s", "yes")).state == "completed"


def shipping(version: str, entry: Any, migration: Migration | None = None, *, ships: bool = True) -> Flow:
    """Money, then a parcel."""
    ship = {"ship": Step(say="On its way.", on_enter=Call(entry.spec.name), actions=(Action("end", event="closed"),))}
    return Flow(
        name="tea",
        version=version,
        states=["pay", "ship"] if ships else ["pay"],
        initial="pay",
        transitions={("pay", "paid"): "ship", ("ship", "closed"): Terminal.COMPLETED}
        if ships
        else {("pay", "paid"): Terminal.COMPLETED},
        steps={
            "pay": Step(say="Please pay.", actions=(Action("wait", reply="Please pay."),)),
            **(ship if ships else {}),
        },
        tools=[entry] if ships else [],
        outside=OUTSIDE,
        migrations=(migration,) if migration else (),
    )


@tool(effect="non_idempotent")
async def send() -> str:
    """Hands the parcel over."""
    return "P-1"


@tool(effect="none")
async def track() -> str:
    """Where the parcel is."""
    return "here"


async def test_an_event_that_the_older_version_placed_is_not_placed_again(tmp_path: Path) -> None:
    """Its worker died behind a call with an effect; the new version takes the turn over and reads what its step reads."""

    class Dying(SqliteStore):
        """Its process is gone before the commit."""

        async def append(self, write: Any) -> None:
            if write.final and write.session.state == "ship":
                raise OSError("the process is gone")
            await super().append(write)

    db = tmp_path / "tea.db"
    old = Maitred(shipping("1", send), store=Dying(str(db)))
    await old.say("s", "hello")
    with pytest.raises(OSError, match="gone"):
        await old.post("s", "paid", {"yuan": 30}, key="p1")
    await old.store.close()
    async with Maitred(shipping("2", track, Migration("1")), store=db) as new:
        await new.post("s", "paid", {"yuan": 30}, key="p1")
        replayed = await new.replay("s")
        assert replayed.equal
        assert [
            move.event for move in replayed.moves if getattr(move, "event", "") in ("paid", "unexpected_event")
        ] == ["paid"]
        assert (await new.session("s")).state == "ship"


async def test_a_state_that_goes_to_a_human_is_not_handed_back_to_the_start(tmp_path: Path) -> None:
    """Who has paid is not asked to pay again."""
    db, flow = tmp_path / "tea.db", shipping("2", track, Migration("1", states={"ship": "escalated"}), ships=False)
    async with Maitred(shipping("1", send), store=db) as old:
        for session in ("s", "with-a-human"):
            await old.say(session, "hello")
            await old.post(session, "paid", {"yuan": 30}, key="p1")
        await old.say("with-a-human", "get me a human")
        stored = [await old.session("s"), await old.session("with-a-human")]
    assert all("no step is left to hand it back to" in str(finding) for finding in against_store(flow, stored))
    async with Maitred(flow, store=db) as new:
        for session in ("s", "with-a-human"):
            assert (await new.say(session, "and now?")).state == "escalated"
            await new.resume(session, key="r1")
            assert (await new.session(session)).state == "abandoned"
            assert (await new.replay(session)).equal


async def test_a_human_hands_back_an_ended_session_of_an_older_version(tmp_path: Path) -> None:
    """Late money had brought it to one."""
    db, clock = tmp_path / "tea.db", Clock()
    async with Maitred(first(), store=db, clock=clock) as old:
        await old.say("s", "3 tins")
        clock.now += timedelta(seconds=61)
        await old.tick()
        await old.post("s", "paid", {"yuan": 30}, key="p1")
        stored = await old.session("s")
        assert (stored.state, stored.resume_to) == ("escalated", "abandoned")
    [finding] = against_store(second(), [stored])
    assert finding.verdict == "moves"
    async with Maitred(second(), store=db, clock=clock) as new:
        await new.resume("s", key="r1")
        assert (await new.session("s")).state == "abandoned"
        assert (await new.replay("s")).equal


def counted(version: str, slot: Slot, *migrations: Migration) -> Flow:
    """What is done depends on the number of tins."""
    return Flow(
        name="tea",
        version=version,
        states=["order", "check"],
        initial="order",
        transitions={
            ("order", "known"): "check",
            ("check", "done"): [When({"tins": {"gte": 20}}, Terminal.ESCALATED), When(None, Terminal.COMPLETED)],
        },
        steps={
            "order": Step(collects={"tins": slot}, complete="known"),
            "check": Step(say="{tins} tins.", actions=(Action("go", event="done", examples=("go on",)),)),
        },
        migrations=migrations,
    )


async def test_a_value_is_carried_in_the_type_that_its_slot_has_now(tmp_path: Path) -> None:
    """The text "25" is less than nothing to a condition that compares numbers."""
    db = tmp_path / "tea.db"
    async with Maitred(counted("1", Slot(str, read="text", cues=("tins",), ask="Tins?")), store=db) as old:
        await old.say("s", "tins: 25")
        assert (await old.session("s")).data == {"tins": "25"}
    async with Maitred(counted("2", Slot(int, read="number", ask="Tins?"), Migration("1")), store=db) as new:
        assert (await new.say("s", "go on")).state == "escalated"
        assert (await new.session("s")).data == {"tins": 25}
        assert (await new.replay("s")).equal


async def test_who_has_ordered_is_not_sent_back_to_order_once_more(tmp_path: Path) -> None:
    """The order's number is plain text under a name that the new version does not know: it may stand for anything."""
    made: list[str] = []

    @tool(effect="idempotent", bind={"key": "call.key"})
    async def order_tea(key: str) -> str:
        made.append(key)
        return "TEA-1"

    @tool(effect="idempotent", bind={"key": "call.key"})
    async def place_order(key: str) -> str:
        made.append(key)
        return "TEA-2"

    def ordering(version: str, slot: str, entry: Any, *migrations: Migration) -> Flow:
        return Flow(
            name="tea",
            version=version,
            states=["ask", "order", "pay"],
            initial="ask",
            transitions={("ask", "known"): "order", ("order", "made"): "pay", ("pay", "paid"): Terminal.COMPLETED},
            steps={
                "ask": Step(collects={slot: Slot(int, read="number", ask="How many?")}, complete="known"),
                "order": Step(say="One moment.", on_enter=Call(entry.spec.name, on={"ok": "made"})),
                "pay": Step(say="Please pay.", actions=(Action("wait", reply="Please pay."),)),
            },
            tools=[entry],
            outside=OUTSIDE,
            migrations=migrations,
        )

    db = tmp_path / "tea.db"
    async with Maitred(ordering("1", "tins", order_tea), store=db) as old:
        assert (await old.say("s", "3")).state == "pay"
    async with Maitred(ordering("2", "boxes", place_order, Migration("1")), store=db) as new:
        assert (await new.say("s", "3")).state == "pay"
        assert (await new.replay("s")).equal
    assert len(made) == 1


async def test_money_is_placed_though_the_worker_died_before_it_came_to_it(tmp_path: Path) -> None:
    """The migration's own look-up comes first; whoever takes the turn over still owes the event its place."""

    class Dying(Runner):
        """Its process is gone in the middle of the look-up."""

        async def run(self, tool: Any, arguments: Any, context: Any) -> ToolResult:
            raise OSError("the process is gone")

    db, clock = tmp_path / "tea.db", Clock()
    await begun(db, "3 tins", clock=clock)
    dying = Maitred(second(), store=db, clock=clock, runner=Dying())
    with pytest.raises(OSError, match="gone"):
        await dying.post("s", "paid", {"yuan": 30}, key="p1")
    await dying.store.close()
    async with Maitred(second(), store=db, clock=clock) as new:
        await new.post("s", "paid", {"yuan": 30}, key="p1")
        replayed = await new.replay("s")
        assert replayed.equal
        assert [getattr(move, "event", "") for move in replayed.moves].count("paid") == 1
        assert (await new.session("s")).state == "completed"
