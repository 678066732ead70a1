"""Normalising: disguises fall away, words and numbers survive, and no text makes it slow."""

import time

import pytest

from maitred.protocol.normalize import Clause, clauses, normalize, read_clauses, script_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ｙｅｓ！", "yes"),
        ("OK 👍🏽", "ok"),
        ("z\u200be\u202er\u2060o", "zero"),
        ("br\ud800oken", "broken"),
        ("ﬁne", "fine"),
        ("gооd", "good"),  # Cyrillic o, twice
        ("привет", "привет"),  # a whole Cyrillic word stays
        ("Don’t ‘do’ it", "don't do it"),
        ("  a\t lot\n of   space ", "a lot of space"),
        ("謝謝，沒問題", "谢谢 没问题"),
        ("可以……吧", "可以 吧"),
        ("3.5 at 6:00 for 1,000", "3.5 at 6:00 for 1,000"),
        ("选1，200元", "选1 200元"),
        ("5️⃣", "5"),
        ("b̶y̶e̶", "bye"),
        ("", ""),
    ],
)
def test_disguise_is_removed_and_content_stays(text: str, expected: str) -> None:
    """Width, case, emoji, zero-width, look-alikes and punctuation go; words, apostrophes and numbers stay."""
    assert normalize(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("byeeee", "bye"),
        ("Yessss", "yes"),
        ("goooood", "good"),
        ("coffee", "coffee"),
        ("b y e", "bye"),
        ("b.y.e", "bye"),
        ("再 见", "再见"),
        ("a b c", "a b c"),
        ("谢谢 再见", "谢谢 再见"),
        ("1000000", "1000000"),
    ],
)
def test_stretched_and_spaced_words_are_mended_only_where_that_is_safe(text: str, expected: str) -> None:
    """Known words are mended; letters that may be an answer ("a b c"), doubles and digits are left alone."""
    assert normalize(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yes, please. Go!", ("yes", "please", "go")),
        ("好的，谢谢！\n再见。", ("好的", "谢谢", "再见")),
        ("it costs 3.50, don't wait", ("it costs 3.50", "don't wait")),
        ("done..thanks", ("done", "thanks")),
        ("at 6:00 a.m. sharp", ("at 6:00 a m sharp",)),
        ("?!。", ()),
    ],
)
def test_clauses_end_at_punctuation_but_not_inside_numbers_or_words(text: str, expected: tuple[str, ...]) -> None:
    """zh and en marks and line breaks split; a decimal point, a time and an apostrophe do not."""
    assert clauses(text) == expected


def test_a_question_mark_marks_the_clause_before_it() -> None:
    """Half and full width, doubled or set apart."""
    assert read_clauses("ok ？ fine") == (Clause("ok", True), Clause("fine", False))
    assert read_clauses("what?? 可以吗?") == (Clause("what", True), Clause("可以吗", True))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hello there", "en"),
        ("你好", "zh"),
        ("我要5台MacBook Pro", "zh"),
        ("please send 你好 to the printer", "en"),
        ("12345 👍", None),
        ("ＨＥＬＬＯ", "en"),
        ("", None),
    ],
)
def test_script_is_the_one_most_is_said_in(text: str, expected: str | None) -> None:
    """A Chinese sentence with a brand name is Chinese; digits and emoji are neither."""
    assert script_of(text) == expected


@pytest.mark.parametrize("text", ["no", "Thanks, that's all!", "ＯＫ，沒問題👌", "b y e", "1,000 a.m. 3.5"])
def test_normalising_twice_changes_nothing(text: str) -> None:
    """The result is a fixed point, so normalised phrases and messages meet."""
    assert normalize(normalize(text)) == normalize(text)


@pytest.mark.parametrize(
    "unit", ["a", "ab", " ", "\u0327\u0301", "a ", "好 ", "aα", "?", "'", "1,", "\ufdfa", "\u200b", "😀"]
)
def test_a_long_text_costs_linear_time(unit: str) -> None:
    """200,000 characters of what is hard on a normaliser take well under the seconds that a quadratic step would."""
    text = "x" + unit * (200_000 // len(unit))
    started = time.perf_counter()
    clauses(text)
    assert time.perf_counter() - started < 5
