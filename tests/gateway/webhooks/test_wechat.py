"""A WeChat Official Account over real sockets: `success` at once, the reply later by the customer-service API."""

import time

import httpx2
import pytest

from .desks import WeChat, quiet, until

Desk = tuple[WeChat, httpx2.Client]


def replied(desk: WeChat, count: int) -> list[tuple[str, str]]:
    until(lambda: len(desk.sent) >= count, f"reply {count}")
    quiet(desk.boxes)
    return desk.sent


def test_the_address_is_checked(wechat: Desk) -> None:
    """WeChat asks for the echo before it sends anything."""
    desk, _ = wechat
    asked = httpx2.get(desk.bot, params=desk.query(echostr="81726354"))
    assert (asked.status_code, asked.text) == (200, "81726354")
    wrong = httpx2.get(desk.bot, params={**desk.query(echostr="1"), "signature": "0" * 40})
    assert wrong.status_code == 401
    assert wrong.text != "1"


def test_a_customer_is_answered_in_chinese(wechat: Desk) -> None:
    """Sent as it is, not escaped; the desk looks."""
    desk, _ = wechat
    desk.customer("openid-1", "你好", 1)
    assert desk.answers == ["success"]
    assert replied(desk, 1) == [("openid-1", "How many?")]
    desk.customer("openid-1", "转人工", 2)
    who, said = replied(desk, 2)[1]
    assert who == "openid-1"
    assert any("\u4e00" <= letter <= "\u9fff" for letter in said)
    assert desk.issued == 1  # one access token for all


def test_the_same_message_again_is_no_second_one(wechat: Desk) -> None:
    desk, client = wechat
    for _ in range(3):
        desk.customer("openid-2", "hello", 7)
    replied(desk, 1)
    desk.customer("openid-2", "hello", 7)
    assert len(replied(desk, 1)) == 1
    assert client.get("/v1/sessions/gh_1~openid-2").json()["turn"] == 1


def test_who_is_with_a_human_is_not_answered_until_given_back(wechat: Desk) -> None:
    """WeChat tells of no human, so the session says who has it; the return is by HTTP."""
    desk, client = wechat
    desk.customer("openid-3", "a human please", 1)
    replied(desk, 1)
    desk.customer("openid-3", "3 tins", 2)
    quiet(desk.boxes)
    assert len(desk.sent) == 1
    back = client.post("/v1/sessions/gh_1~openid-3/resume", json={"key": "back-1"}).json()["reply"]["text"]
    assert replied(desk, 2)[-1] == ("openid-3", back)
    desk.customer("openid-3", "4 tins", 3)
    assert replied(desk, 3)[-1] == ("openid-3", "4 tins?")


def test_an_access_token_that_ended_early_is_fetched_again(wechat: Desk) -> None:
    desk, _ = wechat
    desk.customer("openid-4", "hello", 1)
    replied(desk, 1)
    desk.issued += 1  # elsewhere
    desk.customer("openid-4", "3", 2)
    assert replied(desk, 2)[-1] == ("openid-4", "3 tins?")


def test_what_wechat_will_never_take_is_given_up_and_the_next_is_sent(wechat: Desk) -> None:
    """45015: more than 48 hours since the customer wrote."""
    desk, _ = wechat
    desk.codes += [45015]
    desk.customer("openid-5", "hello", 1)
    until(lambda: not desk.codes, "the refusal")
    quiet(desk.boxes)
    desk.customer("openid-5", "3", 2)
    assert replied(desk, 1) == [("openid-5", "3 tins?")]


def test_a_busy_wechat_is_asked_again(wechat: Desk) -> None:
    desk, _ = wechat
    desk.codes += [-1]
    desk.customer("openid-6", "hello", 1)
    assert replied(desk, 1) == [("openid-6", "How many?")]


EVENT = (
    "<xml><ToUserName>gh_1</ToUserName><FromUserName>openid-7</FromUserName><CreateTime>{at}</CreateTime>"
    "<MsgType>event</MsgType><Event>{event}</Event><EventKey>{key}</EventKey></xml>"
)


def test_one_reply_too_many_waits_until_the_customer_writes_again(wechat: Desk) -> None:
    """45047: the handful that may follow a message is used up. Nothing is lost, and the order is kept."""
    desk, _ = wechat
    desk.codes += [45047]
    desk.customer("openid-8", "hello", 1)
    assert replied(desk, 1) == [("openid-8", "How many?")]


def test_an_event_is_no_message_but_a_click_in_the_menu_is(wechat: Desk) -> None:
    """Known again by who and when."""
    desk, client = wechat
    desk.deliver(EVENT.format(at=int(time.time()), event="subscribe", key=""))
    quiet(desk.boxes)
    assert client.get("/v1/sessions/gh_1~openid-7").status_code == 404
    click = EVENT.format(at=int(time.time()) + 1, event="CLICK", key="3 tins")
    desk.deliver(click)
    desk.deliver(click)
    assert replied(desk, 1) == [("openid-7", "3 tins?")]


def test_two_events_of_one_second_are_two(wechat: Desk) -> None:
    """A page that is opened beside a click in the menu has the same sender and time; the click is answered."""
    desk, _ = wechat
    at = int(time.time())
    desk.deliver(EVENT.format(at=at, event="VIEW", key="https://shop.example.com"))
    desk.deliver(EVENT.format(at=at, event="CLICK", key="3 tins"))
    assert replied(desk, 1) == [("openid-7", "3 tins?")]


@pytest.mark.parametrize(
    ("xml", "why"),
    [
        ("nonsense", "not XML"),
        ('<?xml version="1.0" encoding="x-no-such"?><xml/>', "not XML"),
        ('<?xml version="1.0" encoding="hex"?><xml/>', "not XML"),
        ('<!DOCTYPE x [<!ENTITY a "tea">]><xml><Content>&a;</Content></xml>', "DTD"),
        ('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><xml>&a;</xml>', "DTD"),
        ("<xml><ToUserName>gh_1</ToUserName><Encrypt>abc</Encrypt></xml>", "encrypted"),
        ("<xml><ToUserName>gh_1</ToUserName><MsgType>text</MsgType></xml>", "CreateTime"),
        ("<xml><CreateTime>5</CreateTime><MsgType>text</MsgType></xml>", "account"),
        ("", "not XML"),
    ],
)
def test_a_body_that_cannot_be_read_is_refused(wechat: Desk, xml: str, why: str) -> None:
    desk, _ = wechat
    refused = httpx2.post(desk.bot, params=desk.query(), content=xml.encode())
    assert refused.status_code == 400
    assert why in refused.json()["error"]["message"]


def test_an_old_signature_is_refused(wechat: Desk) -> None:
    desk, _ = wechat
    old = desk.query(stamp=str(int(time.time()) - 400))
    assert httpx2.post(desk.bot, params=old, content=b"<xml/>").status_code == 401
