"""The shop behind the example's tools: recommends, quotes, takes orders and payments, in one SQLite file.

Owns the business rules. Every method is one transaction on a connection of its own, so any thread or process may call it
and a kill at any moment leaves all of it or nothing. Prices come from the database, never from a caller. Nothing here
knows of flows and sessions: the example's flow wraps the methods as tools, `bank.py` plays the payment provider.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta, timezone
from typing import cast

from ...protocol.texts import Lang
from . import catalog, ledger, results, schema
from .checks import (
    MAX_SEATS,
    MAX_TERM_MONTHS,
    ShopError,
    cents_of,
    check_identifier,
    check_whole,
    clean_number,
    clean_words,
)
from .ledger import DUE_MINUTES, QUOTE_VALID_DAYS
from .results import Result

__all__ = ["DUE_MINUTES", "ORDER_NO", "QUOTE_NO", "QUOTE_VALID_DAYS", "SHOP_TZ", "Shop", "ShopError", "shop_time"]

# How numbers look, for `Flow(facts=...)`. No anchors and an optional hyphen: the reply check removes separators first.
ORDER_NO = r"[Ss][Oo][0-9]{8}-?[0-9]{6}|(?<![0-9-])[0-9]{8}-[0-9]{6}(?![0-9-])"  # SO20261130-000123, or without SO
QUOTE_NO = r"[Qq]-?[0-9]{8}-?[0-9]{4}"  # Q-20261130-0001

SHOP_TZ = timezone(timedelta(hours=8))  # China has no summer time; the date in a number is the shop's date
_QUOTED = ("customer_id", "plan", "seats", "term_months")


def shop_time() -> datetime:
    """Now, on the shop's clock."""
    return datetime.now(SHOP_TZ)


class Shop:
    """One shop in the file `path`, created and seeded when new. `clock` returns an aware datetime.

    Any method may raise ShopError: `bad_value` for a value of the wrong kind, `unavailable` if the file cannot be used.
    """

    def __init__(self, path: str | os.PathLike[str], clock: Callable[[], datetime] = shop_time) -> None:
        self._path = os.fspath(path)
        self._clock = clock
        with _translated():
            schema.prepare(self._path)

    # Before the order

    def recommend_plan(
        self,
        use: str,
        seats: int,
        budget: float,
        recording: bool,
        lang: Lang = "zh",
        exclude: str = "",
        prefer: str = "",
    ) -> Result:
        """The best plan for `use` with licences for `seats`.

        `budget`: yuan a month for all seats. `recording`: a must if True. `exclude`: plan ids, separated by commas.
        `prefer`: the plan that the customer named; it wins if it would do at all.
        Within the budget the best fit wins, then the price; if all are outside it, the lowest price.
        Errors: out_of_stock, no_alternative (all that would do are excluded).
        """
        if use not in catalog.USES:
            raise ShopError("bad_value", f"use is none of {', '.join(catalog.USES)}")
        check_whole("seats", seats, MAX_SEATS)
        budget_cents = cents_of(budget)
        with self._transaction("BEGIN") as db:
            rows = db.execute(
                "SELECT * FROM products JOIN stock USING (plan) JOIN fits USING (plan)"
                " WHERE use = ? AND available >= ? AND recording >= ? ORDER BY price_cents",
                (use, seats, bool(recording)),
            ).fetchall()
        if not rows:
            raise ShopError("out_of_stock", f"no plan for {use} with {recording=} has {seats} seats in stock")
        excluded = set(exclude.replace(",", " ").split())
        ranked = sorted((row for row in rows if row["plan"] not in excluded), key=_rank(seats, budget_cents))
        if not ranked:
            raise ShopError("no_alternative", f"all {len(rows)} plans that would do are excluded")
        ranked.sort(key=lambda row: row["plan"] != prefer)  # stable: the rank decides among the others
        return results.recommendation(ranked, cast(catalog.Use, use), seats, budget_cents, lang)

    def query_promotion(self, plan: str, seats: int, term_months: int, lang: Lang = "zh") -> Result:
        """The highest discount valid today; `found` False and empty fields if there is none. Errors: plan_not_found."""
        check_whole("seats", seats, MAX_SEATS)
        check_whole("term_months", term_months, MAX_TERM_MONTHS)
        with self._transaction("BEGIN") as db:
            ledger.price_of(db, plan)
            return results.promotion(ledger.promotion_for(db, plan, seats, term_months, self._now()), lang)

    def make_quote(
        self,
        key: str,
        plan: str,
        seats: int,
        term_months: int,
        company: str,
        contact: str,
        customer_id: str,
        lang: Lang = "zh",
    ) -> Result:
        """A priced offer that this customer can order within a week. The same key gives the same quote.

        Errors: plan_not_found, key_reused (the key's quote is for something or someone else).
        """
        check_identifier("key", key)
        check_identifier("customer_id", customer_id)
        check_whole("seats", seats, MAX_SEATS)
        check_whole("term_months", term_months, MAX_TERM_MONTHS)
        names = (clean_words("company", company), clean_words("contact", contact))
        with self._transaction() as db:
            known = db.execute("SELECT * FROM quotes WHERE key = ?", (key,)).fetchone()
            if known is None:
                ledger.add_quote(db, key, customer_id, (plan, seats, term_months), names, self._now())
            elif tuple(known[name] for name in _QUOTED) != (customer_id, plan, seats, term_months):
                raise ShopError("key_reused", f"the key belongs to quote {known['quote_no']}, made for something else")
            row = db.execute(f"{ledger.QUOTES} WHERE key = ?", (key,)).fetchone()
            return results.quote(row, lang)

    # The order

    def create_order(self, key: str, quote_no: str, customer_id: str, lang: Lang = "zh") -> Result:
        """Order a quote and reserve its seats. The same key or the same quote gives the same order, reserved once.

        Errors: quote_not_found (or another customer's), quote_expired, quote_used (its order was cancelled),
        out_of_stock, key_reused (the key's order is for another quote).
        """
        check_identifier("key", key)
        check_identifier("customer_id", customer_id)
        quote_no = clean_number("quote_no", quote_no)
        with self._transaction() as db:
            row = ledger.order_by_key(db, key)
            if row is None:
                ledger.order_quote(db, key, quote_no, customer_id, self._now())
                row = ledger.order_by_key(db, key)
            if row is None or (row["quote_no"], row["customer_id"]) != (quote_no, customer_id):
                raise ShopError("key_reused", "the key belongs to the order of another quote")
            return results.order(row, DUE_MINUTES, lang)

    def find_order(self, key: str, lang: Lang = "zh") -> Result | None:
        """The order that `create_order` made or found for this key; None: it never took effect."""
        check_identifier("key", key)
        with self._transaction("BEGIN") as db:
            row = ledger.order_by_key(db, key)
            return None if row is None else results.order(row, DUE_MINUTES, lang)

    def cancel_order(self, order_no: str, customer_id: str, lang: Lang = "zh") -> Result:
        """Cancel an unpaid order and give its seats back, once. Errors: order_not_found, already_paid."""
        with self._transaction() as db:
            row = ledger.order_of(db, order_no, customer_id)
            if row["status"] == "paid":
                raise ShopError("already_paid", f"order {row['order_no']} is paid, so it cannot be cancelled here")
            if row["status"] == "awaiting_payment":
                db.execute("UPDATE orders SET status = 'cancelled' WHERE order_no = ?", (row["order_no"],))
                db.execute("UPDATE stock SET available = available + ? WHERE plan = ?", (row["seats"], row["plan"]))
            return results.status(ledger.order_of(db, order_no, customer_id), lang)

    # Money

    def payment_status(self, order_no: str, customer_id: str, lang: Lang = "zh") -> Result:
        """Whether the shop has the money. Another customer's order is not found. Errors: order_not_found."""
        with self._transaction("BEGIN") as db:
            return results.status(ledger.order_of(db, order_no, customer_id), lang)

    def claim_paid(self, order_no: str, customer_id: str, lang: Lang = "zh") -> Result:
        """Note that the customer says it is paid; `paid` changes by `record_payment` alone.

        Errors: order_not_found, order_cancelled.
        """
        with self._transaction() as db:
            row = ledger.order_of(db, order_no, customer_id)
            if row["status"] == "cancelled":
                raise ShopError("order_cancelled", f"order {row['order_no']} was cancelled")
            claim = "UPDATE orders SET claimed_at = ? WHERE order_no = ? AND claimed_at IS NULL"
            db.execute(claim, (self._now().isoformat(), row["order_no"]))
            return results.status(ledger.order_of(db, order_no, customer_id), lang)

    def claims(self) -> list[Result]:
        """Unpaid orders whose customers say that they paid, oldest claim first."""
        with self._transaction("BEGIN") as db:
            rows = db.execute(
                "SELECT order_no, total_cents, claimed_at FROM orders"
                " WHERE status = 'awaiting_payment' AND claimed_at IS NOT NULL ORDER BY claimed_at, order_no"
            )
            return [dict(row) for row in rows]

    def record_payment(self, order_no: str, payment_id: str, amount_cents: int, lang: Lang = "zh") -> Result:
        """Take the bank's word that an order is paid, late or not. A repeat of the same payment changes nothing.

        Errors: order_not_found, wrong_amount, already_paid (by another payment), order_cancelled, payment_conflict (the
        id was used for another order or amount).
        """
        check_identifier("payment_id", payment_id)
        with self._transaction() as db:
            row = ledger.order_of(db, order_no, None)
            known = db.execute("SELECT * FROM payments WHERE payment_id = ?", (payment_id,)).fetchone()
            if known is None:
                ledger.add_payment(db, row, payment_id, amount_cents, self._now())
            elif (known["order_no"], known["amount_cents"]) != (row["order_no"], amount_cents):
                raise ShopError("payment_conflict", "the payment id was recorded for another order or amount")
            return results.status(ledger.order_of(db, order_no, None), lang)

    # After the order

    def after_sales_info(self, order_no: str, customer_id: str, lang: Lang = "zh") -> Result:
        """When a paid order is set up and who helps. Errors: order_not_found, not_paid."""
        with self._transaction("BEGIN") as db:
            row = ledger.order_of(db, order_no, customer_id)
            if row["status"] != "paid":
                raise ShopError("not_paid", f"order {row['order_no']} is {row['status']}")
            return results.after_sales(row, lang)

    def orders(self) -> list[Result]:
        """Every order there is, for audits, oldest first, with its `customer_id`."""
        with self._transaction("BEGIN") as db:
            rows = db.execute(f"{ledger.ORDERS} ORDER BY order_no")
            return [{**results.order(row, DUE_MINUTES, "en"), "customer_id": row["customer_id"]} for row in rows]

    def stock(self) -> dict[str, int]:
        """Licences left, by plan id."""
        with self._transaction("BEGIN") as db:
            return dict(tuple(row) for row in db.execute("SELECT plan, available FROM stock"))

    def _now(self) -> datetime:
        now = self._clock()
        if now.tzinfo is None:
            raise ValueError(f"the clock returned {now!r}, which has no time zone")
        return now.astimezone(SHOP_TZ).replace(microsecond=0)

    def _connect(self) -> sqlite3.Connection:
        return schema.connect(self._path)

    @contextmanager
    def _transaction(self, begin: str = "BEGIN IMMEDIATE") -> Iterator[sqlite3.Connection]:
        with _translated(), closing(self._connect()) as db:
            db.execute(begin)
            try:
                yield db
                db.execute("COMMIT")
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise ShopError("unavailable", f"{type(error).__name__}: {error}") from error


def _rank(seats: int, budget_cents: int) -> Callable[[sqlite3.Row], tuple[int, int, int]]:
    def rank(row: sqlite3.Row) -> tuple[int, int, int]:
        price_cents: int = row["price_cents"]
        return (0, -row["fit"], price_cents) if price_cents * seats <= budget_cents else (1, price_cents, 0)

    return rank
