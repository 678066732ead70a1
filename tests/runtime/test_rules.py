"""Every rule that answers instead of the model, or against it: the event that it puts on record, by whom, and where it leads."""

from typing import Any

import pytest

from maitred.decision.scripted import ScriptedDecider
from maitred.protocol.messages import Actor
from maitred.protocol.texts import SENTENCES
from maitred.statemachine.flow import Flow
from maitred.statemachine.parts import Action, Step, Terminal

Desk = Any
SURE = ("name Ann", "sure_order")

CUSTOMER: dict[str, tuple[tuple[str, ...], str, Actor, str]] = {
    "a yes": ((*SURE, "yes please"), "ordered_surely", Actor.HUMAN, "waiting"),
    "a yes in Chinese": ((*SURE, "好的，确认下单"), "ordered_surely", Actor.HUMAN, "waiting"),
    "a no": ((*SURE, "no, not yet"), "confirmation_declined", Actor.GUARD, "offer"),
    "a no in Chinese": ((*SURE, "不，先不要"), "confirmation_declined", Actor.GUARD, "offer"),
    "neither": ((*SURE, "what a day"), "confirmation_asked", Actor.GUARD, "offer"),
    "neither, twice": ((*SURE, "what a day", "what a night"), "confirmation_declined", Actor.GUARD, "offer"),
    "a human, please": (("name Ann", "let me talk to a human"), "human_requested", Actor.GUARD, Terminal.ESCALATED),
    "a human in Chinese": (("name Ann", "转人工"), "human_requested", Actor.GUARD, Terminal.ESCALATED),
    "leaving": (("name Ann", "forget it, I don't need it any more"), "customer_left", Actor.GUARD, Terminal.ABANDONED),
    "leaving in Chinese": (("name Ann", "算了，不用了"), "customer_left", Actor.GUARD, Terminal.ABANDONED),
    "nothing": (("name Ann", "  "), "input_refused", Actor.GUARD, "offer"),
    "too much": (("name Ann", "x" * 4001), "input_refused", Actor.GUARD, "offer"),
    "the same tool again": (("name Ann", "probe_it", "probe_it"), "tool_called", Actor.MODEL, "offer"),
}


@pytest.mark.parametrize("said", CUSTOMER)
async def test_what_a_customer_says(desk_: Desk, said: str):
    """The last of the rule's events is of the right kind; the reply is a sentence."""
    texts, event, actor, state = CUSTOMER[said]
    replies = await desk_.lead(desk_.open(), *texts)
    last = [e for e in await desk_.events() if e.event == event][-1]
    assert (last.actor, (await desk_.opened[0].session("s1")).state) == (actor, state)
    assert all(replies)
    await desk_.sound()


async def test_the_31st_message_is_a_humans(desk_: Desk, clock: Any):
    """Whatever it says."""
    maitred = desk_.open()
    for n in range(31):
        clock.pass_(seconds=10)
        await desk_.lead(maitred, "name Ann" if n % 2 else "name Bob", session="s1")
    last = (await desk_.events())[-1]
    assert (last.event, last.payload, last.actor) == ("escalated_by_rule", {"rule": "too_many_turns"}, Actor.SYSTEM)
    assert last.turn == 31


async def test_no_progress_offers_the_menu_and_then_a_human(desk_: Desk):
    """Four turns without anything new: the choices; six: handed over."""
    replies = await desk_.lead(desk_.open(), "name Ann", *(f"hm {n}" for n in range(6)))
    assert ["Here I can help with" in reply for reply in replies] == [False, False, False, False, True, True, False]
    last = (await desk_.events())[-1]
    assert (last.event, last.payload) == ("escalated_by_rule", {"rule": "no_progress"})


@pytest.mark.parametrize(("seconds", "allowed"), [(10, 3), (1, 2), (0, 2)])
async def test_the_same_event_again_and_again_is_refused(desk_: Desk, clock: Any, seconds: float, allowed: int):
    """The fourth in a row, or the third within three seconds; the customer is told."""
    maitred = desk_.open()
    await desk_.lead(maitred, "name Ann")
    for _ in range(allowed):
        clock.pass_(seconds=seconds)
        await desk_.lead(maitred, "again")
    clock.pass_(seconds=seconds)
    assert (await desk_.lead(maitred, "again"))[-1].startswith(SENTENCES["too_often"]["en"][:20])
    last = (await desk_.events())[-1]
    assert (last.event, last.actor, last.payload) == ("event_refused", Actor.GUARD, {"event": "again"})
    assert (await desk_.names()).count("again") == allowed


async def test_a_fact_that_nobody_brought_is_not_shown(desk_: Desk):
    """The reply is ours instead, and the log says so."""
    flow = Flow(
        name="facts",
        states=["here"],
        initial="here",
        transitions={("here", "done"): Terminal.COMPLETED},
        steps={"here": Step(actions=(Action("finish", event="done"),))},
        facts={"order_no": r"SO-?[0-9]{6}"},
    )
    decider = ScriptedDecider([{"action": "answer", "reply_text": "Your order is SO-１２３４５６."}])
    reply = await desk_.open(flow=flow, decider=decider).say("s1", "where is my order, please?")
    assert "SO" not in reply.text
    last = (await desk_.events())[-1]
    assert (last.event, last.actor, last.payload) == ("reply_replaced", Actor.GUARD, {"fact": "order_no"})


async def test_rules_come_in_their_order(desk_: Desk):
    """At the cap of turns a yes is still a yes, a human still asked for: what the customer wants is first."""
    for words, event in (
        ("yes please", "ordered_surely"),
        ("a human please", "human_requested"),
        ("I give up, bye", "customer_left"),
        ("hm", "escalated_by_rule"),
    ):
        session = f"s-{event}"
        maitred = desk_.open()
        await desk_.lead(maitred, *(f"name Ann{n}" for n in range(29)), session=session)
        await desk_.lead(maitred, "sure_order", words, session=session)
        assert (await desk_.names(session))[-1] == event
