"""The keyword decider: which action a message chooses, what an answer from knowledge may not displace, and what ends nothing."""

import pytest

from maitred.decision.keyword import choose
from maitred.decision.likeness import goes_on, likeness
from maitred.protocol.decision import DecisionRequest
from maitred.protocol.menu import Menu, MenuItem

MENU = Menu(
    "offer",
    (
        MenuItem("accept", "take it", examples=("yes", "want this one...")),
        MenuItem("other", "another", examples=("no", "cheaper?", "too pricey")),
        MenuItem("discount", "ask for a discount", examples=("any chance of a discount?", "cheaper price?")),
        MenuItem("close", "done", examples=("no!", "thanks!", "nothing else!")),
        MenuItem("answer", "answer"),
    ),
)


def action(text: str, *knowledge: str) -> str:
    return choose(DecisionRequest(session_id="s", lang="en", menu=MENU, text=text, knowledge=knowledge)).action


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("this is too pricey", "other"),
        ("show me something cheaper", "other"),
        ("is there a chance of a discount?", "discount"),
        ("I want this one", "accept"),
        ("I want a bigger one", "answer"),
        ("how do I pay?", "answer"),
    ],
)
def test_knowledge_answers_only_what_no_action_fits(text: str, chosen: str) -> None:
    """A statement or a question that an action stands for chooses it, though the flow knows something about its words."""
    assert action(text, "a fact about prices") == chosen


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("thanks", 1),
        ("great, thanks", 1),
        ("thanks, one more question", 0),
        ("thanks. how do I log in?", 0),
        ("thanks, but it does not work", 0),
        ("thanks, nothing else", 1),
    ],
)
def test_a_phrase_with_an_exclamation_mark_counts_only_if_nothing_follows(text: str, score: float) -> None:
    """Thanks end a talk only when the message goes no further."""
    assert likeness("thanks!", text) == score


def test_of_equals_the_phrase_that_states_wins() -> None:
    """ "cheaper?" and "cheaper price?" both ask; the longer way to say it does not hide the exact one."""
    assert action("cheaper") == "other"


@pytest.mark.parametrize(
    ("text", "further"), [("ok bye", False), ("no, I have a question", True), ("还有个问题", True), ("没有了", False)]
)
def test_a_message_goes_on_when_it_asks_denies_or_adds(text: str, further: bool) -> None:
    """What goes on is no end, whatever polite words stand in it."""
    assert goes_on(text) is further
