"""The world around the example: a shop file, and a simulated bank that pays what customers say they paid.

`demo` and `chat` call `after_turn` when a reply is out; what happens then comes in through `Maitred.post`, as it would from a
real payment provider.
"""

import shutil
import tempfile
import weakref
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from ...app.maitred import Maitred
from ...protocol.messages import AgentResponse
from ...statemachine.flow import Flow
from .bank import Bank
from .flow import Presales, build_flow
from .shop import Shop, ShopError, shop_time

PATIENCE = 2
"""Messages at the payment step after which the customer is taken to have paid without saying so in words we know."""


class World:
    """`shop_path`: where the shop's database is; None for a temporary one. `clock`: the shop's, for tests and documents."""

    def __init__(self, shop_path: Path | None = None, clock: Callable[[], datetime] = shop_time) -> None:
        self.shop = Shop(shop_path, clock) if shop_path else _temporary_shop()
        self.flow: Flow = build_flow(self.shop)
        self._bank = Bank(self.shop)
        self._waited: dict[str, int] = {}

    async def after_turn(self, maitred: Maitred, response: AgentResponse, came_from: str) -> Sequence[AgentResponse]:
        """What the bank does after a turn; the replies that its callbacks cause. `came_from`: the state before the turn."""
        if response.state != Presales.PAYMENT_GUIDANCE:
            return []
        session_id = response.session_id
        order_no = await self._order_of(maitred, session_id)
        if came_from == Presales.PAYMENT_GUIDANCE:
            self._perhaps_claim(order_no, session_id)
        for callback in self._bank.callbacks():
            if callback["order_no"] == order_no:
                self.shop.record_payment(order_no, callback["payment_id"], callback["amount_cents"])
        return await self._call_back(maitred, session_id, order_no)

    async def _order_of(self, maitred: Maitred, session_id: str) -> str:
        order = (await maitred.session(session_id)).data.get("create_order")
        return str(order["order_no"]) if isinstance(order, dict) else ""

    def _perhaps_claim(self, order_no: str, session_id: str) -> None:
        self._waited[session_id] = self._waited.get(session_id, 0) + 1
        if self._waited[session_id] < PATIENCE:
            return
        try:
            self.shop.claim_paid(order_no, session_id)
        except ShopError:
            return  # cancelled meanwhile

    async def _call_back(self, maitred: Maitred, session_id: str, order_no: str) -> Sequence[AgentResponse]:
        """Deliver the payment to the session, from the shop's books and not from memory: a process that died in between
        is made good by the next one, and the key makes a second delivery harmless."""
        try:
            status = self.shop.payment_status(order_no, session_id)
        except ShopError:
            return []
        if not status["paid"]:
            return []
        payload = {"order_no": order_no, "paid_at": status["paid_at"]}
        reply = await maitred.post(session_id, "payment_complete", payload, key=f"PAY-{order_no}")
        return [reply] if reply else []


def _temporary_shop() -> Shop:
    """A shop whose folder goes when nobody uses it any more; a flow's tools do, so it is tied to the shop and not to a World."""
    folder = tempfile.mkdtemp(prefix="maitred-")
    shop = Shop(Path(folder) / "shop.db")
    weakref.finalize(shop, shutil.rmtree, folder, ignore_errors=True)
    return shop


def presales() -> Flow:
    """The example's flow over a temporary shop: for `check`, `graph` and first steps."""
    return World().flow
