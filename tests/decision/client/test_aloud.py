"""Decisions that are heard while a model writes them, over real HTTP: what is heard when, what stops the stream, what is paid."""

import asyncio
from typing import Any

import pytest

from maitred.decision.client import InstructorDecider
from maitred.protocol.decision import AgentDecision, DecisionRequest
from maitred.protocol.errors import ModelAnswerUnusable, ModelDown, ModelError, ModelUnreachable
from maitred.protocol.menu import Menu, MenuItem
from maitred.protocol.slots import Slot

Do = Any
Server = Any
Says = Any

MENU = Menu(
    "offer", (MenuItem("accept", "x"), MenuItem("answer", "x"), MenuItem("paint", "x", {"colour": Slot("str")}))
)
REQUEST = DecisionRequest(session_id="s", lang="en", menu=MENU, text="hello")
OPENING = '{"action": "answer", "parameters": {}, "reply_text": "'


class Ear:
    """A listener."""

    def __init__(self) -> None:
        self.heard: list[AgentDecision] = []
        self.something = asyncio.Event()

    def __call__(self, decision: AgentDecision) -> None:
        self.heard.append(decision)
        self.something.set()

    @property
    def words(self) -> str:
        return self.heard[-1].reply_text if self.heard else ""


@pytest.mark.parametrize("menu_schema", [False, True])
@pytest.mark.parametrize(
    "beginning",
    [
        '{"action": "buy_all"',
        '{"action": "paint", "parameters": {}, "reply_text": "',
        '{"action": "answer", "parameters": {"price": 1}, "reply_text": "',
        '<think>{"action": "answer"}</think>\n```json\n{"action": "buy_all",',
    ],
)
async def test_what_is_not_legal_stops_the_stream_at_once(
    server: Server, do: Do, beginning: str, menu_schema: bool
) -> None:
    """The connection is closed while the model goes on and on. Nothing was heard; what came is refused by the usual check."""
    ear = Ear()
    server.otherwise = do.endlessly(beginning)
    async with InstructorDecider("m", server.url, timeout_s=60, menu_schema=menu_schema) as decider:
        if menu_schema and "buy_all" in beginning:  # here the type itself has only the menu's actions
            with pytest.raises(ModelAnswerUnusable) as failed:
                await decider.decide_aloud(REQUEST, ear)
            attempts = failed.value.attempts
        else:
            answered = await decider.decide_aloud(REQUEST, ear)
            assert isinstance(answered.decision, AgentDecision)
            assert answered.decision.action in beginning
            attempts = answered.attempts
        await asyncio.wait_for(asyncio.gather(*server.open), timeout=20)
    assert (len(server.received), len(attempts), attempts[0].usage, ear.heard) == (1, 1, None, [])


async def test_words_are_heard_before_the_model_has_ended(server: Server, do: Do) -> None:
    """Each time all so far, never half a character; the server's own count stands at the end."""
    ear, gate = Ear(), asyncio.Event()
    server.otherwise = do.stream(OPENING + "Of c", "ourse. \\ud83d", gate, '\\ude00"', "}")
    async with InstructorDecider("m", server.url, timeout_s=60) as decider:
        asking = asyncio.create_task(decider.decide_aloud(REQUEST, ear))
        await asyncio.wait_for(ear.something.wait(), timeout=20)
        assert not asking.done()
        assert ear.words in "Of course. "
        gate.set()
        answered = await asking
    assert answered.decision == ear.heard[-1] == AgentDecision(action="answer", reply_text="Of course. \U0001f600")
    assert all(later.reply_text.startswith(ear.heard[0].reply_text) for later in ear.heard)
    assert (answered.attempts[0].usage.prompt, answered.attempts[0].usage.completion) == (100, 7)
    (asked,) = server.received
    assert (asked["stream"], asked["stream_options"]) == (True, {"include_usage": True})


async def test_who_does_not_listen_does_not_stream(server: Server) -> None:
    """The same question, asked as ever."""
    async with InstructorDecider("m", server.url) as decider:
        await decider.decide(REQUEST)
    assert "stream" not in server.received[0]


async def test_a_connection_is_kept_for_the_next_decision(server: Server, do: Do) -> None:
    """The body is read to its end behind [DONE]."""
    server.otherwise = do.stream(OPENING + 'Yes."}')
    async with InstructorDecider("m", server.url) as decider:
        await decider.decide_aloud(REQUEST, Ear())
        (first,) = server.open
        await decider.decide_aloud(REQUEST, Ear())
        assert server.open == {first}


@pytest.mark.parametrize(
    "answer",
    [
        '{"reply_text": "Yes.", "action": "answer", "parameters": {}}',
        '{"action": "answer", "reply_text": "Yes."}',
        'Here it is: {"action": "answer", "parameters": {}, "reply_text": "Yes."}',
    ],
)
async def test_out_of_order_nothing_is_heard_but_the_answer_counts(server: Server, do: Do, answer: str) -> None:
    """What stands behind the words could still change what they mean."""
    ear = Ear()
    server.otherwise = do.stream(*answer)
    async with InstructorDecider("m", server.url) as decider:
        answered = await decider.decide_aloud(REQUEST, ear)
    assert (answered.decision, ear.heard) == (AgentDecision(action="answer", reply_text="Yes."), [])


async def test_a_server_that_does_not_stream_is_understood(server: Server, do: Do, says: Says) -> None:
    """It ignores the field."""
    server.otherwise = do.answer(says("answer", "Yes."))
    async with InstructorDecider("m", server.url) as decider:
        answered = await decider.decide_aloud(REQUEST, Ear())
    assert answered.decision == AgentDecision(action="answer", reply_text="Yes.")


@pytest.mark.parametrize(
    ("how", "outcome"),
    [
        ({"cut": True}, ModelUnreachable.code),
        ({"finish": None}, ModelDown.code),
        ({"error": True}, ModelDown.code),
    ],
)
async def test_a_stream_that_breaks_is_tried_again_only_while_nothing_was_heard(
    server: Server, do: Do, how: dict[str, Any], outcome: str
) -> None:
    """Once somebody has heard words, other words must not follow them."""
    broken = [b'data: {"error": {"message": "out of memory", "code": 500}}\n\n'] if how.pop("error", False) else []
    ear = Ear()
    server.script.append(do.stream('{"action": "answer", ', *broken, **how))
    server.otherwise = do.stream(OPENING + 'Yes."}')
    async with InstructorDecider("m", server.url, pause_s=0) as decider:
        answered = await decider.decide_aloud(REQUEST, ear)
        assert [attempt.outcome for attempt in answered.attempts] == [outcome, "ok"]
        server.script.append(do.stream(OPENING + "No, ", *broken, **how))
        with pytest.raises(ModelError) as failed:
            await decider.decide_aloud(REQUEST, ear)
    assert (failed.value.code, ear.words, len(server.received)) == (outcome, "No, ", 3)


async def test_an_answer_without_end_is_stopped(server: Server, do: Do) -> None:
    """Prose, so nothing of it is heard; neither are lines without end read."""
    server.script.append(do.endlessly("x" * 49_000))
    server.script.extend([do.stream(b"data: " + b"x" * 1_100_000)] * 2)
    async with InstructorDecider("m", server.url, timeout_s=60, pause_s=0) as decider:
        with pytest.raises(ModelAnswerUnusable, match="allowed are 50,000"):
            await decider.decide_aloud(REQUEST, Ear())
        with pytest.raises(ModelDown, match="a line of more than"):
            await decider.decide_aloud(REQUEST, Ear())


async def test_a_long_stream_is_bounded(server: Server, do: Do) -> None:
    """By the time for a decision, as every answer is; by its size it may be longer than one that comes at once."""
    filler = b"data: " + b'{"choices": []}' + b" " * 200_000 + b"\n\n"
    server.otherwise = do.stream(*[filler] * 6, OPENING + 'Yes."}')
    async with InstructorDecider("m", server.url) as decider:
        answered = await decider.decide_aloud(REQUEST, Ear())
    assert answered.decision.action == "answer"
