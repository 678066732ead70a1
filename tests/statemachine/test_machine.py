"""The machine: every (state, event, actor) by full product, and one test for each thing that code decides by itself."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from maitred.examples.presales.flow import build_flow
from maitred.examples.presales.shop import Shop
from maitred.protocol.ids import idempotency_key
from maitred.protocol.limits import Limits
from maitred.protocol.messages import Actor, StateEvent
from maitred.protocol.session import PendingCall, PendingConfirmation, Session
from maitred.protocol.slots import Slot
from maitred.statemachine.conditions import When
from maitred.statemachine.flow import Flow
from maitred.statemachine.machine import WISHES, advance, new_session
from maitred.statemachine.menu import menu_of, missing_slots
from maitred.statemachine.parts import IGNORE, Action, Call, Deadline, Outside, Step, Terminal
from maitred.statemachine.proposals import CallTool, Outcome, Proposal, Rejected
from maitred.statemachine.rows import BUILT_IN_EVENTS, RESUME, STAYING_EVENTS

Make = Callable[..., Any]
NOW = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
YES = ("confirm", Actor.GUARD)
FULL_DATA: dict[str, Any] = {
    "name": "Ann",
    "size": 5,
    "company": "Leeds",
    "seats": 20,
    "contact": "13800138000",
    "use": "support",
    "budget": 2000,
    "term_months": 12,
    "recording": True,
    "recommend_plan": {"plan": "basic", "plan_name": "Basic"},
    "make_quote": {"quote_no": "Q-20261130-0001"},
    "create_order": {"order_no": "SO20261130-000123"},
}
PAYLOADS: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "start": ({"lang": "en"}, {"lang": "fr"}, {"meta": 3}),
    "note_language": ({"lang": "zh", "doubt": 0}, {"lang": "zh"}, {"doubt": []}),
    "note_meta": ({"level": "gold"},),
    "roll_back": ({"invalid": 2, "discarded": []}, {"invalid": "x"}),
    "reject_decision": ({"why": "x"}, {"why": None}),
    "refuse_input": ({"reason": "empty_text"},),
    "refuse_event": ({"event": "again"},),
    "replace_reply": ({"fact": "order_no"},),
    "escalate": ({"rule": "no_progress"},),
    "provide": ({"size": 7}, {"size": "many"}, {"nonsense": 1}, {"seats": 30}),
    "return_tool": (
        {"call_id": "c9", "status": "ok", "result": {"count": 1, "approved": True}},
        {"call_id": "c9", "status": "error"},
        {"call_id": "c9", "status": "pending"},
        {"call_id": "c9", "status": "odd"},
        {"call_id": "other", "status": "ok"},
    ),
    "overdue": ({"patient": True},),
    "charge": ({"sum": 3}, {"sum": "x"}),
    "paint": ({"colour": "rot"}, {"colour": "blue"}),
}


def presales(folder: Path) -> Flow:
    return build_flow(Shop(folder / "shop.db"))


@pytest.fixture(params=["desk", "presales"])
def flow(request: pytest.FixtureRequest, desk: Flow, tmp_path: Path) -> Flow:
    return desk if request.param == "desk" else presales(tmp_path)


def sessions_in(flow: Flow, state: str) -> Iterator[Session]:
    """A session in `state`: plain, before its start, with each call and each confirmation that the step knows."""
    step = flow.step(state)
    plain = new_session(flow, "s1").model_copy(
        update={
            "state": state,
            "episode": 1,
            "turn": 3,
            "data": FULL_DATA,
            "resume_to": flow.initial,
            "updated_at": NOW - timedelta(days=30),
            "deadline": NOW - timedelta(days=29) if step.deadline else None,
        }
    )
    yield plain
    yield plain.model_copy(update={"episode": 0})
    calls = [(action.tool, action.name) for action in step.actions if action.tool]
    for tool, origin in [*calls, *([(step.on_enter.tool, None)] if step.on_enter else [])]:
        call = PendingCall(call_id="c9", tool=tool, key="k", arguments={}, origin=origin)
        yield plain.model_copy(update={"pending": call})
    for name in ["leave", *(action.name for action in step.actions if action.confirm)]:
        yield plain.model_copy(update={"pending": PendingConfirmation(action=name, parameters={})})


def every_name(flow: Flow) -> set[str]:
    """Every word that means something to some state of the flow, and some that mean nothing."""
    actions = {action.name for step in flow.steps.values() for action in step.actions}
    wishes = {name for name, _ in WISHES}
    rows = {event for _, event in flow.rows}
    return actions | wishes | rows | set(flow.outside) | BUILT_IN_EVENTS | STAYING_EVENTS | {"nonsense", "", "{x}\n"}


def targets_of(flow: Flow, event: StateEvent, before: Session) -> set[str]:
    """Where the map lets this event lead, read from the rows and from nothing else."""
    if event.event == "session_started":
        return {flow.initial}
    if event.event in STAYING_EVENTS:
        return {event.source_state}
    found = {when.target for when in flow.rows[event.source_state, event.event]}
    named = {RESUME: before.resume_to or "", IGNORE: event.source_state}
    return {named.get(target, target) for target in found}


def test_every_state_event_and_actor_leads_where_the_map_says_or_is_rejected(flow: Flow) -> None:
    """The full product: a row's target, or a Rejected that changes nothing; never an exception, and no row is dead."""
    tried = 0
    taken: set[tuple[str, str]] = set()
    names = sorted(every_name(flow))
    for state in (*flow.states, *Terminal):
        for session in sessions_in(flow, state):
            before = session.model_dump_json()
            for name in names:
                for actor in Actor:
                    for payload in ({}, *PAYLOADS.get(name, ())):
                        tried += 1
                        outcome = advance(flow, session, Proposal(name, actor, payload, "k", session.turn), NOW)
                        if isinstance(outcome, Rejected):
                            assert outcome.code
                            assert outcome.why
                            continue
                        assert outcome.session.event_seq == session.event_seq + len(outcome.events) > session.event_seq
                        assert outcome.session.state == outcome.events[-1].target_state
                        for event in outcome.events:
                            assert event.target_state in targets_of(flow, event, session), (state, name, actor, event)
                            taken.add((event.source_state, event.event))
            assert session.model_dump_json() == before, (state, "was changed in place")
    assert tried > 10_000
    assert set(flow.rows) - taken == set()


def test_every_wish_of_every_wrong_actor_is_rejected(desk: Flow, drive: Make) -> None:
    """A built-in wish belongs to the actors of its row in WISHES; from anybody else it is not even looked at."""
    names = {name for name, _ in WISHES}
    for state in (*desk.states, *Terminal):
        driver = drive(desk).at(state)
        for name in names:
            for actor in Actor:
                if (name, actor) in WISHES:
                    continue
                for payload in ({}, *PAYLOADS.get(name, ())):
                    outcome = driver.send(name, actor, payload)
                    assert isinstance(outcome, Rejected), (state, name, actor)


class TestOutOfPlace:
    """What no proposal may do."""

    @pytest.mark.parametrize("actor", list(Actor))
    def test_nothing_comes_before_the_start(self, desk: Flow, drive: Make, actor: Actor) -> None:
        """A session takes no other wish first, also not one that is called `start` by somebody else."""
        for name in sorted(every_name(desk) - {"start"}):
            assert drive(desk).refused(name, actor, {"lang": "en"}) == "not_started"
        if actor is not Actor.SYSTEM:
            assert drive(desk).refused("start", actor, {"lang": "en"}) == "not_started"

    @pytest.mark.parametrize("turn", [-1, 0, 3, 99])
    def test_only_this_turn_or_the_next(self, desk: Flow, drive: Make, turn: int) -> None:
        """The session is in turn 1: 1 and 2 may come."""
        session = drive(desk).start().session
        outcome = advance(desk, session, Proposal("answer", Actor.MODEL, turn=turn), NOW)
        assert isinstance(outcome, Rejected)
        assert outcome.code == "wrong_turn"

    def test_a_pending_call_blocks_everything_but_its_return(self, desk: Flow, drive: Make) -> None:
        """No wish, action, outside event, deadline or expiry passes a tool that has not answered; the menu is empty."""
        driver = drive(desk).at("offer")
        driver.must("find")
        driver.later(10**6)
        for name in sorted(every_name(desk)):
            for actor in Actor:
                if (name, actor) != ("return_tool", Actor.TOOL):
                    assert driver.refused(name, actor, {"call_id": "c1", "status": "ok"}) == "call_pending"
        assert menu_of(desk, driver.session).items == ()
        driver.give_back({"count": 0})
        driver.must("again")

    def test_an_outside_event_called_like_the_return_waits_too(self, make_desk: Make, drive: Make) -> None:
        """The exception is for the tool, not for the word."""
        driver = drive(make_desk(outside=["paid", "accepted", "delivered", "return_tool"])).at("offer")
        driver.must("find")
        assert driver.refused("return_tool", Actor.OUTSIDE) == "call_pending"

    @pytest.mark.parametrize("bad", [float("nan"), float("inf"), object(), "\ud800", 10**400, {1: 2}], ids=range(6))
    def test_a_payload_that_is_no_json_is_rejected(self, desk: Flow, drive: Make, bad: object) -> None:
        """It could not be put on record."""
        driver = drive(desk).at("wait")
        assert driver.refused("paid", Actor.OUTSIDE, {"sum": bad}) == "bad_payload"
        nested: list[Any] = []
        for _ in range(10_000):
            nested = [nested]
        assert driver.refused("paid", Actor.OUTSIDE, {"sum": nested}) == "bad_payload"

    @pytest.mark.parametrize(
        ("name", "payload"),
        [
            (name, payload)
            for name in ("note_language", "roll_back", "reject_decision")
            for payload in ({}, *PAYLOADS[name][1:])
        ],
    )
    def test_a_wish_of_the_wrong_shape_is_rejected(self, desk: Flow, drive: Make, name: str, payload: Any) -> None:
        """Code that asks for nonsense changes nothing."""
        assert drive(desk).start().refused(name, Actor.SYSTEM, payload) == "bad_payload"

    @pytest.mark.parametrize("status", ["pending", "odd", "", None, 3])
    def test_a_call_ends_as_one_of_the_known_endings(self, desk: Flow, drive: Make, status: object) -> None:
        """`pending` is not an end."""
        driver = drive(desk).at("offer")
        driver.must("find")
        call_id = driver.session.pending.call_id
        assert driver.refused("return_tool", Actor.TOOL, {"call_id": call_id, "status": status}) == "bad_payload"


class TestConfirmation:
    """No event of an action with confirm=True without a pending question and a human's yes."""

    def test_choosing_the_action_only_asks(self, desk: Flow, drive: Make) -> None:
        """Whatever the model says, the session stays until the customer says yes."""
        driver = drive(desk).at("offer")
        events = driver.must("accept").events
        assert [event.event for event in events] == ["confirmation_asked"]
        assert driver.session.state == "offer"
        driver.must(*YES)
        assert (driver.events[-2].event, driver.events[-2].actor) == ("accepted", Actor.HUMAN)

    def test_no_other_way_brings_the_event(self, desk: Flow, drive: Make) -> None:
        """Not by another action with the same event, nor by name, nor by any actor; also not while the question is open."""
        for asked in (False, True):
            for name in ("accepted", "take"):
                for actor in Actor:
                    driver = drive(desk).at("offer")
                    if asked:
                        driver.must("accept")
                    driver.send(name, actor)
                    assert driver.session.state == "offer", (name, actor)

    def test_a_yes_to_another_question_does_not_count(self, desk: Flow, drive: Make) -> None:
        """The yes to `charge` runs the charge and nothing else."""
        driver = drive(desk).at("offer")
        driver.must("accept")
        driver.must("charge", Actor.MODEL, {"sum": 3})
        driver.must(*YES)
        assert driver.session.pending.tool == "charge"

    def test_from_outside_it_is_kept_as_unexpected(self, desk: Flow, drive: Make) -> None:
        """Never dropped, and no move."""
        driver = drive(desk).at("offer")
        outcome = driver.must("accepted", Actor.OUTSIDE, {"a": 1})
        assert [event.event for event in outcome.events] == ["unexpected_event"]
        assert driver.session.state == "offer"

    def test_tool_timer_and_completion_do_not_bring_it(self, make_desk: Make, drive: Make, tool_named: Make) -> None:
        """A tool's outcome, a deadline and known slots stay without effect where the event needs a yes."""
        flow = make_desk(
            states=["a", "b"],
            initial="a",
            transitions={("a", "go"): "b", ("b", "done"): Terminal.COMPLETED},
            steps={
                "a": Step(
                    collects={"size": Slot(int)},
                    complete="go",
                    deadline=Deadline(60, "go"),
                    on_close="go",
                    actions=(
                        Action("go_on", event="go", confirm=True),
                        Action("look", tool="look", on={"ok": "go"}),
                    ),
                ),
                "b": Step(actions=(Action("finish", event="done"),)),
            },
            everywhere=(),
            tools=[tool_named("look")],
            outside=(),
            no_leave=(),
        )
        driver = drive(flow).start()
        driver.must("provide", Actor.MODEL, {"size": 3})
        driver.must("look")
        assert driver.give_back({}).events[0].event == "tool_returned"
        assert driver.refused("go", Actor.GUARD) == "unconfirmed"
        driver.later(61)
        assert driver.must("go", Actor.TIMER).events[0].event == "unexpected_event"
        assert driver.session.deadline is None
        assert driver.session.state == "a"
        driver.must("go_on")
        driver.must(*YES)
        assert driver.session.state == "b"

    def test_a_tool_behind_a_confirmation_runs_after_the_yes(self, desk: Flow, drive: Make) -> None:
        """With the parameters of the question, once."""
        driver = drive(desk).at("offer")
        assert driver.must("charge", Actor.MODEL, {"sum": "12"}).effects == ()
        (call,) = driver.must(*YES).effects
        assert (call.tool, call.arguments["sum"]) == ("charge", 12)
        driver.give_back({"paid": True})
        assert driver.session.state == "care"

    def test_no_takes_the_question_back(self, desk: Flow, drive: Make) -> None:
        """Then a yes has nothing to answer."""
        driver = drive(desk).at("offer")
        driver.must("accept")
        driver.must("decline", Actor.GUARD)
        for name in ("confirm", "decline", "ask_again"):
            assert driver.refused(name, Actor.GUARD) == "nothing_to_confirm"

    def test_asking_again_counts(self, desk: Flow, drive: Make) -> None:
        """So that whoever asks knows when to stop."""
        driver = drive(desk).at("offer")
        driver.must("charge", Actor.MODEL, {"sum": 3})
        driver.must("ask_again", Actor.GUARD)
        pending = driver.session.pending
        assert (pending.action, pending.asked, pending.parameters) == ("charge", 2, {"sum": 3})

    def test_new_values_take_the_question_back(self, desk: Flow, drive: Make) -> None:
        """What was confirmed must be what was shown."""
        driver = drive(desk).at("offer")
        driver.must("accept")
        driver.must("provide", Actor.MODEL, {"size": 6})
        assert driver.refused(*YES) == "nothing_to_confirm"

    def test_a_bad_value_leaves_the_question(self, desk: Flow, drive: Make) -> None:
        """Nothing changed, so the question stands."""
        driver = drive(desk).at("offer")
        driver.must("accept")
        driver.must("provide", Actor.MODEL, {"size": "x"})
        assert isinstance(driver.session.pending, PendingConfirmation)

    def test_a_move_takes_the_question_along(self, desk: Flow, drive: Make) -> None:
        """A question of another state cannot be answered here."""
        driver = drive(desk).at("offer")
        driver.must("accept")
        driver.must("again")
        assert driver.session.pending is None

    def test_a_step_that_confirms_asks_on_arrival_after_its_tool(self, desk: Flow, drive: Make) -> None:
        """And again when a correction led back to it."""
        driver = drive(desk).at("sign")
        assert driver.session.pending == PendingConfirmation(action="sign", on_enter=True)
        driver.must("provide", Actor.MODEL, {"size": 9})
        assert driver.session.pending.tool == "draft"
        driver.give_back({})
        assert driver.session.pending == PendingConfirmation(action="sign", on_enter=True)
        driver.must(*YES)
        assert driver.session.state == "wait"

    def test_leaving_is_asked_when_the_model_wants_it(self, desk: Flow, drive: Make) -> None:
        """A guard's rule is sure; a model is asked back."""
        driver = drive(desk).at("offer")
        driver.must("leave")
        assert driver.session.state == "offer"
        driver.must(*YES)
        assert driver.session.state == "abandoned"

    @pytest.mark.parametrize("actor", [Actor.MODEL, Actor.GUARD])
    def test_nobody_leaves_where_the_flow_keeps(self, desk: Flow, drive: Make, actor: Actor) -> None:
        """`no_leave` takes the row away."""
        assert drive(desk).at("wait").refused("leave", actor) in ("not_in_menu", "no_row")


class TestSlots:
    """Given in any order, several at once, corrected, ahead of time."""

    @pytest.mark.parametrize(
        "messages",
        [
            [{"name": "Ann", "size": 5}],
            [{"name": "Ann"}, {"size": 5}],
            [{"size": 5}, {"name": "Ann"}],
            [{"size": "5"}, {"mail": "a@b.cd"}, {"name": "Ann"}],
            [{"size": 7, "name": "Bob"}, {"size": 5}],
        ],
    )
    def test_any_order_completes_the_step(self, desk: Flow, drive: Make, messages: Any) -> None:
        """Code proposes the completing event when the required ones are known; optional ones are never waited for."""
        driver = drive(desk).start()
        for message in messages:
            driver.must("provide", Actor.MODEL, message)
        assert driver.session.state == "offer"
        assert driver.session.data["size"] == 5

    def test_the_data_decide_the_way(self, desk: Flow, drive: Make) -> None:
        """The first `When` that holds wins."""
        driver = drive(desk).start()
        driver.must("provide", Actor.MODEL, {"name": "Ann", "size": 51})
        assert driver.session.state == "review"

    @pytest.mark.parametrize("bad", [0, 101, "many", 2.5, True, None, [1], {"a": 1}, "", 10**30])
    def test_a_bad_value_is_noted_and_not_kept(self, desk: Flow, drive: Make, bad: object) -> None:
        """The good ones beside it are."""
        driver = drive(desk).start()
        event = driver.must("provide", Actor.MODEL, {"name": "Ann", "size": bad}).events[0]
        assert set(event.payload["refused"]) == {"size"}
        assert driver.session.data == {"name": "Ann"}
        assert driver.session.state == "intake"
        assert missing_slots(desk, driver.session) == ("size",)

    def test_values_of_other_steps_are_taken(self, desk: Flow, drive: Make) -> None:
        """Ahead of time and after: customers do not know our steps."""
        driver = drive(desk).at("offer")
        driver.must("provide", Actor.MODEL, {"name": "Bea"})
        assert driver.session.data["name"] == "Bea"
        assert driver.session.state == "offer"

    def test_what_no_step_collects_is_rejected(self, desk: Flow, drive: Make) -> None:
        """Nothing may be written under the name of a tool or an outside event."""
        driver = drive(desk).start()
        for name in ("find", "paid", "assessment", "rule", "nonsense"):
            assert driver.refused("provide", Actor.MODEL, {name: "x"}) == "unknown_parameter"

    def test_a_step_entered_with_all_values_completes_at_once(
        self, make_desk: Make, drive: Make, desk_steps: Any
    ) -> None:
        """But two steps that complete each other come to rest."""
        flow = make_desk(
            states=["a", "b"],
            initial="a",
            transitions={("a", "on"): "b", ("b", "back"): "a", ("b", "out"): Terminal.COMPLETED},
            steps={
                "a": Step(collects={"size": Slot(int)}, complete="on"),
                "b": Step(collects={"size": Slot(int)}, complete="back", actions=(Action("out", event="out"),)),
            },
            everywhere=(),
            tools=(),
            outside=(),
            no_leave=(),
            limits=Limits(steps_per_turn=5),
        )
        driver = drive(flow).start()
        events = driver.must("provide", Actor.MODEL, {"size": 3}).events
        assert [event.event for event in events] == ["slots_provided", "on", "back", "on", "back", "on"]

    def test_parameters_of_an_action_are_kept_in_the_slots_type(self, desk: Flow, drive: Make) -> None:
        """A synonym becomes the value."""
        driver = drive(desk).at("offer")
        driver.must("paint", Actor.MODEL, {"colour": "Rot"})
        assert driver.session.data["colour"] == "red"

    def test_a_bad_parameter_asks_again_and_does_nothing(self, desk: Flow, drive: Make) -> None:
        """It is the customer's matter, not a rejected decision."""
        driver = drive(desk).at("offer")
        event = driver.must("paint", Actor.MODEL, {"colour": "blue"}).events[0]
        assert (event.event, set(event.payload["refused"])) == ("slots_provided", {"colour"})
        assert driver.session.state_version == driver.events[-2].state_version

    @pytest.mark.parametrize(
        ("payload", "code"), [({}, "missing_parameter"), ({"colour": "red", "x": 1}, "unknown_parameter")]
    )
    def test_missing_and_unknown_parameters_are_rejected(
        self, desk: Flow, drive: Make, payload: Any, code: str
    ) -> None:
        """The decision was of the wrong shape."""
        assert drive(desk).at("offer").refused("paint", Actor.MODEL, payload) == code


class TestRows:
    """What a row can say."""

    def test_ignore_accepts_and_stays(self, desk: Flow, drive: Make) -> None:
        """On record, without entering anything; `forget` works all the same."""
        driver = drive(desk).at("offer")
        driver.must("provide", Actor.MODEL, {"mail": "a@b.cd"})
        version = driver.session.state_version
        driver.must("skip")
        assert (driver.session.state, driver.session.state_version) == ("offer", version)
        assert "mail" not in driver.session.data

    def test_a_row_to_itself_enters_again(self, desk: Flow, drive: Make) -> None:
        """The version grows, and with it the step's tool would run."""
        driver = drive(desk).at("offer")
        version = driver.session.state_version
        driver.must("again")
        assert (driver.session.state, driver.session.state_version) == ("offer", version + 1)

    def test_forget_drops_data_and_the_slot_is_asked_again(self, desk: Flow, drive: Make) -> None:
        """So that going back does not complete itself."""
        driver = drive(desk).at("offer")
        driver.must("find")
        driver.give_back({"count": 0})
        driver.must("restart")
        assert driver.session.state == "intake"
        assert driver.session.data == {"name": "Ann"}
        assert "show_detail" not in menu_of(desk, driver.session).names

    @pytest.mark.parametrize(
        ("result", "state"), [({"approved": True}, "wait"), ({"approved": False}, "abandoned"), ({}, "review")]
    )
    def test_a_condition_reads_the_tools_result(self, desk: Flow, drive: Make, result: Any, state: str) -> None:
        """No condition that holds: the session stays, and the return is on record."""
        driver = drive(desk).at("review")
        outcome = driver.give_back(result)
        assert driver.session.state == state
        assert outcome.events[0].event == ("tool_returned" if state == "review" else "assessed")
        assert driver.session.data["assessment"] == result

    def test_a_payload_that_looks_like_a_tools_return_is_none(self, make_desk: Make, drive: Make) -> None:
        """An outside event about a telephone call has a call_id of its own."""
        rows: dict[Any, Any] = {
            ("a", "rang"): [When({"answered": True}, "b")],
            ("b", "end"): Terminal.COMPLETED,
        }
        flow = Flow(
            name="phone", states=["a", "b"], initial="a", transitions=rows, outside=["rang"],
            steps={"b": Step(actions=(Action("end", event="end"),))},
        )  # fmt: skip
        driver = drive(flow).start()
        driver.must("rang", Actor.OUTSIDE, {"call_id": "77", "answered": True})
        assert driver.session.state == "b"

    def test_actions_everywhere_but_where_a_step_is_without(self, desk: Flow, drive: Make) -> None:
        """Also built-in ones can go."""
        assert {"hours", "answer", "leave"} <= set(menu_of(desk, drive(desk).at("offer").session).names)
        driver = drive(desk).at("care")
        assert menu_of(desk, driver.session).names == ("close", "ask_human", "show_detail")
        for name in ("hours", "answer", "leave"):
            assert driver.refused(name) == "not_in_menu"
        driver.must("answer", Actor.GUARD)

    @pytest.mark.parametrize("state", list(Terminal))
    def test_an_end_offers_nothing(self, desk: Flow, drive: Make, state: str) -> None:
        """Neither action nor slot."""
        driver = drive(desk).at(state)
        assert menu_of(desk, driver.session).items == ()
        assert driver.refused("provide", Actor.MODEL, {"size": 3}) == "not_in_menu"


class TestTools:
    """Calls, outcomes, arguments and the cap."""

    def test_the_call_is_pending_before_it_runs(self, desk: Flow, drive: Make) -> None:
        """The effect names what the snapshot holds."""
        driver = drive(desk).at("offer")
        (effect,) = driver.must("find").effects
        pending = driver.session.pending
        assert isinstance(pending, PendingCall)
        assert effect == CallTool(pending.call_id, "find", pending.key, {"size": 5})

    def test_the_key_names_the_call_not_its_arguments(self, desk: Flow, drive: Make) -> None:
        """Asked again in other words, the same request makes the same key; the n-th call of a turn another."""
        first = drive(desk).at("offer")
        first.must("charge", Actor.MODEL, {"sum": 3})
        (a,) = first.must(*YES).effects
        second = drive(desk).at("offer")
        second.must("charge", Actor.MODEL, {"sum": 4})
        (b,) = second.must(*YES).effects
        assert a.key == b.key == idempotency_key("", "s1", "k", "charge", 1) == a.arguments["key"]
        first.give_back({}, status="error")
        first.must("charge", Actor.MODEL, {"sum": 3})
        (c,) = first.must(*YES).effects
        assert c.key == idempotency_key("", "s1", "k", "charge", 2)

    def test_code_fills_bound_parameters(self, desk: Flow, drive: Make) -> None:
        """The model cannot give them, nor override them."""
        driver = drive(desk).start(meta={"level": "gold"})
        driver.must("provide", Actor.MODEL, {"name": "Ann", "size": 5})
        assert driver.refused("charge", Actor.MODEL, {"sum": 1, "level": "none"}) == "unknown_parameter"
        driver.must("charge", Actor.MODEL, {"sum": 1})
        (call,) = driver.must(*YES).effects
        assert call.arguments["level"] == "gold"

    def test_a_call_without_its_arguments_is_rejected(self, make_desk: Make, drive: Make, tool_named: Make) -> None:
        """It names what is missing."""
        flow = make_desk(tools=[
            tool_named("find", parameters={"colour": True}, required=frozenset({"colour"})),
            *(tool_named(name) for name in ("charge", "assess", "draft", "cancel")),
        ])  # fmt: skip
        assert drive(flow).at("offer").refused("find") == "missing_argument"

    def test_an_entry_tool_without_its_arguments_goes_to_a_human(
        self, make_desk: Make, drive: Make, tool_named: Make
    ) -> None:
        """Neither the model nor the customer asked for this call, so nobody could answer for it."""
        flow = make_desk(tools=[
            tool_named("assess", parameters={"mail": True}, required=frozenset({"mail"})),
            *(tool_named(name) for name in ("charge", "find", "draft", "cancel")),
        ])  # fmt: skip
        driver = drive(flow).start()
        driver.must("provide", Actor.MODEL, {"name": "Ann", "size": 60})
        assert driver.session.state == "escalated"
        assert driver.events[-1].payload == {"rule": "entry_tool"}

    @pytest.mark.parametrize("status", ["error", "timeout", "frozen", "cancelled"])
    def test_a_failed_call_keeps_no_result(self, desk: Flow, drive: Make, status: str) -> None:
        """What was known before stays known."""
        driver = drive(desk).at("offer")
        driver.must("find")
        driver.give_back({"count": 0})
        driver.must("find")
        driver.give_back({"count": 9}, status=status, error="down")
        assert driver.session.data["find"] == {"count": 0}
        assert driver.session.state == "offer"
        assert driver.events[-1].event == ("nothing" if status == "error" else "tool_returned")

    @pytest.mark.parametrize("state", ["offer", "review"])
    def test_an_unknown_ending_goes_to_a_human(self, desk: Flow, drive: Make, state: str) -> None:
        """Nobody may try again before somebody has looked."""
        driver = drive(desk).at(state)
        if state == "offer":
            driver.must("find")
        driver.give_back(status="unknown")
        assert driver.session.state == "escalated"
        assert driver.session.pending is None
        assert driver.session.resume_to == state

    def test_the_fourth_call_of_a_turn_goes_to_a_human(self, desk: Flow, drive: Make) -> None:
        """Three a turn, by default."""
        driver = drive(desk).at("offer")
        for _ in range(3):
            driver.must("find")
            driver.give_back({"count": 0})
        driver.must("find")
        assert driver.session.state == "escalated"
        assert driver.events[-1].payload == {"rule": "too_many_calls"}

    def test_calls_are_counted_anew_each_turn(self, desk: Flow, drive: Make) -> None:
        """Also where the call is the first thing that happens in the turn."""
        driver = drive(desk).at("offer")
        for _ in range(5):
            for n in range(1, 4):
                driver.must("find", new_turn=n == 1)
                assert driver.session.calls == n
                assert driver.session.pending.key == idempotency_key("", "s1", "k", "find", n)
                driver.give_back({"count": 0})
        assert driver.session.state == "offer"

    def test_show_detail_needs_a_stored_result(self, desk: Flow, drive: Make) -> None:
        """Of the last tool, under the name that it is kept by."""
        driver = drive(desk).at("offer")
        assert driver.refused("show_detail") == "not_in_menu"
        driver.must("find")
        driver.give_back({"count": 0})
        assert driver.must("show_detail").events[0].payload == {"tool": "find"}


class TestOutsideAndTime:
    """What comes without a customer's message."""

    def test_a_row_takes_it(self, desk: Flow, drive: Make) -> None:
        """Its payload is session data under its name."""
        driver = drive(desk).at("wait")
        driver.must("paid", Actor.OUTSIDE, {"sum": 3})
        assert (driver.session.state, driver.session.data["paid"]) == ("care", {"sum": 3})

    def test_without_a_row_it_is_kept(self, desk: Flow, drive: Make) -> None:
        """Never dropped, no move, no data."""
        driver = drive(desk).at("offer")
        before = driver.session.data
        event = driver.must("delivered", Actor.OUTSIDE, {"box": 1}).events[0]
        assert event.payload == {"event": "delivered", "payload": {"box": 1}}
        assert (driver.session.state, driver.session.data) == ("offer", before)

    def test_undeclared_it_is_rejected(self, desk: Flow, drive: Make) -> None:
        """Also where the map has a row of that name: an event of an action is not for everybody to bring."""
        for name in ("again", "nonsense", "signed"):
            assert drive(desk).at("offer").refused(name, Actor.OUTSIDE) == "undeclared"

    @pytest.mark.parametrize("state", ["intake", "offer", "sign", "care", "completed", "abandoned"])
    def test_money_without_a_row_goes_to_a_human(self, desk: Flow, drive: Make, state: str) -> None:
        """Even after the end."""
        driver = drive(desk).at(state)
        names = [event.event for event in driver.must("paid", Actor.OUTSIDE, {"sum": 1}).events]
        assert names == ["unexpected_event", "escalated_by_rule"]
        assert driver.session.resume_to == state
        driver.must("resume", Actor.HUMAN)
        assert driver.session.state == state

    def test_money_with_a_human_stays_there(self, desk: Flow, drive: Make) -> None:
        """On record once more, and `resume` still knows the way back."""
        driver = drive(desk).at("escalated")
        assert len(driver.must("paid", Actor.OUTSIDE, {"sum": 1}).events) == 1
        driver.must("resume", Actor.HUMAN)
        assert driver.session.state == "wait" or driver.session.state == "care"

    def test_the_deadline_fires_when_it_is_over(self, desk: Flow, drive: Make) -> None:
        """Not a second before, and only for its own step."""
        driver = drive(desk).at("wait")
        assert driver.later(59).refused("overdue", Actor.TIMER) == "not_due"
        driver.later(1).must("overdue", Actor.TIMER)
        assert driver.session.state == "escalated"
        assert driver.session.deadline is None
        assert driver.refused("overdue", Actor.TIMER) == "no_deadline"

    def test_a_deadline_that_leads_nowhere_is_over_all_the_same(self, desk: Flow, drive: Make) -> None:
        """No condition holds: on record, and the timer does not look again and again."""
        driver = drive(desk).at("wait").later(61)
        driver.session = driver.session.model_copy(update={"data": {**driver.session.data, "patient": True}})
        assert driver.must("overdue", Actor.TIMER).events[0].event == "unexpected_event"
        assert (driver.session.state, driver.session.deadline) == ("wait", None)
        assert driver.refused("overdue", Actor.TIMER) == "not_due"

    def test_a_session_expires_only_when_nothing_happened_for_that_long(self, desk: Flow, drive: Make) -> None:
        """A timer that looked before the customer wrote again comes too late."""
        driver = drive(desk).at("offer")
        week = desk.limits.expires_s
        assert driver.later(week - 1).refused("expire", Actor.TIMER) == "not_due"
        driver.must("answer")
        assert driver.later(1).refused("expire", Actor.TIMER) == "not_due"
        driver.later(week).must("expire", Actor.TIMER)
        assert driver.session.state == "abandoned"

    @pytest.mark.parametrize("state", list(Terminal))
    def test_an_end_does_not_expire(self, desk: Flow, drive: Make, state: str) -> None:
        """Nor does a session with a human."""
        assert drive(desk).at(state).later(10**8).refused("expire", Actor.TIMER) == "not_due"


class TestEpisodesAndHumans:
    """Ends, new starts, hand-over and return."""

    @pytest.mark.parametrize("state", ["completed", "abandoned"])
    def test_after_an_end_a_new_episode_starts_clean(self, desk: Flow, drive: Make, state: str) -> None:
        """New data, the same log."""
        driver = drive(desk).at(state)
        before = driver.session
        driver.must("start", Actor.SYSTEM, {"lang": "zh", "meta": {"level": 2}}, new_turn=True)
        after = driver.session
        assert (after.episode, after.state, after.data, after.lang) == (before.episode + 1, "intake", {}, "zh")
        assert after.meta == {"level": 2}
        assert after.event_seq == before.event_seq + 1
        assert (after.last_tool, after.pending, after.resume_to, after.calls, after.episode_turns) == (
            None,
            None,
            None,
            0,
            1,
        )

    @pytest.mark.parametrize("state", ["intake", "offer", "review", "wait", "escalated"])
    def test_an_open_episode_cannot_be_started_over(self, desk: Flow, drive: Make, state: str) -> None:
        """Not even by code; a human must hand it back first."""
        code = drive(desk).at(state).refused("start", Actor.SYSTEM, {"lang": "en"})
        assert code == ("call_pending" if state == "review" else "not_ended")

    @pytest.mark.parametrize("state", ["intake", "offer", "sign", "wait", "care"])
    @pytest.mark.parametrize("actor", [Actor.MODEL, Actor.GUARD])
    def test_a_human_is_always_in_reach_and_hands_back(self, desk: Flow, drive: Make, state: str, actor: Actor) -> None:
        """Back where it was, with its data and without a second call of the step's tool."""
        driver = drive(desk).at(state)
        driver.must("ask_human", actor, {"note": "x"})
        assert driver.session.state == "escalated"
        assert "note" not in driver.session.data
        outcome = driver.must("resume", Actor.HUMAN)
        assert driver.session.state == state
        assert outcome.effects == ()
        asked = isinstance(driver.session.pending, PendingConfirmation)
        assert asked == (state == "sign"), "where a question was open, it is asked again"

    def test_why_code_hands_over_is_no_data_of_the_customer(self, desk: Flow, drive: Make) -> None:
        """A slot called `rule` keeps its value."""
        driver = drive(desk).at("escalated")
        assert "rule" not in driver.session.data

    def test_only_a_human_ends_the_humans_part(self, desk: Flow, drive: Make) -> None:
        """Nothing else leaves `escalated`."""
        driver = drive(desk).at("escalated").later(10**8)
        for name in sorted(every_name(desk)):
            for actor in Actor:
                if (name, actor) != ("resume", Actor.HUMAN):
                    driver.send(name, actor, {"lang": "en"})
                    assert driver.session.state == "escalated", (name, actor)
        driver.must("resume", Actor.HUMAN)

    def test_a_goodbye_closes_where_the_step_says_so(self, desk: Flow, drive: Make) -> None:
        """A guard proposes the step's `on_close` and nothing else of the map."""
        assert drive(desk).at("offer").refused("again", Actor.GUARD) == "not_proposable"
        driver = drive(desk).at("care")
        driver.must("closed", Actor.GUARD)
        assert driver.session.state == "completed"


def test_a_value_that_is_known_already_leaves_the_question_open(desk: Flow, drive: Make) -> None:
    """ "Yes, 5 of them" must not lose what was asked."""
    driver = drive(desk).at("offer")
    driver.must("accept")
    asked = driver.session.pending
    driver.must("provide", Actor.MODEL, {"size": driver.session.data["size"]})
    assert driver.session.pending == asked


class TestCounters:
    """What is counted, and what sets it back."""

    def test_stuck_counts_turns_without_anything_new(self, desk: Flow, drive: Make) -> None:
        """Whatever was said in them, each once; a new value, a move or a tool's answer sets it back."""
        driver = drive(desk).at("offer")
        driver.must("answer", new_turn=True)
        driver.must("chat")  # in the same turn
        driver.must("refuse_input", Actor.GUARD, {"reason": "empty_text"}, new_turn=True)
        driver.must("provide", Actor.MODEL, {"size": "x"}, new_turn=True)
        driver.must("provide", Actor.MODEL, {"size": driver.session.data["size"]}, new_turn=True)
        assert driver.session.stuck == 4
        driver.must("provide", Actor.MODEL, {"size": 8}, new_turn=True)
        assert driver.session.stuck == 0
        driver.must("answer", new_turn=True)
        driver.must("find")
        driver.give_back({"count": 0})
        assert driver.session.stuck == 0
        driver.must("show_detail", new_turn=True)
        driver.must("accept", new_turn=True)
        driver.must("ask_again", Actor.GUARD, new_turn=True)
        assert driver.session.stuck == 3

    @pytest.mark.parametrize("wish", ["answer", "find", "again", "accept", "provide", "leave", "ask_human"])
    def test_a_valid_decision_sets_the_invalid_count_back(self, desk: Flow, drive: Make, wish: str) -> None:
        """Counted across turns until then."""
        driver = drive(desk).at("offer")
        for _ in range(2):
            driver.must("reject_decision", Actor.SYSTEM, {"why": "x"}, new_turn=True)
        assert driver.session.invalid == 2
        driver.must(wish, Actor.MODEL, {"size": 4} if wish == "provide" else {})
        assert driver.session.invalid == 0

    def test_the_same_event_in_a_row_is_counted(self, desk: Flow, drive: Make) -> None:
        """By decider and outside; a different event starts over, other wishes do not count."""
        driver = drive(desk).at("offer")
        for _ in range(40):
            driver.later(1).must("again")
            driver.must("answer")
        assert driver.session.same_event == "again"
        assert len(driver.session.same_event_at) == 32
        driver.must("skip")
        assert (driver.session.same_event, len(driver.session.same_event_at)) == ("skipped", 1)

    def test_turns_of_an_episode_are_counted(self, desk: Flow, drive: Make) -> None:
        """Whatever happens first in them."""
        driver = drive(desk).at("offer")
        for _ in range(3):
            driver.must("answer", new_turn=True)
            driver.must("answer")
        assert (driver.session.turn, driver.session.episode_turns) == (4, 4)

    def test_a_rollback_keeps_the_count_of_what_was_rolled_back(self, desk: Flow, drive: Make) -> None:
        """Else three bad answers in three turns would never hand over."""
        driver = drive(desk).start()
        driver.must("roll_back", Actor.SYSTEM, {"invalid": 2, "discarded": ["slots_provided"]})
        assert driver.session.invalid == 2

    def test_language_and_background_are_noted(self, desk: Flow, drive: Make) -> None:
        """They move nothing."""
        driver = drive(desk).start()
        driver.must("note_language", Actor.SYSTEM, {"lang": "zh", "doubt": 1})
        driver.must("note_meta", Actor.SYSTEM, {"level": 3})
        assert (driver.session.lang, driver.session.lang_doubt, driver.session.meta) == ("zh", 1, {"level": 3})
        assert driver.session.state_version == 1


def test_longest_times_stay_within_the_calendar(make_desk: Make, drive: Make) -> None:
    """A time that no date can hold is refused where it is written."""
    for bad in (float("inf"), float("nan"), 1e30, 0, -1):
        with pytest.raises(ValueError, match="Deadline"):
            Deadline(bad, "x")
        with pytest.raises(ValueError, match="Limits"):
            Limits(expires_s=bad)


def test_outside_declared_twice_or_by_name_is_the_same() -> None:
    """`Outside("x")` and `"x"`."""
    rows: dict[Any, Any] = {("a", "x"): Terminal.COMPLETED}
    flow = Flow(name="f", states=["a"], initial="a", transitions=rows, outside=[Outside("x"), "x"])
    assert tuple(flow.outside) == ("x",)


def test_a_step_on_entry_may_call_by_name() -> None:
    """`on_enter="tool"` is short for `Call("tool")`."""
    assert Step(on_enter="look").on_enter == Call("look")  # type: ignore[arg-type]


def test_outcome_holds_what_happened_in_order(desk: Flow, drive: Make) -> None:
    """Each event starts where the one before ended, with the next number."""
    driver = drive(desk).at("completed")
    for before, after in pairwise(driver.events):
        assert after.source_state == before.target_state
        assert after.event_seq == before.event_seq + 1
        assert after.message_id == f"e{after.event_seq}"
    assert isinstance(driver.must("start", Actor.SYSTEM, {"lang": "en"}), Outcome)
