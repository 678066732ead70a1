"""Guards: each rule in both languages, their order, and what none of them answers."""

from typing import Any

import pytest

from maitred.fallback.guards import GUARDS, GuardView, GuardWish, guard
from maitred.protocol.messages import Actor

ALL: dict[str, Any] = {
    "outdated": True, "confirming": 1, "on_close": "closed", "over_turn_cap": True, "greeting": "Hello! How can I help?",
}  # fmt: skip


def wish(text: str, **view: Any) -> GuardWish | None:
    return guard(GuardView(text, **view))


def name(text: str, **view: Any) -> str | None:
    found = wish(text, **view)
    return found.name if found else None


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u3000"])
def test_an_empty_message_is_refused(text: str) -> None:
    """With the reason that has a sentence: a picture is another matter than nothing."""
    empty, picture = wish(text), wish(text, attachments=1)
    assert empty
    assert picture
    assert (empty.name, empty.actor, empty.payload) == ("refuse_input", Actor.GUARD, {"reason": "empty_text"})
    assert picture.payload == {"reason": "attachment"}


def test_a_picture_with_words_is_read_for_its_words() -> None:
    """The customer wrote something after all."""
    assert wish("here is the address", attachments=2) is None


@pytest.mark.parametrize(("length", "reason"), [(10, None), (11, "text_too_long")])
def test_a_text_over_the_flows_limit_is_refused(length: int, reason: str | None) -> None:
    """Exactly there; also a megabyte."""
    for char in ("x", "好"):
        found = wish(char * length, text_chars=10)
        assert (found.payload["reason"] if found else None) == reason
    huge = wish("x" * 1_000_000)
    assert huge
    assert huge.payload["reason"] == "text_too_long"


def test_a_message_for_another_version_is_refused() -> None:
    """Whatever it says: even a yes was a yes to something else."""
    found = wish("yes", outdated=True, confirming=1)
    assert found
    assert found.payload == {"reason": "outdated"}


@pytest.mark.parametrize("text", ["yes", "Yes, please!", "ok go ahead", "是的", "确认", "好的，下单吧"])
def test_a_plain_yes_confirms(text: str) -> None:
    """Only where something was asked."""
    found = wish(text, confirming=1)
    assert found
    assert (found.name, found.actor) == ("confirm", Actor.GUARD)
    assert name(text) != "confirm"


@pytest.mark.parametrize("text", ["no", "No, thanks", "不", "不要", "先不下单"])
def test_a_plain_no_declines_unless_it_brings_values(text: str) -> None:
    """A no with new values is a correction: the decider reads it."""
    assert name(text, confirming=1) == "decline"
    assert name(text, confirming=1, brings_values=True) != "decline"


@pytest.mark.parametrize(
    "text", ["yes if it is cheaper", "how much is it?", "maybe", "可以便宜点吗", "等我问问老板", "25 seats"]
)
def test_anything_else_is_neither(text: str) -> None:
    """It goes to the decider and the question stands."""
    assert name(text, confirming=1) not in ("confirm", "decline")


@pytest.mark.parametrize("text", ["I want to talk to a human", "agent please", "转人工", "我要找人工客服"])
def test_asking_for_a_human(text: str) -> None:
    """Also in the middle of a confirmation."""
    assert name(text) == name(text, confirming=1) == "ask_human"


@pytest.mark.parametrize("text", ["forget it", "never mind, I don't want it any more", "算了，不用了", "不买了"])
def test_giving_up(text: str) -> None:
    """Where the flow keeps the customer, a sentence instead."""
    assert name(text) == "leave"
    kept = wish(text, can_leave=False)
    assert kept
    assert (kept.name, kept.payload) == ("refuse_input", {"reason": "leave_refused"})


@pytest.mark.parametrize("text", ["thanks, bye", "goodbye", "谢谢，再见", "拜拜"])
def test_a_goodbye_closes_where_the_step_says_so(text: str) -> None:
    """With the step's own event; elsewhere the decider hears it."""
    found = wish(text, on_close="closed")
    assert found
    assert (found.name, found.actor) == ("closed", Actor.GUARD)
    assert name(text) != "closed"


def test_over_the_cap_of_turns_a_human_takes_over() -> None:
    """By code, not by a guard's own right."""
    found = wish("20 seats", over_turn_cap=True)
    assert found
    assert (found.name, found.actor, found.payload) == ("escalate", Actor.SYSTEM, {"rule": "too_many_turns"})


@pytest.mark.parametrize("text", ["Hello!", "hi", "Good morning", "你好", "您好！", "在吗？"])
def test_a_bare_hello_is_answered_with_the_greeting(text: str) -> None:
    """If the flow has one, and nothing else was said."""
    found = wish(text, greeting="Welcome.")
    assert found
    assert (found.name, found.words) == ("answer", "Welcome.")
    assert wish(text) is None
    assert wish(f"{text} 20 seats please", greeting="Welcome.") is None


@pytest.mark.parametrize(
    "text", ["20 seats", "we are Leeds Dental", "我们公司叫蓝海", "what does it cost?", "有优惠吗"]
)
def test_ordinary_messages_go_to_the_decider(text: str) -> None:
    """No rule answers."""
    assert wish(text, greeting="Hello!", on_close="closed") is None


@pytest.mark.parametrize("text", ["bitte aufhören", "c'est fini"])
def test_a_flow_has_words_of_its_own(text: str) -> None:
    """For leaving, closing and the hand-off."""
    assert name(text) is None
    for kind, expected in (("leave", "leave"), ("human", "ask_human")):
        assert name(text, own_words={kind: (text,)}) == expected
    assert name(text, own_words={"closing": (text,)}, on_close="closed") == "closed"


def test_the_first_rule_that_answers_wins() -> None:
    """In the order of the list: unreadable, confirmation, human, leaving, closing, cap, hello."""
    order = [rule.__name__.strip("_") for rule in GUARDS]
    assert order == ["readable", "confirmation", "hand_off", "leaving", "closing", "turn_cap", "hello"]
    view = dict(ALL)
    assert name("yes", **view) == "refuse_input"
    view["outdated"] = False
    assert name("yes", **view) == "confirm"
    assert name("转人工", **view) == "ask_human"
    assert name("forget it", **view | {"confirming": 0}) == "leave"
    assert name("thanks, bye", **view | {"confirming": 0}) == "closed"
    assert name("hello", **view | {"confirming": 0}) == "escalate"
    assert name("hello", **view | {"confirming": 0, "over_turn_cap": False}) == "answer"


@pytest.mark.parametrize(
    "text", ["continue", "继续", "pay", "付款", "place the order", "下单", "go on", "I want to pay"]
)
@pytest.mark.parametrize("about", [{"confirms": ("cancel order", "取消订单")}, {"confirms_action": "leave"}])
def test_going_on_is_no_yes_to_an_end(text: str, about: dict[str, Any]) -> None:
    """Asked whether to cancel or to stop, "continue" says the opposite; and what orders something orders no cancelling."""
    assert name(text, confirming=1, **about) != "confirm"


@pytest.mark.parametrize(
    "text", ["cancel it", "取消吧", "取消订单", "please cancel the order", "yes", "是的", "确认取消", "confirm"]
)
def test_cancelling_is_a_yes_where_cancelling_was_asked(text: str) -> None:
    """Not a no."""
    assert name(text, confirming=1, confirms=("cancel order", "取消订单")) == "confirm"
    assert name("cancel it", confirming=1, confirms=("place the order",)) == "decline"
