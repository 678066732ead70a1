"""History tiers: where the cuts are, what each tier keeps, and that between two cuts the past only grows at its end."""

from itertools import pairwise

import pytest

from maitred.decision.history import past_messages, past_turns, turns_cut
from maitred.decision.prompt_settings import PromptSettings
from maitred.decision.prompt_words import WORDS
from maitred.protocol.decision import Exchange
from maitred.protocol.history import NO_ACTION_TURNS, TEXT_TURNS, TURNS, joined

SETTINGS = PromptSettings()
EN = WORDS["en"]


def turns(n: int) -> tuple[Exchange, ...]:
    """A past of `n` turns as a store returns it."""
    texts = [Exchange(f"question {i}", f"reply {i}", turn=i) for i in range(max(1, n - TEXT_TURNS + 1), n + 1)]
    actions = [Exchange("", "", (f"did {i}",), i) for i in range(max(1, n - TURNS + 1), n - NO_ACTION_TURNS + 1)]
    return joined(actions, texts)


def test_cuts_come_every_five_turns_and_leave_five_to_nine():
    """Never a window that slides by one."""
    cuts = [turns_cut(n, SETTINGS) for n in range(31)]
    assert cuts[:10] == [0] * 10
    assert cuts[10:] == [5] * 5 + [10] * 5 + [15] * 5 + [20] * 5 + [25]
    assert {n - cut for n, cut in enumerate(cuts) if n >= 5} == {5, 6, 7, 8, 9}


def test_no_past_is_no_message():
    assert past_messages((), EN, SETTINGS) == []


@pytest.mark.parametrize("n", range(1, 60))
def test_user_and_assistant_take_turns(n):
    """Some chat templates refuse anything else."""
    roles = [message["role"] for message in past_messages(turns(n), EN, SETTINGS)]
    assert roles == ["user", "assistant"] * (n - turns_cut(n, SETTINGS))


@pytest.mark.parametrize("n", range(1, 60))
def test_between_cuts_the_past_only_grows(n):
    """Byte for byte; at a cut it begins anew."""
    before, after = (past_messages(turns(k), EN, SETTINGS) for k in (n, n + 1))
    grows = after[: len(before)] == before
    assert grows == (turns_cut(n, SETTINGS) == turns_cut(n + 1, SETTINGS))


def test_three_tiers_in_their_order():
    """What was done, what was said, then whole turns; the oldest are gone."""
    first, *rest = past_messages(turns(45), EN, SETTINGS)
    summary, text = first["content"].split("\n\n")
    lines = summary.split("\n")
    assert lines[0] == "<earlier>"
    assert lines[-1] == "</earlier>"
    said = [line for i in range(31, 41) for line in (f'- customer: "question {i}"', f'- you: "reply {i}"')]
    assert lines[1:-1] == [EN.done, *(f"- did {i}" for i in range(11, 31)), EN.said, *said]
    assert text == "question 41"
    assert [m["content"] for m in rest] == [
        "reply 41",
        *(w for i in range(42, 46) for w in (f"question {i}", f"reply {i}")),
    ]


def test_summary_keeps_its_beginning_over_cuts_while_nothing_is_dropped():
    """A cut costs the cache what follows the notes, not the notes."""
    notes = [past_messages(turns(n), EN, SETTINGS)[0]["content"].split(EN.said)[0] for n in (20, 25, 30, 35)]
    assert all(later.startswith(earlier) for earlier, later in pairwise(notes))


def test_words_that_answered_an_outside_event_join_the_turn_before():
    history = (
        Exchange("paid", "Thanks.", turn=1),
        Exchange("", "It has arrived.", turn=1),
        Exchange("ok", "Fine.", turn=2),
    )
    assert [m["content"] for m in past_messages(history, EN, SETTINGS)] == [
        "paid",
        "Thanks.\nIt has arrived.",
        "ok",
        "Fine.",
    ]


def test_message_without_text_is_a_turn_of_its_own():
    """A picture, say: it has a number, and no server is sent an empty message."""
    history = (Exchange("hi", "Hello.", turn=1), Exchange("", "I cannot read pictures.", turn=2))
    assert [m["content"] for m in past_messages(history, EN, SETTINGS)] == [
        "hi",
        "Hello.",
        "…",
        "I cannot read pictures.",
    ]


def test_history_without_numbers_is_counted():
    """A caller's own list of exchanges will do."""
    history = (*(Exchange(f"q{i}", f"r{i}") for i in range(12)), Exchange("", "and this"))
    assert [turn.turn for turn in past_turns(history)] == list(range(1, 13))
    assert past_turns(history)[-1].reply == "r11\nand this"


def test_settings_refuse_tiers_that_stores_do_not_fill():
    with pytest.raises(ValueError, match="texts of 20 turns"):
        PromptSettings(keep=10, key_turns=10)
    with pytest.raises(ValueError, match="stores return 40"):
        PromptSettings(action_turns=30)
    with pytest.raises(ValueError, match="10 back"):
        PromptSettings(keep=3, key_turns=5)
    with pytest.raises(ValueError, match="1 or more"):
        PromptSettings(cut_every=0)
