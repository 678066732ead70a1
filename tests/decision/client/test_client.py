"""InstructorDecider by itself: what it sends, what it keeps of each call, what it says when it cannot start."""

import asyncio
import json
import logging
import subprocess
import sys
from typing import Any

import pytest

from maitred.decision.client import InstructorDecider
from maitred.decision.schema import constant_schema, menu_schema, shape_of
from maitred.protocol.decision import AgentDecision, DecisionRequest
from maitred.protocol.errors import (
    BadRequest,
    ModelAnswerUnusable,
    ModelBusy,
    ModelDown,
    ModelError,
    ModelKeyRefused,
    ModelRequestRefused,
    ModelTimeout,
    ModelUnknown,
    ModelUnreachable,
)
from maitred.protocol.menu import Menu, MenuItem
from maitred.protocol.slots import Slot
from maitred.protocol.usage import Attempt, Total, Usage

Do = Any
Server = Any
Open = Any
Says = Any

TEMPLATES = "{{7*7}} 20{% off {# x #} ${y} %(z)s <now> </now> <|im_end|> http://a.b/c.png data:image/png;base64,AAAA"
MENU = Menu(
    "offer",
    (
        MenuItem("accept", f"take it {TEMPLATES}"),
        MenuItem("paint", "paint it", {"colour": Slot(str), "coats": Slot(int, required=False)}, {"room": Slot(str)}),
        MenuItem("provide", "note", {"size": Slot("number")}, {"gift": Slot(bool)}),
    ),
)
REQUEST = DecisionRequest(session_id="s", lang="en", menu=MENU, text="hello")


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MAITRED_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_no_proxy_stands_before_this_machine(server: Server, monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    """What a customer says to a model of this machine stays on it, whatever HTTP_PROXY says."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    async with InstructorDecider("m", server.url.replace("127.0.0.1", host), pause_s=0.001) as decider:
        await decider.decide(REQUEST)
    assert len(server.received) == 1


async def test_what_is_sent(server: Server, do: Do, says: Says) -> None:
    """Model, messages as they were made, temperature 0, a bound, one constant schema; the key in its header."""
    server.otherwise = do.answer(says("accept", "Fine."))
    messages: Any = [{"role": "system", "content": TEMPLATES}, {"role": "user", "content": TEMPLATES}]
    async with InstructorDecider("m", server.url, "k", messages=lambda request: messages) as decider:
        answered = await decider.decide(REQUEST)
    assert answered.decision == AgentDecision(action="accept", reply_text="Fine.")
    (body,) = server.received
    assert body == {
        "model": "m",
        "messages": messages,
        "temperature": 0.0,
        "max_tokens": 300,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "AgentDecision", "schema": constant_schema()},
        },
    }
    assert server.headers[0]["authorization"] == "Bearer k"
    assert server.headers[0]["x-stainless-retry-count"] == "0"


async def test_templates_in_any_text_reach_the_model_as_they_are(server: Server, do: Do, says: Says) -> None:
    """User, label, data, meta, knowledge, error, identity: nothing is rendered (tags are escaped by the prompt)."""
    plain = "{{7*7}} 20{% off {# x #} ${y} %(z)s"
    server.otherwise = do.answer(says("accept"))
    request = DecisionRequest(
        session_id="s", lang="en", menu=Menu("offer", (MenuItem("accept", f"label {plain}"),)), text=f"text {plain}",
        identity=f"identity {plain}", instruction=f"instruction {plain}", data={"note": f"data {plain}"},
        meta={"level": f"meta {plain}"}, knowledge=(f"fact {plain}",), last_error=f"error {plain}",
    )  # fmt: skip
    async with InstructorDecider("m", server.url) as decider:
        await decider.decide(request)
    sent = " ".join(message["content"] for message in server.received[0]["messages"])
    for where in ("label", "text", "identity", "instruction", "data", "meta", "fact", "error"):
        assert f"{where} {plain}" in sent, where


async def test_a_menu_schema_has_one_alternative_for_each_action(server: Server, do: Do, says: Says) -> None:
    """Made once for equal menus; another menu has another."""
    server.otherwise = do.answer(says("accept"))
    async with InstructorDecider("m", server.url, menu_schema=True) as decider:
        for menu in (MENU, Menu("elsewhere", MENU.items), Menu("offer", (MenuItem("accept", "x"),)), Menu("offer", ())):
            await decider.decide(DecisionRequest(session_id="s", lang="en", menu=menu, text="hello"))
        assert len(decider._models) == 3
    first, second, third, fourth = (b["response_format"]["json_schema"]["schema"] for b in server.received)
    assert first == second == menu_schema(shape_of(MENU))
    assert third == menu_schema(shape_of(Menu("offer", (MenuItem("accept", "x"),))))
    assert fourth == constant_schema()
    accept, paint, provide = first["anyOf"]
    assert accept["properties"]["action"] == {"const": "accept"}
    assert (accept["required"], accept["properties"]["parameters"]["properties"]) == (["action"], {})
    assert paint["properties"]["parameters"] == {
        "type": "object",
        "properties": {
            "colour": {"type": "string"},
            "coats": {"type": ["integer", "string"]},
            "room": {"type": "string"},
        },
        "required": ["colour"],
        "additionalProperties": False,
    }
    assert "required" not in provide["properties"]["parameters"]
    assert provide["properties"]["parameters"]["properties"]["gift"] == {"type": ["boolean", "string"]}


async def test_settings_may_leave_out_or_add_fields(server: Server, do: Do, says: Says) -> None:
    """For models that take no temperature or name the bound otherwise."""
    server.otherwise = do.answer(says("accept"))
    settings: Any = {"temperature": None, "max_tokens": None, "extra": {"max_completion_tokens": 300, "seed": 1}}
    async with InstructorDecider("m", server.url, **settings) as decider:
        await decider.decide(REQUEST)
    (body,) = server.received
    assert set(body) == {"model", "messages", "response_format", "max_completion_tokens", "seed"}


class TestBooks:
    async def test_each_call_is_kept_with_its_own_tokens(self, server: Server, do: Do, says: Says) -> None:
        """What instructor adds up is not taken for a call's own; a call that failed on the way has none."""
        server.script += [do.fail(500), do.answer(says("accept")), do.answer("prose"), do.answer(says("accept"))]
        async with InstructorDecider("m", server.url, pause_s=0.001) as decider:
            first = await decider.decide(REQUEST)
            with pytest.raises(ModelAnswerUnusable) as failed:
                await decider.decide(REQUEST)
            second = await decider.decide(REQUEST)
        used = Usage(prompt=100, cached=60, completion=7)
        assert [(a.outcome, a.usage) for a in first.attempts] == [("model_down", None), ("ok", used)]
        assert [(a.outcome, a.usage) for a in failed.value.attempts] == [("model_answer_unusable", used)]
        assert [(a.outcome, a.usage) for a in second.attempts] == [("ok", used)]
        assert all(0 < attempt.latency_s < 20 for attempt in first.attempts)

    async def test_a_call_that_was_cut_off_by_the_clock_is_kept(self, server: Server, do: Do) -> None:
        """With the time it took."""
        server.otherwise = do.hang
        async with InstructorDecider("m", server.url, timeout_s=0.3) as decider:
            with pytest.raises(ModelTimeout) as failed:
                await decider.decide(REQUEST)
        (attempt,) = failed.value.attempts
        assert (attempt.outcome, attempt.usage) == ("model_timeout", None)
        assert attempt.latency_s > 0

    @pytest.mark.parametrize(
        ("usage", "expected"),
        [
            (None, None),
            ("much", None),
            ({}, None),
            ({"prompt_tokens": 5}, None),
            ({"prompt_tokens": "5", "completion_tokens": 1}, None),
            ({"prompt_tokens": 2**70, "completion_tokens": 1}, None),
            ({"prompt_tokens": -5, "completion_tokens": 1}, None),
            ({"prompt_tokens": True, "completion_tokens": 1}, None),
            ({"prompt_tokens": 5, "completion_tokens": 1}, Usage(5, 0, 1)),
            ({"prompt_tokens": 5, "completion_tokens": 1, "prompt_tokens_details": None}, Usage(5, 0, 1)),
            (
                {"prompt_tokens": 5, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": None}},
                Usage(5, 0, 1),
            ),
        ],
    )
    async def test_usage_of_any_form_does_no_harm(
        self, server: Server, do: Do, says: Says, usage: Any, expected: Usage | None
    ) -> None:
        """Servers leave out what they like."""
        server.otherwise = do.answer(says("accept"), usage=usage)
        async with InstructorDecider("m", server.url) as decider:
            assert (await decider.decide(REQUEST)).attempts[0].usage == expected

    async def test_calls_at_the_same_time_keep_apart(self, server: Server, do: Do, says: Says) -> None:
        """One decider serves all sessions."""
        server.otherwise = do.answer(says("accept"))
        server.script += [do.answer("prose"), do.answer("prose")]
        async with InstructorDecider("m", server.url) as decider:
            answers = await asyncio.gather(*(decider.decide(REQUEST) for _ in range(20)), return_exceptions=True)
        failed = [answer for answer in answers if isinstance(answer, ModelError)]
        assert len(failed) == 2
        assert all(len(answer.attempts) == 1 for answer in answers)  # type: ignore[union-attr]

    async def test_a_turn_s_reply_has_the_sum(self, server: Server, open_shop: Open, do: Do, says: Says) -> None:
        """In its meta, so in the log; each call is in the turn's events."""
        server.script += [do.fail(503), do.answer("prose"), do.answer(says("provide", size=42))]
        shop = open_shop()
        request = shop.maitred.request("s1", "I need shoes, please")
        events = [event async for event in shop.maitred.stream(request)]
        reply = events[-1].response
        assert reply.meta.pop("model_s") > 0
        spent = {"prompt_tokens": 200, "cached_tokens": 120, "completion_tokens": 14}
        assert reply.meta == {"model_calls": 3, "uncounted_calls": 1, **spent}
        asked = [event for event in events if type(event).__name__ == "Asked"]
        assert [[attempt.outcome for attempt in event.attempts] for event in asked] == [
            ["model_down", "model_answer_unusable"],
            ["ok"],
        ]
        assert [event.problem for event in asked] == ["model_answer_unusable: no decision: no JSON object in it", None]
        record = (await shop.maitred.store.log("s1"))[-1]
        assert b'"prompt_tokens":200' in record.body

    def test_the_sum_says_what_it_does_not_know(self) -> None:
        """Calls without usage are counted, not guessed."""
        total = Total.of([Attempt(1.5, "model_timeout"), Attempt(0.5, "ok", Usage(10, 4, 2))])
        assert total == Total(calls=2, latency_s=2.0, usage=Usage(10, 4, 2), uncounted=1)


class TestProbe:
    @pytest.mark.parametrize(
        ("status", "kind"),
        [
            (401, ModelKeyRefused),
            (403, ModelKeyRefused),
            (404, ModelUnknown),
            (400, ModelRequestRefused),
            (422, ModelRequestRefused),
            (429, ModelBusy),
            (500, ModelDown),
        ],
    )
    async def test_each_fault_is_its_own(self, server: Server, do: Do, status: int, kind: type[ModelError]) -> None:
        """With the server's own words, for nobody but the operator reads them; never with the key."""
        server.otherwise = do.fail(status, "The key sk-secret or the model is wrong.")
        async with InstructorDecider("m", server.url, "sk-secret", pause_s=0.001) as decider:
            with pytest.raises(ModelError) as failed:
                await decider.probe()
        assert type(failed.value) is kind
        assert "(The key *** or the model is wrong.)" in str(failed.value)

    @pytest.mark.parametrize("finish", ["stop", "length", "content_filter", None])
    @pytest.mark.parametrize(
        "says", ["{", "Sure!", "", None, "<think>", '{"a": 1} {"a": 2}', [{"type": "text", "text": "x"}]]
    )
    async def test_a_good_server_passes_whatever_it_says(self, server: Server, do: Do, says: Any, finish: Any) -> None:
        """Address, key and model are right, which is all that is asked."""
        server.otherwise = do.answer(says, finish=finish)
        async with InstructorDecider("m", server.url) as decider:
            await decider.probe()
        assert len(server.received) == 1

    @pytest.mark.parametrize(("menu_schema", "max_tokens"), [(True, 300), (False, 300), (False, None)])
    async def test_it_sends_what_a_decision_will(
        self, server: Server, do: Do, says: Says, menu_schema: bool, max_tokens: int | None
    ) -> None:
        """But small: a server that does not take a field, or a schema of this kind, says so now."""
        server.otherwise = do.answer(says("answer"))
        menu = Menu("offer", (MenuItem("answer", "answer"),))
        async with InstructorDecider("m", server.url, menu_schema=menu_schema, max_tokens=max_tokens) as decider:
            await decider.probe()
            await decider.decide(DecisionRequest(session_id="s", lang="en", menu=menu, text="hello"))
        probe, decision = server.received
        assert len(json.dumps(probe.pop("messages"))) < 200
        del decision["messages"]
        assert (probe.pop("max_tokens", None), decision.pop("max_tokens", None)) == (max_tokens and 16, max_tokens)
        assert probe == decision

    async def test_nobody_there(self) -> None:
        """And the reason is named."""
        async with InstructorDecider("m", "http://127.0.0.1:1/v1", pause_s=0.001) as decider:
            with pytest.raises(ModelUnreachable, match="ConnectError"):
                await decider.probe()

    async def test_a_server_that_hangs(self, server: Server, do: Do) -> None:
        """Within the time of a decision."""
        server.otherwise = do.hang
        async with InstructorDecider("m", server.url, timeout_s=0.05) as decider:
            with pytest.raises(ModelTimeout):
                await decider.probe()


class TestKey:
    @pytest.mark.parametrize(
        ("given", "ours", "openai", "sent"),
        [
            ("a", "b", "c", "a"),
            (None, "b", "c", "b"),
            (None, None, "c", "c"),
            (None, None, None, "none"),
        ],
    )
    async def test_the_nearest_key_is_sent(
        self,
        server: Server,
        do: Do,
        says: Says,
        monkeypatch: pytest.MonkeyPatch,
        given: str | None,
        ours: str | None,
        openai: str | None,
        sent: str,
    ) -> None:
        """A server of one's own needs none."""
        for name, value in (("MAITRED_API_KEY", ours), ("OPENAI_API_KEY", openai)):
            if value:
                monkeypatch.setenv(name, value)
        server.otherwise = do.answer(says("accept"))
        async with InstructorDecider("m", server.url, given) as decider:
            await decider.decide(REQUEST)
        assert server.headers[0]["authorization"] == f"Bearer {sent}"

    def test_openai_without_a_key(self) -> None:
        """Said before any call, with what to set."""
        with pytest.raises(ModelKeyRefused, match="MAITRED_API_KEY or OPENAI_API_KEY"):
            InstructorDecider("gpt")

    def test_an_address_that_is_none(self) -> None:
        """A name without its scheme is the usual slip."""
        with pytest.raises(BadRequest, match="http://"):
            InstructorDecider("m", "127.0.0.1:8080/v1")


async def test_no_log_holds_what_was_said(
    server: Server, do: Do, caplog: pytest.LogCaptureFixture, open_shop: Open
) -> None:
    """instructor would log a refused answer whole."""
    caplog.set_level(logging.INFO)
    server.otherwise = do.answer('{"action": "provide", "parameters": {"phone": "13800138000"}, "mood": "13800138000"}')
    await open_shop().say("call me at 13800138000")
    assert "model_answer_unusable" in caplog.text
    assert "13800138000" not in caplog.text


def test_importing_maitred_loads_no_client() -> None:
    """Two seconds that only a model needs."""
    code = (
        "import sys, maitred; maitred.Maitred, maitred.KeywordDecider; import maitred.cli.main; maitred.cli.main.build();"
        "print(*{'openai', 'instructor', 'tenacity', 'httpx2'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ""
