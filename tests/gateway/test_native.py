"""The native surface: turns, events, sessions, streams that can be taken up again."""

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from maitred.gateway.native_shapes import place_of
from maitred.gateway.settings import GatewaySettings

from .in_process import app_of, chat_body, running, tea_flow, words

STREAM = {"accept": "text/event-stream"}


@pytest.fixture
def tea() -> Iterator[httpx2.Client]:
    with running(app_of(tea_flow(), settings=GatewaySettings(ping_s=0.2))) as client:
        yield client


def post(client: httpx2.Client, text: str, id_: str, **headers: str) -> httpx2.Response:
    body = {"text": text, "message_id": id_}
    return client.post(
        "/v1/sessions/s1/messages", json=body, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


def events(text: str) -> list[tuple[str, str, dict[str, Any]]]:
    """(id, name, data) of each event; comments are none."""
    found = []
    for block in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append((fields.get("id", ""), fields.get("event", ""), json.loads(fields["data"])))
    return found


def test_a_message_is_a_turn_and_the_same_again_is_none(tea: httpx2.Client):
    """By its id, in the body or as a header; other words under it are refused."""
    first = post(tea, "5", "m1").json()
    assert (first["text"], first["state"], first["session_id"]) == ("5 tins?", "order", "s1")
    assert post(tea, "5", "m1").json() == first
    by_header = tea.post("/v1/sessions/s1/messages", json={"text": "5"}, headers={"Idempotency-Key": "m1"})
    assert by_header.json() == first
    refused = post(tea, "6", "m1")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "request_conflict")
    assert tea.get("/v1/sessions/s1").json()["turn"] == 1


def test_a_session_is_shown_without_what_is_inside(tea: httpx2.Client):
    """Under its own name, with its menu."""
    post(tea, "5", "m1")
    seen = tea.get("/v1/sessions/s1").json()
    assert (seen["session_id"], seen["state"], seen["data"]) == ("s1", "order", {"tins": 5})
    assert "order" in seen["allowed_actions"]
    assert "head" not in seen
    assert tea.get("/v1/sessions/s2").status_code == 404


def test_a_payment_counts_once(tea: httpx2.Client):
    """However often it is delivered; an event that the flow does not have is refused, and one without a key."""
    post(tea, "5", "m1")
    post(tea, "order them", "m2")
    paid = {"event": "paid", "payload": {"amount": 5}, "key": "pay-1"}
    first = tea.post("/v1/sessions/s1/events", json=paid).json()
    assert first["reply"]["state"] == "completed"
    assert tea.post("/v1/sessions/s1/events", json=paid).json() == first
    for body, status in (
        ({**paid, "payload": {"amount": 6}}, 409),
        ({**paid, "event": "stolen", "key": "k"}, 400),
        ({"event": "paid"}, 400),
        ({**paid, "much": 1}, 400),
    ):
        assert tea.post("/v1/sessions/s1/events", json=body).status_code == status
    assert tea.post("/v1/sessions/s9/events", json=paid).status_code == 404


def test_a_human_hands_back(tea: httpx2.Client):
    """Where the session was."""
    post(tea, "5", "m1")
    assert post(tea, "I want to talk to a human", "m2").json()["state"] == "escalated"
    assert tea.post("/v1/sessions/s1/resume", json={"key": "k1"}).json()["reply"]["state"] == "order"
    assert tea.post("/v1/sessions/s1/resume", json={"key": "k2"}).status_code == 400


def test_a_turn_is_streamed_from_its_log(tea: httpx2.Client):
    """Every event with its number; the reply last but for where it led."""
    post(tea, "5", "m1")
    answer = post(tea, "order them", "m2", **STREAM)
    assert answer.headers["content-type"].startswith("text/event-stream")
    told = events(answer.text)
    assert [name for _, name, _ in told] == [
        "sop.message",
        "sop.event",
        "sop.tool",
        "sop.tool",
        "sop.transition",
        "sop.reply",
        "sop.state",
    ]
    moved = next(data for _, name, data in told if name == "sop.transition")
    assert (moved["source_state"], moved["target_state"], moved["session_id"]) == ("order", "paying", "s1")
    assert str(moved["event_seq"]) == next(id_ for id_, name, _ in told if name == "sop.transition")
    assert told[-1][2]["state"] == "paying"
    places = [place_of(id_) for id_, _, _ in told[:-1]]
    assert places == sorted(set(places))


@pytest.mark.parametrize("seen", range(7))
def test_a_broken_stream_goes_on_where_it_broke(tea: httpx2.Client, seen: int):
    """The same message with the last id: the rest of the same turn, which is not taken again."""
    post(tea, "5", "m1")
    whole = events(post(tea, "order them", "m2", **STREAM).text)
    last_id = whole[seen - 1][0] if seen else ""
    rest = events(post(tea, "order them", "m2", **STREAM, last_event_id=last_id).text)
    assert rest == whole[min(seen, 6) :]
    assert tea.get("/v1/sessions/s1").json()["turn"] == 2


def test_a_session_can_be_followed_from_anywhere(tea: httpx2.Client):
    """What was, from behind the last id, and what comes, whoever causes it."""
    post(tea, "5", "m1")
    with tea.stream("GET", "/v1/sessions/s1/events") as answer:
        lines = answer.iter_lines()
        was = _next_events(lines, "sop.reply")
        post(tea, "order them", "m2")
        tea.post("/v1/sessions/s1/events", json={"event": "paid", "key": "k"})
        came = _next_events(lines, "completed")
    last_id = [id_ for id_ in was if id_][-1]
    with tea.stream("GET", "/v1/sessions/s1/events", headers={"Last-Event-ID": last_id}) as answer:
        again = _next_events(answer.iter_lines(), "completed")
    assert [id_ for id_ in again if id_] == [id_ for id_ in came if id_]
    assert len({*was, *came} - {""}) == len([id_ for id_ in (*was, *came) if id_])


def _next_events(lines: Iterator[str], until: str) -> list[str]:
    """Ids up to the reply that holds `until`, in its name or its state."""
    ids, id_, name = [], "", ""
    for line in lines:
        if line.startswith("id: "):
            id_ = line[4:]
        elif line.startswith("event: "):
            name = line[7:]
        elif line.startswith("data: "):
            ids.append(id_)
            if name == "sop.reply" and until in line + name:
                return ids
            id_ = name = ""
    raise AssertionError("the stream ended")


def test_a_conversation_of_a_gateway_is_a_session_here(tea: httpx2.Client):
    """The payment for what was ordered in a chat comes in natively, named or not."""
    for headers in ({"x-conversation-id": "客户 7".encode()}, {}):
        answer = tea.post("/v1/chat/completions", json=chat_body("5"), headers=headers)
        reply, session = words(answer), answer.headers["x-maitred-session"]
        tea.post("/v1/chat/completions", json=chat_body("5", reply, "order them"), headers=headers)
        assert tea.get(f"/v1/sessions/{session}").json()["state"] == "paying"
        paid = tea.post(f"/v1/sessions/{session}/events", json={"event": "paid", "key": "k"})
        assert paid.json()["reply"]["state"] == "completed"
    assert tea.get("/v1/sessions/%E5%AE%A2%E6%88%B7%207").json()["state"] == "completed"


def test_nobody_names_a_derived_session_into_being(tea: httpx2.Client):
    """One that is there goes on under its name; a name that only looks so is refused."""
    first = tea.post("/v1/chat/completions", json=chat_body("5"))
    derived = first.headers["x-maitred-session"]
    for name, status in ((derived, 200), ("derived-" + "0" * 24, 404), ("derived-1", 200)):
        assert tea.post(f"/v1/sessions/{name}/messages", json={"text": "6"}).status_code == status


@pytest.mark.parametrize("path", ["a%2Fb", "a%2Fb/messages", "a%2fevents", "a/b"])
def test_a_slash_in_an_id_is_refused_in_so_many_words(tea: httpx2.Client, path: str):
    """It would be another path; nothing is read or begun."""
    post = path.endswith("messages")
    answer = tea.request("POST" if post else "GET", f"/v1/sessions/{path}", json={"text": "5"} if post else None)
    assert answer.status_code == (404 if path == "a/b" else 400)
    assert ("no slash" in answer.text) is (path != "a/b")


def test_a_wrong_message_is_told_by_place(tea: httpx2.Client):
    """An unknown field, a meta that is none, an id of another kind; never what stood there."""
    for body in ({"txt": "secret"}, {"text": "5", "meta": {"a": ["secret"]}}, {"text": {"secret": 1}}):
        answer = tea.post("/v1/sessions/s1/messages", json=body)
        assert answer.status_code == 400
        assert answer.json()["error"]["code"] == "bad_request"
        assert "secret" not in answer.text
