"""What docs/webhooks.md shows does what it says: the channel of one's own, and the events of a program."""

import json
import re
from pathlib import Path
from typing import Any

import httpx2

from maitred.gateway.webhooks.settings import make_webhook

from ..in_process import app_of, running, tea_flow
from .desks import Api, Got, Shop, quiet, until

TEXT = (Path(__file__).parents[3] / "docs" / "webhooks.md").read_text(encoding="utf-8")


def block(language: str, n: int = 0) -> str:
    return str(re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)[n])


def test_the_channel_of_ones_own(tmp_path: Path) -> None:
    """In under 60 lines, behind a real socket, with an API that fails once."""
    code = block("python")
    assert len(code.splitlines()) < 60
    (tmp_path / "telegram.py").write_text(code, encoding="utf-8")
    failures = [500]

    def answer(got: Got) -> tuple[int, Any]:
        return (failures.pop(), {}) if failures else (200, {"ok": True, "result": {"message_id": 1}})

    api = Api(answer)
    given = {"secret": "s3cret", "token": "42:abc", "api_base": api.url, "tenant": "local", "settle_s": 0.1}
    webhook = make_webhook("telegram.py:Telegram", "telegram", given, tmp_path)
    with running(app_of(tea_flow(), str(tmp_path / "tea.db"), webhooks=[webhook])) as client:
        chat = {"chat": {"id": -77}, "from": {"id": 5, "is_bot": False}}
        update = {"update_id": 1, "message": {"message_id": 1, "text": "3 tins", **chat}}
        headers = {"x-telegram-bot-api-secret-token": "s3cret"}
        for _ in range(2):
            assert client.post("/webhooks/telegram", json=update, headers=headers).status_code == 200
        assert client.post("/webhooks/telegram", json=update).status_code == 401
        until(lambda: len(api.got) == 2, "the second attempt")
        quiet(tmp_path / "tea.webhooks.db")
    assert [(got.path, got.body) for got in api.got] == [
        ("/bot42:abc/sendMessage", {"chat_id": "-77", "text": "3 tins?"})
    ] * 2
    api.close()


def test_the_event_of_a_program(shop: tuple[Shop, httpx2.Client]) -> None:
    """`type` and `data` as they stand there, both ways."""
    desk, _ = shop
    sent, replied = (json.loads(block("json", n)) for n in (0, 1))
    assert desk.send(sent["data"], "m1", sent["type"]).status_code == 200
    (event,) = until(lambda: list(desk.got.values()), "the reply")
    assert event["type"] == replied["type"]
    assert event["data"].keys() == replied["data"].keys()
