"""A decider that fails costs the customer a sentence, never a wrong move: asked again, rolled back, handed over."""

from collections.abc import Mapping
from typing import Any

import pytest

from maitred.decision.scripted import ScriptedDecider
from maitred.protocol.decision import AgentDecision
from maitred.protocol.messages import Actor
from maitred.protocol.ports import Begun, Lease
from maitred.runtime.draft import Draft
from maitred.statemachine.machine import new_session

Desk = Any
REPHRASE = "I did not get that right, so I have changed nothing. Could you say it in other words?"
UNAVAILABLE = "I cannot answer just now, so I have changed nothing. Please try again in a moment."


async def test_first_failure_is_asked_again_with_the_error(desk_: Desk):
    """The second answer counts, and the customer sees nothing of it."""
    decider = ScriptedDecider([{"action": "nonsense"}, {"action": "answer", "reply_text": "there you are"}])
    reply = await desk_.open(decider=decider).say("s1", "hello there, you")
    assert reply.text == "there you are"
    assert [request.last_error for request in decider.requests] == [
        None,
        "action 'nonsense' is not allowed here; allowed: provide, answer, ask_human, leave",
    ]
    assert await desk_.names() == ["session_started", "decision_rejected", "answer_given"]
    await desk_.sound()


async def test_second_failure_rolls_back_and_asks_to_rephrase(desk_: Desk):
    """The session stays where it was, and a valid decision makes it forget."""
    maitred = desk_.open()
    assert await desk_.lead(maitred, "name Ann", "bad") == ["An offer for Ann.", REPHRASE]
    session = await maitred.session("s1")
    assert (session.state, session.invalid, session.data) == ("offer", 2, {"name": "Ann"})
    await desk_.lead(maitred, "hello")
    assert (await maitred.session("s1")).invalid == 0
    await desk_.sound()


async def test_third_failure_in_a_row_is_handed_over_though_it_comes_in_the_next_message(desk_: Desk):
    """Without another question to the decider."""
    maitred = desk_.open()
    replies = await desk_.lead(maitred, "name Ann", "bad", "bad")
    assert "passing you to a colleague" in replies[-1]
    assert len([r for r in desk_.decider.requests if r.text == "bad"]) == 3
    assert (await maitred.session("s1")).state == "escalated"
    await desk_.sound()


async def test_decider_that_raises_is_the_same_ladder(desk_: Desk):
    """The log says what kind of error; the model had no part in it and is not told."""
    maitred = desk_.open()
    assert await desk_.lead(maitred, "boom") == [UNAVAILABLE]
    assert [request.last_error for request in desk_.decider.requests] == [None, None]
    rolled = [event.reason for event in await desk_.events() if event.event == "rolled_back"]
    assert rolled == ["the decider failed: ConnectionError"]


DEEP: Any = "x"
for _ in range(10_000):
    DEEP = [DEEP]


class Strange(Mapping[str, Any]):
    """Says that it is a mapping."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("strange")

    def __iter__(self) -> Any:
        raise RuntimeError("strange")

    def __len__(self) -> int:
        return 1

    def __str__(self) -> str:
        return "strange"


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "answer",
        b"answer",
        7,
        [],
        [{"action": "answer"}],
        {},
        {"action": None},
        {"action": "answer", "mood": "good"},
        {"action": "answer", "parameters": []},
        {"action": "answer", "parameters": {"x": 1}},
        {"action": "answer", "reply_text": ["hello"]},
        {"action": "x" * 1_000_000},
        {"action": "\ud800"},
        {1: 2},
        {"action": "provide", "parameters": {}},
        {"action": "provide", "parameters": {"name": float("nan")}},
        {"action": "provide", "parameters": {"name": 10**5000}},
        {"action": "provide", "parameters": {"name": "\ud800"}},
        {"action": "provide", "parameters": {"name": DEEP}},
        {"action": "provide", "parameters": {"name": "x" * 1_000_000}},
        {"action": "provide", "parameters": {str(n): n for n in range(100_000)}},
        Strange(),
        AgentDecision.model_construct(action=7, parameters=None, reply_text=None),
        ValueError("no \ud800 text \x00"),
    ],
    ids=lambda answer: f"{type(answer).__name__} {str(answer)[:30]!a}" if not isinstance(answer, (dict, list)) else "",
)
async def test_answer_of_any_kind_of_garbage_is_an_invalid_decision(desk_: Desk, answer: Any):
    """The turn ends with a sentence, nothing moved, the log stays small and whole."""
    maitred = desk_.open(decider=ScriptedDecider([answer, answer]))
    reply = await maitred.say("s1", "hello there, you")
    assert reply.text == (UNAVAILABLE if isinstance(answer, Exception) else REPHRASE)
    assert (await maitred.session("s1")).data == {}
    assert sum(len(record.body) for record in await desk_.records()) < 20_000
    await desk_.sound()


@pytest.mark.parametrize("value", ["\x00", "x" * 1900, "", "   "])
async def test_value_that_no_slot_can_take_is_asked_again(desk_: Desk, value: str):
    """That is the customer's matter and no failure of the decider."""
    decider = ScriptedDecider([{"action": "provide", "parameters": {"name": value}}])
    maitred = desk_.open(decider=decider)
    reply = await maitred.say("s1", "hello there, you")
    session = await maitred.session("s1")
    assert (session.data, session.invalid) == ({}, 0)
    assert reply.text
    await desk_.sound()


async def test_machine_that_refuses_a_legal_decision_is_the_same_ladder(desk_: Desk):
    """The tool lacks what only the session could give it."""
    maitred = desk_.open()
    replies = await desk_.lead(maitred, "name Ann", "too_early")
    assert replies[-1] == REPHRASE
    assert desk_.decider.requests[-1].last_error == "tool 'needs_more' needs 'shoe'"
    assert await desk_.calls() == []
    await desk_.sound()


async def test_decider_that_fails_for_words_after_a_move_does_not_undo_the_move(desk_: Desk):
    """There are always words, and the move was legal."""
    decider = ScriptedDecider(
        [{"action": "provide", "parameters": {"name": "Ann"}}, {"action": "go_quiet"}, ValueError("down")]
    )
    maitred = desk_.open(decider=decider)
    await maitred.say("s1", "I am Ann, yes")
    reply = await maitred.say("s1", "be quiet then")
    assert (reply.state, reply.text) == ("quiet", "Here I can help with: finish; hand over to a human colleague.")
    assert decider.requests[-1].moved


class TestRollback:
    @pytest.mark.parametrize("effect", ["none", "idempotent", "non_idempotent"])
    async def test_what_a_tool_did_is_not_rolled_back(self, desk_: Desk, effect: str):
        """The tool of the first step ran, then the decider failed twice: the result stays, the call has its end."""
        maitred = desk_.open(effect=effect, on_arrival=True)
        reply = await maitred.say("s1", "bad")
        session = await maitred.session("s1")
        assert reply.text == REPHRASE
        assert (session.pending, session.data, session.invalid) == (None, {"probe": {"price": 7}}, 2)
        assert await desk_.names() == ["session_started", "tool_called", "tool_returned", "rolled_back"]
        assert [status for _, status in await desk_.calls()] == ["pending", "ok"]
        assert (await maitred.say("s1", "name Ann")).text == "An offer for Ann."
        await desk_.sound()

    @pytest.fixture
    def draft(self, desk_: Desk) -> Draft:
        """A draft of a started session; what came before is kept."""
        maitred = desk_.open()
        session = new_session(maitred.flow, "s1")
        begun = Begun(Lease("s1", "message:m1", 1), b"", session)
        draft = Draft(maitred.flow, maitred.store, desk_.clock, begun.lease, session, lambda event: None)
        assert draft.propose("start", Actor.SYSTEM, {"lang": "en"}) is None
        draft.keep()
        return draft

    @pytest.mark.parametrize(
        ("wishes", "discarded"),
        [
            ([("note_meta", Actor.SYSTEM, {"level": "gold"})], ["meta_noted"]),
            ([("provide", Actor.MODEL, {"name": "Ann"})], ["slots_provided", "known"]),
            (
                [("provide", Actor.MODEL, {"name": "Ann"}), ("order", Actor.MODEL, {})],
                ["slots_provided", "known", "ordered"],
            ),
        ],
        ids=["a note", "a slot and the move that code made of it", "a slot, that move and the model's"],
    )
    def test_everything_since_the_last_kept_moment_is_discarded(
        self, draft: Draft, wishes: list[Any], discarded: list[str]
    ):
        """Slots and moves, also those that code made; what remains says what went and why."""
        kept = draft.session
        for name, actor, payload in wishes:
            assert draft.propose(name, actor, payload) is None
        assert draft.propose("reject_decision", Actor.SYSTEM, {"why": "nonsense"}) is None
        draft.roll_back("nonsense")
        (event,) = draft.events
        assert (event.event, event.reason, event.payload["discarded"]) == (
            "rolled_back",
            "nonsense",
            [*discarded, "decision_rejected"],
        )
        assert (draft.session.state, draft.session.data, draft.session.meta) == (kept.state, kept.data, kept.meta)
        assert (draft.session.event_seq, draft.session.invalid) == (kept.event_seq + 1, 1)
