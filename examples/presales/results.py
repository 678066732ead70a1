"""From the shop's rows to the dicts that its methods return, in the customer's language.

Owns the names of the result fields; every value is JSON. No database and no decision: `shop.py` has made them.
"""

import sqlite3
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

from ...protocol.texts import Lang
from . import catalog
from .catalog import CURRENCY, money

Result = dict[str, Any]
NO_PROMOTION: Result = {"found": False, "code": "", "description": "", "discount_percent": 0, "valid_until": ""}


def recommendation(
    ranked: Sequence[sqlite3.Row], use: catalog.Use, seats: int, budget_cents: int, lang: Lang
) -> Result:
    """`ranked`: the plans that would do, best first."""
    best = ranked[0]
    monthly_cents: int = best["price_cents"] * seats
    fits_budget = monthly_cents <= budget_cents
    monthly_total = money(monthly_cents, lang)
    reason = (catalog.REASON_FITS if fits_budget else catalog.REASON_OVER)[lang].format(
        use=catalog.USES[use][lang],
        pitch=best[f"pitch_{lang}"],
        seats=seats,
        monthly_total=monthly_total,
        budget=money(budget_cents, lang),
    )
    return {
        "plan": best["plan"],
        "plan_name": best[f"name_{lang}"],
        "seats": seats,
        "price": money(best["price_cents"], lang),
        "monthly_total": monthly_total,
        "monthly_total_cents": monthly_cents,
        "currency": CURRENCY,
        "fits_budget": fits_budget,
        "recording": bool(best["recording"]),
        "reason": reason,
        "alternatives": len(ranked) - 1,
    }


def promotion(row: sqlite3.Row | None, lang: Lang) -> Result:
    """The same fields with and without a promotion, so that a template can name them."""
    if row is None:
        return dict(NO_PROMOTION)
    return {
        "found": True,
        "code": row["code"],
        "description": row[f"description_{lang}"],
        "discount_percent": row["percent"],
        "valid_until": row["valid_until"] or "",
    }


def quote(row: sqlite3.Row, lang: Lang) -> Result:
    """A row of quotes joined with its product."""
    price, subtotal = money(row["price_cents"], lang), money(row["subtotal_cents"], lang)
    discount, total = money(row["discount_cents"], lang), money(row["total_cents"], lang)
    terms = {"seats": row["seats"], "term_months": row["term_months"]}
    return {
        "quote_no": row["quote_no"],
        "plan": row["plan"],
        "plan_name": row[f"name_{lang}"],
        **terms,
        "company": row["company"],
        "contact": row["contact"],
        "price": price,
        "subtotal": subtotal,
        "promotion": row["promotion"],
        "discount_percent": row["percent"],
        "discount": discount,
        "breakdown": catalog.BREAKDOWN[lang].format(price=price, subtotal=subtotal, discount=discount, **terms),
        "total": total,
        "total_cents": row["total_cents"],
        "currency": CURRENCY,
        "valid_until": row["valid_until"],
    }


def order(row: sqlite3.Row, due_minutes: int, lang: Lang) -> Result:
    """A row of orders joined with its quote and product."""
    return {
        "order_no": row["order_no"],
        "quote_no": row["quote_no"],
        "status": row["status"],
        "plan": row["plan"],
        "plan_name": row[f"name_{lang}"],
        "seats": row["seats"],
        "term_months": row["term_months"],
        "company": row["company"],
        "contact": row["contact"],
        "total": money(row["total_cents"], lang),
        "total_cents": row["total_cents"],
        "currency": CURRENCY,
        "pay_url": f"https://pay.example.com/{row['order_no']}",
        "due_minutes": due_minutes,
        "due_at": row["due_at"],
    }


def status(row: sqlite3.Row, lang: Lang) -> Result:
    """A row of orders, as far as money goes."""
    return {
        "order_no": row["order_no"],
        "paid": row["status"] == "paid",
        "claimed": row["claimed_at"] is not None,
        "status": row["status"],
        "total": money(row["total_cents"], lang),
        "total_cents": row["total_cents"],
        "currency": CURRENCY,
        "paid_at": row["paid_at"] or "",
    }


def after_sales(row: sqlite3.Row, lang: Lang) -> Result:
    """A paid order joined with its quote and product."""
    paid_on: date = datetime.fromisoformat(row["paid_at"]).date()
    return {
        "order_no": row["order_no"],
        "plan_name": row[f"name_{lang}"],
        "seats": row["seats"],
        "setup_date": (paid_on + timedelta(days=row["setup_days"])).isoformat(),
        "hotline": catalog.HOTLINE,
        "service_hours": catalog.SERVICE_HOURS[lang],
        "next_step": catalog.NEXT_STEP[lang],
        "guide_url": f"https://help.example.com/{lang}/setup",
    }
