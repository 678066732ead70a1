"""Standard Webhooks over real sockets: signed both ways."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest

from maitred.gateway.settings import GatewaySettings
from maitred.gateway.webhooks.standard import StandardWebhooks
from maitred.gateway.webhooks.webhooks import Webhook
from maitred.protocol.errors import BadRequest

from ..in_process import app_of, running
from .conftest import served
from .desks import WHSEC, Shop, open_desk, quiet, until
from .late import late_flow

Desk = tuple[Shop, httpx2.Client]


def said(desk: Shop, conversation: str, count: int) -> list[str]:
    until(lambda: len(desk.said(conversation)) >= count, f"reply {count}")
    quiet(desk.boxes)
    return desk.said(conversation)


def test_a_customer_is_answered_by_a_signed_call(shop: Desk) -> None:
    """The receiver verifies it; the shop in `desks.py` does."""
    desk, _ = shop
    taken = desk.send({"conversation": "c1", "text": "hello"}, "m1")
    assert (taken.status_code, taken.text) == (200, "")
    assert said(desk, "c1", 1) == ["How many?"]


def test_a_sender_that_repeats_gets_one_answer(shop: Desk) -> None:
    """By the header's id, or by the message's own under another header."""
    desk, client = shop
    for _ in range(3):
        desk.send({"conversation": "c2", "text": "hello"}, "m1")
    said(desk, "c2", 1)
    desk.send({"conversation": "c2", "text": "hello", "message_id": "m1"}, "m9")
    assert len(said(desk, "c2", 1)) == 1
    assert client.get("/v1/sessions/main~c2").json()["turn"] == 1


def test_messages_that_wait_while_a_reply_is_on_its_way_are_joined(shop: Desk) -> None:
    """A receiver that is down keeps the order; nobody is answered twice."""
    desk, client = shop
    desk.down = 2
    desk.send({"conversation": "c3", "text": "hello"}, "m1")
    until(lambda: desk.calls, "the first attempt")
    desk.send({"conversation": "c3", "text": "I would like"}, "m2")
    desk.send({"conversation": "c3", "text": "3 tins"}, "m3")
    assert said(desk, "c3", 2) == ["How many?", "3 tins?"]
    assert client.get("/v1/sessions/main~c3").json()["turn"] == 2


def test_messages_that_overtook_each_other_are_put_in_order(shop: Desk) -> None:
    """By the sender's clock, within one turn."""
    desk, client = shop
    early = datetime.now(UTC) - timedelta(seconds=1)
    desk.send({"conversation": "c7", "text": "no, 4 tins"}, "m2")
    desk.send({"conversation": "c7", "text": "3 tins"}, "m1", at=early)
    assert said(desk, "c7", 1) == ["4 tins?"]
    log = client.get("/v1/sessions/main~c7").json()
    assert log["turn"] == 1


def test_the_sender_says_who_has_the_conversation(shop: Desk) -> None:
    desk, _ = shop
    desk.send({"conversation": "c4", "text": "hello", "control": "bot"}, "m1")
    said(desk, "c4", 1)
    desk.send({"conversation": "c4", "text": "Ann here", "sender": "human"}, "m2")
    desk.send({"conversation": "c4", "text": "3 tins"}, "m3")
    quiet(desk.boxes)
    assert len(desk.said("c4")) == 1
    time.sleep(0.01)  # a later time than the human's
    changed = desk.send({"conversation": "c4", "control": "bot"}, "m4", "conversation.changed")
    assert changed.status_code == 200
    desk.send({"conversation": "c4", "text": "4 tins"}, "m5")
    assert said(desk, "c4", 2)[-1] == "4 tins?"


def test_a_hand_off_is_told(shop: Desk) -> None:
    desk, _ = shop
    desk.send({"conversation": "c5", "text": "I want a human"}, "m1")
    assert said(desk, "c5", 2)[-1] == "conversation.handed_off"


def test_a_deadline_reaches_the_customer(tmp_path: Path) -> None:
    """What the timer says goes out like a reply."""
    with open_desk(Shop) as desk:
        channel = StandardWebhooks(name="shop", secret=WHSEC, callback_url=desk.api.url)
        options = {"webhooks": [Webhook(channel, "local", settle_s=0.1)], "settings": GatewaySettings(tick_s=0.2)}
        with running(app_of(late_flow(), str(tmp_path / "tea.db"), **options)) as client:
            desk.bot, desk.boxes = f"{client.base_url}/webhooks/shop", tmp_path / "tea.webhooks.db"
            desk.send({"conversation": "c6", "text": "hello"}, "m1")
            assert said(desk, "c6", 2) == ["How many?", "Are you still there?"]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"text": "hello"}, "conversation"),
        ({"conversation": "c", "text": "hello", "colour": "red"}, "colour"),
        ({"conversation": "", "text": "hello"}, "conversation"),
        ({"conversation": "c", "sender": "dog"}, "sender"),
        ({"conversation": "c", "callback_url": "http://127.0.0.1:1/"}, "callback_url"),
    ],
)
def test_an_event_that_cannot_be_read_is_refused_with_the_reason(shop: Desk, data: dict[str, str], why: str) -> None:
    """Where replies go is not for a message to say."""
    refused = shop[0].send(data, "m1")
    assert refused.status_code == 400
    assert why in refused.json()["error"]["message"]


def test_wrong_signatures_are_refused(shop: Desk) -> None:
    desk, _ = shop
    assert desk.send({"conversation": "c"}, "m1", secret="whsec_AAAA").status_code == 401
    stamp = str(int(time.time()))
    for signature in ("", "v1", "v1,", "v1,###", "v2,abcd", "v1,a,b", "v1,Zm9v"):
        headers = {"webhook-id": "1", "webhook-timestamp": stamp, "webhook-signature": signature}
        assert httpx2.post(desk.bot, content=b"{}", headers=headers).status_code == 401
    headers = {"webhook-id": "1", "webhook-timestamp": stamp, "webhook-signature": "v1,Zm9v"}
    assert httpx2.post(desk.bot, content=b"\xff", headers=headers).status_code == 401


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_é"])
def test_a_secret_that_is_none_stops_the_start(secret: str) -> None:
    with pytest.raises(BadRequest, match="whsec_"):
        StandardWebhooks(name="x", secret=secret, callback_url="http://127.0.0.1")


def test_a_flood_in_one_conversation_is_refused_and_the_rest_is_not() -> None:
    """A hundred messages wait at most; another customer is heard."""
    with open_desk(Shop) as desk:
        channel = StandardWebhooks(name="shop", secret=WHSEC, callback_url=desk.api.url)
        with served(channel, ":memory:", settle_s=60) as client:
            desk.bot = f"{client.base_url}/webhooks/shop"
            codes = [desk.send({"conversation": "c", "text": str(n)}, f"m{n}").status_code for n in range(102)]
            assert codes == [200] * 100 + [429] * 2
            assert desk.send({"conversation": "d", "text": "hello"}, "m1").status_code == 200
