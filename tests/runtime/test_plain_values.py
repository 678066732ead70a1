"""A message that only gives values which code can read goes past a decider that reads first; anything more goes to it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from maitred import Action, Flow, Maitred, Slot, Step, Terminal
from maitred.app.maitred import Maitred as App
from maitred.decision.offered import offered
from maitred.decision.scripted import ScriptedDecider
from maitred.protocol.decision import DecisionRequest
from maitred.protocol.errors import ModelDown
from maitred.protocol.texts import Lang

COLLECTS = {
    "seats": Slot(int, read="number", cues=("seats", "people", "人"), minimum=1, maximum=500, ask="How many seats?"),
    "use": Slot(
        "choice",
        read="choices",
        choices={"sales": ("sales", "销售"), "support": ("support", "客服")},
        ask="What for?",
    ),
    "company": Slot(read="text", cues=("company",), ask="Which company?"),
}


class ReadsFirst(ScriptedDecider):
    """As a model is wired: not asked where code reads it all."""

    reads_first = "likely"


def knows(text: str, lang: Lang) -> Sequence[str]:
    return ["Numbers can be kept."] if "keep" in text or "保留" in text else []


def flow() -> Flow:
    order = Action("order", {"en": "place the order", "zh": "下单"}, event="ordered", confirm=True)
    promotion = Action(
        "promotion", {"en": "ask for a promotion", "zh": "问优惠"}, examples=("any discount?", "有优惠吗")
    )
    return Flow(
        name="office",
        states=["ask", "check"],
        initial="ask",
        transitions={("ask", "known"): "check", ("check", "ordered"): Terminal.COMPLETED},
        steps={
            "ask": Step(say="{ask}", collects=COLLECTS, complete="known", actions=(promotion,)),
            "check": Step(say="{seats} seats?", collects=COLLECTS, actions=(order, promotion), confirms="order"),
        },
        knowledge=knows,
    )


ANSWER = {"action": "answer", "reply_text": "One moment."}
TOLD = "Our company is Acme, 20 people, all of them in sales, and we hope to be ready before the spring"
VALUES = {"company": "Acme", "seats": 20, "use": "sales"}


async def talk(*texts: str) -> tuple[dict[str, Any], ReadsFirst, list[str]]:
    """What the session holds after the texts, the decider, and who provided values."""
    decider = ReadsFirst(lambda r: {"action": "provide", "parameters": VALUES} if r.text == TOLD else ANSWER)
    async with Maitred(flow(), store=":memory:", decider=decider) as maitred:
        for text in texts:
            assert (await maitred.say("s", text)).text
        checked = await maitred.replay("s")
        assert checked.equal
        by = [m.actor for m in checked.messages if m.msg_type == "state_event" and m.event == "slots_provided"]
        return dict((await loaded(maitred)).data), decider, by


async def loaded(maitred: App) -> Any:
    session = await maitred.store.load("s")
    assert session
    return session


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("20", {"seats": 20}),
        ("about 20 people, I'd say", {"seats": 20}),
        ("大概二十个人吧", {"seats": 20}),
        ("20 people, for support calls", {"seats": 20, "use": "support"}),
        ("20人，做客服", {"seats": 20, "use": "support"}),
    ],
)
async def test_a_plain_answer_needs_no_decider(text: str, values: Mapping[str, Any]) -> None:
    """And the log says that code read it."""
    data, decider, by = await talk(text)
    assert (data, decider.requests, by) == (values, [], ["guard"])


@pytest.mark.parametrize(
    "text",
    [
        "20 people, and what does it cost?",
        "20 people, can we keep our numbers",
        "20个人，号码能保留吗",
        "20 people, any discount",
        "20个人，有优惠吗",
        "maybe 20, let me check with my boss",
        "for support calls",  # right, and not what was asked
        "we had 20 people until spring, then Anna left and nobody knows what comes, so put down what you think is best",
        "hello there",
    ],
)
async def test_anything_more_is_the_deciders(text: str) -> None:
    """A question, a word of an action, what the flow's knowledge knows of, hesitation, another slot, many words, no value."""
    _, decider, _ = await talk(text)
    assert [r.text for r in decider.requests] == [text]


async def test_a_name_is_the_deciders() -> None:
    """What looks like a name may be anything."""
    _, decider, _ = await talk("20", "sales", "Acme Dental")
    assert [r.text for r in decider.requests] == ["Acme Dental"]


@pytest.mark.parametrize("text", ["make it 25 people", "No, 25 people", "改成25人", "不对，是25个人"])
async def test_a_plain_correction_of_what_is_to_be_confirmed(text: str) -> None:
    """The offer changes and is asked anew."""
    data, decider, by = await talk(TOLD, text)
    assert (data, [r.text for r in decider.requests], by) == (VALUES | {"seats": 25}, [TOLD], ["model", "guard"])


async def test_a_value_out_of_bounds_is_told_to_the_customer() -> None:
    """As if the decider had given it."""
    decider = ReadsFirst([])
    async with Maitred(flow(), store=":memory:", decider=decider) as maitred:
        reply = await maitred.say("s", "900 seats")
        assert "500" in reply.text
        assert not (await loaded(maitred)).data


async def test_it_works_while_the_model_is_down() -> None:
    """What code can do, it does."""
    decider = ReadsFirst([ModelDown("no")] * 3)
    async with Maitred(flow(), store=":memory:", decider=decider) as maitred:
        await maitred.say("s", "good day to you all")
        await maitred.say("s", "20 people")
        assert (await loaded(maitred)).data == {"seats": 20}


async def test_a_decider_that_does_not_say_so_is_asked() -> None:
    """Scripts and a user's own deciders see every message."""
    decider = ScriptedDecider([ANSWER])
    async with Maitred(flow(), store=":memory:", decider=decider) as maitred:
        await maitred.say("s", "20 people")
    assert len(decider.requests) == 1


async def test_the_action_asked_about_is_legal_and_not_offered() -> None:
    """Its yes is code's to take: a model that saw it would name it for whatever was said. Named, it is asked again."""
    seen: list[DecisionRequest] = []

    def choose(request: DecisionRequest) -> Mapping[str, Any]:
        seen.append(request)
        return {"action": "provide", "parameters": VALUES} if request.text == TOLD else {"action": "order"}

    async with Maitred(flow(), store=":memory:", decider=ReadsFirst(choose)) as maitred:
        await maitred.say("s", TOLD)
        reply = await maitred.say("s", "hm, is that so")
        session = await loaded(maitred)
    assert "order" not in seen[0].menu.names
    assert offered(seen[0]) == seen[0].menu
    assert (seen[1].confirming, "order" in seen[1].menu.names, "order" in offered(seen[1]).names) == (
        "order",
        True,
        False,
    )
    assert "yes" in reply.text.lower()
    assert (session.state, session.pending.action) == ("check", "order")


class Sure(ReadsFirst):
    """As a strong model is wired: only where every word is accounted for."""

    reads_first = "sure"


@pytest.mark.parametrize(
    "text",
    [
        "20",
        "20 people",
        "we are about 20 people",
        "20 of us",
        "大概20人",
        "我们20个人吧",
        "20人",
        "it's 20 seats, please",
        "二十个人",
    ],
)
async def test_sure_takes_what_is_nothing_but_an_answer(text: str) -> None:
    """With the words that carry it."""
    decider = Sure([])
    async with Maitred(flow(), store=":memory:", decider=decider) as maitred:
        await maitred.say("s", text)
        assert (await loaded(maitred)).data == {"seats": 20}
    assert decider.requests == []


@pytest.mark.parametrize(
    "text",
    [
        "don't put 20", "I don't want 20 people", "our competitor has 20 people", "隔壁公司有20人", "我们没有20个人", "别写20",
        "20人的话就算了", "less than 20", "between 20 and 30", "不到20人", "不止20人", "more than 20", "20 is too many",
        "20人太多了",
        "anything but 20", "除了20都行", "20 or 30", "20, said nobody ever", "Give me 20 reasons to buy", "I have 20 questions",
        "你都问了20遍了", "windows 20", "we're hiring 20 people next year", "每个店20人，3个店", "20 people on each floor",
        "20 what",
        "twenty, yeah right", "我们是20强", "under no circumstances 20", "last year we had 20",
    ],
)  # fmt: skip
async def test_sure_leaves_the_rest_to_the_decider(text: str) -> None:
    """Denied, compared, limited, somebody else's, of another time, not a count at all."""
    decider = Sure(lambda request: ANSWER)
    async with Maitred(flow(), store=":memory:", decider=decider) as maitred:
        await maitred.say("s", text)
    assert [r.text for r in decider.requests] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "add 5 people",
        "5 more people",
        "再加5个人",
        "减5个人",
        "remove 5 people",
        "5 fewer people",
        "多5个人",
        "去掉5个人",
        "走了2个人",
    ],
)
@pytest.mark.parametrize("kind", [Sure, ReadsFirst])
async def test_a_change_by_a_number_is_no_number(text: str, kind: type[ReadsFirst]) -> None:
    """What is to be confirmed must not become 5 because 5 were added."""
    decider = kind(lambda r: {"action": "provide", "parameters": VALUES} if r.text == TOLD else ANSWER)
    async with Maitred(flow(), store=":memory:", decider=decider) as maitred:
        await maitred.say("s", TOLD)
        await maitred.say("s", text)
    assert [r.text for r in decider.requests] == [TOLD, text]
