"""What the shop refuses: its error and the checks of values that come from outside.

Owns no rule about stock, money or orders, only what a value may look like at all. Called by `shop.py`.
"""

import unicodedata
from typing import Literal

ErrorCode = Literal[
    "bad_value", "out_of_stock", "no_alternative", "plan_not_found", "quote_not_found", "quote_expired", "quote_used",
    "key_reused", "order_not_found", "order_cancelled", "already_paid", "not_paid", "wrong_amount", "payment_conflict",
    "unavailable",
]  # fmt: skip

MAX_SEATS, MAX_TERM_MONTHS, MAX_TEXT = 10_000, 60, 200
MAX_BUDGET_YUAN = 1e12


class ShopError(Exception):
    """The shop refuses. `code` is stable; the message is for operators and holds no customer text."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def check_whole(name: str, value: object, maximum: int) -> None:
    """A whole number from 1 to `maximum`."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= maximum:
        raise ShopError("bad_value", f"{name} {value!r:.40} is no whole number from 1 to {maximum}")


def check_identifier(name: str, value: object) -> None:
    """A key or id: taken as it is, so it must be short and printable."""
    if not isinstance(value, str) or not value.isprintable() or not 0 < len(value) <= MAX_TEXT:
        raise ShopError("bad_value", f"{name} must be 1 to {MAX_TEXT} printable characters")


def cents_of(budget: object) -> int:
    """A budget in yuan as cents."""
    if isinstance(budget, bool) or not isinstance(budget, int | float) or not 0 < budget < MAX_BUDGET_YUAN:
        raise ShopError("bad_value", f"budget {budget!r:.40} is not between 0 and {MAX_BUDGET_YUAN:g} yuan")
    return round(budget * 100)


def clean_words(name: str, value: str) -> str:
    """A name a customer typed, 1 to 200 characters after white space is joined and control characters and surrogates go."""
    words = "".join(letter for letter in " ".join(value.split()) if letter.isprintable())
    if not 0 < len(words) <= MAX_TEXT:
        raise ShopError("bad_value", f"{name} has {len(words)} characters, not 1 to {MAX_TEXT}")
    return words


def clean_number(name: str, value: str) -> str:
    """A quote or order number as customers type it, full width or lower case, as the shop writes it."""
    check_identifier(name, value)
    return unicodedata.normalize("NFKC", value).strip().upper()
