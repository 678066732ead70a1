"""The conversations bench: customers answer and correct, the figures count what deciders do on purpose, no wrong order passes."""

import asyncio
import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from maitred.benchmarks.conversations import Run, bench_conversations, transcript
from maitred.benchmarks.conversations_customer import Customer, Seen
from maitred.benchmarks.conversations_persona import Persona, personas, read_personas
from maitred.benchmarks.conversations_play import MOST_MESSAGES, Clock, illegal_moves, is_meant
from maitred.cli.main import build
from maitred.decision.keyword import KeywordDecider
from maitred.examples.presales.flow import STEPS
from maitred.examples.presales.world import World
from maitred.protocol.decision import AgentDecision, Answered, DecisionRequest
from maitred.protocol.errors import BadRequest
from maitred.protocol.messages import Actor, StateEvent
from maitred.protocol.normalize import normalize
from maitred.protocol.texts import Lang
from maitred.protocol.usage import Attempt, Usage
from maitred.statemachine.machine import new_session
from maitred.statemachine.replay import Replay

LANGS: tuple[Lang, ...] = ("zh", "en")

Change = Callable[[DecisionRequest, AgentDecision], AgentDecision]


class Changed(KeywordDecider):
    """The keyword decider, with decisions changed: all, or the first of each conversation. `changed`: how many."""

    name = "changed"

    def __init__(self, change: Change, *, once: bool = False) -> None:
        self._change, self._once, self._done = change, once, False
        self.changed = 0

    async def decide(self, request: DecisionRequest) -> AgentDecision:
        meant = await super().decide(request)
        if not request.data:
            self._done = False  # somebody else has come
        decision = meant if self._once and self._done else self._change(request, meant)
        self._done = self._done or decision != meant
        self.changed += decision != meant
        return decision


async def play(decider: Changed | None = None, langs: tuple[Lang, ...] = LANGS, customers: int | None = None) -> Run:
    return await bench_conversations(
        lambda folder, clock: World(folder / "shop.db", clock), decider, langs, customers=customers
    )


def persona(lang: Lang, name: str) -> Persona:
    return next(one for one in personas(lang) if one.name == name)


@pytest.fixture(scope="module")
def by_keywords() -> Run:
    """Every customer there is."""
    return asyncio.run(play())


def turns_of(run: Run) -> list[dict[str, Any]]:
    return [line for lang, talks in run.talks.items() for talk in talks for line in transcript(lang, talk)]


# The customers


@pytest.mark.parametrize("lang", LANGS)
def test_there_are_ten_customers_and_no_two_share_a_sentence(lang: Lang) -> None:
    """Otherwise one lucky wording would count ten times."""
    spoken: dict[str, str] = {}
    for one in personas(lang):
        asides = (text for aside in one.asides for text in aside.say)
        for text in {*(line.say for line in one.opens), *(w for words in one.says.values() for w in words), *asides}:
            assert spoken.setdefault(normalize(text), one.name) == one.name, text
    assert len(personas(lang)) == 10


@pytest.mark.parametrize("lang", LANGS)
def test_customers_speak_of_what_the_example_has(lang: Lang) -> None:
    """Actions that an aside expects, and the moments at which it is said, exist."""
    slots = {name for step in STEPS.values() for name in step.collects}
    actions = {action.name for step in STEPS.values() for action in step.actions} | {"provide", "answer"}
    for aside in (aside for one in personas(lang) for aside in one.asides):
        assert aside.expects <= actions
        assert aside.when in slots | set(STEPS)


def test_a_customer_that_cannot_speak_is_refused(tmp_path: Path) -> None:
    """With the file, the customer and what is missing."""
    path = tmp_path / "xx.yaml"
    known = persona("en", "harbour-vets").model_dump(mode="json")
    del known["says"]["paid"]
    path.write_text(json.dumps([known]), encoding="utf-8")
    with pytest.raises(BadRequest, match=r"xx.yaml: customer 'harbour-vets' has no words for paid"):
        read_personas(path)
    path.write_text(json.dumps([{**known, "mood": "bad"}]), encoding="utf-8")
    with pytest.raises(BadRequest, match=r"xx.yaml: customer 1: mood"):
        read_personas(path)


def test_a_customer_asked_again_answers_in_other_words(tmp_path: Path) -> None:
    """The same meaning, never the same sentence twice running."""
    flow = World(tmp_path / "shop.db").flow
    customer = Customer(persona("en", "pepper-and-thyme"), "en")
    seen = Seen(new_session(flow, "s"), ("seats",))
    customer.speak(seen)  # the opening
    said = [customer.speak(seen) for _ in range(6)]
    assert all(one.gives == {"seats": 4} and one.expects == {"provide"} for one in said)
    assert [one.again for one in said] == [False, True, True, True, True, True]
    assert all(one.text != other.text for one, other in pairwise(said))
    assert said[0].text not in {one.text for one in said[1:]}  # it only makes sense as an answer


# The figures


def test_all_complete_with_keywords(by_keywords: Run) -> None:
    """Twenty conversations, none fitted to the decider."""
    figures = by_keywords.figures()
    assert figures["not_completed"] == []
    for lang in LANGS:
        ends = figures["conversations"][lang]
        assert ends["total"] == 10 == sum(ends[e] for e in ("completed", "escalated", "abandoned", "given_up"))
        assert figures["choices"][lang]["right"] >= 0.9 * figures["choices"][lang]["total"]
    completed = sum(figures["conversations"][lang]["completed"] for lang in LANGS)
    assert figures["orders"] == {"placed": completed, "wrong": 0}
    assert (figures["illegal_moves"], figures["replay_equal"]) == (0, True)


def test_the_figures_are_the_sums_of_the_transcripts(by_keywords: Run) -> None:
    """Each turn tells what the counts are made of."""
    figures, turns = by_keywords.figures(), turns_of(by_keywords)
    decided = [turn for turn in turns if turn["right"] is not None]
    assert sum(figures["conversations"][lang]["messages"] for lang in LANGS) == len(turns)
    assert sum(figures["choices"][lang]["total"] for lang in LANGS) == len(decided)
    assert sum(figures["choices"][lang]["right"] for lang in LANGS) == sum(bool(turn["right"]) for turn in decided)
    assert sum(figures["wrong"].values()) == sum(not turn["right"] for turn in decided)
    assert all(turn["menu"] for turn in decided)


async def test_the_seed_draws_and_orders_the_customers() -> None:
    """The same seed the same customers, another seed others."""

    async def names(seed: int) -> list[str]:
        make = lambda folder, clock: World(folder / "shop.db", clock)  # noqa: E731
        run = await bench_conversations(make, None, ("en",), customers=3, seed=seed)
        return [talk.customer for talk in run.talks["en"]]

    assert await names(1) == await names(1)
    assert await names(1) != await names(2)
    with pytest.raises(BadRequest, match="11 customers in en: there are 10"):
        await play(None, ("en",), 11)


async def test_a_wrong_choice_is_counted_as_one(by_keywords: Run) -> None:
    """A decider that shows another plan to whoever asks for a promotion, once; every other choice is as before."""
    before = by_keywords.figures()

    def no_promotions(request: DecisionRequest, meant: AgentDecision) -> AgentDecision:
        return AgentDecision(action="answer", reply_text="Hm.") if meant.action == "query_promotion" else meant

    decider = Changed(no_promotions, once=True)
    after = (await play(decider, ("en",))).figures()
    assert decider.changed == 2
    assert after["wrong"].get("plan_recommendation: query_promotion -> answer") == 2
    assert "plan_recommendation: query_promotion -> answer" not in before["wrong"]
    assert after["choices"]["en"]["right"] == before["choices"]["en"]["right"]  # they ask again and are understood
    assert after["choices"]["en"]["total"] == before["choices"]["en"]["total"] + 2
    assert after["conversations"]["en"]["again"] == before["conversations"]["en"]["again"] + 2


async def test_a_decider_that_only_talks_sells_nothing() -> None:
    """Nobody completes, and every message that meant something else than words is counted wrong."""
    run = await play(Changed(lambda request, meant: AgentDecision(action="answer", reply_text="How nice!")), LANGS, 3)
    figures = run.figures()
    for lang in LANGS:
        assert figures["conversations"][lang]["completed"] == 0
        assert figures["choices"][lang]["right"] < 0.5 * figures["choices"][lang]["total"]
    assert figures["orders"]["placed"] == 0
    assert all(what.endswith("-> answer") for what in figures["wrong"])


async def test_an_illegal_decision_is_counted_and_the_one_after_it_judged() -> None:
    """A decision for an action that is not on the menu is refused; the answer to the second question counts."""
    at_first = Changed(
        lambda request, meant: meant if request.last_error else AgentDecision(action="give_it_away", parameters={})
    )
    run = await play(at_first, ("en",), 2)
    figures = run.figures()
    assert figures["choices"]["en"]["refused"] == at_first.changed == figures["choices"]["en"]["total"]
    assert figures["choices"]["en"]["right"] > 0
    assert figures["illegal_moves"] == 0


async def test_customers_do_not_repeat_themselves_for_ever() -> None:
    """A decider that looks for promotions whatever they say to the plan: eight times the same, then the customer is gone."""

    def promotes(request: DecisionRequest, meant: AgentDecision) -> AgentDecision:
        return AgentDecision(action="query_promotion") if meant.action == "accept_plan" else meant

    run = await play(Changed(promotes), ("en",))
    assert {talk.end for talk in run.talks["en"]} == {"given_up"}
    assert all(len({t.said.topic for t in talk.turns[-8:]}) == 1 for talk in run.talks["en"])
    assert all(len(talk.turns) < MOST_MESSAGES for talk in run.talks["en"])
    assert run.figures()["orders"] == {"placed": 0, "wrong": 0}


# Wrong values and wrong orders


def misnames(request: DecisionRequest, meant: AgentDecision) -> AgentDecision:
    """Takes the first two letters of the message for the company: they were said, so code cannot know better."""
    if "company" not in meant.parameters:
        return meant
    return meant.model_copy(update={"parameters": {**meant.parameters, "company": request.text[:2]}})


async def test_a_wrong_value_is_corrected_before_the_order() -> None:
    """A company stored wrong at first: counted as a wrong value, corrected by the customer, right in the order."""
    decider = Changed(misnames, once=True)
    run = await play(decider, customers=5)
    figures, turns = run.figures(), turns_of(run)
    spoilt = [t for t in turns if any(d["parameters"].get("company") == t["user"][:2] for d in t["decisions"])]
    assert len(spoilt) == decider.changed == 10
    assert not any(turn["values_right"] for turn in spoilt)
    assert sum(figures["values"][lang]["total"] - figures["values"][lang]["right"] for lang in LANGS) >= 10
    assert sum(turn["topic"] == "correct company" for turn in turns) >= 10
    assert figures["orders"]["placed"] >= 8
    assert figures["orders"]["wrong"] == 0


async def test_nobody_orders_what_stays_wrong() -> None:
    """A decider that gets the company wrong every time: customers correct until they or the engine give up."""
    figures = (await play(Changed(misnames), customers=3)).figures()
    assert figures["orders"] == {"placed": 0, "wrong": 0}
    assert sum(figures["conversations"][lang]["completed"] for lang in LANGS) == 0


async def test_an_invented_value_never_reaches_the_session() -> None:
    """A decider that makes numbers up: code's reading stands instead, and every order is right."""

    def invents(request: DecisionRequest, meant: AgentDecision) -> AgentDecision:
        if "seats" not in meant.parameters:
            return meant
        return meant.model_copy(update={"parameters": {**meant.parameters, "seats": 77}})

    figures = (await play(Changed(invents), customers=3)).figures()
    assert figures["orders"] == {"placed": 6, "wrong": 0}


async def test_a_wrong_plan_is_given_back() -> None:
    """A decider that takes whatever plan is shown: the customer opens the choice again and orders its own."""

    def takes_it(request: DecisionRequest, meant: AgentDecision) -> AgentDecision:
        return AgentDecision(action="accept_plan") if meant.action == "other_plan" else meant

    run = await play(Changed(takes_it, once=True), ("en",))
    assert any(turn["topic"] == "reopen" for turn in turns_of(run))
    assert run.figures()["orders"] == {"placed": 10, "wrong": 0}


async def test_nobody_is_led_away() -> None:
    """Asked whether to end the conversation, customers say no and go on."""

    def shows_the_door(request: DecisionRequest, meant: AgentDecision) -> AgentDecision:
        return AgentDecision(action="leave") if request.menu.state == "demand_analysis" else meant

    decider = Changed(shows_the_door, once=True)
    run = await play(decider, ("en",), 5)
    assert decider.changed == 5
    assert sum(turn["topic"] == "refuse" for turn in turns_of(run)) >= 5
    assert run.figures()["conversations"]["en"]["completed"] == 5


@pytest.mark.parametrize(
    ("slot", "value", "meant"),
    [
        ("seats", 22, True),
        ("seats", 18, False),
        ("plan", "basic", False),
        ("company", "northgate lettings.", True),
        ("company", "Northgate", False),
        ("contact", "020 7946 0102", True),
        ("contact", "02079460103", False),
        ("term_months", 12, False),
    ],
)
def test_a_wrong_order_would_be_seen(slot: str, value: object, meant: bool) -> None:
    """By each of its values, and by what the customer wants after a change of mind."""
    customer = Customer(persona("en", "northgate-lettings"), "en")
    customer.wants["seats"] = 22
    order = {
        "company": "Northgate Lettings",
        "contact": "02079460102",
        "seats": 22,
        "term_months": 24,
        "plan": "pro",
        slot: value,
    }
    assert is_meant(customer, order) is meant


def test_an_illegal_move_would_be_seen(tmp_path: Path) -> None:
    """A move to where the event does not lead, beside one that it allows."""
    flow = World(tmp_path / "shop.db").flow

    def move(target: str) -> StateEvent:
        return StateEvent(
            session_id="s",
            timestamp=Clock().now,
            message_id="m",
            event="info_complete",
            event_seq=1,
            source_state="info_collection",
            target_state=target,
            actor=Actor.MODEL,
            turn=1,
        )

    assert illegal_moves(flow, Replay("s", (move("demand_analysis"),), 1, equal=True)) == 0
    assert illegal_moves(flow, Replay("s", (move("demand_analysis"), move("completed")), 2, equal=True)) == 1


# Cost


class Priced(KeywordDecider):
    """The keyword decider with a bill: the second call of a conversation is the longest."""

    name = "priced"

    async def decide(self, request: DecisionRequest) -> Answered:  # type: ignore[override]
        prompt = 900 if len(request.history) == 1 else 100
        return Answered(
            await super().decide(request), (Attempt(0.5, "ok", Usage(prompt, 60, 10)), Attempt(0.1, "busy"))
        )


async def test_tokens_are_the_servers_per_message() -> None:
    """Calls that told no usage are counted apart; messages that a guard answered cost nothing."""
    run = await bench_conversations(
        lambda folder, clock: World(folder / "shop.db", clock), Priced(), ("en",), customers=3
    )
    figures = run.figures()
    tokens, decided = figures["tokens"]["en"], figures["choices"]["en"]["total"]
    assert tokens["messages"] == figures["conversations"]["en"]["messages"] > decided
    assert (tokens["calls"], tokens["uncounted_calls"]) == (2 * decided, decided)
    assert tokens["prompt_max_call"] == 900
    assert tokens["cached_per_message"] == round(60 * decided / tokens["messages"], 1)
    assert tokens["completion_per_message"] == round(10 * decided / tokens["messages"], 1)
    assert sum(line["prompt_tokens"] for line in turns_of(run)) == pytest.approx(
        tokens["prompt_per_message"] * tokens["messages"], abs=0.05 * tokens["messages"]
    )


# The command


def test_the_command_prints_figures_and_keeps_transcripts(tmp_path: Path) -> None:
    """JSON for programs, a table for people, one line of transcript per turn."""
    path = tmp_path / "turns.jsonl"
    arguments = ["bench", "conversations", "--customers", "1", "--lang", "en", "--decider", "keyword"]
    ran = CliRunner().invoke(build(), [*arguments, "--json", "--transcripts", str(path)])
    assert ran.exit_code == 0
    figures = json.loads(ran.stdout)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert list(figures["conversations"]) == ["en"]
    assert len(lines) == figures["conversations"]["en"]["messages"]
    assert lines[-1]["state_after"] == "completed"
    table = CliRunner().invoke(build(), arguments)
    assert table.exit_code == 0
    assert "right actions" in table.stdout
    assert "1 orders, 0 of them wrong; 0 illegal moves; logs replay equal" in table.stdout


def test_a_model_must_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """`--decider model` alone says what is missing."""
    monkeypatch.delenv("MAITRED_MODEL", raising=False)
    ran = CliRunner().invoke(build(), ["bench", "conversations", "--decider", "model"])
    assert isinstance(ran.exception, BadRequest)
    assert "--model" in str(ran.exception)


class ReadsFirst(KeywordDecider):
    """As models are wired: code's plain readings go before it."""

    reads_first = "likely"


async def test_what_code_reads_is_counted_apart_and_is_right() -> None:
    """Four in ten messages of these customers need no decider; none of them meant anything else."""
    run = await bench_conversations(lambda folder, clock: World(folder / "shop.db", clock), ReadsFirst(), ("zh", "en"))
    figures = run.figures()
    for lang in LANGS:
        read, asked = figures["read_by_code"][lang], figures["choices"][lang]["total"]
        assert read["right"] == read["total"] > 0.35 * (read["total"] + asked)
        assert figures["conversations"][lang]["completed"] >= 9
    told = [turn for turn in turns_of(run) if turn["decisions"] and turn["decisions"][0]["by"] == "code"]
    assert len(told) == sum(figures["read_by_code"][lang]["total"] for lang in LANGS)
    assert all(turn["values_right"] for turn in told)
    assert figures["orders"]["wrong"] == 0
