"""Facts: an order number that no event holds does not reach a customer, in whatever dress; honest replies are left alone."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maitred.examples.presales.shop import ORDER_NO, QUOTE_NO
from maitred.fallback.facts import unheld_fact

FACTS = {"order_no": re.compile(ORDER_NO), "quote_no": re.compile(QUOTE_NO)}
HELD = ({"create_order": {"order_no": "SO20261130-000123", "rows": [{"quote": "Q-20261130-0001"}]}}, {"level": "gold"})
REAL, MADE_UP = "SO20261130-000123", "SO20261130-000124"


def disguises(number: str) -> dict[str, str]:
    digits = str.maketrans("0123456789", "零一二三四五六七八九")
    capital = str.maketrans("0123456789", "〇壹贰叁肆伍陆柒捌玖")
    wide = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
    return {
        "plain": number,
        "small": number.lower(),
        "full width": number.translate(wide),
        "Chinese digits": number.translate(digits),
        "capital Chinese digits": number.translate(capital),
        "spelled": number.replace("1", "幺").replace("2", "两").replace("0", "○"),
        "spaced": " ".join(number),
        "dotted": ".".join(number),
        "with dashes": "—".join(number),
        "with commas": "，".join(number),
        "with stars": "**".join(number),
        "zero width": "\u200b".join(number),
        "soft hyphens": "\u00ad".join(number),
        "ideographic spaces": "\u3000".join(number),
        "without its hyphen": number.replace("-", ""),
        "with a slash": number.replace("-", "/"),
        "over lines": number[:6] + "\n" + number[6:],
        "superscript": number.translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")),
        "bold": number.translate({ord(str(n)): 0x1D7CE + n for n in range(10)}),
        "wide and spaced": " ".join(number.translate(wide)),
        "traditional capitals": number.translate(str.maketrans("0123456789", "零壹貳參肆伍陸柒捌玖")),
        "Hangzhou digits": number.translate(str.maketrans("0123456789", "〇〡〢〣〤〥〦〧〨〩")),
        "negative circles": number.translate(str.maketrans("0123456789", "⓿❶❷❸❹❺❻❼❽❾")),
        "sans-serif circles": number.translate(str.maketrans("0123456789", "🄋➀➁➂➃➄➅➆➇➈")),
        "accents": number.replace("S", "Ś").replace("O", "Ô"),
        "HTML entities": "".join(f"&#{ord(c)};" for c in number),
        "with entities between": "&nbsp;".join(number),
        "tags with long attributes": "".join(f'<span style="{"color:red;" * 9}">{c}</span>' for c in number),
        "around a comment": f"{number[:8]}<!-- and so on -->{number[8:]}",
        "half a link": f"[{number[:8]}](https://a.example/path){number[8:]}",
        "spaced, in an attribute": f'<i title="{" ".join(number)}">here</i>',
    }


@pytest.mark.parametrize("dress", list(disguises(REAL)))
def test_a_made_up_number_is_found_in_any_dress(dress: str) -> None:
    """In a sentence of either language; the real one in the same dress is not touched."""
    for sentence in ("Your order is {}.", "您的订单号是{}，请查收。", "{}"):
        assert unheld_fact(sentence.format(disguises(MADE_UP)[dress]), FACTS, HELD) == "order_no"
        assert unheld_fact(sentence.format(disguises(REAL)[dress]), FACTS, HELD) is None


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Your order SO20261130-000123 (quote Q-20261130-0001) is on its way.",
        "订单SO20261130-000123，20席，12个月，共24000元。",
        "SO20261130-000123. 20 seats, 2,000 yuan a month; call 13800138000 by 2026-12-31.",
        "SO20261130-000123 20261201 3 people",
        "So 20 seats for 2026, 11 or 30 months?",
        "我们在2026年11月30日为您安排开通，热线 400-800-1234。",
        "so, 2026-11-30 it is",
        "Q: how many? A: 20.",
        "一二三四五六七八九十",
        "x" * 100_000,
    ],
)
def test_honest_replies_are_left_alone(reply: str) -> None:
    """Other numbers beside a real one do not run together with it."""
    assert unheld_fact(reply, FACTS, HELD) is None


@pytest.mark.parametrize(
    "reply", [f"{REAL} and {MADE_UP}", f"{MADE_UP} {REAL}", f"{REAL}{MADE_UP}", f"{REAL} / " + " ".join(MADE_UP)]
)
def test_a_made_up_one_beside_a_real_one_is_found(reply: str) -> None:
    """Each is looked at."""
    assert unheld_fact(reply, FACTS, HELD) == "order_no"


def test_two_values_do_not_make_one_fact() -> None:
    """What two events hold in parts, none of them holds."""
    assert unheld_fact(f"Order {REAL}", FACTS, [{"a": "SO20261130", "b": "-000123"}]) == "order_no"
    assert (
        unheld_fact(f"Order {REAL}", FACTS, [{"b": "-000123", "a": "SO20261130"}, {"c": ["SO", "20261130000123"]}])
        == "order_no"
    )


def test_the_first_declared_fact_is_named() -> None:
    """By its name, for the log; the number itself is not."""
    assert unheld_fact("Q-20261130-0009", FACTS, HELD) == "quote_no"
    assert unheld_fact("Q-20261130-0009 and SO20261130-000009", FACTS, HELD) == "order_no"


@pytest.mark.parametrize(
    ("pattern", "shown", "hidden", "honest"),
    [
        (r"SO\d{6,}", "SO123456", "S O 1 2 3 4 5 6", "SO999999, 20 seats"),
        (r"\bT-\d{4}\b", "T-1234", "T 1 2 3 4", "T-9999 and 12"),
        (r"[A-Z]{2}\s\d{3}", "AB 123", "ab-1-2-3", "XY 999, 12"),
        (r"R\.\d{3}", "R.123", "R 1 2 3", "R.999!"),
        (r"(?:INV|BILL)_\d{4}", "INV_1234", "i n v 1 2 3 4", "BILL_9999"),
        (r"K[-/]?\d{3}", "K/123", "K 1-2-3", "K999"),
        (r"[]A]\d\d\d", "A123", "A 1 2 3", "A999"),
    ],
)
def test_patterns_of_many_kinds(pattern: str, shown: str, hidden: str, honest: str) -> None:
    """Separators that a pattern asks for are not asked for in the bare form."""
    facts = {"it": re.compile(pattern)}
    held = [{"a": ["SO999999", "T-9999", "XY 999", "R.999", "BILL_9999", "K999", "A999"]}]
    assert unheld_fact(f"This is {shown}", facts, held) == "it"
    assert unheld_fact(f"This is {hidden}", facts, held) == "it"
    assert unheld_fact(f"This is {honest}", facts, held) is None


def test_a_dot_that_stands_for_anything_is_no_separator() -> None:
    """Else the pattern would shrink to its first letters and honest words would match."""
    facts = {"it": re.compile(r"SO.{6}")}
    assert unheld_fact("So be it", {"it": re.compile(r"SO.[0-9]{6}")}, []) is None
    assert unheld_fact("no such word", facts, []) is None


@pytest.mark.parametrize(
    "reply",
    [
        *(
            "客服 QQ：800018888 / 400-000-0100",
            "QQ 800018888 / 400-000-0100，欢迎联系",
            "QQ800018888/400-000-0100",
            "客服QQ 800018888，400-0000100",
        ),
        *(
            "FAQ 20261130 / 0002",
            "our QQ 800018888 / 400-000-0100",
            "IQ 800018888 - 0100",
            "See FAQ 2026 1130 0002.",
        ),
    ],
)
def test_a_fact_does_not_begin_inside_a_word(reply: str) -> None:
    """Of QQ, the second letter begins no quote number; put the letter on its own, and it does."""
    assert unheld_fact(reply, FACTS, HELD) is None
    assert (
        unheld_fact(reply.replace("QQ", "QQ Q").replace("FAQ", "FAQ Q").replace("IQ", "IQ Q"), FACTS, HELD)
        == "quote_no"
    )


@pytest.mark.parametrize(
    "sentence", ["Your order number is {}.", "您的订单号是{}，请查收。", "订单：{}", "order no. {}\nThank you"]
)
def test_an_order_number_without_its_letters_is_still_one(sentence: str) -> None:
    """As it is written; the real one may be cut short so."""
    assert unheld_fact(sentence.format("20261130-000124"), FACTS, HELD) == "order_no"
    assert unheld_fact(sentence.format("２０２６１１３０－０００１２４"), FACTS, HELD) == "order_no"
    assert unheld_fact(sentence.format("20261130-000123"), FACTS, HELD) is None


@pytest.mark.parametrize(
    "reply",
    [
        *(
            "2026-11-30 12:00:05",
            "20261130 120005",
            "20261130-20261201",
            "call 13800138000, 200 seats",
            "尾号 000124",
            "2026.11.30-000124-1",
        ),
        *("6222-20261130-000124", "20261130-000124-9", "2026年11月30日 12时00分05秒"),
    ],
)
def test_without_its_letters_a_number_in_another_form_is_something_else(reply: str) -> None:
    """A date and a time, a range, a longer number."""
    assert unheld_fact(reply, FACTS, HELD) is None


def test_a_pattern_of_digits_alone_is_searched_bare() -> None:
    """It has no letters to lose, whatever stands in its source."""
    for source in (r"\b[0-9]{5}\b", r"(?i)(?P<code>[0-9]{5})", r"(?a:\d{5})"):
        assert unheld_fact("Code 1 2 3 4 5", {"code": re.compile(source)}, []) == "code"
    assert unheld_fact("Code 1 2 3 4 5", {"code": re.compile(r"T?[0-9]{5}")}, []) is None


def test_held_values_are_looked_at_wherever_they_stand() -> None:
    """In lists and mappings, as numbers too."""
    facts = {"code": re.compile(r"\b[0-9]{5}\b")}
    for held in ([{"a": [{"b": 12345}]}], ["12345"], [("x", ["12345"])]):
        assert unheld_fact("Code 12345", facts, held) is None
    assert unheld_fact("Code 12345", facts, [None, {}, {"a": None}]) == "code"
    assert unheld_fact("Code 12345", {}, []) is None


@given(st.text(), st.lists(st.text()))
def test_any_reply_can_be_looked_at(reply: str, held: list[str]) -> None:
    """It never raises, and what is held as it stands is never a leak."""
    found: Any = unheld_fact(reply, FACTS, held)
    assert found in (None, "order_no", "quote_no")
    assert unheld_fact(reply, FACTS, [reply]) is None
