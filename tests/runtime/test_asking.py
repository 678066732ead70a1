"""How long a decider may take, whoever it is, and what of its failure the next question says."""

import asyncio
import contextlib
from typing import Any

import pytest

from maitred.decision.scripted import ScriptedDecider
from maitred.fallback.breaker import LocalBreaker
from maitred.protocol.decision import AgentDecision, Answered, DecisionRequest
from maitred.protocol.errors import ModelAnswerUnusable, ModelBusy
from maitred.protocol.menu import Menu, MenuItem
from maitred.protocol.turn_events import Asked
from maitred.protocol.usage import Attempt, Usage
from maitred.runtime.asking import GRACE_S, Asker, Refused, patience
from maitred.runtime.turns import Times

Desk = Any
REPHRASE = "I did not get that right, so I have changed nothing. Could you say it in other words?"
UNAVAILABLE = "I cannot answer just now, so I have changed nothing. Please try again in a moment."


class Hanging:
    """Never answers; `ended` counts how often that was noticed."""

    name = "hanging"

    def __init__(self) -> None:
        self.ended = 0

    async def decide(self, request: Any) -> AgentDecision:
        try:
            await asyncio.Event().wait()
        finally:
            self.ended += 1
        raise AssertionError


class Patient(Hanging):
    timeout_s = 60.0


async def test_a_decider_that_hangs_does_not_hold_the_session(desk_: Desk):
    """It is cancelled and left alone for a while: one time-out is enough. The customer gets a sentence, the log the reason."""
    decider = Hanging()
    maitred = desk_.open(decider=decider, times=Times(decide_s=0.03))
    assert (await maitred.say("s1", "hello there, you")).text == UNAVAILABLE
    assert decider.ended == 1
    rolled = [event for event in await desk_.events() if event.event == "rolled_back"]
    assert [event.reason for event in rolled] == ["model_frozen: decider 'hanging' gave no answer in time just now"]
    # Not asked, nobody erred: however often the customer writes meanwhile, this is no reason to hand over.
    assert [(await maitred.say("s1", f"and now? {n}")).text for n in range(3)] == [UNAVAILABLE] * 3
    assert (await maitred.session("s1")).invalid == 1
    await desk_.sound()


class Plain:
    """Forgot the `async`."""

    name = "plain"

    def decide(self, request: Any) -> AgentDecision:
        return AgentDecision(action="answer", parameters={}, reply_text="x")


async def test_a_decide_that_is_not_async_says_how_it_is_written(desk_: Desk, caplog: pytest.LogCaptureFixture):
    """The customer gets a sentence, whoever runs it the way out."""
    maitred = desk_.open(decider=Plain())
    assert (await maitred.say("s1", "hello there, you")).text == UNAVAILABLE
    assert "decide gave a AgentDecision at once; write `async def decide(self, request)`" in caplog.text
    await desk_.sound()


async def test_one_slow_answer_among_others_freezes_nobody():
    """Another session was answered while it was waited for: it is this question, not the decider."""

    class Mixed:
        name = "mixed"

        async def decide(self, request: Any) -> Any:
            if request.text == "slow":
                await asyncio.Event().wait()
            return {"action": "answer"}

    def question(text: str) -> DecisionRequest:
        return DecisionRequest("s1", "en", Menu("here", (MenuItem("answer", "answer"),)), text)

    asker = Asker(Mixed(), 0.1)
    slow = asyncio.ensure_future(asker.ask(question("slow")))
    await asyncio.sleep(0)
    assert not isinstance((await asker.ask(question("quick"))).result, Refused)
    assert isinstance((await slow).result, Refused)
    assert not isinstance((await asker.ask(question("quick"))).result, Refused)


async def test_a_timeout_of_the_decider_s_own_is_not_taken_for_ours(desk_: Desk):
    """TimeoutError of something inside it."""
    maitred = desk_.open(decider=ScriptedDecider([TimeoutError("disk"), TimeoutError("disk")]))
    assert (await maitred.say("s1", "hello there, you")).text == UNAVAILABLE
    assert [event.reason for event in await desk_.events()][-1] == "the decider failed: TimeoutError"


async def test_after_the_freeze_one_probe_finds_the_decider_well_again():
    """For everybody; what it says counts."""
    now, answers = [1000.0], [Hanging().decide]

    class Recovering:
        name = "recovering"

        async def decide(self, request: Any) -> Any:
            return await answers[0](request)

    asker = Asker(Recovering(), 0.03, LocalBreaker(lambda: now[0], freeze_s=30.0))
    request = DecisionRequest("s1", "en", Menu("here", (MenuItem("answer", "answer"),)), "hello")
    codes = []
    for at, well in ((0, False), (29, True), (30, True), (30, True)):
        now[0] = 1000.0 + at
        answers[0] = ScriptedDecider([{"action": "answer"}]).decide if well else Hanging().decide
        result = (await asker.ask(request)).result
        codes.append(result.problem.partition(":")[0] if isinstance(result, Refused) else "ok")
    assert codes == ["model_timeout", "model_frozen", "ok", "ok"]


def test_patience_is_the_longer_of_two():
    """A decider that ends itself is given that time and a little more, so that its own ending counts."""
    assert patience(Hanging(), 30.0) == 30.0
    assert patience(Patient(), 30.0) == 60.0 + GRACE_S
    assert patience(Patient(), 90.0) == 90.0


def test_a_decider_s_odd_limit_is_no_limit():
    """Anything may have an attribute of that name."""

    class Odd(Hanging):
        timeout_s = None

    assert patience(Odd(), 30.0) == 30.0


@pytest.mark.parametrize(
    ("error", "told", "problem"),
    [
        (ModelAnswerUnusable("no JSON"), "no JSON", "model_answer_unusable: no JSON"),
        (ModelBusy("too many"), None, "model_busy: too many"),
        (ValueError("phone 13800138000"), None, "the decider failed: ValueError"),
    ],
)
async def test_the_model_is_told_only_of_its_own_mistakes(
    desk_: Desk, error: Exception, told: str | None, problem: str, caplog: pytest.LogCaptureFixture
):
    """The session's log knows all of them; what a foreign one quotes is in no log, at no level."""
    caplog.set_level("DEBUG", "maitred")
    decider = ScriptedDecider([error, {"action": "answer", "reply_text": "here"}])
    maitred = desk_.open(decider=decider)
    assert (await maitred.say("s1", "hello there, you")).text == "here"
    assert [request.last_error for request in decider.requests] == [None, told]
    assert [e.payload["why"] for e in await desk_.events() if e.event == "decision_rejected"] == [problem]
    assert "how it failed" in caplog.text
    assert "13800138000" not in caplog.text


class _Speechless(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


class _Bare(ModelBusy):
    def __init__(self) -> None:
        """Without what every ModelError has."""


@pytest.mark.parametrize(
    "error", [_Speechless(), _Bare(), asyncio.CancelledError(), SystemExit(3), KeyboardInterrupt()]
)
async def test_whatever_a_decider_raises_the_customer_gets_a_sentence(desk_: Desk, error: BaseException):
    """Also what would end the process, or looks like a cancellation of the turn."""

    class Raising:
        name = "raising"

        async def decide(self, request: Any) -> AgentDecision:
            raise error

    maitred = desk_.open(decider=Raising())
    assert (await maitred.say("s1", "hello there, you")).text == UNAVAILABLE
    await desk_.sound()


async def test_a_decider_that_does_not_want_to_stop_is_left_behind(desk_: Desk):
    """It swallows its cancellation; the turn ends all the same."""
    freed = asyncio.Event()

    class Stubborn:
        name = "stubborn"

        async def decide(self, request: Any) -> AgentDecision:
            while not freed.is_set():
                with contextlib.suppress(asyncio.CancelledError):
                    await freed.wait()
            raise AssertionError

    maitred = desk_.open(decider=Stubborn(), times=Times(decide_s=0.03))
    assert (await maitred.say("s1", "hello there, you")).text == UNAVAILABLE
    freed.set()


async def test_odd_books_of_a_decider_are_no_reason_to_fail(desk_: Desk):
    """What cannot go on record is left out."""
    good = {"action": "answer", "reply_text": "here"}
    odd: list[Any] = [Answered(good, attempts) for attempts in ([Attempt(1.0)], (Attempt(float("nan")), "x"), None)]
    maitred = desk_.open(decider=lambda_decider(odd))
    metas = [(await maitred.say("s1", f"hello {n}, you")).meta for n in range(3)]
    assert [meta["model_calls"] if meta else None for meta in metas] == [1, None, None]


async def test_a_decision_that_does_not_validate_is_told_without_the_words_in_it(desk_: Desk):
    """A decider that parses JSON itself: the model made the mistake, the log must not quote the customer."""

    class Parsing:
        name = "parsing"
        seen: list[Any] = []  # noqa: RUF012

        async def decide(self, request: Any) -> AgentDecision:
            self.seen.append(request.last_error)
            return AgentDecision.model_validate_json('{"act": "provide", "phone": "13800138000"}')

    decider = Parsing()
    assert (await desk_.open(decider=decider).say("s1", "hello there, you")).text == REPHRASE
    assert "action" in decider.seen[1]
    assert "138" not in decider.seen[1]


async def test_what_a_decider_spent_is_kept_also_if_its_answer_is_refused(desk_: Desk):
    """Any decider may return Answered."""
    attempt = Attempt(0.5, "ok", Usage(10, 4, 2))
    good = Answered({"action": "answer", "reply_text": "here"}, (attempt,))
    maitred = desk_.open(decider=lambda_decider([Answered({"action": "nonsense"}, (attempt,)), good]))
    events = [event async for event in maitred.stream(maitred.request("s1", "hello there, you"))]
    asked = [event for event in events if isinstance(event, Asked)]
    assert [event.problem is None for event in asked] == [False, True]
    assert events[-1].response.meta == {
        "model_calls": 2, "model_s": 1.0, "prompt_tokens": 20, "cached_tokens": 8, "completion_tokens": 4,
    }  # fmt: skip


def lambda_decider(answers: list[Any]) -> Any:
    class Listed:
        name = "listed"

        async def decide(self, request: Any) -> Any:
            return answers.pop(0)

    return Listed()
