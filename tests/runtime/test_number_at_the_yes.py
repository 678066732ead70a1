"""A number where only a yes is asked for: what corrects the order, what is one to reckon with, what is about something else."""

from typing import Any

import pytest

from maitred import Action, Flow, Maitred, Slot, Step, Terminal

TINS = Slot(int, read="number", cues=("tins", "罐"), ask={"en": "How many tins?", "zh": "要几罐？"})
BUDGET = Slot(int, read="number", cues=("budget", "预算"), ask={"en": "What budget?", "zh": "预算多少？"})


def tea(**slots: Slot) -> Flow:
    return Flow(
        name="tea",
        states=["order", "confirm"],
        initial="order",
        transitions={("order", "known"): "confirm", ("confirm", "bought"): Terminal.COMPLETED},
        steps={
            "order": Step(collects=slots, complete="known"),
            "confirm": Step(
                say={"en": "{tins} tins. Order them?", "zh": "{tins} 罐，下单吗？"},
                confirms="buy",
                actions=(Action("buy", event="bought", confirm=True),),
            ),
        },
    )


async def after(flow: Flow, *texts: str) -> tuple[Any, str]:
    async with Maitred(flow) as maitred:
        for text in texts:
            reply = await maitred.say("s", text)
        session = await maitred.session("s")
    assert session
    return session.data.get("tins"), reply.text


@pytest.mark.parametrize(
    "text",
    ["5", "make it 5", "no, 5", "actually 5", "five please", "5 tins", "sorry, 5 tins", "no more than 5 tins", "改成5", "五",
     "two more of us, so make it 5 tins", "我们多了两个人，改成5罐", "add 2 more, 5 tins in total",
     "不，5", "5罐吧", "不对，5罐", "加到5罐", "增加到5罐", "减到5罐"],
)  # fmt: skip
async def test_the_number_that_is_meant_takes_the_place_of_the_old_one(text: str) -> None:
    tins, reply = await after(tea(tins=TINS), "3 tins", text)
    assert tins == 5
    assert reply.startswith(("5 tins. Order", "5 罐，下单"))


@pytest.mark.parametrize("decline", ["no", "不对"])
async def test_so_it_does_behind_a_no(decline: str) -> None:
    assert (await after(tea(tins=TINS), "3 tins", decline, "5"))[0] == 5


@pytest.mark.parametrize(
    "text",
    ["2 more", "add 2 tins", "another 2 tins please", "2 tins less", "plus 2 tins", "an extra 2 tins", "2 tins more please",
     "再给我来两罐", "再加两罐", "多来2罐", "再要2罐", "少要1罐", "追加2罐", "减1罐"],
)  # fmt: skip
async def test_a_number_to_reckon_with_is_not_put_in_its_place(text: str) -> None:
    """Two more than three is not two: the question is asked again."""
    tins, reply = await after(tea(tins=TINS), "3 tins", text)
    assert tins == 3
    assert "3 tins. Order them?" in reply or "3 罐，下单吗？" in reply


@pytest.mark.parametrize(
    "text", ["5 minutes", "in 5 days", "5 or 6", "I have 2 kids", "5 o'clock", "等5分钟", "我有2个孩子"]
)
async def test_a_number_of_something_else_is_none_of_the_orders(text: str) -> None:
    assert (await after(tea(tins=TINS), "3 tins", text))[0] == 3


async def test_of_two_numbers_a_bare_one_corrects_none() -> None:
    """Nobody could say which."""
    assert (await after(tea(tins=TINS, budget=BUDGET), "3 tins, budget 100", "5"))[0] == 3
    assert (await after(tea(tins=TINS, budget=BUDGET), "3 tins, budget 100", "5 tins"))[0] == 5


async def test_without_a_question_for_a_yes_a_bare_number_says_nothing() -> None:
    """It may pick from a list."""
    flow = Flow(
        name="tea",
        states=["order", "offer"],
        initial="order",
        transitions={("order", "known"): "offer", ("offer", "taken"): Terminal.COMPLETED},
        steps={
            "order": Step(collects={"tins": TINS}, complete="known"),
            "offer": Step(say="1. green 2. black", actions=(Action("take", event="taken"),)),
        },
    )
    assert (await after(flow, "3 tins", "2"))[0] == 3
