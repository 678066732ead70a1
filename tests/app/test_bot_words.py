"""An existing bot speaks; it cannot move the flow, invent a number, or end a turn."""

import asyncio
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from maitred import Action, Flow, Maitred, Slot, Step, Terminal
from maitred.app.bot_words import BotWords
from maitred.decision.keyword import KeywordDecider
from maitred.decision.scripted import ScriptedDecider
from maitred.protocol.decision import AgentDecision, Answered
from maitred.protocol.usage import Attempt


def flow() -> Flow:
    return Flow(
        name="tea",
        states=["order", "paid"],
        initial="order",
        transitions={("order", "known"): "paid", ("paid", "closed"): Terminal.COMPLETED},
        steps={
            "order": Step(
                instruction="Find out how many tins.",
                collects={"tins": Slot(int, read="number", cues=("tins",), ask="How many tins?")},
                complete="known",
            ),
            "paid": Step(instruction="Say goodbye.", actions=(Action("close", event="closed", examples=("bye",)),)),
        },
        facts={"order_no": r"SO\d{6}"},
        identity="You sell tea.",
    )


class Bot:
    """Says what it is set to; keeps what it was told."""

    def __init__(self, *says: Any) -> None:
        self.says, self.told = list(says), []  # type: ignore[var-annotated]

    def __call__(self, messages: Sequence[Mapping[str, str]]) -> Any:
        self.told.append([(m["role"], m["content"]) for m in messages])
        said = self.says.pop(0)
        if isinstance(said, Exception):
            raise said
        return said


async def talk(bot: Any, *texts: str) -> list[tuple[str, str]]:
    async with Maitred(flow(), decider=BotWords(bot, KeywordDecider())) as maitred:
        replies = [await maitred.say("s", text) for text in texts]
        assert (await maitred.replay("s")).equal
    return [(str(reply.state), reply.text) for reply in replies]


async def test_the_bot_answers_and_the_flow_goes_its_way() -> None:
    """Words where nothing is done; where a step has words of its own or asks, these."""
    bot = Bot("We have green and black tea.", "Thank you, 3 tins it is.")
    said = await talk(bot, "what do you sell?", "3 tins")
    assert said == [("order", "We have green and black tea."), ("paid", "Thank you, 3 tins it is.")]
    assert bot.told[0] == [("system", "You sell tea.\nFind out how many tins."), ("user", "what do you sell?")]
    assert bot.told[1] == [
        ("system", "You sell tea.\nSay goodbye.\ntins=3"),
        ("user", "what do you sell?"),
        ("assistant", "We have green and black tea."),
        ("user", "3 tins"),
    ]


async def test_an_async_bot_and_one_that_returns_messages() -> None:
    """What chat libraries give back."""

    async def later(messages: Any) -> Any:
        await asyncio.sleep(0)
        return {"role": "assistant", "content": f"{len(messages)} messages"}

    assert (await talk(later, "what do you sell?"))[0][1] == "2 messages"
    assert (await talk(Bot(SimpleNamespace(content="We have tea.")), "what do you sell?"))[0][1] == "We have tea."


@pytest.mark.parametrize("lang_text", ["what do you sell?", "你们卖什么？"])
@pytest.mark.parametrize("said", [RuntimeError("boom"), None, {"content": None}, "", 7])
async def test_a_bot_that_fails_costs_its_words_not_the_turn(said: Any, lang_text: str) -> None:
    """The flow has sentences of its own."""
    state, text = (await talk(Bot(said), lang_text))[0]
    assert (state, "tins" in text) == ("order", True)


@pytest.mark.parametrize("said", [None, 5, iter(["We have ", "tea."]), {"text": "We have tea."}])
async def test_a_bot_that_gives_no_words_is_told_what_it_is_to_give(
    said: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """One that streams, say: its words would be missed for ever and nobody would know why."""
    assert await talk(Bot(said), "hm") == [("order", "How many tins?")]
    assert f"the bot gave a {type(said).__name__}; it is to return words" in caplog.text


async def test_what_a_failing_bot_says_of_the_customer_is_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    """Not even at the lowest level, under whatever handlers the program has: kind and place are."""
    with caplog.at_level("DEBUG", "maitred"):
        await talk(Bot(RuntimeError("cannot answer 'I am Lee, 555-1234'")), "what do you sell?")
    assert "Lee" not in caplog.text
    assert "test_bot_words.py" in caplog.text
    assert "builtins.RuntimeError" in caplog.text


async def test_what_a_bot_claims_as_a_fact_is_not_shown() -> None:
    """No event of the session holds that order."""
    said = await talk(Bot("Your order SO123456 is on its way!"), "what do you sell?")
    assert "SO123456" not in said[0][1]
    assert said[0][0] == "order"


async def test_the_deciders_own_words_and_its_cost_stay() -> None:
    """The bot is not asked where the decider spoke; attempts are passed on."""
    bot = Bot("from the bot")
    attempts = (Attempt(0.1, "ok"),)
    spoken = Answered(AgentDecision(action="answer", reply_text="from the model"), attempts)
    silent = Answered(AgentDecision(action="answer"), attempts)
    inner = ScriptedDecider([spoken, silent])  # type: ignore[list-item]
    async with Maitred(flow(), decider=BotWords(bot, inner)) as maitred:
        first, second = await maitred.say("s", "what is this?"), await maitred.say("s", "and that?")
    assert first.text.startswith("from the model")
    assert second.text.startswith("from the bot")
    assert len(bot.told) == 1
