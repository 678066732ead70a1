"""Words ahead of the commit: which leave, when, and that the reply which is stored begins with them."""

import asyncio
import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest

from maitred.app.maitred import Maitred
from maitred.fallback.facts import unheld_fact
from maitred.protocol.decision import AgentDecision, DecisionRequest
from maitred.protocol.errors import Fenced, StoreUnavailable
from maitred.protocol.messages import AgentResponse, Attachment
from maitred.protocol.ports import Append, Listener
from maitred.protocol.slots import Slot
from maitred.protocol.texts import SENTENCES
from maitred.protocol.turn_events import Decided, Moved, Replied, Spoken, TurnEvent
from maitred.runtime.turns import Times
from maitred.statemachine.flow import Flow
from maitred.statemachine.parts import Step, Terminal
from maitred.store.memory import MemoryStore
from maitred.store.sqlite import SqliteStore

Desk = Any
FACTS = {"order_no": r"SO-?[0-9]{6}"}
CUT = SENTENCES["cut_off"]["en"]


class Talker:
    """A model: says what the test wants, character by character. `then`: what it ends with instead of its decision."""

    name = "talker"

    def __init__(self) -> None:
        self.action, self.words, self.parameters = "answer", "", {}
        self.then: Exception | AgentDecision | None = None
        self.asked = self.heard = 0
        self.pauses: Callable[[], Any] | None = None

    async def decide(self, request: DecisionRequest) -> AgentDecision:
        self.asked += 1
        return AgentDecision(action=self.action, parameters=self.parameters, reply_text=self.words)

    async def decide_aloud(self, request: DecisionRequest, listener: Listener) -> AgentDecision:
        self.heard += 1
        for end in range(len(self.words) + 1):
            words = self.words[:end]
            listener(AgentDecision(action=self.action, parameters=self.parameters, reply_text=words))
        if self.pauses:
            await self.pauses()
        if isinstance(self.then, Exception):
            raise self.then
        return self.then or await self.decide(request)


class Conversation:
    """A session behind the name; each message is heard as it is answered."""

    def __init__(self, maitred: Maitred, talker: Talker) -> None:
        self.maitred, self.talker = maitred, talker
        self.events: list[TurnEvent] = []
        self._ids = itertools.count()

    async def hear(self, text: str = "hm?", id_: str = "", **fields: Any) -> tuple[str, str]:
        """What came ahead, and the reply. Ahead is what came before the end, and the reply begins with it."""
        request = self.maitred.request("s1", text, message_id=id_ or f"h{next(self._ids)}").model_copy(update=fields)
        self.events = [event async for event in self.maitred.stream(request, aloud=True)]
        ahead = "".join(event.words for event in self.events if isinstance(event, Spoken))
        last = self.events[-1]
        assert isinstance(last, Replied)
        assert last.response.text.startswith(ahead)
        return ahead, last.response.text


@pytest.fixture
async def talk(desk_: Desk) -> Callable[..., Any]:
    async def at_the_offer(**how: Any) -> Conversation:
        talker = Talker()
        maitred = desk_.open(decider=talker, **how)
        talker.action, talker.parameters = "provide", {"name": "Ann"}
        await maitred.say("s1", "Ann")
        talker.action, talker.parameters = "answer", {}
        return Conversation(maitred, talker)

    return at_the_offer


async def test_words_of_an_answer_leave_before_they_are_all_there(desk_: Desk, talk: Any) -> None:
    """Character by character, and long before the commit."""
    here = await talk()
    here.talker.words = "We deliver on Monday"
    ahead, reply = await here.hear()
    assert ahead == reply == "We deliver on Monday"
    spoken = [n for n, event in enumerate(here.events) if isinstance(event, Spoken)]
    decided = next(n for n, event in enumerate(here.events) if isinstance(event, Decided))
    assert len(spoken) > 10
    assert max(spoken) < decided
    assert (await desk_.names()).count("answer_given") == 1
    assert len([event for event in here.events if isinstance(event, Moved)]) == 1  # a rehearsal is not seen
    await desk_.sound()


async def test_the_first_message_of_all_is_answered_ahead_too(desk_: Desk) -> None:
    """Opening a session is no move."""
    talker = Talker()
    talker.words = "We deliver on Monday."
    here = Conversation(desk_.open(decider=talker), talker)
    ahead, _ = await here.hear()
    assert ahead == "We deliver on Monday."


@pytest.mark.parametrize(
    "action", ["order", "go_quiet", "again", "probe_it", "sure_order", "ask_human", "leave", "nonsense"]
)
async def test_nothing_leaves_with_an_action_that_does_something(desk_: Desk, talk: Any, action: str) -> None:
    """Its words may be untrue until it is done."""
    here = await talk()
    here.talker.action, here.talker.words = action, "Your order is on its way."
    ahead, _ = await here.hear()
    assert ahead == ""
    assert here.talker.heard
    await desk_.sound()


async def test_nothing_leaves_where_code_hears_a_value(desk_: Desk) -> None:
    """The model answers in words only, but the message was the value that was asked for: its words do not count."""
    talker = Talker()
    flow = Flow(
        name="tins",
        states=("ask",),
        initial="ask",
        transitions={("ask", "known"): Terminal.COMPLETED},
        steps={"ask": Step(collects={"tins": Slot("int", read="number", ask="How many?")}, complete="known")},
    )
    here = Conversation(desk_.open(decider=talker, flow=flow), talker)
    talker.words = "A good number."
    assert (await here.hear("well, let me say 5"))[0] == ""
    assert talker.heard == 1
    assert (await here.maitred.session("s1")).state == "completed"


async def test_nothing_leaves_beside_a_picture(talk: Any) -> None:
    """The reply begins with a sentence of its own."""
    here = await talk()
    here.talker.words = "We deliver on Monday."
    ahead, reply = await here.hear(attachments=(Attachment(kind="image"),))
    assert (ahead, reply.endswith("We deliver on Monday.")) == ("", True)


async def test_nothing_leaves_where_nobody_listens(talk: Any) -> None:
    """`stream` alone asks the decider as ever."""
    here = await talk()
    here.talker.words = "We deliver on Monday."
    request = here.maitred.request("s1", "hm?", message_id="m9")
    events = [event async for event in here.maitred.stream(request)]
    assert not [event for event in events if isinstance(event, Spoken)]
    assert here.talker.heard == 0


async def test_a_repeat_gets_the_same_words_from_the_store(talk: Any) -> None:
    """Whatever the model would say now."""
    here = await talk()
    here.talker.words = "We deliver on Monday."
    _, first = await here.hear(id_="m7")
    here.talker.words = "We never deliver."
    assert await here.hear(id_="m7") == ("", first)
    assert here.talker.heard == 1


async def test_where_facts_are_declared_whole_sentences_leave(talk: Any) -> None:
    """The last one has no end that could be seen, so it comes with the commit."""
    here = await talk(facts=FACTS)
    here.talker.words = "It is 3.5 kg. We deliver on Monday! 好的。Anything else?  Or"
    ahead, reply = await here.hear()
    assert (ahead, reply) == ("It is 3.5 kg. We deliver on Monday! 好的。Anything else?", here.talker.words)
    assert [event.words for event in here.events if isinstance(event, Spoken)] == [
        "It is 3.5 kg.",
        " We deliver on Monday!",
        " 好的。",
        "Anything else?",
    ]


@pytest.mark.parametrize(
    "lie",
    [
        "Your order is SO-000123.",
        "It is SO-000. 123, I think. Really.",
        "It is SO-\n000123. Really.",
        "It is ＳＯ－０００１２３. Really.",
        "It is S<b>O-000</b>123! Really.",
    ],
)
async def test_a_fact_that_no_event_vouches_for_never_leaves(desk_: Desk, talk: Any, lie: str) -> None:
    """What was said before it stands; code's own words follow, as without a stream, and it is on record."""
    here = await talk(facts=FACTS)
    here.talker.words = f"We deliver on Monday. {lie} Thank you."
    ahead, reply = await here.hear()
    assert ahead.startswith("We deliver on Monday.")
    for said in (ahead, reply):
        assert "123" not in said
        assert "１２３" not in said
    assert len(reply) > len(ahead)
    assert (await desk_.names())[-1] == "reply_replaced"
    await desk_.sound()


async def test_a_fact_that_a_tool_brought_leaves(desk_: Desk, talk: Any) -> None:
    """It is held."""
    here = await talk(facts=FACTS)
    desk_.outcomes.value = {"price": 7, "order_no": "SO-000123"}
    here.talker.action = "probe_it"
    await here.hear()
    here.talker.action, here.talker.words = "answer", "Your order is SO-000123. Thank you."
    ahead, _ = await here.hear()
    assert ahead == "Your order is SO-000123."


@pytest.mark.parametrize("then", [ConnectionError("gone"), AgentDecision(action="order", reply_text="Ordered.")])
async def test_words_that_left_are_the_reply_however_the_answer_ends(desk_: Desk, talk: Any, then: Any) -> None:
    """With a sentence that says so. It was an answer, so no rung of the ladder, and nothing moves."""
    here = await talk()
    here.talker.words, here.talker.then = "We deliver on", then
    ahead, reply = await here.hear()
    assert (ahead, reply) == ("We deliver on", f"We deliver on {CUT}")
    assert (await desk_.names())[-1] == "answer_given"
    assert (await here.maitred.session("s1")).state == "offer"
    assert here.talker.heard == 1
    await desk_.sound()


class Watched(SqliteStore):
    """Does `before` whatever a test wants ahead of each write."""

    before: Callable[[], None] = staticmethod(lambda: None)

    async def append(self, write: Append) -> None:
        self.before()
        await super().append(write)


async def test_a_decider_that_ends_too_late_is_not_heard_any_more(desk_: Desk, talk: Any) -> None:
    """It does not stop when its time is up, and goes on talking while the turn is made durable."""
    store = Watched(desk_.path)
    here = await talk(times=Times(decide_s=0.2), store=store)
    aloud = here.talker.decide_aloud

    async def never_stops(request: DecisionRequest, listener: Listener) -> AgentDecision:
        await aloud(request, listener)
        store.before = lambda: listener(AgentDecision(action="answer", reply_text="We deliver nothing."))
        return await asyncio.Event().wait() or AgentDecision(action="answer")

    here.talker.decide_aloud = never_stops
    here.talker.words = "We deliver"
    assert await here.hear() == ("We deliver", f"We deliver {CUT}")


async def test_a_question_that_waits_for_a_yes_follows_the_words(desk_: Desk, talk: Any) -> None:
    """The reply is the answer and the question again."""
    here = await talk()
    here.talker.action = "sure_order"
    await here.hear()
    here.talker.action, here.talker.words = "answer", "It is blue."
    ahead, reply = await here.hear("what colour has it?")
    assert ahead == "It is blue."
    assert reply.startswith("It is blue.\n")
    await desk_.sound()


async def test_nothing_leaves_where_the_turn_ends_with_a_human(desk_: Desk, talk: Any) -> None:
    """No progress for the last time: the words are code's, and those of the model no beginning of them."""
    here = await talk()
    here.talker.words = "Hm."
    said = []
    while (await here.maitred.session("s1")).state != "escalated":
        said.append(await here.hear())
    *before, (ahead, reply) = said
    assert (ahead, reply) == ("", SENTENCES["no_progress"]["en"])
    assert before
    assert all(ahead == "Hm." for ahead, _ in before)
    await desk_.sound()


def no_disk() -> None:
    raise StoreUnavailable("no disk")


async def test_a_turn_that_fails_behind_its_words_is_answered_anew(desk_: Desk, talk: Any) -> None:
    """The customer saw words that changed nothing; nothing of them is stored."""
    store = Watched(desk_.path)
    here = await talk(store=store)
    here.talker.words = "We deliver on Monday."
    store.before = no_disk
    heard: list[TurnEvent] = []
    with pytest.raises(StoreUnavailable):
        await here.maitred.handle(here.maitred.request("s1", "hm?", message_id="m7"), heard.append, aloud=True)
    assert "".join(event.words for event in heard if isinstance(event, Spoken)) == "We deliver on Monday."
    store.before = lambda: None
    here.talker.words = "We deliver on Tuesday."
    assert await here.hear(id_="m7") == ("We deliver on Tuesday.", "We deliver on Tuesday.")
    assert isinstance(here.events[-1].response, AgentResponse)
    await desk_.sound()


class LosesTheLease(SqliteStore):
    """At the first commit that is to be lost, another worker has the turn; it dies and gives it back."""

    lose = False

    async def append(self, write: Append) -> None:
        if self.lose:
            self.lose = False
            await self.release(write.lease)
            raise Fenced("taken over")
        await super().append(write)


async def test_a_turn_that_is_taken_anew_says_nothing_a_second_time(desk_: Desk, talk: Any) -> None:
    """Other words behind those that left would be one reply made of two."""
    store = LosesTheLease(desk_.path)
    here = await talk(store=store)
    here.talker.words = "We deliver on Monday."
    store.lose = True
    heard: list[TurnEvent] = []
    response = await here.maitred.handle(here.maitred.request("s1", "hm?", message_id="m7"), heard.append, aloud=True)
    assert "".join(event.words for event in heard if isinstance(event, Spoken)) == "We deliver on Monday."
    assert response.text == "We deliver on Monday."
    assert (here.talker.heard, not store.lose) == (1, True)
    await desk_.sound()


FRAGMENTS = (
    *("SO", "-", "000", "123", "SO-000777", "０", "\u200b", "ok"),
    *(".", " ", "。", "! ", "\n", "<b>", "</b>", "<!--", "-->", "[a](", ")"),
)


@pytest.mark.parametrize("seed", range(8))
async def test_whatever_a_model_says_what_left_is_sound_and_the_reply_s_beginning(desk_: Desk, seed: int) -> None:
    """Fragments of facts, ends of sentences and markup in any order, broken off or not; one order number is vouched for."""
    dice = random.Random(seed)
    talker = Talker()
    desk_.outcomes.value = {"order_no": "SO-000777"}
    maitred = desk_.open(decider=talker, facts=FACTS, store=MemoryStore())
    spoke = 0
    for n in range(40):
        talker.action, talker.parameters, talker.words, talker.then = "provide", {"name": "Ann"}, "", None
        await maitred.say(f"s{n}", "Ann")
        talker.action, talker.parameters = "probe_it", {}
        await maitred.say(f"s{n}", "how much?")
        talker.action = "answer"
        talker.words = "".join(dice.choices(FRAGMENTS, k=dice.randrange(3, 25)))
        talker.then = dice.choice([None, None, ConnectionError("gone")])
        heard: list[TurnEvent] = []
        response = await maitred.handle(maitred.request(f"s{n}", "hm?"), heard.append, aloud=True)
        ahead = "".join(event.words for event in heard if isinstance(event, Spoken))
        spoke += bool(ahead)
        assert response.text.startswith(ahead)
        for said in (ahead, response.text):
            assert unheld_fact(said, maitred.flow.facts, ["SO-000777"]) is None, talker.words
    assert spoke
