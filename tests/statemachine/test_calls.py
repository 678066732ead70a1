"""A tool is not asked twice for the same within two turns, unless something happened that could change its answer."""

from typing import Any

import pytest

from maitred.protocol.errors import LogBroken
from maitred.protocol.messages import Actor
from maitred.protocol.slots import Slot
from maitred.statemachine.conditions import When
from maitred.statemachine.flow import Flow
from maitred.statemachine.fold import fold
from maitred.statemachine.parts import Action, Call, Outside, Step, Terminal

Make = Any
WHAT = {"what": Slot()}


def shop(fake_tool: Make, **look: Any) -> Flow:
    """One state in which a shelf is looked at, an order is put and undone."""
    tools = [
        fake_tool("look", parameters={"what": True}, required=frozenset({"what"}), **{"fresh": False, **look}),
        fake_tool("look_again", parameters={"what": True}, saves="look", fresh=False),
        fake_tool("put", effect="non_idempotent", bind={"key": "call.key"}, fresh=False),
    ]
    actions = (
        Action("look", tool="look", parameters=WHAT),
        Action("look_again", tool="look_again", parameters=WHAT),
        Action("put", tool="put"),
    )
    return Flow(
        name="shelf",
        states=["here"],
        initial="here",
        transitions={("here", "closed"): Terminal.COMPLETED, ("here", "restocked"): "here"},
        steps={"here": Step(actions=actions)},
        tools=tools,
        outside=[Outside("restocked")],
    )


def looked(driver: Any, answer: Any = None, action: str = "look", *, new_turn: bool = False, **parameters: Any) -> bool:
    """Choose the action; whether a call was ordered, which then gets `answer`."""
    values = {"what": "tea", **parameters} if action != "put" else {}
    outcome = driver.must(action, payload=values, new_turn=new_turn)
    if not outcome.effects:
        return False
    driver.give_back(answer if answer is not None else {"left": 3})
    return True


@pytest.fixture
def driver(drive: Make, tool_named: Make) -> Any:
    return drive(shop(tool_named)).start()


def test_the_same_call_is_answered_by_what_stands(driver: Any) -> None:
    """No effect; the log has call and return all the same, marked as used again; replay agrees."""
    assert looked(driver)
    assert not looked(driver)
    call, back = driver.events[-2:]
    assert (call.event, back.event, back.actor) == ("tool_called", "tool_returned", Actor.TOOL)
    assert call.payload["reused"] is back.payload["reused"] is True
    assert back.payload["result"] == {"left": 3}
    assert driver.session.pending is None
    records, head = driver.log()
    assert fold(driver.flow, "s1", records, head) == driver.stored()


def test_other_arguments_are_another_call(driver: Any) -> None:
    """And only the last one's answer stands."""
    assert looked(driver, what="tea")
    assert looked(driver, what="mate")
    assert looked(driver, what="tea")


def test_it_stands_in_the_next_turn_and_no_longer(driver: Any) -> None:
    """Two turns; an answer used again does not become younger."""
    assert looked(driver)
    assert not looked(driver, new_turn=True)
    assert looked(driver, new_turn=True)


def test_it_stands_for_a_minute(driver: Any) -> None:
    """Two turns may be days apart."""
    assert looked(driver)
    driver.later(60)
    assert not looked(driver, new_turn=True)
    driver.later(1)
    assert looked(driver)


def test_an_effect_that_a_customer_asks_for_again_is_made_again(drive: Make, tool_named: Make) -> None:
    """ "Send me the code again": the action's own, idempotent or not."""
    driver = drive(shop(tool_named, effect="idempotent")).start()
    assert looked(driver)
    assert looked(driver)


def test_an_entry_call_takes_the_answer_before_it_away(drive: Make, tool_named: Make) -> None:
    """A price for other numbers is none: where the second call fails, there is nothing to agree to."""
    flow = Flow(
        name="quotes",
        states=["size", "here"],
        initial="size",
        transitions={("size", "known"): "here", ("here", "bought"): Terminal.COMPLETED},
        steps={
            "size": Step(collects={"size": Slot(int)}, complete="known"),
            "here": Step(
                collects={"size": Slot(int)},
                on_enter=Call("quote"),
                confirms="buy",
                actions=(Action("buy", event="bought", confirm=True),),
            ),
        },
        tools=[tool_named("quote", parameters={"size": True}, required=frozenset({"size"}))],
    )
    driver = drive(flow).start()
    driver.must("provide", payload={"size": 20})
    driver.give_back({"price": 2000})
    assert driver.session.pending.action == "buy"
    driver.must("provide", payload={"size": 500})
    driver.give_back(None, status="error", error="not available")
    assert "quote" not in driver.session.data
    assert driver.refused("buy") == "not_in_menu"


def test_an_entry_call_that_cannot_be_made_takes_it_away_too(drive: Make, tool_named: Make) -> None:
    """What it needs was dropped: a human takes over, and comes back to nothing that could be agreed to."""
    flow = Flow(
        name="quotes",
        states=["here", "there"],
        initial="here",
        transitions={
            ("here", "sized"): "there",
            ("there", "bought"): Terminal.COMPLETED,
            ("there", "again"): [When(None, "there", forget=("size",))],
        },
        steps={
            "here": Step(collects={"size": Slot(int)}, complete="sized"),
            "there": Step(
                on_enter=Call("quote"),
                confirms="buy",
                actions=(Action("buy", event="bought", confirm=True), Action("again", event="again")),
            ),
        },
        tools=[tool_named("quote", parameters={"size": True}, required=frozenset({"size"}))],
    )
    driver = drive(flow).start()
    driver.must("provide", payload={"size": 20})
    driver.give_back({"price": 2000})
    driver.must("again")
    assert driver.session.state == Terminal.ESCALATED
    driver.must("resume", Actor.HUMAN)
    assert driver.session.state == "there"
    assert "quote" not in driver.session.data
    assert driver.session.pending is None
    assert driver.refused("buy") == "not_in_menu"


def test_a_failed_call_is_made_again(driver: Any) -> None:
    """Only `ok` is worth keeping."""
    driver.must("look", payload={"what": "tea"})
    driver.give_back(None, status="error", error="no light")
    assert looked(driver)


def test_an_effect_in_between_makes_it_old(driver: Any) -> None:
    """What was put on the shelf is not in what was seen before."""
    assert looked(driver)
    assert looked(driver, action="put")
    assert looked(driver)


def test_an_effect_that_is_not_idempotent_is_never_reused(driver: Any) -> None:
    """Whoever asks twice wants it twice, or a confirmation in the flow."""
    assert looked(driver, action="put")
    assert looked(driver, action="put")


def test_a_log_that_claims_an_answer_which_does_not_stand_is_broken(driver: Any) -> None:
    """Or brings another one."""
    assert looked(driver)
    assert not looked(driver)
    *before, call, back = driver.events
    for changed in (
        [*before, call.model_copy(update={"payload": {**call.payload, "arguments": {"what": "mate"}}}), back],
        [*before, call, back.model_copy(update={"payload": {**back.payload, "result": {"left": 4}}})],
    ):
        driver.events = changed
        records, head = driver.log()
        with pytest.raises(LogBroken, match="again"):
            fold(driver.flow, "s1", records, head)


def test_an_outside_event_in_between_makes_it_old(driver: Any) -> None:
    """Even one that nobody waited for."""
    assert looked(driver)
    driver.must("restocked", Actor.OUTSIDE)
    assert looked(driver)


def test_another_tool_under_the_same_name_takes_its_place(driver: Any) -> None:
    """What stands in the session is the other one's answer."""
    assert looked(driver)
    assert looked(driver, {"left": 9}, action="look_again")
    assert looked(driver)


def test_a_fresh_tool_is_always_called(drive: Make, tool_named: Make) -> None:
    """For what changes by itself."""
    driver = drive(shop(tool_named, fresh=True)).start()
    assert looked(driver)
    assert looked(driver)


def test_going_round_in_circles_ends_at_the_cap(driver: Any) -> None:
    """Answers used again are counted: the fourth in a turn is a human."""
    for _ in range(3):
        looked(driver)
    driver.must("look", payload={"what": "tea"})
    assert driver.session.state == Terminal.ESCALATED
