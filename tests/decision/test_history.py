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
    texts = [Exchange(f"Why {i}?", f"It is {i}.", turn=i) for i in range(max(1, n - TEXT_TURNS + 1), n + 1)]
    actions = [Exchange("", "", (f"did {i}",), i) for i in range(max(1, n - TURNS + 1), n - NO_ACTION_TURNS + 1)]
    return joined(actions, texts)


def test_cuts_come_every_three_turns_and_leave_two_to_four():
    """Never a window that slides by one."""
    cuts = [turns_cut(n, SETTINGS) for n in range(15)]
    assert cuts == [0] * 5 + [3] * 3 + [6] * 3 + [9] * 3 + [12]
    assert {n - cut for n, cut in enumerate(cuts) if n >= 2} == {2, 3, 4}


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
    first, *rest = past_messages(turns(47), EN, SETTINGS)
    summary, text = first["content"].split("\n\n")
    lines = summary.split("\n")
    assert lines[0] == "<earlier>"
    assert lines[-1] == "</earlier>"
    said = [line for i in range(36, 46) for line in (f'- customer: "Why {i}?"', f'- you: "It is {i}."')]
    assert lines[1:-1] == [EN.done, *(f"- did {i}" for i in range(16, 36)), EN.said, *said]
    assert text == "Why 46?"
    assert [m["content"] for m in rest] == ["It is 46.", "Why 47?", "It is 47."]


def test_key_sentences_are_what_the_customer_wishes_and_what_figures_we_gave():
    """The rest of what both said is gone: names are in the block, and our questions have been answered."""
    said = (
        Exchange("Hello there. I want to change the plan.", "Good morning! It costs 20 yuan. Which one do you like?"),
        Exchange("Lovely weather.", "Yes, it is."),
    )
    first = past_messages((*said, *turns(12)[2:5]), EN, SETTINGS)[0]["content"]
    summary = first.split("\n\n")[0]
    assert summary.split("\n")[2:4] == ['- customer: "I want to change the plan."', '- you: "It costs 20 yuan."']
    assert "weather" not in summary
    assert "Yes, it is" not in summary


def test_summary_keeps_its_beginning_over_cuts_while_nothing_is_dropped():
    """A cut costs the cache what follows the notes, not the notes."""
    notes = [past_messages(turns(n), EN, SETTINGS)[0]["content"].split(EN.said)[0] for n in (20, 23, 29, 32)]
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
