"""Bodies that come slowly, too large, or as JSON that is meant to hurt: refused plainly, at nobody else's cost."""

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx2
import pytest

from maitred.gateway.bodies import MAX_CONTAINERS, MAX_DEPTH, MAX_VALUES, json_problem, repeated_key
from maitred.gateway.keys import parse_keys
from maitred.gateway.settings import GatewaySettings

from .in_process import app_of, chat_body, running, tea_flow
from .served import SECRET, Start

SLOW, OTHER = "slow-" + "x" * 20, "rival-" + "x" * 20
KEYS = parse_keys(f"slow:{SLOW},rival:{OTHER}")
CHAT = "/v1/chat/completions"


def bearer(secret: str) -> dict[str, str]:
    return {"authorization": f"Bearer {secret}"}


@contextmanager
def tea(**settings: Any) -> Iterator[httpx2.Client]:
    with running(app_of(tea_flow(), keys=KEYS, settings=GatewaySettings(**settings))) as client:
        yield client


def opened(client: httpx2.Client) -> socket.socket:
    return socket.create_connection((client.base_url.host, client.base_url.port or 80), timeout=20)


def half_sent(client: httpx2.Client, secret: str = SLOW, path: str = CHAT) -> socket.socket:
    """A request of which the second half of the body never comes."""
    sending = opened(client)
    head = f"POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {secret}\r\ncontent-type: application/json\r\n"
    sending.sendall(f'{head}content-length: 100\r\n\r\n{{"model": "tea", '.encode())
    return sending


def answer_on(connection: socket.socket) -> str:
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts).decode()


def test_slow_bodies_of_one_tenant_shut_nobody_else_out():
    """They take their tenant's room and no turn's; another tenant is answered, and so is whoever asks whether all is well."""
    with tea(tenant_turns_at_once=8, turns_at_once=16) as client, ExitStack() as stack:
        for _ in range(8):
            stack.enter_context(half_sent(client))
        for _ in range(20):  # the last of them may still be on its way
            ninth = client.post(CHAT, json=chat_body("hi"), headers=bearer(SLOW))
            if ninth.status_code == 429:
                break
        assert ninth.json()["error"]["code"] == "too_many_at_once"
        assert client.post(CHAT, json=chat_body("hi"), headers=bearer(OTHER)).status_code == 200
        assert client.get("/v1/models", headers=bearer(SLOW)).status_code == 200
        assert client.get("/readyz").status_code == 200


@pytest.mark.parametrize("path", [CHAT, "/healthz"])
def test_a_body_that_does_not_come_is_no_longer_waited_for(path: str):
    """Also on a route without a key; then there is room again."""
    with tea(body_s=0.3, tenant_turns_at_once=1) as client:
        with half_sent(client, path=path) as sending:
            answer = answer_on(sending)
        assert answer.startswith("HTTP/1.1 408")
        assert "body_too_slow" in answer
        assert client.post(CHAT, json=chat_body("hi"), headers=bearer(SLOW)).status_code == 200


def test_a_client_that_goes_away_gives_its_room_back():
    """In the middle of its body."""
    with tea(tenant_turns_at_once=1) as client:
        half_sent(client).close()
        for _ in range(200):
            last = client.post(CHAT, json=chat_body("hi"), headers=bearer(SLOW), timeout=20)
            if last.status_code == 200:
                break
        assert last.status_code == 200


def test_a_head_that_does_not_come_is_hung_up_on(serve: Start, tmp_path):
    """A byte now and then does not keep a connection: before a first request, behind one, and behind one that was refused."""
    (tmp_path / "m.toml").write_text("[serve]\nheaders_s = 0.5\n")
    service = serve("--settings", "m.toml")
    host, port = service.address.removeprefix("http://").split(":")
    whole = f"GET /v1/models HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {SECRET}\r\n\r\n"
    refused = f"POST {CHAT} HTTP/1.1\r\nhost: {host}\r\ncontent-length: 1000\r\n\r\n"
    for begun in ("GET / HT", f"{whole}\r\n\r\n", f"{whole}GET /", f"{refused}x"):
        with socket.create_connection((host, int(port)), timeout=20) as sending:
            sending.sendall(begun.encode())
            answer_on(sending)  # ends when they hang up; a timeout fails the test
    with service.http() as http:
        assert http.get("/v1/models").status_code == 200


def test_a_head_without_end_is_hung_up_on(serve: Start):
    """It is not kept in memory for as long as it comes."""
    host, port = serve().address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as sending, pytest.raises(OSError, match=r"."):  # noqa: PT012
        sending.sendall(b"GET / HTTP/1.1\r\nx: ")
        for _ in range(5000):
            sending.sendall(b"x" * 65536)


DEEP = MAX_DEPTH + 1


@pytest.mark.parametrize(
    "body",
    [
        b"[" * DEEP + b"]" * DEEP,
        b'{"a":' * 100_000,
        b"[" * 1_000_000,
        b"[" + b"{}," * MAX_CONTAINERS + b"1]",
        b"[" + b"0," * MAX_VALUES + b"0,0]",
        b'{"model": "tea", "messages": [{"role": "user", "content": "hi"}], "n": ' + b"9" * 5000 + b"}",
        b'{"model": "tea", "messages": [{"role": "user", "content": "hi"}], "n": 1e999}',
        b'{"model": "tea", "messages": [{"role": "user", "content": "hi"}], "n": NaN}',
        b'{"model": "tea", "messages": [{"role": "user", "content": ' + b"9" * 4000 + b"}]}",
        b"\xff\xfe\x00",
        b"",
    ],
    ids=[
        "deep",
        "deep and broken",
        "very deep",
        "wide",
        "long",
        "digits",
        "infinite",
        "nan",
        "number",
        "utf16",
        "empty",
    ],
)
def test_json_that_is_meant_to_hurt_is_refused(body: bytes):
    """As a bad request in the same form as every other, and the service goes on."""
    with tea() as client:
        headers = {**bearer(SLOW), "content-type": "application/json"}
        answer = client.post(CHAT, content=body, headers=headers)
        assert (answer.status_code, set(answer.json()["error"])) == (400, {"message", "type", "param", "code"})
        assert client.post(CHAT, json=chat_body("hi"), headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("kind", "coding"),
    [("Application/JSON", "utf-8"), ("application/json", "utf-16"), ("application/json", "utf-32-be")],
)
def test_json_is_counted_however_it_is_named_and_written(kind: str, coding: str):
    """A parser takes these as well; in UTF-16 the sign holds the byte of a quote, so what follows looked like text."""
    whole = json.dumps(chat_body("\u2200"), ensure_ascii=False)
    body = f'{whole[:-1]}, "x": {"[" * 100}{"]" * 100}}}'
    with tea() as client:
        answer = client.post(CHAT, content=body.encode(coding), headers={**bearer(SLOW), "content-type": kind})
        assert answer.status_code == 400
        assert "a body is" in answer.json()["error"]["message"]


@pytest.mark.parametrize("path", ["/nothing", "/healthz", "/webhooks/none"])
def test_slow_bodies_of_strangers_shut_no_channel_out(path: str):
    """Who has no key and holds bodies back gives way to whoever sends one at once."""
    with tea(tenant_turns_at_once=4, body_s=60) as client, ExitStack() as stack:
        first = stack.enter_context(half_sent(client, path=path))
        for _ in range(5):
            stack.enter_context(half_sent(client, path=path))
        assert answer_on(first).startswith("HTTP/1.1 408")  # long before its time
        for _ in range(9):
            assert client.post("/nothing", content=b"{}").status_code == 404


def test_what_comes_without_a_key_is_small():
    """Nobody without one fills the memory; who has one may send more."""
    with tea() as client:
        large = b" " * 1_000_001
        assert client.post("/nothing", content=large).status_code == 413
        assert client.post(CHAT, content=large, headers=bearer(SLOW)).status_code == 400


def test_depth_is_of_brackets_and_not_of_text():
    """Whatever a customer writes, quoted or escaped, nests nothing; as deep as allowed is allowed."""
    assert json_problem(json.dumps({"text": '["\\' * 1000 + "{" * 1000}).encode()) is None
    assert json_problem(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH) is None
    assert json_problem(b'["' + b"[" * 200) is None  # a string that does not end is the parser's matter
    assert json_problem(b"[]" * 200) is None


@pytest.mark.parametrize("name", ["authorization", "x-conversation-id", "x-some-session-id", "x-message-id"])
def test_two_answers_to_one_question_are_refused(name: str):
    """A proxy in front may have read the other one; said twice alike is no contradiction."""
    with tea() as client:
        for second, status in (("two", 400), ("one", 401 if name == "authorization" else 200)):
            headers = [(name, "one"), (name, second), *([] if name == "authorization" else bearer(SLOW).items())]
            assert client.post(CHAT, json=chat_body("hi"), headers=headers).status_code == status


@pytest.mark.parametrize(
    ("body", "key"),
    [
        (b'{"model": "tea", "messages": [{"role": "user", "content": "hi"}], "messages": []}', "messages"),
        (b'{"model": "tea", "messages": [{"role": "user", "content": "hi", "c\\u006fntent": "bye"}]}', "content"),
    ],
)
def test_a_key_that_stands_twice_is_refused(body: bytes, key: str):
    """Some parsers take the first, some the last, and a proxy may have looked at the other one; however it is spelled."""
    with tea() as client:
        answer = client.post(CHAT, content=body, headers={"content-type": "application/json", **bearer(SLOW)})
        assert answer.status_code == 400
        assert f"'{key}' stands twice" in answer.json()["error"]["message"]


def test_a_key_that_stands_in_two_objects_does_not_stand_twice():
    """And what is no JSON is told by its parser."""
    assert repeated_key(b'[{"a": {"a": 1}}, {"a": 2}]') is None
    assert repeated_key(b'{"a": 1, "a"') is None
    assert repeated_key("{'a'".encode("utf-16")) is None


@pytest.mark.parametrize(
    "framing",
    [
        "content-length: 5\r\ntransfer-encoding: chunked",
        "content-length: 5\r\ncontent-length: 6",
        "content-length: -5",
        "content-length: 5 5",
        "transfer-encoding: chunked, identity",
        " x-conversation-id: 1",
        "x-conversation-id : 1",
        "x-conversation-id\x00: 1",
    ],
)
def test_requests_that_two_servers_would_read_differently_are_refused(framing: str):
    """So nothing is smuggled behind a proxy: neither a second request nor a header that it should have taken out."""
    with tea() as client, opened(client) as sending:
        head = f"POST {CHAT} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {SLOW}\r\n{framing}\r\n\r\n"
        sending.sendall(f"{head}0\r\n\r\nGET /v1/models HTTP/1.1\r\n\r\n".encode())
        answer = answer_on(sending)
        assert answer.startswith("HTTP/1.1 4")
        assert answer.count("HTTP/1.1") == 1
