"""What must not happen: an effect twice, a session shared, an error behind an effect, a conversation lost by a restart."""

import asyncio
import threading
from collections.abc import Mapping
from pathlib import Path

import httpx2
import pytest
from pydantic import JsonValue

from maitred.app.maitred import Maitred
from maitred.decision.keyword import KeywordDecider
from maitred.gateway.app import create_app
from maitred.gateway.settings import GatewaySettings
from maitred.protocol.decision import AgentDecision, Answered, DecisionRequest
from maitred.protocol.errors import BadRequest
from maitred.protocol.usage import Attempt, Usage
from maitred.tools.tool import ToolError, tool

from .in_process import FailsAtTheEnd, app_of, chat_body, running, tea_flow, words

CHAT = "/v1/chat/completions"
NAMED = {"x-conversation-id": "1"}


def test_a_tool_that_cannot_be_repeated_runs_only_where_the_conversation_has_a_name():
    """Elsewhere the customer is told that it is not to be had, and nothing is done."""
    calls: list[int] = []

    @tool(effect="non_idempotent", name="order_tea")
    def order(tins: int) -> str:
        """Order it."""
        calls.append(tins)
        return "ordered"

    with running(app_of(tea_flow(order))) as client:
        reply = words(client.post(CHAT, json=chat_body("5")))
        refused = client.post(CHAT, json=chat_body("5", reply, "order them"))
        assert "not available" in words(refused)
        assert refused.headers["x-maitred-state"] == "order"
        assert calls == []
        for texts in (("5",), ("5", "5 tins?", "order them")):
            answer = client.post(CHAT, json=chat_body(*texts), headers=NAMED)
        assert answer.headers["x-maitred-state"] == "paying"
        assert calls == [5]


def test_such_a_flow_is_served_only_with_that_rule():
    """Whoever builds the application himself is told what to write."""

    @tool(effect="non_idempotent", name="order_tea")
    def order(tins: int) -> str:
        """Order it."""
        return "ordered"

    with pytest.raises(BadRequest, match=r"DerivedEffects\(\)"):
        create_app(Maitred(tea_flow(order)))


@pytest.mark.parametrize("headers", [NAMED, {}], ids=["named", "nameless"])
def test_a_resend_joins_the_turn_that_still_runs(headers: dict[str, str]):
    """A client that gave up waiting sends again while the first is at work: one call, the same reply."""
    calls: list[int] = []
    entered, go = threading.Event(), threading.Event()

    @tool(effect="idempotent", timeout_s=30, name="order_tea")
    def slow(tins: int) -> str:
        """Order it."""
        calls.append(tins)
        entered.set()
        go.wait(20)
        return "ordered"

    with running(app_of(tea_flow(slow))) as client:
        reply = words(client.post(CHAT, json=chat_body("5"), headers=headers))
        order = chat_body("5", reply, "order them")
        with pytest.raises(httpx2.ReadTimeout):
            client.post(CHAT, json=order, headers=headers, timeout=httpx2.Timeout(20, read=0.5))
        assert entered.wait(20)
        threading.Timer(0.5, go.set).start()
        again = client.post(CHAT, json=order, headers=headers)
        assert words(again) == "Please pay."
        assert words(client.post(CHAT, json=order, headers=headers)) == "Please pay."
        assert calls == [5]


def test_a_message_edited_while_its_turn_runs_waits_for_what_that_does():
    """Nothing is done yet, but it is about to order; the edit then tells so, and does nothing."""
    entered, go = threading.Event(), threading.Event()

    class Slow(KeywordDecider):
        async def decide(self, request: DecisionRequest) -> AgentDecision:
            if request.text == "order them":
                entered.set()
                await asyncio.to_thread(go.wait, 20)
            return await super().decide(request)

    with running(create_app(Maitred(tea_flow(), decider=Slow()))) as client:
        reply = words(client.post(CHAT, json=chat_body("5")))
        order = threading.Thread(target=lambda: client.post(CHAT, json=chat_body("5", reply, "order them")))
        order.start()
        assert entered.wait(20)
        threading.Timer(0.5, go.set).start()
        edited = words(client.post(CHAT, json=chat_body("5", reply, "what is tea?")))
        order.join()
        assert "already been done: Order it." in edited


@pytest.mark.parametrize("effect", ["none", "idempotent"])
def test_a_refused_call_or_one_that_reads_is_no_effect(effect: str):
    """The message may be edited."""

    @tool(effect=effect, name="order_tea")  # type: ignore[arg-type]
    def order(tins: int) -> str:
        """Order it."""
        if effect == "none":
            return "read"
        raise ToolError("sold out")

    with running(app_of(tea_flow(order))) as client:
        first = client.post(CHAT, json=chat_body("5"))
        reply = words(first)
        client.post(CHAT, json=chat_body("5", reply, "order them"))
        edited = client.post(CHAT, json=chat_body("5", reply, "what is tea?"))
        branch = edited.headers["x-maitred-session"]
        assert branch != first.headers["x-maitred-session"]
        seen = client.get(f"/v1/sessions/{branch}").json()
        assert (seen["state"], seen["turn"]) == ("order", 2)


@pytest.mark.parametrize("headers", [NAMED, {}], ids=["named", "nameless"])
def test_a_failure_behind_an_effect_is_told_in_words(headers: dict[str, str]):
    """An error would be sent again, up to nine times; the next message finishes what was begun, once."""
    calls: list[str] = []

    @tool(effect="idempotent", name="order_tea", bind={"key": "call.key"})
    def order(tins: int, key: str) -> str:
        """Order it."""
        calls.append(key)
        return "ordered"

    store = FailsAtTheEnd()
    app = create_app(Maitred(tea_flow(order), store=store), settings=GatewaySettings(resend_s=0.001))
    with running(app) as client:
        reply = words(client.post(CHAT, json=chat_body("5"), headers=headers))
        store.fails = 1
        told = client.post(CHAT, json=chat_body("5", reply, "order them"), headers=headers)
        assert "Something went wrong" in words(told)
        follows = client.post(CHAT, json=chat_body("5", reply, "order them", words(told), "and now?"), headers=headers)
        assert follows.headers["x-maitred-state"] == "paying"
        assert len(set(calls)) == 1


def test_a_failure_before_any_effect_is_an_error_and_the_resend_goes_through():
    """503, which clients send again."""
    store = FailsAtTheEnd()
    with running(create_app(Maitred(tea_flow(), store=store))) as client:
        store.fails = 1
        failed = client.post(CHAT, json=chat_body("5"), headers=NAMED)
        assert (failed.status_code, failed.json()["error"]["code"]) == (503, "store_unavailable")
        assert "disk" not in failed.text
        assert words(client.post(CHAT, json=chat_body("5"), headers=NAMED)) == "5 tins?"


def test_a_failure_in_mid_stream_is_an_event():
    """Once the stream is open there is no status any more; no `[DONE]` follows."""
    entered, go = threading.Event(), threading.Event()

    class Slow:
        name = "slow"

        async def decide(self, request: DecisionRequest) -> Mapping[str, JsonValue]:
            entered.set()
            await asyncio.to_thread(go.wait, 20)
            return {"action": "answer", "parameters": {}, "reply_text": "well"}

    store = FailsAtTheEnd()
    settings = GatewaySettings(ping_s=0.05)
    with running(create_app(Maitred(tea_flow(), store=store, decider=Slow()), settings=settings)) as client:
        store.fails = 1
        with client.stream("POST", CHAT, json=chat_body("what is tea?", stream=True), headers=NAMED) as answer:
            lines = answer.iter_lines()
            seen = [next(lines) for _ in range(4)]
            assert entered.wait(20)
            go.set()
            seen += list(lines)
        assert answer.status_code == 200
        assert ": ping" in seen
        assert any('"code":"store_unavailable"' in line for line in seen)
        assert "data: [DONE]" not in seen


def test_a_restart_loses_no_nameless_conversation(tmp_path: Path):
    """The index lies beside the store."""
    where = str(tmp_path / "tea.db")
    with running(app_of(tea_flow(), where)) as client:
        first = client.post(CHAT, json=chat_body("5"))
        reply = words(first)
    with running(app_of(tea_flow(), where)) as client:
        order = client.post(CHAT, json=chat_body("5", reply, "order them"))
        assert order.headers["x-maitred-session"] == first.headers["x-maitred-session"]
        assert order.headers["x-maitred-state"] == "paying"


def test_two_workers_agree_on_a_nameless_conversation(tmp_path: Path):
    """Each message at another worker; a resend at the other one, too."""
    where = str(tmp_path / "tea.db")
    with running(app_of(tea_flow(), where)) as one, running(app_of(tea_flow(), where)) as two:
        reply = words(one.post(CHAT, json=chat_body("5")))
        order = chat_body("5", reply, "order them")
        answers = [client.post(CHAT, json=order) for client in (two, one)]
        assert words(answers[0]) == words(answers[1]) == "Please pay."
        assert answers[0].headers["x-maitred-session"] == answers[1].headers["x-maitred-session"]
        assert two.get(f"/v1/sessions/{answers[0].headers['x-maitred-session']}").json()["turn"] == 2


def test_a_branch_passes_replay(tmp_path: Path):
    """Its log is one like any other: chained, and legal under the flow."""
    where = str(tmp_path / "tea.db")
    with running(app_of(tea_flow(), where)) as client:
        first = words(client.post(CHAT, json=chat_body("hello")))
        second = words(client.post(CHAT, json=chat_body("hello", first, "5")))
        client.post(CHAT, json=chat_body("hello", first, "5", second, "6"))
        branch = client.post(CHAT, json=chat_body("hello", first, "7")).headers["x-maitred-session"]

    async def replayed() -> list[bool]:
        async with Maitred(tea_flow(), store=where) as maitred:
            rows = await maitred.sessions()
            assert [row.turn for row in rows if row.session_id.endswith(branch)] == [2]
            return [(await maitred.replay(row.session_id)).equal for row in rows]

    assert asyncio.run(replayed()) == [True, True]


def test_a_request_id_finds_the_session_that_a_first_message_began():
    """A proxy that forwards its request id: the resend of a first message is no second session."""
    with running(app_of(tea_flow())) as client:
        sent = [client.post(CHAT, json=chat_body("5"), headers={"x-request-id": id_}) for id_ in ("r1", "r1", "r2")]
        sessions = [answer.headers["x-maitred-session"] for answer in sent]
        assert sessions[0] == sessions[1] != sessions[2]
        assert words(sent[0]) == words(sent[1]) != words(sent[2])


def test_usage_is_the_sum_of_the_turn():
    """Of every call of a model that it took."""

    class Counted:
        name = "counted"
        asked = 0

        async def decide(self, request: DecisionRequest) -> Answered:
            self.asked += 1
            attempts = (Attempt(0.1, "ok", Usage(100, 60, 7)),)
            decision = {"action": "nonsense"} if self.asked == 1 else AgentDecision(action="answer", reply_text="Tea.")
            return Answered(decision, attempts)

    with running(create_app(Maitred(tea_flow(), decider=Counted()))) as client:
        answer = client.post(CHAT, json=chat_body("what is tea?"), headers=NAMED).json()
        assert answer["usage"] == {
            "prompt_tokens": 200,
            "completion_tokens": 14,
            "total_tokens": 214,
            "prompt_tokens_details": {"cached_tokens": 120},
        }


def test_deadlines_are_looked_at():
    """By the service itself, while it runs."""
    ticked = threading.Event()

    class Watched(Maitred):
        async def tick(self, now=None):  # type: ignore[no-untyped-def]
            ticked.set()
            return await super().tick(now)

    with running(create_app(Watched(tea_flow()), settings=GatewaySettings(tick_s=0.01))):
        assert ticked.wait(20)
        ticked.clear()
        assert ticked.wait(20)


def test_what_is_ready_says_so():
    """And no more, once the service is told to stop."""
    app = app_of(tea_flow())
    with running(app) as client:
        assert client.get("/readyz").json() == {"status": "ok"}
        app.state.gateway.work.stopping.set()
        assert client.get("/readyz").status_code == 503
        assert client.get("/healthz").status_code == 200
