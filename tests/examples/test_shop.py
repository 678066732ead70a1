"""Orders of the example's shop: made once, owned by their customer, paid by the bank alone."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

import pytest

from maitred.examples.presales import catalog
from maitred.examples.presales.bank import Bank
from maitred.examples.presales.shop import ORDER_NO, SHOP_TZ, Shop, ShopError

ANN, BOB = "ann", "bob"
SEEDED = {plan.id: plan.stock for plan in catalog.PLANS}


class Clock(Protocol):
    now: datetime

    def __call__(self) -> datetime: ...


def quote_for(shop: Shop, key: str = "q1", plan: str = "pro", seats: int = 20, customer_id: str = ANN) -> str:
    quote_no: str = shop.make_quote(key, plan, seats, 12, "Acme", "Ann 13800000000", customer_id)["quote_no"]
    return quote_no


def order_for(shop: Shop, key: str = "o1", quote_key: str = "q1", customer_id: str = ANN) -> str:
    quote_no = quote_for(shop, quote_key, customer_id=customer_id)
    order_no: str = shop.create_order(key, quote_no, customer_id)["order_no"]
    return order_no


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(ShopError) as caught:
        call()
    return caught.value.code


# Orders


def test_order(shop: Shop) -> None:
    """An order has a number of the documented kind, the quote's total and the quote's seats reserved."""
    order = shop.create_order("o1", quote_for(shop), ANN, "en")
    assert order["order_no"] == "SO20261130-000001"
    assert re.fullmatch(ORDER_NO, order["order_no"])
    assert re.fullmatch(ORDER_NO, order["order_no"].replace("-", ""))
    assert (order["total"], order["currency"], order["status"]) == ("CNY 24,276.00", "CNY", "awaiting_payment")
    assert order["pay_url"] == "https://pay.example.com/SO20261130-000001"
    assert (order["due_minutes"], order["due_at"]) == (30, "2026-11-30T10:30:00+08:00")
    assert shop.stock() == {**SEEDED, "pro": 480}
    assert json.loads(json.dumps(shop.orders())) == [{**order, "customer_id": ANN}]


def test_order_once_per_key_and_quote(shop: Shop, path: Path, clock: Clock, audit: Callable[[Path], None]) -> None:
    """Neither the key nor the quote makes a second order, even when the quote has run out since."""
    quote_no = quote_for(shop)
    first = shop.create_order("o1", quote_no, ANN)
    clock.now += timedelta(days=30)
    assert shop.create_order("o1", quote_no, ANN) == first
    assert shop.create_order("o2", quote_no.lower(), ANN) == first
    assert shop.find_order("o1") == shop.find_order("o2") == first
    assert shop.find_order("o3") is None
    assert len(shop.orders()) == 1
    audit(path)


def test_order_key_of_another_order(shop: Shop) -> None:
    """A key that stands for one order cannot order another quote."""
    order_for(shop)
    other = quote_for(shop, "q2")
    assert refusal(lambda: shop.create_order("o1", other, ANN)) == "key_reused"
    assert len(shop.orders()) == 1


def test_order_refused(shop: Shop, clock: Clock, path: Path, audit: Callable[[Path], None]) -> None:
    """Unknown and expired quotes make no order; the last valid day still does."""
    quote_no, late = quote_for(shop), quote_for(shop, "q2")
    assert refusal(lambda: shop.create_order("o1", "Q-20261130-9999", ANN)) == "quote_not_found"
    clock.now = datetime(2026, 12, 7, 23, tzinfo=SHOP_TZ)
    shop.create_order("o1", quote_no, ANN)
    clock.now += timedelta(hours=1)
    assert refusal(lambda: shop.create_order("o2", late, ANN)) == "quote_expired"
    assert [order["quote_no"] for order in shop.orders()] == [quote_no]
    audit(path)


def test_stock_runs_out(shop: Shop, path: Path, audit: Callable[[Path], None]) -> None:
    """The order that no longer fits is refused whole and uses up no number."""
    quotes = [quote_for(shop, f"q{n}", "flagship", 25) for n in range(3)]
    assert shop.create_order("o0", quotes[0], ANN)["order_no"].endswith("000001")
    shop.create_order("o1", quotes[1], ANN)
    assert refusal(lambda: shop.create_order("o2", quotes[2], ANN)) == "out_of_stock"
    assert shop.stock()["flagship"] == 10
    shop.cancel_order("SO20261130-000001", ANN)
    assert shop.create_order("o2", quotes[2], ANN)["order_no"].endswith("000003")
    audit(path)


def test_numbers_start_anew_each_day(shop: Shop, clock: Clock) -> None:
    """The date in a number is the shop's, whatever zone the clock has."""
    order_for(shop)
    clock.now = datetime(2026, 11, 30, 16, 30, tzinfo=UTC)
    assert order_for(shop, "o2", "q2") == "SO20261201-000001"


def test_foreign_customers(shop: Shop) -> None:
    """To another customer the quote and the order do not exist."""
    order_no = order_for(shop)
    quote_no = quote_for(shop, "q2")
    assert refusal(lambda: shop.create_order("x", quote_no, BOB)) == "quote_not_found"
    for method in (shop.payment_status, shop.claim_paid, shop.cancel_order, shop.after_sales_info):
        assert refusal(lambda method=method: method(order_no, BOB)) == "order_not_found"  # type: ignore[misc]
        assert refusal(lambda method=method: method("SO20261130-999999", ANN)) == "order_not_found"  # type: ignore[misc]
    assert shop.payment_status(order_no, ANN)["status"] == "awaiting_payment"


def test_order_number_as_typed(shop: Shop) -> None:
    """Full-width and lower-case letters find the order."""
    order_for(shop)
    assert shop.payment_status(" ｓｏ２０２６１１３０-000001 ", ANN)["order_no"] == "SO20261130-000001"


def test_cancel(shop: Shop, path: Path, audit: Callable[[Path], None]) -> None:
    """Seats come back once; a cancelled order takes no claim and no money, and its quote no second order."""
    order_no = order_for(shop)
    assert shop.cancel_order(order_no, ANN)["status"] == shop.cancel_order(order_no, ANN)["status"] == "cancelled"
    assert shop.stock() == SEEDED
    assert refusal(lambda: shop.claim_paid(order_no, ANN)) == "order_cancelled"
    assert refusal(lambda: shop.record_payment(order_no, "p1", 24_276_00)) == "order_cancelled"
    assert refusal(lambda: shop.create_order("o2", quote_for(shop), ANN)) == "quote_used"
    assert shop.create_order("o1", quote_for(shop), ANN)["status"] == "cancelled"
    audit(path)


# Money


def test_payment(shop: Shop, clock: Clock) -> None:
    """A customer's claim pays nothing; the bank's callback does, once, and then the bank is quiet."""
    order_no = order_for(shop)
    assert list(Bank(shop).callbacks()) == []
    clock.now += timedelta(minutes=5)
    claimed = shop.claim_paid(order_no, ANN)
    assert (claimed["claimed"], claimed["paid"]) == (True, False)
    callbacks = list(Bank(shop).callbacks())
    assert callbacks == list(Bank(Shop(shop._path, clock)).callbacks())
    assert callbacks == [
        {"order_no": order_no, "payment_id": f"PAY-{order_no}", "amount_cents": 24_276_00, "currency": "CNY"}
    ]
    paid = shop.record_payment(order_no, callbacks[0]["payment_id"], callbacks[0]["amount_cents"])
    clock.now += timedelta(hours=1)
    assert shop.record_payment(order_no, callbacks[0]["payment_id"], callbacks[0]["amount_cents"]) == paid
    assert (paid["paid"], paid["paid_at"]) == (True, "2026-11-30T10:05:00+08:00")
    assert shop.claim_paid(order_no, ANN) == paid == shop.payment_status(order_no, ANN)
    assert list(Bank(shop).callbacks()) == []


def test_payment_refused(shop: Shop) -> None:
    """Wrong sums, second payments and reused payment ids change nothing."""
    order_no, other = order_for(shop), order_for(shop, "o2", "q2")
    for amount in (0, -1, 24_275_99, 24_276_01, 2**70):
        assert refusal(lambda amount=amount: shop.record_payment(order_no, "p1", amount)) == "wrong_amount"  # type: ignore[misc]
    assert not shop.payment_status(order_no, ANN)["paid"]
    shop.record_payment(order_no, "p1", 24_276_00)
    assert refusal(lambda: shop.record_payment(order_no, "p2", 24_276_00)) == "already_paid"
    assert refusal(lambda: shop.record_payment(other, "p1", 24_276_00)) == "payment_conflict"
    assert refusal(lambda: shop.record_payment(order_no, "p1", 1)) == "payment_conflict"
    assert refusal(lambda: shop.record_payment("SO20261130-000999", "p3", 1)) == "order_not_found"
    assert refusal(lambda: shop.cancel_order(order_no, ANN)) == "already_paid"
    assert not shop.payment_status(other, ANN)["paid"]


def test_after_sales(shop: Shop) -> None:
    """Set-up is counted from the payment, by plan; an unpaid order has none."""
    order_no = order_for(shop)
    assert refusal(lambda: shop.after_sales_info(order_no, ANN)) == "not_paid"
    shop.record_payment(order_no, "p1", 24_276_00)
    zh, en = shop.after_sales_info(order_no, ANN, "zh"), shop.after_sales_info(order_no, ANN, "en")
    assert zh["setup_date"] == en["setup_date"] == "2026-12-03"
    assert (zh["plan_name"], en["plan_name"]) == ("专业版", "Pro")
    assert zh.keys() == en.keys()
