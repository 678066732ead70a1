"""Values that a model makes up change nothing: they are dropped, on record, and the customer is asked as before."""

from typing import Any

import pytest

from maitred import Action, Call, Flow, Maitred, Slot, Step, Terminal, tool
from maitred.decision.scripted import ScriptedDecider

COLLECTS = {
    "company": Slot(read="text", cues=("company",), ask="Which company?"),
    "seats": Slot(int, read="number", cues=("seats", "people", "人"), ask="How many seats?"),
    "use": Slot("choice", read="choices", choices={"sales": ("sales",), "support": ("support",)}, ask="What for?"),
    "note": Slot(required=False),
}


def flow() -> Flow:
    cancel = Action(
        "cancel", "cancel an order", event="cancelled", parameters={"order": Slot(read="regex", pattern=r"[A-Z]\d+")}
    )
    return Flow(
        name="office",
        states=["ask", "offer"],
        initial="ask",
        transitions={("ask", "known"): "offer", ("offer", "cancelled"): Terminal.ABANDONED},
        steps={
            "ask": Step(say="{ask}", collects=COLLECTS, complete="known"),
            "offer": Step(say="An offer.", actions=(cancel,)),
        },
    )


async def talk(*turns: tuple[str, dict[str, Any]]) -> tuple[Any, list[Any], ScriptedDecider]:
    """Each turn: what the customer says, what the model answers. The session, the log's events, the decider."""
    decider = ScriptedDecider([answer for _, answer in turns])
    async with Maitred(flow(), store=":memory:", decider=decider) as maitred:
        for text, _ in turns:
            reply = await maitred.say("s", text)
            assert reply.text
        checked = await maitred.replay("s")
        assert checked.equal
        session = await maitred.store.load("s")
        return session, [m for m in checked.messages if m.msg_type == "state_event"], decider


def provide(**values: Any) -> dict[str, Any]:
    return {"action": "provide", "parameters": values}


async def test_an_invented_value_is_dropped_and_the_given_one_kept() -> None:
    """The model adds a number of seats that nobody named."""
    session, events, _ = await talk(("we are Acme Dental", provide(company="Acme Dental", seats=20)))
    assert session.data == {"company": "Acme Dental"}
    dropped = next(e for e in events if e.event == "values_dropped")
    assert (dropped.payload["names"], dropped.actor, dropped.reason) == (["seats"], "guard", "nobody gave them")


async def test_nothing_left_is_an_answer_and_no_invalid_decision() -> None:
    """The question stands; "unknown" is no company."""
    session, events, _ = await talk(("how does it work?", provide(company="unknown", seats=1)))
    assert (session.state, session.data, session.invalid) == ("ask", {}, 0)
    assert [e.event for e in events][-2:] == ["values_dropped", "answer_given"]


async def test_where_code_read_another_value_its_own_counts() -> None:
    """A model that mistypes a number does no harm."""
    session, _, _ = await talk(("25 seats please", provide(seats=52)))
    assert session.data == {"seats": 25}


async def test_a_choice_counts_where_it_was_asked_for_or_read() -> None:
    """Volunteered for a question not yet asked, it is a guess; as the answer it may be in any words."""
    session, _, _ = await talk(
        ("we are Acme Dental, 20 people", provide(company="Acme Dental", seats=20, use="sales")),
        ("so that patients reach us", provide(use="support")),
    )
    assert session.data == {"company": "Acme Dental", "seats": 20, "use": "support"}
    assert session.state == "offer"


async def test_a_slot_that_code_cannot_read_is_the_models() -> None:
    """Without a `read` nothing can be checked."""
    session, _, _ = await talk(("hello", provide(note="sounds tired")))
    assert session.data == {"note": "sounds tired"}


async def test_an_action_with_an_invented_parameter_is_an_invalid_decision() -> None:
    """It is asked again, with the reason."""
    ready = provide(company="Acme Dental", seats=20, use="sales")
    invented, better = (
        {"action": "cancel", "parameters": {"order": "A17"}},
        {"action": "answer", "reply_text": "Which?"},
    )
    decider = ScriptedDecider([ready, invented, better])
    async with Maitred(flow(), store=":memory:", decider=decider) as maitred:
        await maitred.say("s", "Acme Dental, 20 people, for sales")
        reply = await maitred.say("s", "cancel it")
        events = [m.event for m in (await maitred.replay("s")).messages if m.msg_type == "state_event"]
    assert (reply.text, reply.state) == ("Which?", "offer")
    assert decider.requests[-1].last_error == "'cancel' needs order: the customer did not give it"
    assert events[-2:] == ["decision_rejected", "answer_given"]


async def test_a_parameter_may_stand_in_an_earlier_message() -> None:
    """Its action was not on the menu when it was said."""
    session, _, _ = await talk(
        (
            "about order A17: we are Acme Dental, 20 people, for sales",
            provide(company="Acme Dental", seats=20, use="sales"),
        ),
        ("please cancel it", {"action": "cancel", "parameters": {"order": "A17"}}),
    )
    assert session.state == "abandoned"


ANSWER = {"action": "answer", "reply_text": "I have noted all of that. Anything else?"}


async def test_what_code_read_is_not_lost_on_a_model_that_only_talks() -> None:
    """The answer to the question just asked, and what else the message brings; the model's words are not shown."""
    session, events, _ = await talk(("Acme Dental, 20 people", ANSWER))
    assert session.data == {"company": "Acme Dental", "seats": 20}
    last = events[-1]
    assert (last.event, last.actor, last.reason) == ("slots_provided", "guard", "code read it in the message")


async def test_a_message_that_does_not_answer_the_question_is_the_models() -> None:
    """Something was read in it, but not what was asked for: the model may know better what it is about."""
    session, events, _ = await talk(("can 20 people use it?", ANSWER), ("and sales staff?", ANSWER))
    assert session.data == {}
    assert events[-1].event == "answer_given"


async def test_a_correction_of_what_is_to_be_confirmed_is_heard_whatever_the_model_makes_of_it() -> None:
    """A model that goes on as if nothing was said must not leave the old value standing."""
    order = Action("order", "order it", event="ordered", confirm=True)
    flow = Flow(
        name="tins",
        states=["here"],
        initial="here",
        transitions={("here", "ordered"): Terminal.COMPLETED},
        steps={"here": Step(collects={"tins": Slot(int, read="number", cues=("tins",))}, actions=(order,))},
    )
    decider = ScriptedDecider([provide(tins=3), {"action": "order"}, {"action": "order"}])
    async with Maitred(flow, store=":memory:", decider=decider) as maitred:
        for text in ("3 tins", "order them, please", "no, I said 5 tins"):
            await maitred.say("s", text)
        session = await maitred.store.load("s")
    assert session is not None
    assert (session.state, session.data, session.pending) == ("here", {"tins": 5}, None)


async def confirm_talk(*turns: tuple[str, dict[str, Any]]) -> Any:
    """At a step that collects seats and asks to confirm an order of 20."""
    order = Action("order", "order it", event="ordered", confirm=True)
    flow = Flow(
        name="seats",
        states=["here"],
        initial="here",
        transitions={("here", "ordered"): Terminal.COMPLETED},
        steps={"here": Step(collects={"seats": COLLECTS["seats"], "company": COLLECTS["company"]}, actions=(order,))},
    )
    first = (("20 seats for Acme", provide(seats=20, company="Acme")), ("order", {"action": "order"}))
    decider = ScriptedDecider([answer for _, answer in (*first, *turns)])
    async with Maitred(flow, store=":memory:", decider=decider) as maitred:
        for text, _ in (*first, *turns):
            reply = await maitred.say("s", text)
        return reply, await maitred.store.load("s")


@pytest.mark.parametrize(
    "text",
    [
        "we may be 30 people next year, can we add seats later?",
        "我们明年可能30人，到时能加吗？",
        "5 of our people are in Spain, does it work there?",
        "Do you also work with Zoom?",
        "3 people will install it",
    ],
)
async def test_a_remark_at_the_confirmation_is_the_models(text: str) -> None:
    """It answers; nothing is stored, the answer is shown and the question stands."""
    reply, session = await confirm_talk((text, {"action": "answer", "reply_text": "That is no problem."}))
    assert session.data == {"seats": 20, "company": "Acme"}
    assert "That is no problem." in reply.text
    assert session.pending is not None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("add five more seats", 25),
        ("再加5个席位", 25),
        ("take three away", 17),
        ("double that", 40),
        ("two per office, three offices", 6),
    ],
)
async def test_a_number_may_be_reckoned(text: str, value: int) -> None:
    """From what was said and what was known; an operand alone is never stored in its place."""
    _, session = await confirm_talk((text, provide(seats=value)))
    assert session.data["seats"] in ((value, 20) if text == "double that" else (value,))
    _, session = await confirm_talk((text, provide(seats=999)))
    assert session.data["seats"] == 20


async def test_a_yes_to_the_models_own_question_counts() -> None:
    """ "20 seats in total, right?" "yes": the number stands in the words of the bot."""
    session, _, _ = await talk(
        (
            "there are ten of us here and ten in Leeds",
            {"action": "answer", "reply_text": "So 20 seats in total, right?"},
        ),
        ("yes exactly", provide(seats=20)),
    )
    assert session.data == {"seats": 20}


async def test_dropped_values_are_not_announced() -> None:
    """The model's words tell of what did not happen."""
    decider = ScriptedDecider([{**provide(seats=7), "reply_text": "Great, seven seats."}])
    async with Maitred(flow(), store=":memory:", decider=decider) as maitred:
        assert "seven" not in (await maitred.say("s", "good morning to all of you")).text


async def test_a_sentence_is_read_by_the_model_where_a_choice_was_asked() -> None:
    """Code knows the words, not what they are about; in a short answer there is nothing else."""
    ready = ("Acme Dental, 20 people", provide(company="Acme Dental", seats=20))
    long_, _, _ = await talk(
        ready, ("we run a sales agency, but these phones are for complaints", provide(use="support"))
    )
    short, _, _ = await talk(ready, ("for sales", provide(use="support")))
    assert (long_.data["use"], short.data["use"]) == ("support", "sales")


@pytest.mark.parametrize(
    "text", ["do you give discounts above 50 seats", "你们支持100人以上吗", "Is there a limit? Others allow 50 users"]
)
async def test_a_question_is_no_answer(text: str) -> None:
    """Whatever numbers stand in it."""
    ready = ("we are Acme Dental", provide(company="Acme Dental"))
    session, _, _ = await talk(ready, (text, {"action": "answer", "reply_text": "Yes."}))
    assert session.data == {"company": "Acme Dental"}


@pytest.mark.parametrize(
    ("text", "goes_on"), [("then the small one", False), ("the large one, fine", True), ("fine", True)]
)
async def test_a_wish_for_something_else_than_was_shown_is_heard(text: str, goes_on: bool) -> None:
    """A model that accepts what is on offer while the customer names another thing does not get its way."""

    @tool(effect="none")
    def offer(wish: str = "large") -> dict[str, str]:
        return {"size": wish}

    sizes = Slot("choice", read="choices", required=False, choices={"small": ("small",), "large": ("large",)})
    flow = Flow(
        name="sizes",
        states=["here"],
        initial="here",
        transitions={("here", "taken"): Terminal.COMPLETED},
        steps={
            "here": Step(
                say="This one?",
                collects={"wish": sizes},
                on_enter=Call("offer"),
                actions=(Action("take", event="taken"),),
            )
        },
        tools=[offer],
    )
    decider = ScriptedDecider([{"action": "answer", "reply_text": "Good morning."}, {"action": "take"}])
    async with Maitred(flow, store=":memory:", decider=decider) as maitred:
        await maitred.say("s", "good morning to you")
        reply = await maitred.say("s", text)
        session = await maitred.store.load("s")
    assert session is not None
    assert (reply.state == "completed") is goes_on
    assert goes_on or session.data["offer"] == {"size": "small"}


async def test_a_number_is_not_reckoned_from_itself_and_not_taken_from_another_slot() -> None:
    """50 - 50 is no budget, and the 12 of "12 months" is none either."""
    slots = {
        "seats": COLLECTS["seats"],
        "budget": Slot("number", read="number", cues=("budget",), ask="Budget?"),
        "months": Slot(int, read="number", cues=("months",), ask="Months?"),
    }
    flow = Flow(
        name="plan",
        states=["here"],
        initial="here",
        transitions={("here", "known"): Terminal.COMPLETED},
        steps={"here": Step(collects=slots, complete="known")},
    )
    decider = ScriptedDecider([provide(seats=50, budget=0, months=1), provide(budget=12, months=12)])
    async with Maitred(flow, store=":memory:", decider=decider) as maitred:
        await maitred.say("s", "50 seats please")
        await maitred.say("s", "12 months")
        session = await maitred.store.load("s")
    assert session is not None
    assert session.data == {"seats": 50, "months": 12}


@pytest.mark.parametrize(
    ("text", "seats"),
    [("that is wrong, 25 seats", 25), ("不对，应该是 25 seats", 25), ("fine, we are 25 people on Mondays", 20)],
)
async def test_a_correction_goes_before_an_action_on_the_old_value(text: str, seats: int) -> None:
    """Only where the customer says that something is wrong: a number in passing is no correction."""
    flow = Flow(
        name="orders",
        states=["here", "there"],
        initial="here",
        transitions={("here", "taken"): "there", ("there", "back"): "here"},
        steps={
            "here": Step(
                say="Take it?", collects={"seats": COLLECTS["seats"]}, actions=(Action("take", event="taken"),)
            ),
            "there": Step(say="Taken.", actions=(Action("back", event="back"),)),
        },
    )
    decider = ScriptedDecider([provide(seats=20), {"action": "take"}])
    async with Maitred(flow, store=":memory:", decider=decider) as maitred:
        await maitred.say("s", "20 seats")
        reply = await maitred.say("s", text)
        session = await maitred.store.load("s")
    assert session is not None
    assert session.data["seats"] == seats
    assert (reply.state == "there") is (seats == 20)


@pytest.mark.parametrize("text", ["that is wrong, 25 people", "不对，是25个人"])
async def test_a_correction_is_not_lost_on_a_model_that_only_talks(text: str) -> None:
    """ "All noted", it says, and goes on with the old value."""
    session, events, _ = await talk(
        ("company Acme Dental, 20 people", provide(company="Acme Dental", seats=20)),
        (text, {"action": "answer", "reply_text": "All noted."}),
    )
    assert session.data["seats"] == 25
    assert events[-1].actor == "guard"
