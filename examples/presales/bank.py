"""The bank of the example: says which payments arrived, as a payment provider's callbacks would.

Owns the simulation only: a customer who says that an order is paid has paid it, in full. It never writes to the shop;
whoever takes a callback calls `Shop.record_payment`, and until then the bank repeats it with the same payment id.
"""

from collections.abc import Iterator
from typing import TypedDict

from .catalog import CURRENCY
from .shop import Shop


class Callback(TypedDict):
    """One payment callback. `payment_id` is the same however often it is sent."""

    order_no: str
    payment_id: str
    amount_cents: int
    currency: str


class Bank:
    """Callbacks for the orders of one shop."""

    def __init__(self, shop: Shop) -> None:
        self._shop = shop

    def callbacks(self) -> Iterator[Callback]:
        """Payments that customers made and the shop has not recorded, oldest claim first."""
        for claim in self._shop.claims():
            order_no: str = claim["order_no"]
            amount_cents: int = claim["total_cents"]
            payment_id = f"PAY-{order_no}"
            yield Callback(order_no=order_no, payment_id=payment_id, amount_cents=amount_cents, currency=CURRENCY)
