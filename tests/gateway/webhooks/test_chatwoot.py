"""Chatwoot's agent bot over real sockets: who is answered, once, and who is not."""

import json
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import pytest

from .desks import Chatwoot, quiet, until

Desk = tuple[Chatwoot, httpx2.Client]


def settled(desk: Chatwoot, number: int, count: int) -> list[str]:
    """What the bot said, when it has said so much and nothing more is to be said."""
    until(lambda: len(desk.said(number)) >= count, f"reply {count}")
    quiet(desk.boxes)
    return desk.said(number)


def state(client: httpx2.Client, number: int) -> dict[str, object]:
    return dict(client.get(f"/v1/sessions/1~{number}").json())


def test_a_customer_is_answered(chatwoot: Desk) -> None:
    desk, client = chatwoot
    assert desk.customer(5, "I would like some tea") == 200
    assert settled(desk, 5, 1) == ["How many?"]
    desk.customer(5, "3")
    assert settled(desk, 5, 2) == ["How many?", "3 tins?"]
    assert state(client, 5)["state"] == "order"


def test_three_messages_in_a_row_are_one_turn_and_one_answer(chatwoot: Desk) -> None:
    desk, client = chatwoot
    for text in ("I would like tea", "3 tins please", "as soon as you can"):
        desk.customer(6, text)
    assert settled(desk, 6, 1) == ["3 tins?"]
    assert state(client, 6)["turn"] == 1


def test_the_same_message_again_is_no_second_one(chatwoot: Desk) -> None:
    """Chatwoot sends again after a time-out, and two webhooks may send the same."""
    desk, client = chatwoot
    desk.customer(7, "hello")
    for _ in range(3):
        desk.post(json.dumps(desk.messages[0]).encode())
    settled(desk, 7, 1)
    desk.post(json.dumps(desk.messages[0]).encode())
    assert len(settled(desk, 7, 1)) == 1
    assert state(client, 7)["turn"] == 1


def test_who_is_handed_to_a_human_is_not_answered_until_handed_back(chatwoot: Desk) -> None:
    desk, client = chatwoot
    desk.customer(8, "tea please")
    settled(desk, 8, 1)
    desk.customer(8, "I want to talk to a human")
    said = settled(desk, 8, 2)
    assert len(said) == 2
    assert desk.statuses[8] == "open"
    desk.customer(8, "are you there?")
    desk.human(8, "Hello, Ann here")
    desk.customer(8, "3 tins")
    assert settled(desk, 8, 2) == said
    assert state(client, 8)["state"] == "escalated"
    desk.set_status(8, "pending")
    until(lambda: state(client, 8)["state"] == "tins", "the return")
    desk.customer(8, "4")
    assert settled(desk, 8, 3)[-1] == "4 tins?"


def test_a_message_in_a_pending_conversation_hands_back_where_no_event_says_so(chatwoot: Desk) -> None:
    """An agent bot of an older Chatwoot hears of no status, but each message carries it."""
    desk, client = chatwoot
    desk.customer(9, "a human please")
    settled(desk, 9, 1)
    desk.set_status(9, "pending", tell=False)
    desk.customer(9, "2 tins")
    assert settled(desk, 9, 2)[-1] == "2 tins?"
    assert state(client, 9)["state"] == "order"


def test_a_human_who_writes_stops_the_bot(chatwoot: Desk) -> None:
    """Even without opening the conversation: it is opened for them."""
    desk, _ = chatwoot
    desk.customer(10, "hello")
    settled(desk, 10, 1)
    desk.human(10, "I take this one")
    until(lambda: desk.statuses[10] == "open", "the hand-off")
    desk.customer(10, "3 tins")
    assert len(settled(desk, 10, 1)) == 1


def test_a_human_who_comes_while_the_turn_runs_is_not_spoken_over(chatwoot: Desk) -> None:
    """It is looked again just before sending."""
    desk, _ = chatwoot
    desk.customer(11, "hello")
    desk.set_status(11, "open", tell=False)  # nobody tells the bot
    quiet(desk.boxes)
    assert desk.said(11) == []
    assert any(got.method == "GET" for got in desk.api.got)


@pytest.mark.parametrize(
    "change",
    [
        {"private": True},
        {"message_type": "outgoing"},
        {"message_type": "activity"},
        {"message_type": "template"},
        {"event": "message_updated"},
        {"event": "webwidget_triggered"},
        {"content": None},
        {"conversation": {"id": 12, "status": "open"}},
        {"conversation": {"id": 12, "status": "resolved"}},
    ],
    ids=str,
)
def test_what_is_not_a_customers_message_to_the_bot_is_not_answered(chatwoot: Desk, change: dict[str, object]) -> None:
    desk, client = chatwoot
    message = {**desk._written(12, "hello", "incoming", "contact"), **change}
    assert desk.post(json.dumps(message).encode()) == 200
    quiet(desk.boxes)
    assert desk.said(12) == []
    assert client.get("/v1/sessions/1~12").status_code == 404


def test_a_payment_reaches_the_customer_and_a_new_episode_follows(chatwoot: Desk) -> None:
    """Words of an event from outside go out, once, also if the event is posted twice; then the customer begins anew."""
    desk, client = chatwoot
    for n, text in enumerate(("hello", "2", "order them"), 1):
        desk.customer(13, text)
        settled(desk, 13, n)
    assert state(client, 13)["state"] == "paying"
    for _ in range(2):
        paid = client.post("/v1/sessions/1~13/events", json={"event": "paid", "key": "pay-1"})
        assert paid.status_code == 200
    words = paid.json()["reply"]["text"]
    assert settled(desk, 13, 4)[3:] == [words]
    desk.customer(13, "more tea, 5 tins")
    assert settled(desk, 13, 5)[-1] == "5 tins?"
    assert state(client, 13)["episode"] == 2


def test_what_was_said_elsewhere_is_not_said_again_here(chatwoot: Desk) -> None:
    """Before the first message by webhook, and between two: replies by HTTP went to whoever asked there."""
    desk, client = chatwoot
    client.post("/v1/sessions/1~17/messages", json={"text": "hello", "message_id": "n1"})
    desk.customer(17, "tea please")
    assert len(settled(desk, 17, 1)) == 1
    client.post("/v1/sessions/1~17/messages", json={"text": "what?", "message_id": "n2"})
    desk.customer(17, "3")
    said = settled(desk, 17, 2)
    assert (len(said), said[1]) == (2, "3 tins?")
    assert state(client, 17)["turn"] == 4


def test_a_session_that_was_purged_begins_anew(chatwoot: Desk, tmp_path: Path) -> None:
    """Its log is shorter than what was sent of the old one."""
    desk, _ = chatwoot
    for n, text in enumerate(("hello", "2"), 1):
        desk.customer(18, text)
        settled(desk, 18, n)
    subprocess.run(
        [
            sys.executable,
            "-m",
            "maitred",
            "sessions",
            "purge",
            "local:tea:1~18",
            "--db",
            str(tmp_path / "tea.db"),
            "--yes",
        ],
        check=True,
        capture_output=True,
    )
    desk.customer(18, "tea please")
    assert settled(desk, 18, 3)[2:] == ["How many?"]


def test_a_reply_that_fails_is_sent_again_and_order_is_kept(chatwoot: Desk) -> None:
    desk, _ = chatwoot
    desk.fail_next += [500, 500]
    desk.customer(14, "hello")
    settled(desk, 14, 1)
    desk.customer(14, "3")
    assert settled(desk, 14, 2) == ["How many?", "3 tins?"]


def test_a_bot_that_may_not_look_sends_all_the_same(chatwoot: Desk) -> None:
    """An older Chatwoot refuses a bot's token there."""
    desk, _ = chatwoot
    desk.bot_may_look = False
    desk.customer(15, "hello")
    assert settled(desk, 15, 1) == ["How many?"]


def test_attachments_are_told_of(chatwoot: Desk) -> None:
    desk, client = chatwoot
    file = {"file_type": "image", "data_url": "https://chat.example/x.png"}
    desk.customer(16, "", attachments=[file])
    assert len(settled(desk, 16, 1)) == 1
    assert state(client, 16)["turn"] == 1


class TestDoor:
    """Who may speak to the webhook, and what is said to others."""

    def test_a_wrong_secret(self, chatwoot: Desk) -> None:
        desk, client = chatwoot
        body = json.dumps(desk._written(20, "hello", "incoming", "contact")).encode()
        assert desk.post(body, secret="another") == 401
        assert desk.post(body, at=time.time() - 400) == 401
        assert httpx2.post(desk.bot, content=body).status_code == 401
        assert client.get("/v1/sessions/1~20").status_code == 404

    def test_a_changed_body(self, chatwoot: Desk) -> None:
        desk, _ = chatwoot
        refused = httpx2.post(
            desk.bot,
            content=b'{"event": "message_created"}',
            headers={"x-chatwoot-timestamp": str(int(time.time())), "x-chatwoot-signature": "sha256=" + "0" * 64},
        )
        assert refused.status_code == 401
        assert "secret" in refused.json()["error"]["message"]

    def test_another_account_and_a_conversation_that_is_a_path(self, chatwoot: Desk) -> None:
        """Where letters go comes from the settings, and a payload cannot lead them elsewhere."""
        desk, _ = chatwoot
        message = desk._written(21, "hello", "incoming", "contact")
        assert desk.post(json.dumps({**message, "account": {"id": 2}}).encode()) == 400
        status = {"event": "conversation_status_changed", "id": 21, "status": "open"}
        for told in ({"account": {"id": 2}}, {"account_id": 2}, {"messages": [{"account_id": 2}]}):
            assert desk.post(json.dumps({**status, **told}).encode()) == 400
        path = {"id": "1/../../2/conversations/3", "status": "pending"}
        assert desk.post(json.dumps({**message, "conversation": path}).encode()) == 400

    @pytest.mark.parametrize("body", [b"", b"[]", b"nonsense", b'{"event":"message_created"}', b"\xff", b"[" * 9000])
    def test_a_signed_body_that_cannot_be_read(self, chatwoot: Desk, body: bytes) -> None:
        """Never 500: Chatwoot would send it again."""
        assert chatwoot[0].post(body) == 400

    def test_too_long_and_unknown(self, chatwoot: Desk) -> None:
        desk, client = chatwoot
        assert desk.post(b"x" * 1_000_001) == 413
        assert client.post("/webhooks/another", content=b"{}").status_code == 404
        assert client.put("/webhooks/desk", content=b"{}").status_code == 405

    def test_the_document_has_both_methods(self, chatwoot: Desk) -> None:
        document = chatwoot[1].get("/openapi.json").json()
        assert set(document["paths"]["/webhooks/{name}"]) == {"get", "post"}

    def test_a_key_of_the_service_is_neither_needed_nor_enough(self, chatwoot: Desk) -> None:
        _, client = chatwoot
        assert client.post("/webhooks/desk", content=b"{}", headers={"authorization": "Bearer x"}).status_code == 401
