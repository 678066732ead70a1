"""Key sentences: pieces of the text as they stand, the strongest first to stay, never more than the limit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maitred.decision.key_sentences import CUT, figures_of, key_sentences, wishes_of

WORDS = st.sampled_from("I want it. 我想退款。 the weather ok, nice? 20 seats! 好 今天天气不错； \n - … a".split(" "))
TEXT = st.one_of(st.text(max_size=600), st.lists(WORDS, max_size=120).map(" ".join))

CHATTER_EN = "The weather was lovely over here. We sat in the garden and my sister sang a little song. "
CHATTER_ZH = "这边天气很晴朗。我们坐在院子里听妹妹唱歌。"


@given(TEXT, st.integers(8, 200))
def test_result_is_bounded_and_made_of_the_text(text, limit):
    """No word is added, none is changed, the order stays."""
    found = key_sentences(text, limit)
    assert len(found) <= limit
    at = 0
    for piece in found.strip(CUT).split():
        at = text.find(piece, at)
        assert at >= 0
        at += len(piece)
    assert bool(found) == bool(text.strip())


@given(TEXT)
def test_result_is_the_same_each_time_and_of_itself(text):
    """A function of the text; what was extracted is extracted whole."""
    once = key_sentences(text, 80)
    assert key_sentences(text, 80) == once
    assert key_sentences(once, 80) == once


def test_text_that_fits_stays_whole():
    assert key_sentences("  ok, thanks  ", 20) == "ok, thanks"


@pytest.mark.parametrize(
    "wish",
    [
        "Please cancel the second line.",
        "I don't want call recording.",
        "We need 25 seats by Friday.",
        "How much is that per month?",
        "My order number is SO20261130-000001.",
    ],
)
def test_english_intent_is_found_in_chatter(wish):
    """Wishes, refusals, questions, figures; small talk goes."""
    assert key_sentences(f"{CHATTER_EN}{wish} {CHATTER_EN}", 90) == wish


@pytest.mark.parametrize(
    "wish", ["麻烦取消第二条线路。", "我们不需要录音。", "改成25个人。", "每个月多少钱？", "预算三千元，周五前要开通。"]
)
def test_chinese_intent_is_found_in_chatter(wish):
    assert key_sentences(f"{CHATTER_ZH}{wish}{CHATTER_ZH}", 24) == wish


def test_without_intent_the_beginning_speaks():
    assert key_sentences(CHATTER_EN, 40) == "The weather was lovely over here."


def test_one_endless_sentence_is_cut_around_its_strong_word():
    """With a mark on each side where something went."""
    found = key_sentences(f"{'la ' * 200}please refund me {'la ' * 200}", 60)
    assert "refund me" in found
    assert found.startswith(CUT)
    assert found.endswith(CUT)


def test_figures_and_urls_do_not_end_a_sentence():
    text = f"{CHATTER_EN}The price at shop.example.com is 3.50 each. {CHATTER_EN}"
    assert key_sentences(text, 60) == "The price at shop.example.com is 3.50 each."


@pytest.mark.parametrize(
    ("text", "wishes", "figures"),
    [
        ("Hello there. I want it. 20 people. Is it red?", "I want it. Is it red?", "20 people."),
        ("你好。我想退款。一个二十个人的团队。颜色呢？", "我想退款。 颜色呢？", "一个二十个人的团队。"),
        ("给我一个理由。", "", ""),
        ("Good morning.", "", ""),
    ],
)
def test_wishes_and_figures_leave_out_all_other_sentences(text, wishes, figures):
    """Even where the whole text would fit."""
    assert (wishes_of(text, 60), figures_of(text, 60)) == (wishes, figures)


@given(TEXT, st.integers(8, 200))
def test_wishes_and_figures_are_bounded(text, limit):
    assert len(wishes_of(text, limit)) <= limit
    assert len(figures_of(text, limit)) <= limit


def test_long_text_takes_no_time():
    for piece in ("a", "我", ". ", "。", "want ", "\n", "!?"):
        assert len(key_sentences(piece * 100_000, 100)) <= 100
