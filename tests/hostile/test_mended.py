"""Faults that the hostile run met, each in its smallest case."""

from collections.abc import Callable
from pathlib import Path

import pytest

from maitred import AgentDecision, DecisionRequest, Maitred
from maitred.decision.keyword import choose
from maitred.examples.presales.conversation import CONVERSATION
from maitred.examples.presales.flow import build_flow
from maitred.examples.presales.shop import Shop, ShopError

from .detector import has_words

NUMBER = "SO20261130-000999"


class Model:
    """Decides as the function says."""

    name = "model"

    def __init__(self, decide: Callable[[DecisionRequest], AgentDecision]) -> None:
        self._decide = decide

    async def decide(self, request: DecisionRequest) -> AgentDecision:
        return self._decide(request)


def maitred(tmp_path: Path, decide: Callable[[DecisionRequest], AgentDecision]) -> Maitred:
    return Maitred(build_flow(Shop(tmp_path / "shop.db")), decider=Model(decide))


@pytest.mark.parametrize("words", ["\u200b\u2060", "…", "**", "<b></b>"])
async def test_words_that_nobody_can_see_are_no_reply(words: str, tmp_path: Path) -> None:
    """As with an empty reply_text, a sentence of code's stands in."""
    async with maitred(tmp_path, lambda request: AgentDecision(action="answer", reply_text=words)) as bot:
        assert has_words((await bot.say("s", "what is that?")).text.replace("<b></b>", ""))


def named_after_a_number(request: DecisionRequest) -> AgentDecision:
    """The model reads the number in the customer's text as a name, and later says that it is an order."""
    if NUMBER in request.text and request.menu.state == "info_collection":
        return AgentDecision(action="provide", parameters={"company": NUMBER, "seats": 3, "contact": "13800138000"})
    if "what about" in request.text:
        return AgentDecision(action="answer", reply_text=f"Your order {NUMBER} is confirmed and paid.")
    return choose(request)


async def test_a_reply_that_was_replaced_does_not_show_the_number_all_the_same(tmp_path: Path) -> None:
    """The log says reply_replaced; the customer reads the number."""
    async with maitred(tmp_path, named_after_a_number) as bot:
        reply = await bot.say("s", f"We are {NUMBER}, 3 people, phone 13800138000")
        assert NUMBER not in reply.text


async def test_a_tool_that_repeats_a_slot_does_not_make_it_a_fact(tmp_path: Path) -> None:
    """make_quote returns the company's name: from then on the number counts as held, and the model may say anything about it."""
    async with maitred(tmp_path, named_after_a_number) as bot:
        await bot.say("s", f"We are {NUMBER}, 3 people, phone 13800138000")
        for line in CONVERSATION["en"][3:9]:
            await bot.say("s", line)
        assert (await bot.session("s")).state == "parameter_confirmation"
        reply = await bot.say("s", "what about the order?")
        assert f"Your order {NUMBER} is confirmed" not in reply.text


class NoQuotes(Shop):
    """A shop that cannot price anything at the moment."""

    def make_quote(self, *args: object, **kwargs: object) -> dict[str, object]:
        raise ShopError("unavailable", "no prices")


async def test_nobody_is_asked_to_agree_to_a_quote_that_does_not_exist(tmp_path: Path) -> None:
    """Back from a human after the quote failed, the model picks confirm_order: "Quote -: -; total -. Shall I ..."."""
    bot = Maitred(build_flow(NoQuotes(tmp_path / "shop.db")))
    async with bot:
        for line in CONVERSATION["en"][1:9]:
            await bot.say("s", line)
        assert (await bot.session("s")).state == "escalated"
        words = await bot.resume("s", key="k")
        asked = await bot.say("s", "place the order")
        assert words is None or "Quote -" not in words.text
        assert "Quote -" not in asked.text
