"""WeChat in safe mode: what is sealed is heard and answered, and nothing that only looks so."""

import sys
import time

import httpx2
import pytest

from maitred.gateway.webhooks.wechat import WeChat as Channel
from maitred.protocol.errors import BadRequest

from .desks import WeChat, quiet, until

Desk = tuple[WeChat, httpx2.Client]
PLAIN = (
    "<xml><ToUserName>gh_1</ToUserName><FromUserName>openid-1</FromUserName><CreateTime>{at}</CreateTime>"
    "<MsgType>text</MsgType><Content>{text}</Content><MsgId>{number}</MsgId></xml>"
)


def message(text: str = "3 tins", number: int = 1) -> str:
    return PLAIN.format(at=int(time.time()), text=text, number=number)


def test_a_customer_is_answered(sealed_wechat: Desk) -> None:
    """In both languages, at every length of the padding."""
    desk, _ = sealed_wechat
    desk.customer("openid-1", "你好", 1)
    until(lambda: len(desk.sent) == 1, "the first reply")
    desk.customer("openid-1", "3 tins" + " " * 31, 2)
    until(lambda: len(desk.sent) == 2, "the second reply")
    assert desk.answers == ["success", "success"]
    assert desk.sent == [("openid-1", "How many?"), ("openid-1", "3 tins?")]


def test_compatible_mode_counts_what_is_sealed_alone(sealed_wechat: Desk) -> None:
    """There the message stands beside it in plain text, which nobody signed."""
    desk, _ = sealed_wechat
    query, body = desk.sealed(message("3 tins"))
    forged = message("900 tins").removeprefix("<xml>").removesuffix("</xml>")
    assert httpx2.post(desk.bot, params=query, content=body.replace("</xml>", f"{forged}</xml>")).text == "success"
    until(lambda: desk.sent == [("openid-1", "3 tins?")], "the reply")


def test_a_plain_message_is_refused(sealed_wechat: Desk) -> None:
    """Its signature would cover no word of it."""
    desk, client = sealed_wechat
    refused = httpx2.post(desk.bot, params=desk.query(), content=message().encode())
    assert refused.status_code == 401
    assert client.get("/v1/sessions/gh_1~openid-1").status_code == 404


def test_what_was_changed_on_the_way_is_refused(sealed_wechat: Desk) -> None:
    desk, _ = sealed_wechat
    query, body = desk.sealed(message("3 tins"))
    _, other = desk.sealed(message("9 tins"))
    assert httpx2.post(desk.bot, params=query, content=other.encode()).status_code == 401
    assert httpx2.post(desk.bot, params={**query, "nonce": "n2"}, content=body.encode()).status_code == 401
    quiet(desk.boxes)
    assert desk.sent == []


@pytest.mark.parametrize(
    ("aes_key", "app_id", "why"),
    [("z" * 43, "wx1", "aes_key"), ("", "wx2", "app_id")],
)
def test_another_key_or_account_is_refused(sealed_wechat: Desk, aes_key: str, app_id: str, why: str) -> None:
    """The error says which setting to look at."""
    desk, _ = sealed_wechat
    desk.aes_key, desk.app_id = aes_key or desk.aes_key, app_id
    query, body = desk.sealed(message())
    refused = httpx2.post(desk.bot, params=query, content=body.encode())
    assert refused.status_code == 400
    assert why in refused.json()["error"]["message"]


@pytest.mark.parametrize("sealed", ["", "abc", "AAAA", "A" * 44, "<b/>", "\u4e2d"])
def test_what_is_no_sealed_message_is_refused(sealed_wechat: Desk, sealed: str) -> None:
    desk, _ = sealed_wechat
    stamp = desk.query()
    query = {**stamp, "msg_signature": desk.signature(stamp, sealed)}
    refused = httpx2.post(desk.bot, params=query, content=f"<xml><Encrypt>{sealed}</Encrypt></xml>".encode())
    assert refused.status_code in (400, 401)


@pytest.mark.parametrize("key", ["short", "a" * 44, "-" * 43, "\u4e2d" * 43])
def test_a_key_that_is_none_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(BadRequest, match="43") as refused:
        Channel(name="wx", secret="t", app_id="wx1", app_secret="s", aes_key=key)
    assert key not in str(refused.value)


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers", None)
    with pytest.raises(BadRequest, match=r"maitred\[wechat\]"):
        Channel(name="wx", secret="t", app_id="wx1", app_secret="s", aes_key="a" * 43)
