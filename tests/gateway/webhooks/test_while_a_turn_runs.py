"""What happens while a turn runs: a gate holds the decider until the test opens it."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from maitred.app.maitred import Maitred
from maitred.decision.keyword import KeywordDecider
from maitred.gateway.app import create_app
from maitred.gateway.derived_effects import DerivedEffects
from maitred.gateway.webhooks.channel import Channel
from maitred.gateway.webhooks.standard import StandardWebhooks
from maitred.gateway.webhooks.webhooks import Webhook
from maitred.protocol.decision import DecisionRequest

from ..in_process import running, tea_flow
from .conftest import chatwoot_channel
from .desks import WHSEC, Chatwoot, Shop, open_desk, quiet, until


class Gate(KeywordDecider):
    """Decides when it is open."""

    def __init__(self) -> None:
        super().__init__()
        self.entered, self.opened = threading.Event(), threading.Event()

    async def decide(self, request: DecisionRequest) -> Any:
        self.entered.set()
        await asyncio.to_thread(self.opened.wait, 20)
        return await super().decide(request)


@contextmanager
def served(channel: Channel, store: Path, decider: KeywordDecider, **more: Any) -> Iterator[httpx2.Client]:
    maitred = Maitred(tea_flow(), store=store, decider=decider, runner=DerivedEffects())
    hook = Webhook(channel, tenant="local", settle_s=0.1, **more)
    with running(create_app(maitred, webhooks=[hook])) as client:
        yield client


@pytest.fixture
def gate() -> Iterator[Gate]:
    held = Gate()
    yield held
    held.opened.set()


def test_what_comes_meanwhile_is_one_turn_afterwards(tmp_path: Path, gate: Gate) -> None:
    """And the one that runs has only what it began with."""
    with open_desk(Shop) as desk:
        channel = StandardWebhooks(name="shop", secret=WHSEC, callback_url=desk.api.url)
        with served(channel, tmp_path / "tea.db", gate) as client:
            desk.bot, desk.boxes = f"{client.base_url}/webhooks/shop", tmp_path / "tea.webhooks.db"
            desk.send({"conversation": "c1", "text": "I would like some tea"}, "m1")
            assert gate.entered.wait(10)
            desk.send({"conversation": "c1", "text": "say"}, "m2")
            desk.send({"conversation": "c1", "text": "3 tins"}, "m3")
            assert desk.said("c1") == []
            gate.opened.set()
            until(lambda: len(desk.said("c1")) >= 2, "two replies")
            quiet(desk.boxes)
            assert desk.said("c1") == ["How many?", "3 tins?"]
            assert client.get("/v1/sessions/main~c1").json()["turn"] == 2


def test_a_human_who_writes_meanwhile_is_not_spoken_over(tmp_path: Path, gate: Gate) -> None:
    """Also where the bot may not ask who has the conversation: what came last says it."""
    with (
        open_desk(Chatwoot, bot_may_look=False) as desk,
        served(chatwoot_channel(desk), tmp_path / "tea.db", gate) as client,
    ):
        desk.bot, desk.boxes = f"{client.base_url}/webhooks/desk", tmp_path / "tea.webhooks.db"
        desk.customer(1, "I would like some tea")
        assert gate.entered.wait(10)
        desk.human(1, "Ann here, one moment")
        gate.opened.set()
        until(lambda: desk.statuses[1] == "open", "the hand-off")
        quiet(desk.boxes)
        assert desk.said(1) == []


def test_calls_beyond_the_rate_are_refused_and_strangers_do_not_use_it_up(tmp_path: Path) -> None:
    with open_desk(Shop) as desk:
        channel = StandardWebhooks(name="shop", secret=WHSEC, callback_url=desk.api.url)
        with served(channel, tmp_path / "tea.db", KeywordDecider(), per_s=0.001, burst=2) as client:
            desk.bot = f"{client.base_url}/webhooks/shop"
            for _ in range(5):
                assert client.post("/webhooks/shop", content=b"{}").status_code == 401
            codes = [desk.send({"conversation": f"c{n}", "text": "hello"}, f"m{n}").status_code for n in range(3)]
            assert codes == [200, 200, 429]
