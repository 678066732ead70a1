"""The reads and writes that the shop's transactions are made of.

Owns the SQL of quotes, orders, payments and stock. Begins and ends no transaction: each function works inside the
caller's, so an error undoes all of it. Called by `shop.py` alone.
"""

import sqlite3
from datetime import datetime, timedelta

from .checks import ShopError, check_identifier, clean_number

QUOTE_VALID_DAYS = 7
DUE_MINUTES = 30

QUOTES = "SELECT quotes.*, name_zh, name_en FROM quotes JOIN products USING (plan)"
ORDERS = (
    "SELECT orders.*, plan, seats, term_months, company, contact, name_zh, name_en, setup_days"
    " FROM orders JOIN quotes USING (quote_no) JOIN products USING (plan)"
)


def price_of(db: sqlite3.Connection, plan: str) -> int:
    """Cents per seat and month."""
    check_identifier("plan", plan)
    row = db.execute("SELECT price_cents FROM products WHERE plan = ?", (plan,)).fetchone()
    if row is None:
        raise ShopError("plan_not_found", f"no plan {plan!r:.40}")
    return int(row["price_cents"])


def promotion_for(db: sqlite3.Connection, plan: str, seats: int, term_months: int, now: datetime) -> sqlite3.Row | None:
    """The highest discount valid today."""
    row: sqlite3.Row | None = db.execute(
        "SELECT * FROM promotions"
        " WHERE ifnull(plan, :plan) = :plan AND min_seats <= :seats AND min_term_months <= :term"
        " AND ifnull(valid_from, :today) <= :today AND ifnull(valid_until, :today) >= :today"
        " ORDER BY percent DESC, code",
        {"plan": plan, "seats": seats, "term": term_months, "today": now.date().isoformat()},
    ).fetchone()
    return row


def add_quote(
    db: sqlite3.Connection,
    key: str,
    customer_id: str,
    terms: tuple[str, int, int],
    names: tuple[str, str],
    now: datetime,
) -> None:
    """Price `terms` (plan, seats, months) for `names` (company, contact) as of now."""
    plan, seats, term_months = terms
    price_cents = price_of(db, plan)
    promotion = promotion_for(db, plan, seats, term_months, now)
    code, percent = (promotion["code"], promotion["percent"]) if promotion else ("", 0)
    subtotal_cents = price_cents * seats * term_months
    discount_cents = (subtotal_cents * percent + 50) // 100
    amounts = (price_cents, subtotal_cents, code, percent, discount_cents, subtotal_cents - discount_cents)
    dates = (now.isoformat(), (now.date() + timedelta(days=QUOTE_VALID_DAYS)).isoformat())
    row = (_next_number(db, f"Q-{now:%Y%m%d}-", 4), key, customer_id, *terms, *amounts, *names, *dates)
    db.execute(f"INSERT INTO quotes VALUES ({', '.join('?' * len(row))})", row)


def order_by_key(db: sqlite3.Connection, key: str) -> sqlite3.Row | None:
    """The order that this key stands for."""
    row: sqlite3.Row | None = db.execute(
        f"{ORDERS} JOIN order_keys USING (order_no) WHERE order_keys.key = ?", (key,)
    ).fetchone()
    return row


def order_of(db: sqlite3.Connection, order_no: str, customer_id: str | None) -> sqlite3.Row:
    """An order by number. None: whoever it belongs to, for the bank; else another customer's order does not exist."""
    order_no = clean_number("order_no", order_no)
    row: sqlite3.Row | None = db.execute(f"{ORDERS} WHERE order_no = ?", (order_no,)).fetchone()
    if row is None or customer_id not in (None, row["customer_id"]):
        raise ShopError("order_not_found", "this customer has no order of that number")
    return row


def order_quote(db: sqlite3.Connection, key: str, quote_no: str, customer_id: str, now: datetime) -> None:
    """Let `key` stand for the quote's one order, which is made unless it exists."""
    quote = db.execute("SELECT * FROM quotes WHERE quote_no = ?", (quote_no,)).fetchone()
    if quote is None or quote["customer_id"] != customer_id:
        raise ShopError("quote_not_found", "this customer has no quote of that number")
    known = db.execute("SELECT order_no, status FROM orders WHERE quote_no = ?", (quote_no,)).fetchone()
    if known is not None and known["status"] == "cancelled":
        raise ShopError("quote_used", f"order {known['order_no']} of this quote was cancelled")
    order_no = known["order_no"] if known is not None else _add_order(db, quote, now)
    db.execute("INSERT INTO order_keys VALUES (?, ?)", (key, order_no))


def add_payment(db: sqlite3.Connection, order: sqlite3.Row, payment_id: str, amount_cents: int, now: datetime) -> None:
    """Record the money and mark the order paid."""
    if order["status"] == "paid":
        raise ShopError("already_paid", f"order {order['order_no']} was paid by another payment")
    if order["status"] == "cancelled":
        raise ShopError("order_cancelled", f"order {order['order_no']} was cancelled")
    if amount_cents != order["total_cents"]:
        came, due = f"{amount_cents!r:.40}", order["total_cents"]
        raise ShopError("wrong_amount", f"{came} cents came for order {order['order_no']}, {due} were due")
    when = now.isoformat()
    db.execute("INSERT INTO payments VALUES (?, ?, ?, ?)", (payment_id, order["order_no"], amount_cents, when))
    db.execute("UPDATE orders SET status = 'paid', paid_at = ? WHERE order_no = ?", (when, order["order_no"]))


def _add_order(db: sqlite3.Connection, quote: sqlite3.Row, now: datetime) -> str:
    if now.date().isoformat() > quote["valid_until"]:
        raise ShopError("quote_expired", f"quote {quote['quote_no']} was valid until {quote['valid_until']}")
    reserve = "UPDATE stock SET available = available - :seats WHERE plan = :plan AND available >= :seats"
    if db.execute(reserve, {"plan": quote["plan"], "seats": quote["seats"]}).rowcount != 1:
        raise ShopError("out_of_stock", f"plan {quote['plan']} has fewer than {quote['seats']} seats left")
    order_no = _next_number(db, f"SO{now:%Y%m%d}-", 6)
    dates = (now.isoformat(), (now + timedelta(minutes=DUE_MINUTES)).isoformat())
    row = (order_no, quote["quote_no"], quote["customer_id"], quote["total_cents"], "awaiting_payment", *dates)
    db.execute("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL)", row)
    return order_no


def _next_number(db: sqlite3.Connection, prefix: str, digits: int) -> str:
    db.execute("INSERT INTO counters VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET last = last + 1", (prefix,))
    last: int = db.execute("SELECT last FROM counters WHERE name = ?", (prefix,)).fetchone()[0]
    return f"{prefix}{last:0{digits}d}"
