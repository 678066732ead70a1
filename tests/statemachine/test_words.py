"""Words: whose sentence the customer reads, and what stands before a question that is still open."""

from collections.abc import Callable
from typing import Any

import pytest

from maitred.protocol.messages import Actor, StateEvent
from maitred.protocol.texts import SENTENCES
from maitred.statemachine.flow import Flow
from maitred.statemachine.words import choices, words_after

Make = Callable[..., Any]


def said(driver: Any, name: str, actor: Actor = Actor.MODEL, payload: Any = None, spoken: str = "") -> str | None:
    events: tuple[StateEvent, ...] = driver.must(name, actor, payload).events
    return words_after(driver.flow, driver.session, events, spoken)


def english(key: str) -> str:
    return SENTENCES[key]["en"]


def test_the_deciders_words_count_where_nothing_moved(desk: Flow, drive: Make) -> None:
    """An answer that stays; an action with words of its own has these."""
    driver = drive(desk).at("offer")
    assert said(driver, "answer", spoken="We open at 9.") == "We open at 9."
    assert said(driver, "chat", spoken="mine") == "Nice weather, Ann."
    assert english("not_understood") in str(said(driver, "answer", spoken=" "))


def test_after_a_move_the_step_speaks(desk: Flow, drive: Make) -> None:
    """Never the words that were written before it."""
    driver = drive(desk).start()
    driver.must("provide", Actor.MODEL, {"name": "Ann"})
    assert said(driver, "provide", payload={"size": 5}, spoken="x") == "For Ann: 5."
    driver = drive(desk).at("sign")
    assert said(driver, "confirm", Actor.GUARD, spoken="x") is None, "wait has no words: the decider is asked once more"


def test_an_answer_on_the_side_stands_before_the_next_question(desk: Flow, drive: Make) -> None:
    """Data that moves nothing: the decider's words count, and what is missing is still asked for, but not twice."""
    assert said(drive(desk).start(), "provide", payload={"name": "Ann"}, spoken="Yes, free.") == "Yes, free.\nHow many?"
    assert said(drive(desk).start(), "provide", payload={"name": "Ann"}, spoken="And how many?") == "And how many?"
    assert said(drive(desk).start(), "provide", payload={"name": "Ann"}) == "How many?"


def test_values_are_shown_not_read(desk: Flow, drive: Make) -> None:
    """A customer called `{size}` stays so."""
    driver = drive(desk).start()
    assert said(driver, "provide", payload={"name": "{size} {meta}", "size": 5}) == "For {size} {meta}: 5."


def test_a_refused_value_is_named_with_what_is_allowed(desk: Flow, drive: Make) -> None:
    """And asked again."""
    driver = drive(desk).start()
    driver.must("provide", Actor.MODEL, {"name": "Ann"})
    assert said(driver, "provide", payload={"size": 101}) == "size must be at most 100.\nHow many?"


@pytest.mark.parametrize(
    ("name", "actor", "payload", "lead"),
    [
        ("ask_again", Actor.GUARD, {}, "confirm_again"),
        ("refuse_input", Actor.GUARD, {"reason": "attachment"}, "attachment"),
        ("refuse_event", Actor.GUARD, {"event": "again"}, "too_often"),
    ],
)
def test_an_open_question_stands_behind_what_was_refused(
    desk: Flow, drive: Make, name: str, actor: Actor, payload: Any, lead: str
) -> None:
    """The customer learns both."""
    driver = drive(desk).at("offer")
    question = said(driver, "accept")
    assert question == "take it: shall I go ahead? (yes / no)"
    assert said(driver, name, actor, payload) == f"{english(lead)}\n{question}"


def test_an_open_question_stands_behind_a_bad_value_and_an_answer(desk: Flow, drive: Make) -> None:
    """Whichever came instead of a yes."""
    driver = drive(desk).at("sign")
    assert str(said(driver, "provide", payload={"size": 0})) == "size must be at least 1.\nSign for 5?"
    assert said(driver, "ask_again", Actor.GUARD, spoken="Yes, it is free.") == "Yes, it is free.\nSign for 5?"


def test_a_step_asks_with_its_own_words_on_arrival(desk: Flow, drive: Make) -> None:
    """Asked by the model, the action's own question."""
    driver = drive(desk).at("sign")
    driver.must("decline", Actor.GUARD)
    assert said(driver, "sign") == "Really, Ann?"


@pytest.mark.parametrize(
    ("rule", "key"),
    [
        ("too_many_turns", "too_many_turns"),
        ("no_progress", "no_progress"),
        ("quarantined", "quarantined"),
        ("invalid_decisions", "handoff"),
        ("anything", "handoff"),
    ],
)
def test_a_hand_over_says_why(desk: Flow, drive: Make, rule: str, key: str) -> None:
    """Where there is a reason to say."""
    driver = drive(desk).at("offer")
    assert said(driver, "escalate", Actor.SYSTEM, {"rule": rule}) == english(key)
    assert words_after(desk, driver.session, (), "x") == english("with_human")


def test_ends_say_goodbye(desk: Flow, drive: Make) -> None:
    """In the step's words, or ours."""
    assert said(drive(desk).at("care"), "closed", Actor.GUARD) == "Bye, Ann."
    assert said(drive(desk).at("offer"), "leave", Actor.GUARD) == english("farewell")


def test_a_tool_that_fails_has_a_sentence(make_desk: Make, drive: Make) -> None:
    """The flow's own, if it has one for this tool and outcome."""
    for texts, expected in (({}, english("tool_trouble")), ({"find.unavailable": "Not now, {name}."}, "Not now, Ann.")):
        driver = drive(make_desk(texts=texts)).at("offer")
        driver.must("find")
        events = driver.give_back(status="timeout").events
        assert words_after(driver.flow, driver.session, events, "x") == expected


def test_choices_name_the_menu(desk: Flow, drive: Make) -> None:
    """Own actions and the way to a human."""
    driver = drive(desk).at("care")
    assert choices(desk, driver.session) == "Here I can help with: close; hand over to a human colleague."
    driver.must("note_language", Actor.SYSTEM, {"lang": "zh", "doubt": 0})
    assert choices(desk, driver.session) == "现在可以为您：close、转人工。"
