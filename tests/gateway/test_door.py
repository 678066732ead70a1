"""Who may come in, how often, how many at once, with how much; and what they are told."""

import hmac
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

from maitred.gateway.keys import Keyring, make_key, parse_keys
from maitred.gateway.limits import Rate, Room
from maitred.gateway.settings import GatewaySettings
from maitred.protocol.errors import BadRequest
from maitred.tools.tool import tool

from .in_process import app_of, chat_body, running, tea_flow

OLD, NEW, OTHER = "old-" + "x" * 20, "new-" + "x" * 20, "rival-" + "x" * 20
KEYS = parse_keys(f"old@acme:{OLD},new@acme:{NEW},rival:{OTHER}")
CHAT = "/v1/chat/completions"


def bearer(secret: str) -> dict[str, str]:
    return {"authorization": f"Bearer {secret}"}


@contextmanager
def tea(**settings: Any) -> Iterator[httpx2.Client]:
    with running(app_of(tea_flow(), keys=KEYS, settings=GatewaySettings(**settings))) as client:
        yield client


@pytest.mark.parametrize(
    "headers",
    [{}, {"authorization": "Bearer"}, bearer(OLD[:-1]), bearer(OLD + "x"), bearer("ключ"), {"authorization": OLD}],
    ids=["none", "empty", "short", "long", "foreign", "no scheme"],
)
def test_without_a_key_nothing_opens(headers: dict[str, str]):
    """Nothing of /v1; what tells that the service lives does."""
    with tea() as client:
        sent = {name: value.encode() for name, value in headers.items()}
        for method, path in (("POST", CHAT), ("GET", "/v1/models"), ("GET", "/v1/sessions/1"), ("GET", "/v1/nothing")):
            answer = client.request(method, path, headers=sent)
            assert (answer.status_code, answer.json()["error"]["code"]) == (401, "invalid_api_key")
        assert client.get("/healthz").status_code == client.get("/readyz").status_code == 200


def test_a_key_can_be_exchanged_without_a_gap():
    """Both keys of a tenant see the same sessions; another tenant's sees none of them."""
    with tea() as client:
        client.post("/v1/sessions/1/messages", json={"text": "5"}, headers=bearer(OLD))
        assert client.get("/v1/sessions/1", headers=bearer(NEW)).json()["data"] == {"tins": 5}
        assert client.get("/v1/sessions/1", headers=bearer(OTHER)).status_code == 404


def test_every_key_is_compared():
    """Whichever fits; on hashes of one length, by the comparison whose time tells nothing."""
    compared: list[tuple[bytes, bytes]] = []

    def watched(one: bytes, two: bytes) -> bool:
        compared.append((one, two))
        return hmac.compare_digest(one, two)

    assert Keyring(KEYS, watched).key_of(f"Bearer {OLD}") is KEYS[0]
    assert len(compared) == len(KEYS)
    assert {len(digest) for pair in compared for digest in pair} == {32}
    assert Keyring.__init__.__defaults__ == ((), hmac.compare_digest)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a:short", "16 or more"),
        (f"a b:{OLD}", "name"),
        (f"a@b c:{OLD}", "tenant"),
        (f"a:{OLD},a:{NEW}", "two keys are named 'a'"),
        (f"a:{OLD},b:{OLD}", "same secret"),
        ("a:" + "ü" * 20, "ASCII"),
    ],
)
def test_a_wrong_key_is_told_and_not_shown(text: str, problem: str):
    """Which one, and what is wrong with it."""
    with pytest.raises(BadRequest, match=problem) as refused:
        Keyring(parse_keys(text))
    assert OLD not in str(refused.value)


def test_a_bare_secret_is_a_key():
    """What a newcomer writes."""
    (key,) = parse_keys(f" {OLD} ")
    assert (key.name, key.tenant) == ("key1", "main")
    assert make_key("webui", OLD).tenant == "webui"


@pytest.mark.parametrize("with_length", [True, False])
def test_a_body_too_large_is_refused(with_length: bool):
    """By its length, or counted as it comes."""
    body = json.dumps(chat_body("x" * 3000)).encode()
    content = body if with_length else iter([body[:1000], body[1000:]])
    with tea(body_bytes=2000) as client:
        headers = {**bearer(OLD), "content-type": "application/json"}
        answer = client.post(CHAT, content=content, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "body_too_large")
        assert client.post(CHAT, json=chat_body("hi"), headers=headers).status_code == 200


def test_too_many_requests_wait():
    """Those of one tenant; the others do not."""
    with tea(rate_per_s=0.001, burst=2) as client:
        codes = [client.get("/v1/models", headers=bearer(key)).status_code for key in (OLD, NEW, OLD, OTHER)]
        assert codes == [200, 200, 429, 200]
        refused = client.get("/v1/models", headers=bearer(OLD))
        assert refused.json()["error"]["type"] == "rate_limit_error"
        assert int(refused.headers["retry-after"]) > 0


def test_a_bucket_fills_again():
    """As time goes, and never beyond its size."""
    now = [0.0]
    rate = Rate(2.0, 2, lambda: now[0])
    assert [rate.wait_s("a") for _ in range(3)] == [0.0, 0.0, 0.5]
    now[0] = 0.5
    assert rate.wait_s("a") == 0.0
    now[0] = 100.0
    assert [rate.wait_s("a") == 0.0 for _ in range(3)] == [True, True, False]


def test_room_is_given_by_name_and_in_all():
    """One name that has all it may leaves room for others, until all of it is taken; what is given back is free again."""
    room = Room(total=3, each=2)
    assert [room.enter(name) for name in ("a", "a", "a", "b", "b", "c")] == [True, True, False, True, False, False]
    room.leave("a")
    assert (room.enter("c"), room.enter("a"), room.taken) == (True, False, 3)


def test_a_turn_keeps_its_place_until_it_is_done():
    """One at work, another refused; the first is answered."""
    entered, go = threading.Event(), threading.Event()

    @tool(effect="none", timeout_s=30, name="order_tea")
    def slow(tins: int) -> str:
        """Wait."""
        entered.set()
        go.wait(20)
        return "ordered"

    app = app_of(tea_flow(slow), keys=KEYS, settings=GatewaySettings(turns_at_once=1))
    with running(app) as client:
        named = {**bearer(OLD), "x-conversation-id": "1"}
        client.post(CHAT, json=chat_body("5"), headers=named)
        answers: list[httpx2.Response] = []
        first = threading.Thread(
            target=lambda: answers.append(
                client.post(CHAT, json=chat_body("5", "5 tins?", "order them"), headers=named)
            )
        )
        first.start()
        assert entered.wait(20)
        refused = client.post(CHAT, json=chat_body("hi"), headers=bearer(OTHER))
        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "too_many_at_once")
        go.set()
        first.join()
        assert answers[0].status_code == 200
        assert client.post(CHAT, json=chat_body("hi"), headers=bearer(OTHER)).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "content", "status"),
    [
        ("POST", CHAT, b"{", 400),
        ("POST", CHAT, b"[" * 100_000, 400),
        ("POST", CHAT, b'"words"', 400),
        ("GET", CHAT, b"", 405),
        ("GET", "/v1/nothing", b"", 404),
        ("GET", "/v1/models/nothing", b"", 404),
    ],
)
def test_every_error_has_the_same_form(method: str, path: str, content: bytes, status: int):
    """OpenAI's, whatever went wrong."""
    with tea() as client:
        headers = {**bearer(OLD), "content-type": "application/json"}
        answer = client.request(method, path, content=content, headers=headers)
        assert answer.status_code == status
        assert set(answer.json()["error"]) == {"message", "type", "param", "code"}


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8000", 200),
        ("127.0.0.1", 200),
        ("[::1]:80", 200),
        ("evil.example", 403),
        ("[::1", 403),
        ("10.0.0.1", 403),
    ],
)
def test_without_keys_only_this_machines_own_names_open(host: str, status: int):
    """A web page that leads its name to this machine gets nothing."""
    with running(app_of(tea_flow())) as client:
        assert client.get("/v1/models", headers={"host": host}).status_code == status


def test_a_body_that_is_not_said_to_be_json_is_refused():
    """With what to send: `curl -d` alone does not; nor may a web page that is not asked."""
    with tea() as client:
        for kind in ("application/x-www-form-urlencoded", "text/plain"):
            headers = {**bearer(OLD), "content-type": kind}
            answer = client.post(CHAT, content=json.dumps(chat_body("hi")), headers=headers)
            assert (answer.status_code, "Content-Type" in answer.text) == (400, True)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"{bad", "the body is not JSON: Expecting property name enclosed in double quotes, at character 1"),
        (b'{"model": ', "the body is not JSON: Expecting value, at character 10"),
    ],
)
def test_a_body_that_is_no_json_says_so_and_where(content: bytes, says: str):
    """A quoting mistake in a shell is the first thing that goes wrong with curl."""
    with tea() as client:
        answer = client.post(CHAT, content=content, headers={**bearer(OLD), "content-type": "application/json"})
        assert answer.status_code == 400
        assert (answer.json()["error"]["message"], answer.json()["error"]["param"]) == (says, None)


def test_the_document_lists_what_there_is():
    """OpenAPI, with the key that it takes."""
    with tea() as client:
        document = client.get("/openapi.json").json()
        assert {CHAT, "/v1/models", "/v1/sessions/{session}/messages", "/healthz"} <= set(document["paths"])
        assert document["paths"][CHAT]["post"]["security"] == [{"HTTPBearer": []}]


def test_no_page_loads_a_script_of_somebody_elses():
    """FastAPI's own pages do, so they are not there; the document is."""
    with tea() as client:
        assert client.get("/docs").status_code == client.get("/redoc").status_code == 404
        assert client.get("/openapi.json").status_code == 200
