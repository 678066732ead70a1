"""What a key may: chat, read, act; and which flows it is for."""

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from maitred.gateway.keys import RIGHTS, make_key

from .in_process import app_of, chat_body, running, tea_flow

SECRETS = {right: f"{right}-secret-of-the-test" for right in (*RIGHTS, "all", "foreign")}
MESSAGES, SESSION = "/v1/sessions/1/messages", "/v1/sessions/1"
ROUTES: list[tuple[str, str, dict[str, Any] | None, dict[str, str], set[str]]] = [
    ("POST", "/v1/chat/completions", chat_body("5"), {}, {"chat"}),
    ("POST", "/v1/chat/completions", {**chat_body("5"), "stream": True}, {}, {"chat"}),
    ("POST", "/v1/responses", {"model": "tea", "input": "5"}, {}, {"chat"}),
    ("POST", MESSAGES, {"text": "5"}, {}, {"chat"}),
    ("POST", MESSAGES, {"text": "5"}, {"accept": "text/event-stream"}, {"chat", "read"}),
    ("GET", SESSION, None, {}, {"read"}),
    ("GET", f"{SESSION}/events", None, {}, {"read"}),
    ("GET", "/v1/responses/resp-1", None, {}, {"read"}),
    ("POST", f"{SESSION}/events", {"event": "paid", "key": "p1"}, {}, {"act"}),
    ("POST", f"{SESSION}/resume", {"key": "r1"}, {}, {"act"}),
    ("GET", "/v1/models", None, {}, set()),
]


@pytest.fixture(scope="module")
def client() -> Iterator[httpx2.Client]:
    keys = [make_key(right, SECRETS[right], "acme", may=(right,)) for right in sorted(RIGHTS)]
    keys.append(make_key("all", SECRETS["all"], "acme"))
    keys.append(make_key("foreign", SECRETS["foreign"], "acme", flows=("coffee", "cocoa")))
    with running(app_of(tea_flow(), keys=keys)) as opened:
        yield opened


def ask(client: httpx2.Client, key: str, method: str, path: str, body: Any, headers: dict[str, str]) -> tuple[int, str]:
    """Status and code; of a stream only how it begins."""
    headers = {"authorization": f"Bearer {SECRETS[key]}", **headers}
    with client.stream(method, path, json=body, headers=headers) as answer:
        refused = answer.status_code >= 400
        return answer.status_code, str(answer.read() and answer.json()["error"]["code"]) if refused else ""


@pytest.mark.parametrize(("method", "path", "body", "headers", "needs"), ROUTES)
def test_a_key_opens_what_it_may_and_nothing_else(
    client: httpx2.Client, method: str, path: str, body: Any, headers: dict[str, str], needs: set[str]
) -> None:
    """Of each route, with each key that has one right; one that has all is never refused so."""
    for right in sorted(RIGHTS):
        status, code = ask(client, right, method, path, body, headers)
        assert (code == "key_not_allowed") is bool(needs - {right}), (right, status, code)
        assert (status == 403) is bool(needs - {right})
    assert ask(client, "all", method, path, body, headers)[1] != "key_not_allowed"


def test_what_a_refused_key_sent_left_nothing_behind(client: httpx2.Client) -> None:
    everything = {"authorization": f"Bearer {SECRETS['all']}"}
    assert ask(client, "read", "POST", "/v1/sessions/new/messages", {"text": "5"}, {})[0] == 403
    assert client.get("/v1/sessions/new", headers=everything).status_code == 404


def test_a_key_of_another_flow_opens_nothing(client: httpx2.Client) -> None:
    """Not even the list of models."""
    for method, path, body, headers, _ in ROUTES:
        assert ask(client, "foreign", method, path, body, headers) == (403, "key_not_allowed")


def test_every_route_under_v1_asks_for_a_right(client: httpx2.Client) -> None:
    """A route that is added has to be thought of here."""
    document = client.get("/openapi.json").json()["paths"]
    there = {
        (method.upper(), path) for path, methods in document.items() if path.startswith("/v1/") for method in methods
    }
    without = {("GET", "/v1/models"), ("GET", "/v1/models/{name}"), ("DELETE", "/v1/responses/{response_id}")}
    tried = {
        (m, p.replace("/sessions/1", "/sessions/{session}").replace("resp-1", "{response_id}")) for m, p, *_ in ROUTES
    }
    assert there - without <= tried
