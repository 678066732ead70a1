"""A session stays with the version of the flow that it began under; new ones begin under the newest."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from maitred import Action, Deadline, Flow, Maitred, Outside, Slot, Step, Terminal
from maitred.protocol.errors import BadRequest, UnknownEvent


class Clock:
    """Moved by hand."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def tea(version: str, *, gift: bool, event: str = "paid") -> Flow:
    """Tins, then payment; the newer version asks for a gift card first and names the payment otherwise."""
    collects = {"tins": Slot(int, read="number", cues=("tins",), ask="How many tins?")}
    if gift:
        collects["card"] = Slot("bool", read="yes_no", cues=("card",), ask="A gift card?")
    return Flow(
        name="tea",
        version=version,
        states=["order", "pay"],
        initial="order",
        transitions={
            ("order", "known"): "pay",
            ("pay", event): Terminal.COMPLETED,
            ("pay", "late"): Terminal.ABANDONED,
        },
        steps={
            "order": Step(collects=collects, complete="known"),
            "pay": Step(
                say="{tins} tins. Please pay." if not gift else "{tins} tins, wrapped. Please pay.",
                actions=(Action("wait", "wait a moment"),),
                deadline=Deadline(60, "late"),
            ),
        },
        outside=(Outside(event, money=True),),
    )


OLD, NEW = tea("1", gift=False), tea("2", gift=True, event="payment_came")


async def test_a_session_in_the_middle_stays_with_its_version(tmp_path: Path) -> None:
    """It is asked what the old version asks, and ends by its events; then it begins anew under the new one."""
    db = tmp_path / "tea.db"
    async with Maitred(OLD, store=db) as before:
        await before.say("s", "some tea please")
    async with Maitred(flows=[OLD, NEW], store=db) as both:
        assert (await both.say("s", "3 tins")).text == "3 tins. Please pay."
        assert (await both.say("t", "3 tins")).text == "A gift card?"
        assert (await both.session("s")).flow_version == "1"
        ended = await both.post("s", "paid", {}, key="p1")
        assert ended
        assert ended.state == "completed"
        assert (await both.replay("s")).equal
        again = await both.say("s", "5 tins")
        assert (again.text, (await both.session("s")).flow_version) == ("A gift card?", "2")
        assert (await both.replay("s")).equal
        assert (await both.replay("t")).equal


async def test_the_timer_goes_by_the_sessions_own_version(tmp_path: Path) -> None:
    """Nobody stays for ever where an older version set a deadline."""
    db, clock = tmp_path / "tea.db", Clock()
    async with Maitred(OLD, store=db, clock=clock) as before:
        await before.say("s", "3 tins")
    clock.now += timedelta(seconds=61)
    async with Maitred(flows=[OLD, NEW], store=db, clock=clock) as both:
        await both.tick()
        assert (await both.session("s")).state == "abandoned"


async def test_an_event_of_another_version_comes_back_to_its_sender(tmp_path: Path) -> None:
    """No row of this session's version could ever place it, and dropping it would lose money."""
    async with Maitred(OLD, store=tmp_path / "tea.db") as before:
        await before.say("s", "3 tins")
    async with Maitred(flows=[OLD, NEW], store=tmp_path / "tea.db") as both:
        for event in ("nothing", "payment_came"):
            with pytest.raises(UnknownEvent):
                await both.post("s", event, {}, key="p0")
        await both.post("s", "paid", {}, key="p1")
        assert (await both.session("s")).state == "completed"


def test_what_cannot_be_versions_is_refused() -> None:
    """Neither none, nor both, nor two flows, nor one twice."""
    other = Flow(
        name="coffee", states=["a"], initial="a", transitions={("a", "b"): Terminal.COMPLETED}, steps={"a": Step()}
    )
    for flow, flows in ((None, []), (OLD, [NEW]), (None, [OLD, other]), (None, [OLD, OLD])):
        with pytest.raises(BadRequest):
            Maitred(flow, flows=flows)
