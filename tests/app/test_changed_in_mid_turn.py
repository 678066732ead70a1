"""A worker of the older version dies in the middle of a turn, and one of the newer takes over: nothing is lost or done twice."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from maitred import Action, Call, Flow, Maitred, Migration, Outside, Slot, Step, Terminal, tool
from maitred.protocol.limits import Limits
from maitred.protocol.messages import StateEvent, ToolCall, parse_message
from maitred.protocol.ports import Append
from maitred.store.sqlite import SqliteStore

PAID, SHIPPED = Outside("paid", money=True), Outside("shipped")


class Dying(SqliteStore):
    """Its process is gone when it is to make the `nth` write."""

    nth = 1

    async def append(self, write: Append) -> None:
        self.nth -= 1
        if not self.nth:
            raise OSError("the process is gone")
        await super().append(write)


def dying(db: Path, flow: Flow, nth: int = 1) -> Maitred:
    store = Dying(str(db))
    store.nth = nth
    return Maitred(flow, store=store)


def waiting(version: str, outside: tuple[Outside, ...], *migrations: Migration) -> Flow:
    """An order that waits for its parcel."""
    events = [event.event for event in outside]
    return Flow(
        name="tea",
        version=version,
        states=["wait"],
        initial="wait",
        transitions={("wait", event): Terminal.COMPLETED for event in events},
        steps={"wait": Step(say="Your tea is on its way.", actions=(Action("ask", reply="Soon."),))},
        outside=outside,
        migrations=migrations,
    )


@pytest.mark.parametrize("migrations", [(Migration("1"),), ()], ids=["with a migration", "without"])
@pytest.mark.parametrize("ended", [False, True])
async def test_an_event_that_only_the_older_version_knows_is_on_record_and_with_a_human(
    tmp_path: Path, migrations: tuple[Migration, ...], ended: bool
) -> None:
    """Its sender was told that it is taken, and will not send it again."""
    db, old = tmp_path / "tea.db", waiting("1", (PAID, SHIPPED))
    async with Maitred(old, store=db) as before:
        await before.say("s", "hello")
        if ended:
            await before.post("s", "paid", {}, key="p0")
    gone = dying(db, old)
    with pytest.raises(OSError, match="gone"):
        await gone.post("s", "shipped", {"parcel": "P-1"}, key="p1")
    await gone.store.close()
    new_flow = waiting("2", (PAID,), *migrations)
    async with Maitred(new_flow, store=db) as new:
        reply = await new.say("s", "where is it?")
        log = [parse_message(record.body) for record in await new.store.log("s")]
        kept = [m.payload for m in log if isinstance(m, StateEvent) and m.event == "unexpected_event"]
        assert kept == [{"event": "shipped", "payload": {"parcel": "P-1"}}]
        assert reply.state == "escalated"
    async with Maitred(flows=[old, new_flow], store=db) as both:
        assert (await both.replay("s")).equal


async def test_the_calls_of_a_turn_are_counted_on(tmp_path: Path) -> None:
    """Their keys are made of these numbers: the second call of a turn must not look like the first one again."""
    keys: list[str] = []

    @tool(effect="non_idempotent", bind={"key": "call.key"})
    async def book(key: str) -> str:
        keys.append(key)
        return key

    def booking(version: str, *migrations: Migration) -> Flow:
        return Flow(
            name="tea",
            version=version,
            states=["book"],
            initial="book",
            transitions={("book", "closed"): Terminal.COMPLETED},
            steps={
                "book": Step(
                    say="Booked.",
                    on_enter=Call("book"),
                    actions=(Action("again", tool="book", on={"ok": "closed"}, examples=("book another",)),),
                )
            },
            tools=[book],
            migrations=migrations,
        )

    db = tmp_path / "tea.db"
    gone = dying(db, booking("1"), nth=3)  # behind the intent and the result of the first
    with pytest.raises(OSError, match="gone"):
        await gone.say("s", "book another", message_id="m1")
    await gone.store.close()
    async with Maitred(booking("2", Migration("1")), store=db) as new:
        assert (await new.say("s", "book another", message_id="m1")).state == "completed"
        log = [parse_message(record.body) for record in await new.store.log("s")]
        assert (await new.replay("s")).equal
    assert len(keys) == len({m.key for m in log if isinstance(m, ToolCall)}) == 2


@pytest.mark.parametrize("effect", ["idempotent", "non_idempotent"])
async def test_who_has_ordered_is_not_asked_for_the_order_again(tmp_path: Path, effect: Any) -> None:
    """Though nothing of what is stored says so: the order's number is plain text, and another tool has answered since."""
    made: list[str] = []

    @tool(effect=effect)
    async def order_tea() -> str:
        made.append("TEA-1")
        return "TEA-1"

    @tool(effect=effect)
    async def place_order() -> str:
        made.append("TEA-2")
        return "TEA-2"

    @tool(effect="none")
    async def queue() -> str:
        """How long it takes."""
        return "two days"

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
                "pay": Step(say="{queue}", on_enter=Call("queue"), actions=(Action("wait", reply="Please pay."),)),
            },
            tools=[entry, queue],
            outside=[PAID],
            migrations=migrations,
        )

    db = tmp_path / "tea.db"
    async with Maitred(ordering("1", "tins", order_tea), store=db) as old:
        assert (await old.say("s", "3")).state == "pay"
    async with Maitred(ordering("2", "boxes", place_order, Migration("1")), store=db) as new:
        assert (await new.say("s", "3")).state == "pay"
        assert (await new.replay("s")).equal
    assert made == ["TEA-1"]


def quoting(version: str, yuan: int, asked: list[int], *migrations: Migration) -> Flow:
    """A price, and a yes to it; then the price once more, for who has agreed to it."""

    @tool(effect="none")
    async def quote() -> Mapping[str, int]:
        asked.append(yuan)
        return {"yuan": yuan}

    yes = Action("buy", event="agreed", confirm=True)
    return Flow(
        name="tea",
        version=version,
        states=["offer", "pay"],
        initial="offer",
        transitions={("offer", "agreed"): "pay", ("pay", "paid"): Terminal.COMPLETED},
        steps={
            "offer": Step(say="{quote.yuan} yuan. Buy it?", on_enter=Call("quote"), confirms="buy", actions=(yes,)),
            "pay": Step(say="Please pay {quote.yuan} yuan.", on_enter=Call("quote")),
        },
        tools=[quote],
        outside=[PAID],
        migrations=migrations,
    )


@pytest.mark.parametrize("yes", ["yes", "是的"])
async def test_a_price_is_read_anew_until_it_is_agreed_to(tmp_path: Path, yes: str) -> None:
    """By the new version, and when a human hands back; what the customer has said yes to stays as it was."""
    db, asked = tmp_path / "tea.db", list[int]()
    async with Maitred(quoting("1", 10, asked), store=db) as old:
        assert (await old.say("s", "hello")).text == "10 yuan. Buy it?"
        await old.say("t", "hello")
        assert (await old.say("t", yes)).text == "Please pay 10 yuan."
        await old.say("h", "I want to speak to a human")
    async with Maitred(quoting("2", 12, asked, Migration("1")), store=db) as new:
        assert (await new.say("s", yes)).text.startswith("12 yuan. Buy it?")
        back = await new.resume("h", key="r1")
        assert back
        assert back.text == "12 yuan. Buy it?"
        asked.clear()
        assert (await new.say("t", "hello")).state == "pay"
        assert not asked
        assert (await new.session("t")).data["quote"] == {"yuan": 10}
        assert all([(await new.replay(session)).equal for session in ("s", "t", "h")])


async def test_a_price_is_read_anew_though_the_turn_before_had_all_its_calls() -> None:
    """The cap of calls is what handed the session over; the human's return is another cause, with calls of its own."""

    @tool(effect="none", fresh=True)
    async def quote() -> int:
        return 10

    flow = Flow(
        name="tea",
        states=["offer"],
        initial="offer",
        transitions={("offer", "bought"): Terminal.COMPLETED},
        steps={
            "offer": Step(
                say="{quote} yuan.",
                on_enter=Call("quote"),
                actions=(Action("again", tool="quote", examples=("again please",)), Action("buy", event="bought")),
            )
        },
        tools=[quote],
        limits=Limits(tool_calls_per_turn=1),
    )
    async with Maitred(flow) as maitred:
        assert (await maitred.say("s", "again please")).state == "escalated"
        back = await maitred.resume("s", key="r1")
        assert back
        assert (back.state, back.text) == ("offer", "10 yuan.")
        assert (await maitred.replay("s")).equal


async def test_of_two_values_under_one_name_the_one_that_is_said_to_come_there_is_kept(tmp_path: Path) -> None:
    """Whichever was given first."""

    def asking(version: str, slots: tuple[str, ...], *migrations: Migration) -> Flow:
        return Flow(
            name="tea",
            version=version,
            states=["ask", "pay"],
            initial="ask",
            transitions={("ask", "known"): "pay", ("pay", "paid"): Terminal.COMPLETED},
            steps={
                "ask": Step(
                    collects={name: Slot(int, read="number", cues=(name,), ask=f"How many {name}?") for name in slots},
                    complete="known",
                ),
                "pay": Step(say="Please pay."),
            },
            outside=[PAID],
            migrations=migrations,
        )

    for i, text in enumerate(("3 tins and 9 boxes", "9 boxes and 3 tins")):
        db = tmp_path / f"{i}.db"
        async with Maitred(asking("1", ("tins", "boxes")), store=db) as old:
            assert (await old.say("s", text)).state == "pay"
        async with Maitred(asking("2", ("boxes",), Migration("1", data={"tins": "boxes"})), store=db) as new:
            await new.say("s", "hello")
            assert (await new.session("s")).data == {"boxes": 3}
