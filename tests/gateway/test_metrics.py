"""`/metrics`: what is counted, under which names, and who may read it."""

import re

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from maitred.app.maitred import Maitred
from maitred.gateway.app import create_app
from maitred.gateway.derived_effects import DerivedEffects
from maitred.protocol.decision import AgentDecision, Answered, DecisionRequest
from maitred.protocol.usage import Attempt, Usage
from maitred.tools.tool import tool

from .in_process import app_of, chat_body, running, tea_flow

CHAT = "/v1/chat/completions"
ME = {"x-conversation-id": "ann-13800138000"}
OPERATOR = "operator-" + "x" * 20


def samples(client: httpx2.Client, **headers: str) -> dict[tuple[str, ...], float]:
    """Name and label values, sorted by label -> number."""
    answer = client.get("/metrics", headers=headers)
    assert answer.status_code == 200, answer.text
    families = text_string_to_metric_families(answer.text)
    return {
        (sample.name, *(sample.labels[name] for name in sorted(sample.labels))): sample.value
        for family in families
        for sample in family.samples
    }


def test_a_conversation_is_counted():
    """Turns and repeats, choices, tools and where it ended; an event from outside, too."""
    with running(app_of(tea_flow())) as client:
        for texts in (("5",), ("5", "5 tins?", "order them"), ("5", "5 tins?", "order them")):
            client.post(CHAT, json=chat_body(*texts), headers=ME)
        client.post("/v1/sessions/ann-13800138000/events", json={"event": "paid", "key": "p1"})
        client.post("/v1/sessions/ann-13800138000/resume", json={"key": "r1"})
        client.get("/v1/sessions/somebody-else")
        seen = samples(client)
    assert seen["maitred_turns_total", "tea", "message", "replied"] == 2
    assert seen["maitred_turns_total", "tea", "message", "replayed"] == 1
    assert seen["maitred_turns_total", "tea", "outside", "replied"] == 1
    assert seen["maitred_turns_total", "tea", "resume", "bad_request"] == 1
    assert seen["maitred_decisions_total", "order", "decider", "tea"] == 1
    assert seen["maitred_tool_calls_total", "tea", "ok", "order_tea"] == 1
    assert seen["maitred_sessions_ended_total", "tea", "completed"] == 1
    assert seen["maitred_turn_seconds_count", "tea", "message"] == 3
    assert seen["maitred_turns_running", "tea"] == seen["maitred_turns_waiting", "tea"] == 0
    assert seen["maitred_http_requests_total", "POST", CHAT, "200"] == 3
    assert seen["maitred_http_requests_total", "GET", "/v1/sessions/{session}", "404"] == 1
    assert seen["process_resident_memory_bytes",] > 0


def test_labels_hold_nothing_that_a_stranger_chose():
    """Neither sessions nor paths, methods or a model's inventions."""

    class Invents:
        name = "customer-13800138000"
        asked = 0

        async def decide(self, request: DecisionRequest) -> Answered:
            self.asked += 1
            attempts = (Attempt(0.1, "invented-outcome"), Attempt(0.2, "ok", Usage(100, 60, 7)))
            decision = (
                {"action": "invented-action"} if self.asked == 1 else AgentDecision(action="answer", reply_text="T")
            )
            return Answered(decision, attempts)

    with running(create_app(Maitred(tea_flow(), decider=Invents()))) as client:
        client.post(CHAT, json=chat_body("what is tea?"), headers=ME)
        client.get("/v1/sessions/ann-13800138000")
        client.get("/strange-path")
        client.request("PROPFIND", "/healthz")
        text = client.get("/metrics").text
        seen = samples(client)
    assert not re.search("13800138000|invented|strange|PROPFIND|what is tea", text)
    assert seen["maitred_decisions_refused_total", "decider", "tea"] == 1
    assert seen["maitred_model_calls_total", "tea", "other"] == 2
    assert seen["maitred_model_tokens_total", "tea", "cached"] == 120
    assert seen["maitred_http_requests_total", "OTHER", "/healthz", "405"] == 1


def test_what_is_frozen_is_shown():
    """A tool that did not answer in time, until it does."""

    @tool(effect="none", timeout_s=0.05, name="order_tea")
    async def slow(tins: int) -> str:
        """Wait."""
        import asyncio

        await asyncio.sleep(30)
        return "never"

    maitred = Maitred(tea_flow(slow), runner=DerivedEffects())
    with running(create_app(maitred)) as client:
        for texts in (("5",), ("5", "5 tins?", "order them")):
            client.post(CHAT, json=chat_body(*texts), headers=ME)
        seen = samples(client)
        assert maitred.frozen == {"order_tea"}
    assert seen["maitred_frozen", "order_tea"] == 1
    assert seen["maitred_tool_calls_total", "tea", "timeout", "order_tea"] == 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "localhost"}, 200),
        ({"host": "maitred.example"}, 401),
        ({"x-forwarded-for": "127.0.0.1"}, 401),
        ({"forwarded": "for=127.0.0.1"}, 401),
        ({"via": "1.1 proxy"}, 401),
        ({"x-forwarded-for": "10.0.0.1", "authorization": f"Bearer {OPERATOR}"}, 200),
        ({"x-forwarded-for": "10.0.0.1", "authorization": f"Bearer {OPERATOR}x"}, 401),
        ({"x-forwarded-for": "10.0.0.1", "authorization": OPERATOR}, 401),
    ],
)
def test_who_may_read_them(headers: dict[str, str], status: int):
    """Who asks from this machine, or knows the operator's secret. A proxy here passes strangers on."""
    with running(app_of(tea_flow(), metrics_key=OPERATOR)) as client:
        assert client.get("/metrics", headers=headers).status_code == status


def test_without_a_secret_none_opens_them():
    """Not even an empty one."""
    with running(app_of(tea_flow())) as client:
        for given in ("Bearer", "Bearer x", ""):
            assert client.get("/metrics", headers={"via": "x", "authorization": given}).status_code == 401
