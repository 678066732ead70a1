"""The test's own detector sees every dress, and so does the product: two readers that share no code, over the same wardrobe."""

import re
from random import Random

import pytest

from maitred.examples.presales.shop import ORDER_NO, QUOTE_NO
from maitred.fallback.facts import unheld_fact

from .detector import has_words, numbers_in
from .disguises import DRESSES

FACTS = {"order_no": re.compile(ORDER_NO), "quote_no": re.compile(QUOTE_NO)}
NUMBERS = {"order_no": "SO20261130-000997", "quote_no": "Q-20261130-0846"}
SENTENCES = ("Your number is {}, thank you.", "您的单号是{}，请查收。", "{}", "**{}**\n- 3 seats", "20 席 {} 12 个月")


@pytest.mark.parametrize("fact", list(NUMBERS))
@pytest.mark.parametrize("dress", list(DRESSES))
def test_a_number_is_seen_in_every_dress(dress: str, fact: str) -> None:
    """By the detector, and by the product where the session does not hold it; where it does, the product is content."""
    number, rng = NUMBERS[fact], Random(dress)
    for sentence in SENTENCES * 3:
        text = sentence.format(DRESSES[dress](number, rng))
        assert numbers_in(text) == {number.replace("-", "")}, text
        assert unheld_fact(text, FACTS, [{"no": "SO20261130-000996", "quote": "Q-20261130-0845"}]) == fact, text
        assert unheld_fact(text, FACTS, [{"no": number}]) is None, text


@pytest.mark.parametrize("text", ["20 席，12 个月", "Call 400-000-0100 by 2026-12-31, 9:00-21:00", "S0 and 0s", ""])
def test_other_numbers_are_none(text: str) -> None:
    assert numbers_in(text) == set()


def test_what_cannot_be_seen_is_no_sentence() -> None:
    assert not any(has_words(text) for text in ("", " \n", "\u200b\u2060", "…", "**"))
    assert all(has_words(text) for text in ("ok", "好", "3"))
