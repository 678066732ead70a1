"""The driver: one shop, one Maitred, a hostile model, a crowd of customers and a clock, for as many messages as asked.

Everything is drawn from one seed, so a finding names a run that can be repeated. The shop is watched: what it receives is kept
beside the session that was served at that moment.
"""

import inspect
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from maitred import Maitred
from maitred.app.maitred import BadRequest
from maitred.examples.presales.flow import build_flow
from maitred.examples.presales.shop import SHOP_TZ, Shop, ShopError
from maitred.protocol.messages import AgentResponse, parse_message
from maitred.protocol.ports import ReadsFirst

from .audit import Audit, Deeds, unlike
from .customers import YESES, honest_line, idle_line
from .detector import has_words, numbers_in
from .model import HostileModel, Loot, unfilled

AT_ONCE = 12
WATCHED = (
    "recommend_plan", "query_promotion", "make_quote", "create_order", "claim_paid", "cancel_order", "after_sales_info",
)  # fmt: skip


class WatchedShop(Shop):
    """The real shop; `received`: what its tools' methods were called with, by the session served at that moment."""

    serving = ""

    def __init__(self, path: Path, clock: Callable[[], datetime]) -> None:
        super().__init__(path, clock)
        self.received: dict[str, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
        for name in WATCHED:
            setattr(self, name, self._watched(name, getattr(self, name)))

    def _watched(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(method)

        def call(*args: Any) -> Any:
            self.received[self.serving].append((name, dict(signature.bind(*args).arguments)))
            return method(*args)

        return call


@dataclass
class Talk:
    """One session under way. `left`: messages until it is given up for a new one; `honesty`: share of lines that lead on."""

    session_id: str
    customer: str
    lang: str
    left: int
    honesty: float
    state: str = "info_collection"


class Driver:
    """Drives `turns` customer messages; then `findings` says what went wrong. `seen`: what the logs held, over all sessions."""

    def __init__(self, seed: int, turns: int, folder: Path, reads_first: ReadsFirst = False) -> None:
        self._seed, self._turns, self._rng = seed, turns, Random(seed)
        self._now = datetime(2026, 11, 30, 10, 0, tzinfo=SHOP_TZ)
        self._shop = WatchedShop(folder / f"shop-{seed}.db", lambda: self._now)
        self._loot = Loot()
        self._deeds: dict[str, Deeds] = defaultdict(Deeds)
        self._talks: list[Talk] = []
        self._born = self._keys = 0
        self.model = HostileModel(seed + 1, self._loot)
        self.model.reads_first = reads_first
        self.findings: list[str] = []
        self.seen: Counter[str] = Counter()

    async def run(self) -> "Driver":
        """All of it."""
        maitred = Maitred(build_flow(self._shop), decider=self.model, clock=lambda: self._now)
        async with maitred:
            for turn in range(self._turns):
                await self._around(maitred)
                await self._say(maitred, self._talk(), turn)
            await self._audit(maitred)
        self.findings += [f"a forged prompt: {prompt!r}" for prompt in self.model.forged]
        return self

    # --- one turn --------------------------------------------------------------------------------------------------------

    def _talk(self) -> Talk:
        self._talks = [talk for talk in self._talks if talk.left > 0]
        while len(self._talks) < AT_ONCE:
            customer = f"c{self._rng.randrange(30)}"
            talk = Talk(
                session_id=f"{customer}-s{self._born}",
                customer=customer,
                lang=self._rng.choice(("zh", "en")),
                left=self._rng.randint(12, 45),
                honesty=self._rng.choice((0.6, 0.8, 0.9, 0.97)),
            )
            self._born += 1
            self._talks.append(talk)
            self._loot.sessions.append(talk.session_id)
        return self._rng.choice(self._talks)

    async def _say(self, maitred: Maitred, talk: Talk, turn: int) -> None:
        rng = self._rng
        self._now += timedelta(seconds=rng.choice((1, 5, 20, 60)))
        talk.left -= 1
        honest = rng.random() < (0.6 if talk.state == "parameter_confirmation" else talk.honesty)
        text = (
            honest_line(rng, talk.lang, talk.state)
            if honest
            else idle_line(rng, talk.state, self._loot.numbers[-40:], self._loot.sessions)
        )
        self._shop.serving = talk.session_id
        meta = {"customer_id": talk.customer} if rng.random() < 0.7 else None
        reply = await maitred.say(talk.session_id, text, message_id=f"m{turn}", meta=meta)
        talk.state = reply.state
        self._heard(talk.session_id, reply)
        if honest and reply.state == "payment_guidance" and text in ("I've paid", "payment sent", "付好了", "已付款"):
            await self._pay(maitred, talk)

    def _heard(self, session_id: str, reply: AgentResponse) -> None:
        self._loot.numbers += [
            number for number in numbers_as_issued(reply.text) if number not in self._loot.numbers[-40:]
        ]
        if not has_words(reply.text):
            self.findings.append(f"{session_id}: an empty reply: {reply.text!r}")
        if not unfilled(reply.text):
            self.findings.append(f"{session_id}: a template was filled: {reply.text!r}")

    async def _pay(self, maitred: Maitred, talk: Talk) -> None:
        """The bank takes the customer's money, and calls back."""
        order = (await maitred.session(talk.session_id)).data.get("create_order")
        if not isinstance(order, dict):
            return
        try:
            self._shop.record_payment(
                str(order["order_no"]), f"PAY-{order['order_no']}", int(str(order.get("total_cents", 0)))
            )
        except ShopError:
            return
        await self._post(maitred, talk, {"order_no": str(order["order_no"])})

    async def _post(self, maitred: Maitred, talk: Talk, payload: dict[str, Any]) -> None:
        self._keys += 1
        self._deeds[talk.session_id].posted["payment_complete"] += 1
        self._shop.serving = talk.session_id
        reply = await maitred.post(talk.session_id, "payment_complete", payload, key=f"k{self._keys}")
        if reply:
            talk.state = reply.state
            self._heard(talk.session_id, reply)

    # --- what happens around ---------------------------------------------------------------------------------------------

    async def _around(self, maitred: Maitred) -> None:
        """Now and then: a stray callback, a human's return, time that passes, the timer."""
        rng, begun = self._rng, [talk for talk in self._talks if self._shop.received[talk.session_id]]
        if begun and rng.random() < 0.02:
            payload = rng.choice(({}, {"paid": True, "order_no": rng.choice(self._loot.numbers)}, {"amount": 1e9}))
            await self._post(maitred, rng.choice(begun), payload)
        stuck = [talk for talk in self._talks if talk.state == "escalated"]
        if stuck and rng.random() < 0.08:
            talk = rng.choice(stuck)
            self._keys += 1
            self._deeds[talk.session_id].resumed += 1
            self._shop.serving = talk.session_id
            try:
                reply = await maitred.resume(talk.session_id, key=f"k{self._keys}")
            except BadRequest:
                return
            if reply:
                self._heard(talk.session_id, reply)
            talk.state = (await maitred.session(talk.session_id)).state
        if rng.random() < 0.004:
            self._now += timedelta(hours=rng.choice((1, 1, 25, 25, 24 * 8)))
            for session_id in self._loot.sessions:
                self._deeds[session_id].time_jumped = True
            self._shop.serving = "timer"
            for reply in await maitred.tick():
                self._heard(reply.session_id, reply)

    # --- the end ---------------------------------------------------------------------------------------------------------

    async def _audit(self, maitred: Maitred) -> None:
        orders: dict[str, tuple[str, str]] = {}
        for n in range(self._born):
            session_id = self._loot.sessions[n + 1]
            if await maitred.store.load(session_id) is None:
                continue
            replay = await maitred.replay(session_id)
            if not replay.equal:
                self.findings.append(f"{session_id}: {replay.problem}")
            log = [parse_message(record.body) for record in await maitred.store.log(session_id)]
            audit = Audit(session_id, self._deeds[session_id], YESES).read(log)
            self.findings += audit.findings
            self.findings += [f"{session_id}: {what}" for what in unlike(audit.calls, self._shop.received[session_id])]
            self.seen += audit.seen
            orders |= {order_no: (session_id, said) for order_no, said in audit.orders.items()}
        if self._shop.received["timer"]:
            self.findings.append(f"tools ran by the timer: {self._shop.received['timer']}")
        self._compare(orders)

    def _compare(self, logged: dict[str, tuple[str, str]]) -> None:
        """The shop's books against the logs."""
        for order in self._shop.orders():
            session_id, said = logged.pop(str(order["order_no"]), ("nobody", ""))
            if session_id != order["customer_id"] or said not in YESES:
                self.findings.append(f"order {order['order_no']} of {order['customer_id']}: {session_id} said {said!r}")
            self.seen["orders"] += 1
        if logged:
            self.findings.append(f"orders that the shop does not have: {logged}")


def numbers_as_issued(text: str) -> list[str]:
    """With their hyphens back."""
    return [f"SO{n[2:10]}-{n[10:]}" if n.startswith("SO") else f"Q-{n[1:9]}-{n[9:]}" for n in sorted(numbers_in(text))]
