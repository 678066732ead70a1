"""What the example's shop offers: plans, promotions and quotes, priced by its own database."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Protocol

import pytest

from maitred.examples.presales import catalog
from maitred.examples.presales.shop import QUOTE_NO, Shop, ShopError

ANN = "ann"


class Clock(Protocol):
    now: datetime

    def __call__(self) -> datetime: ...


def quote_for(shop: Shop, key: str = "q1", plan: str = "pro", seats: int = 20, customer_id: str = ANN) -> str:
    quote_no: str = shop.make_quote(key, plan, seats, 12, "Acme", "Ann 13800000000", customer_id)["quote_no"]
    return quote_no


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(ShopError) as caught:
        call()
    return caught.value.code


# Recommending


@pytest.mark.parametrize(
    ("use", "seats", "budget", "recording", "exclude", "plan", "fits_budget"),
    [
        ("sales", 20, 2000, True, "", "standard", True),  # pro fits sales better but costs 2,380
        ("sales", 20, 2380, True, "", "pro", True),
        ("internal", 20, 2000, False, "", "basic", True),
        ("internal", 20, 2000, True, "", "standard", True),  # basic does not record
        ("support", 20, 100, True, "", "standard", False),  # nothing within the budget: the lowest price
        ("sales", 20, 5000, True, "pro", "standard", True),
        ("sales", 20, 5000, True, "pro, standard", "flagship", True),
        ("sales", 600, 1e6, True, "", "standard", True),  # 500 licences of pro
    ],
)
def test_best_plan(
    shop: Shop, use: str, seats: int, budget: float, recording: bool, exclude: str, plan: str, fits_budget: bool
) -> None:
    """Stock and recording are musts, the budget comes before the fit, excluded plans are out."""
    found = shop.recommend_plan(use, seats, budget, recording, exclude=exclude)
    assert (found["plan"], found["fits_budget"]) == (plan, fits_budget)


def test_recommendation_speaks_both_languages(shop: Shop) -> None:
    """Names, money and reason follow the language; the rest does not."""
    zh, en = (shop.recommend_plan("sales", 20, 2000, True, lang) for lang in ("zh", "en"))
    assert (zh["plan_name"], zh["price"], zh["monthly_total"]) == ("标准版", "69.00 元", "1,380.00 元")
    assert (en["plan_name"], en["price"], en["monthly_total"]) == ("Standard", "CNY 69.00", "CNY 1,380.00")
    assert "2,000.00 元 以内" in zh["reason"]
    assert "within your budget of CNY 2,000.00" in en["reason"]
    assert zh["alternatives"] == en["alternatives"] == 2
    assert "超出预算 100.00 元" in shop.recommend_plan("sales", 20, 100, True, "zh")["reason"]
    assert "over your budget of CNY 100.00" in shop.recommend_plan("sales", 20, 100, True, "en")["reason"]


def test_nothing_to_recommend(shop: Shop) -> None:
    """No stock and no plan left are told apart."""
    assert refusal(lambda: shop.recommend_plan("sales", 5000, 1e6, False)) == "out_of_stock"
    assert refusal(lambda: shop.recommend_plan("internal", 5, 1e6, True, exclude="standard")) == "no_alternative"


@pytest.mark.parametrize("seats", [0, -1, 10_001, 2**70, True, 1.5, "20"])
def test_wrong_seats(shop: Shop, seats: int) -> None:
    """Seats are whole numbers in range, wherever they come in."""
    assert refusal(lambda: shop.recommend_plan("sales", seats, 2000, True)) == "bad_value"
    assert refusal(lambda: shop.query_promotion("pro", seats, 12)) == "bad_value"
    assert refusal(lambda: quote_for(shop, seats=seats)) == "bad_value"


@pytest.mark.parametrize("budget", [0, -5, float("nan"), float("inf"), 1e400, 10**400, "2000", True])
def test_wrong_budget(shop: Shop, budget: float) -> None:
    """A budget is a positive finite number."""
    assert refusal(lambda: shop.recommend_plan("sales", 20, budget, True)) == "bad_value"


def test_unknown_use_and_plan(shop: Shop) -> None:
    assert refusal(lambda: shop.recommend_plan("party", 20, 2000, True)) == "bad_value"
    assert refusal(lambda: shop.query_promotion("gold", 20, 12)) == "plan_not_found"
    assert refusal(lambda: quote_for(shop, plan="gold")) == "plan_not_found"
    assert refusal(lambda: quote_for(shop, plan="\ud800")) == "bad_value"


# Promotions and quotes


@pytest.mark.parametrize(
    ("plan", "seats", "term_months", "code"),
    [("pro", 20, 12, "TEAM15"), ("pro", 19, 12, "YEAR10"), ("basic", 500, 24, "YEAR10"), ("pro", 20, 11, "")],
)
def test_best_promotion(shop: Shop, plan: str, seats: int, term_months: int, code: str) -> None:
    """The highest discount whose terms are met; the one that ended last year never."""
    found = shop.query_promotion(plan, seats, term_months)
    assert (found["found"], found["code"]) == (bool(code), code)


def test_promotion_dates(shop: Shop, clock: Clock) -> None:
    """A dated promotion counts on its last day, in the shop's time zone, and not on the next."""
    clock.now = datetime(2025, 12, 31, 15, 59, tzinfo=UTC)
    assert shop.query_promotion("basic", 1, 1)["code"] == "LAUNCH30"
    clock.now += timedelta(minutes=1)
    assert not shop.query_promotion("basic", 1, 1)["found"]


def test_quote(shop: Shop) -> None:
    """The price comes from the shop's own figures, discount included."""
    quote = shop.make_quote("q1", "pro", 20, 12, "  Acme\u3000有限公司\ud800\n", "Ann", ANN, "en")
    assert quote["quote_no"] == "Q-20261130-0001"
    assert re.fullmatch(QUOTE_NO, quote["quote_no"])
    assert (quote["subtotal"], quote["discount"], quote["total"]) == ("CNY 28,560.00", "CNY 4,284.00", "CNY 24,276.00")
    assert (quote["total_cents"], quote["promotion"], quote["discount_percent"]) == (24_276_00, "TEAM15", 15)
    assert (quote["company"], quote["valid_until"]) == ("Acme 有限公司", "2026-12-07")


def test_quote_once_per_key(shop: Shop) -> None:
    """A repeat gives the same quote; the key cannot pass a quote off as another one."""
    first = shop.make_quote("q1", "pro", 20, 12, "Acme", "Ann", ANN)
    assert shop.make_quote("q1", "pro", 20, 12, "Acme Ltd.", "Ann Li", ANN) == first
    assert refusal(lambda: quote_for(shop, seats=21)) == "key_reused"
    assert refusal(lambda: quote_for(shop, customer_id="bob")) == "key_reused"
    assert quote_for(shop, "q2", seats=21) == "Q-20261130-0002"


@pytest.mark.parametrize(
    ("company", "key"), [("", "k"), ("\ud800\n", "k"), ("x" * 201, "k"), ("Acme", ""), ("Acme", "a\ud800")]
)
def test_quote_with_bad_words(shop: Shop, company: str, key: str) -> None:
    assert refusal(lambda: shop.make_quote(key, "pro", 20, 12, company, "Ann", ANN)) == "bad_value"


@pytest.mark.parametrize("cents", [0, 5, 100, 123_456, 1_234_567_890])
def test_money(cents: int) -> None:
    """Thousands by comma, two decimals, nothing lost."""
    for lang in ("zh", "en"):
        assert int(re.sub(r"\D", "", catalog.money(cents, lang))) == cents
    assert catalog.money(123_456, "en") == "CNY 1,234.56"


def test_seed_has_both_languages() -> None:
    for words in [text for plan in catalog.PLANS for text in (plan.name, plan.pitch)] + [
        p.description for p in catalog.PROMOTIONS
    ]:
        assert set(words) == {"zh", "en"}
