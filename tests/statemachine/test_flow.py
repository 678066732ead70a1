"""Flow: building refuses what cannot work and lists all of it; the fingerprint follows the structure and nothing else."""

import ast
import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from maitred.examples.presales.flow import build_flow
from maitred.examples.presales.shop import Shop
from maitred.protocol.errors import FlowError
from maitred.protocol.limits import Limits
from maitred.protocol.slots import Slot
from maitred.statemachine import check_map, check_steps, check_tools
from maitred.statemachine.check import Finding, check
from maitred.statemachine.conditions import When
from maitred.statemachine.flow import Flow
from maitred.statemachine.parts import Action, Call, Deadline, Outside, Step, Terminal

Make = Callable[..., Any]


def step_with(name: str, **changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda kw: kw["steps"].update({name: replace(kw["steps"].get(name, Step()), **changes)})


def row(source: str, event: str, target: Any) -> Callable[[dict[str, Any]], None]:
    return lambda kw: kw["transitions"].update({(source, event): target})


def add_action(name: str, *actions: Action) -> Callable[[dict[str, Any]], None]:
    def change(kw: dict[str, Any]) -> None:
        step = kw["steps"][name]
        kw["steps"][name] = replace(step, actions=(*step.actions, *actions))

    return change


def drop_row(source: str, event: str) -> Callable[[dict[str, Any]], None]:
    return lambda kw: kw["transitions"].pop((source, event))


def put(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda kw: kw.update({key: value})


def other_tool(name: str, **spec: Any) -> Callable[[dict[str, Any]], None]:
    """The tool of that name, made otherwise."""
    return lambda kw: kw.update(tools=[kw["fake"](name, **spec), *(t for t in kw["tools"] if t.spec.name != name)])


GO = Action("go_on", event="gone")
Change = Callable[[dict[str, Any]], object]
MISTAKES: dict[str, tuple[Change | list[Change], tuple[str, str, str, str]]] = {
    "a state with a built-in name": (
        put("states", ["completed", "intake", "offer", "review", "sign", "wait", "care"]),
        ("error", "reserved_name", "states.completed", "call the state something else"),
    ),
    "a state twice": (
        put("states", ["intake", "offer", "review", "sign", "wait", "care", "care"]),
        ("error", "duplicate_state", "states.care", "listed twice"),
    ),
    "an unknown initial state": (
        put("initial", "intak"),
        ("error", "unknown_state", "initial", "did you mean 'intake'?"),
    ),
    "an unknown state to keep": (
        put("no_leave", ["wai"]),
        ("error", "unknown_state", "no_leave", "did you mean 'wait'?"),
    ),
    "a step of no state": (
        lambda kw: kw["steps"].update({"ofer": Step()}),
        ("error", "unknown_state", "steps.ofer", "did you mean 'offer'?"),
    ),
    "an end that acts": (
        step_with("completed", on_enter=Call("find")),
        ("error", "end_acts", "steps.completed.on_enter", "it may only have a `say`"),
    ),
    "a row from no state": (
        row("ofer", "x", "care"),
        ("error", "unknown_state", "transitions.ofer.x", "did you mean 'offer'?"),
    ),
    "a row of a built-in event": (
        row("offer", "human_requested", "care"),
        ("error", "reserved_name", "transitions.offer.human_requested", "added by maitred"),
    ),
    "a row without targets": (
        row("offer", "again", []),
        ("error", "empty_row", "transitions.offer.again", "at least one"),
    ),
    "a row to no state": (
        row("offer", "again", "reveiw"),
        ("error", "unknown_target", "transitions.offer.again", "did you mean 'review'?"),
    ),
    "a row back from a human": (
        row("offer", "again", "(where it was)"),
        ("error", "unknown_target", "transitions.offer.again", "no state"),
    ),
    "entries after the default": (
        row("offer", "again", [When(None, "care"), When({"size": 1}, "offer")]),
        ("error", "ambiguous_row", "transitions.offer.again", "can never win"),
    ),
    "entries after an empty condition": (
        row("offer", "again", [When({}, "care"), When({"size": 1}, "offer")]),
        ("error", "ambiguous_row", "transitions.offer.again", "can never win"),
    ),
    "a condition twice": (
        row("offer", "again", [When({"size": 1}, "care"), When({"size": 1}, "offer")]),
        ("error", "ambiguous_row", "transitions.offer.again", "repeats the condition"),
    ),
    "data forgotten that nobody fills": (
        row("offer", "again", [When(None, "offer", forget=("sice",))]),
        ("error", "unknown_field", "transitions.offer.again.forget", "did you mean 'size'?"),
    ),
    "an action with a built-in name": (
        add_action("offer", Action("leave")),
        ("error", "reserved_name", "steps.offer.actions[9]", "on every menu already"),
    ),
    "an action twice": (
        add_action("offer", Action("chat")),
        ("error", "duplicate_action", "steps.offer.actions[9]", "listed twice"),
    ),
    "an action with event and tool": (
        add_action("offer", Action("both", event="again", tool="find")),
        ("error", "two_meanings", "steps.offer.actions[9]", "put the event into `on`"),
    ),
    "an action of an unknown event": (
        add_action("offer", Action("x", event="agian")),
        ("error", "unknown_event", "steps.offer.actions[9]", "did you mean 'again'?"),
    ),
    "outcomes without a tool": (
        add_action("offer", Action("x", on={"ok": "again"})),
        ("error", "outcomes_without_tool", "steps.offer.actions[9]", "has none"),
    ),
    "an unknown tool": (
        add_action("offer", Action("x", tool="fnid")),
        ("error", "unknown_tool", "steps.offer.actions[9]", "did you mean 'find'?"),
    ),
    "an unknown tool on entry": (
        step_with("review", on_enter=Call("asses")),
        ("error", "unknown_tool", "steps.review.on_enter", "did you mean 'assess'?"),
    ),
    "an outcome without a row": (
        add_action("offer", Action("x", tool="find", on={"ok": "lost"})),
        ("warning", "outcome_without_row", "steps.offer.actions[9]", "has no row in 'offer'"),
    ),
    "an outcome that stays": (
        add_action("offer", Action("x", tool="find", on={"ok": "again"})),
        ("note", "outcome_stays", "steps.offer.actions[9]", "'error' of 'find' proposes nothing"),
    ),
    "an unknown completing event": (
        step_with("intake", complete="intake_don"),
        ("error", "unknown_event", "steps.intake.complete", "did you mean 'intake_done'?"),
    ),
    "an unknown closing event": (
        step_with("care", on_close="close"),
        ("error", "unknown_event", "steps.care.on_close", "did you mean 'closed'?"),
    ),
    "an unknown deadline event": (
        step_with("wait", deadline=Deadline(60, "late")),
        ("error", "unknown_event", "steps.wait.deadline", "no row (wait, late)"),
    ),
    "completion with nothing to collect": (
        step_with("offer", complete="again"),
        ("error", "nothing_to_collect", "steps.offer.complete", "there are none"),
    ),
    "a confirmation of no action": (
        step_with("sign", confirms="sing"),
        ("error", "unknown_action", "steps.sign.confirms", "did you mean 'sign'?"),
    ),
    "a confirmation of an action without confirm": (
        step_with("offer", confirms="again"),
        ("error", "unknown_action", "steps.offer.confirms", "action 'again' has no `confirm: true`"),
    ),
    "a row whose conditions may all fail": (
        row("care", "close", [When({"size": {"gt": 3}}, "completed")]),
        ("warning", "no_default", "transitions.care.close", "add an entry without `when`"),
    ),
    "a condition over nothing": (
        row("care", "close", [When({"siz": 3}, "wait"), When(None, "completed")]),
        ("warning", "unknown_field", "transitions.care.close", "did you mean 'size'?"),
    ),
    "a row back to a step that is full": (
        row("offer", "again", "intake"),
        ("warning", "bounces_back", "transitions.offer.again", "`forget`"),
    ),
    "a brace that is no field": (
        step_with("offer", say="For {name: {size}"),
        ("warning", "odd_template", "steps.offer.say", "no field"),
    ),
    "a closing event that is a guard's wish": (
        lambda kw: (row("care", "decline", "completed")(kw), step_with("care", on_close="decline")(kw)),
        ("error", "reserved_name", "steps.care.on_close", "something else"),
    ),
    "a deadline that is a timer's wish": (
        lambda kw: (row("wait", "expire", "care")(kw), step_with("wait", deadline=Deadline(60, "expire"))(kw)),
        ("error", "reserved_name", "steps.wait.deadline", "something else"),
    ),
    "an action removed that was not there": (
        step_with("offer", without=("anser",)),
        ("error", "unknown_action", "steps.offer.without", "did you mean 'answer'?"),
    ),
    "two slots of one name": (
        step_with("sign", collects={"size": Slot(str)}),
        ("error", "slot_differs", "steps.sign.collects.size", "one thing per flow"),
    ),
    "a slot with the name of a tool's result": (
        step_with("sign", collects={"assessment": Slot(str)}),
        ("error", "name_taken", "steps.sign.collects.assessment", "both would write"),
    ),
    "a parameter with the name of an outside event": (
        add_action("offer", Action("x", parameters={"paid": Slot(bool)})),
        ("error", "name_taken", "steps.offer.actions[9].parameters.paid", "both would write"),
    ),
    "a slot with the name of a template field": (
        step_with("sign", collects={"ask": Slot(str)}),
        ("error", "reserved_name", "steps.sign.collects.ask", "means something else"),
    ),
    "a tool on entry that nobody gives a parameter": (
        lambda kw: kw.update(
            tools=[
                kw["fake"]("assess", parameters={"x": 1}, required=frozenset({"x"})),
                *kw["tools"][:2],
                *kw["tools"][3:],
            ]
        ),
        ("error", "unfilled_parameter", "steps.review.on_enter", "needs 'x'"),
    ),
    "a tool of an action that nobody gives a parameter": (
        other_tool("cancel", parameters={"x": True}, required=frozenset({"x"})),
        ("warning", "unfilled_parameter", "steps.wait.actions[0]", "'cancel' needs 'x', so this is always refused"),
    ),
    "a number where a tool takes a text": (
        other_tool("find", parameters={"size": {"type": "string"}}),
        (
            "warning",
            "misfit_parameter",
            "steps.offer.actions[2]",
            "takes 'size' as string, but the slot is of type int",
        ),
    ),
    "a number that an action gives where a tool takes a text": (
        other_tool("charge", parameters={"sum": {"anyOf": [{"type": "string"}, {"type": "null"}]}}),
        ("warning", "misfit_parameter", "steps.offer.actions[3]", "takes 'sum' as string, but the slot is of type int"),
    ),
    "a bind to what nothing fills": (
        other_tool("draft", bind={"x": "data.fnd.no"}),
        (
            "warning",
            "unknown_field",
            "steps.sign.on_enter",
            "binds 'x' to 'data.fnd.no': nothing ever fills it; did you mean",
        ),
    ),
    "a bind to a field that no result has": (
        [other_tool("find", fields=frozenset({"no"})), other_tool("draft", bind={"x": "data.find.nr"})],
        ("warning", "unknown_field", "steps.sign.on_enter", "the result 'find' has no field 'nr'; allowed: no"),
    ),
    "a field that no result has": (
        [other_tool("find", fields=frozenset({"price"})), step_with("sign", say="{find.prise}")],
        (
            "warning",
            "unknown_field",
            "steps.sign.say",
            "{find.prise}: the result 'find' has no field 'prise'; did you mean",
        ),
    ),
    "a field of a result that has none": (
        [other_tool("find", fields=frozenset()), step_with("sign", say="{find.price}")],
        ("warning", "unknown_field", "steps.sign.say", "the result 'find' has no field 'price'; it has no fields"),
    ),
    "a field that no result has, in a tool's own sentence": (
        [other_tool("find", fields=frozenset({"left"})), put("texts", {"find.error": "Only {find.lft} left."})],
        ("warning", "unknown_field", "texts.find.error", "has no field 'lft'; did you mean 'left'?"),
    ),
    "a text in one language only": (
        step_with("sign", say={"en": "Sign?"}),
        ("warning", "one_language", "steps.sign.say", "no text for 'zh', which the flow speaks elsewhere"),
    ),
    "a slot without a name for customers": (
        step_with("sign", collects={"colour_wish": Slot(str)}),
        (
            "note",
            "no_label",
            "steps.sign.collects.colour_wish",
            "customers read its bare name, 'colour wish', in every",
        ),
    ),
    "a condition on a field that no result has": (
        [
            other_tool("find", fields=frozenset({"left"})),
            row("sign", "changed", [When({"find.lft": 1}, "sign"), When(None, "sign")]),
        ],
        (
            "warning",
            "unknown_field",
            "transitions.sign.changed",
            "condition 'find.lft': the result 'find' has no field 'lft'",
        ),
    ),
    "an event that nobody proposes": (
        row("offer", "dreamt", "care"),
        ("warning", "nobody_proposes", "transitions.offer.dreamt", "nobody can propose"),
    ),
    "an outside event without a row": (
        put("outside", ["paid", "delivered", "accepted", "rang"]),
        ("warning", "outside_without_row", "outside.rang", "no state has a row"),
    ),
    "a proposal that a confirmation blocks": (
        add_action("sign", Action("hurry", event="signed")),
        ("warning", "needs_confirmation", "steps.sign.actions[1]", "by a yes to action 'sign'"),
    ),
    "a state without a way in": (
        put("states", ["intake", "offer", "review", "sign", "wait", "care", "island"]),
        ("error", "no_way_in", "states.island", "no row leads to 'island'"),
    ),
    "a state without a way out": (
        drop_row("care", "closed"),
        ("error", "no_way_out", "states.care", "no row leads out"),
    ),
    "a condition in a label": (
        add_action("offer", Action("x", {"en": "pay, if they want", "zh": "付款"})),
        ("warning", "condition_in_label", "steps.offer.actions[9].label", "'if' reads like a condition"),
    ),
    "a condition in a Chinese label": (
        add_action("offer", Action("x", {"en": "pay", "zh": "如果客户同意就付款"})),
        ("warning", "condition_in_label", "steps.offer.actions[9].label", "'如果'"),
    ),
    "a field that nothing fills": (
        step_with("offer", say="For {nam}"),
        ("error", "unknown_field", "steps.offer.say", "did you mean 'name'?"),
    ),
    "a sentence under an unknown key": (
        put("texts", {"hand_off": "bye"}),
        ("error", "unknown_text", "texts.hand_off", "did you mean 'handoff'?"),
    ),
}


def wrong_desk(change: Change | list[Change], make: Make, rows: Any, steps: Any, tools: Make) -> tuple[Finding, ...]:
    """What `check` says of the desk with one change: from the flow if it could be built, else from the error."""
    specs: dict[str, Any] = {"find": {"parameters": {"size": 1}}, "assess": {"saves": "assessment"}}
    kw: dict[str, Any] = {
        "transitions": {(str(s), e): target for (s, e), target in rows.items()},
        "steps": {str(s): step for s, step in steps.items()},
        "everywhere": (),
        "tools": [tools(name, **specs.get(name, {})) for name in ("find", "charge", "assess", "draft", "cancel")],
        "fake": tools,
    }
    kw["steps"]["care"] = replace(kw["steps"]["care"], without=())
    for one in change if isinstance(change, list) else [change]:
        one(kw)
    del kw["fake"]
    try:
        return check(make(**kw))
    except FlowError as error:
        return tuple(f for f in error.findings if isinstance(f, Finding))


@pytest.mark.parametrize("mistake", list(MISTAKES))
def test_each_kind_of_mistake_is_found(
    mistake: str, make_desk: Make, desk_rows: Any, desk_steps: Any, tool_named: Make
) -> None:
    """Its code, its place, and what to do about it."""
    change, (severity, code, where, hint) = MISTAKES[mistake]
    found = wrong_desk(change, make_desk, desk_rows, desk_steps, tool_named)
    fitting = [f for f in found if (f.severity, f.code, f.where) == (severity, code, where)]
    assert any(hint in finding.message for finding in fitting), "\n".join(map(str, found))
    assert [str(f) for f in found if f.severity == "error" and severity != "error"] == []


def test_the_mistakes_cover_every_code() -> None:
    """A new rule needs a new line above."""
    rules = inspect.getsource(check_map) + inspect.getsource(check_steps) + inspect.getsource(check_tools)
    calls = [node for node in ast.walk(ast.parse(rules)) if isinstance(node, ast.Call)]
    made = [call.args[1] for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Finding"]
    codes = {arg.value for arg in made if isinstance(arg, ast.Constant)}
    assert len(codes) > 20
    assert codes == {code for _, (_, code, _, _) in MISTAKES.values()}


def test_what_nobody_knows_of_a_result_is_not_judged(make_desk: Make, tool_named: Make, desk_steps: Any) -> None:
    """A tool that does not say what it returns, and one name that two tools keep, one of which does not."""
    tools = [tool_named(name) for name in ("charge", "draft", "cancel")]
    tools += [tool_named("find", fields=None), tool_named("assess", saves="assessment", fields=frozenset({"grade"}))]
    tools += [tool_named("assess_again", saves="assessment")]
    steps = {**desk_steps, "sign": replace(desk_steps["sign"], say="{find.price} {assessment.mark}")}
    assert [f for f in check(make_desk(tools=tools, steps=steps)) if "field" in f.message] == []


def test_the_example_has_neither_errors_nor_warnings(tmp_path: Path) -> None:
    """Notes say where a tool's outcome stays."""
    assert {finding.severity for finding in check(build_flow(Shop(tmp_path / "shop.db")))} <= {"note"}


def test_all_mistakes_are_listed_at_once(make_desk: Make, desk_steps: Any) -> None:
    """Nobody should have to run it five times."""
    with pytest.raises(FlowError) as caught:
        make_desk(
            initial="intak",
            steps={**desk_steps, "ofer": Step(complete="x"), "wait": Step(say="{nothing}")},
            texts={"handof": "x"},
        )
    codes = {finding.code for finding in caught.value.findings if isinstance(finding, Finding)}
    assert {"unknown_state", "unknown_field", "unknown_text", "nothing_to_collect"} <= codes
    assert str(caught.value).count("\n") == len(caught.value.findings)
    assert all(str(finding) in str(caught.value) for finding in caught.value.findings)


# Fingerprint.


STRUCTURE: dict[str, Callable[[dict[str, Any]], object]] = {
    "a row": row("offer", "again", "care"),
    "a condition": row("offer", "found", [When({"count": {"gte": 2}}, "review")]),
    "what a row forgets": row("offer", "restarted", [When(None, "intake", forget=("size",))]),
    "an action": add_action("offer", Action("more", event="again")),
    "a confirmation": step_with("care", actions=(Action("close", event="closed", confirm=True),)),
    "a slot": step_with("sign", collects={}, complete=None),
    "a slot's bounds": step_with("offer", collects={"extra": Slot(int, maximum=3)}),
    "a deadline": step_with("wait", deadline=Deadline(61, "overdue")),
    "an entry tool": step_with("review", on_enter=Call("assess", {"ok": "assessed"})),
    "a removed action": step_with("offer", without=("answer",)),
    "a limit": put("limits", Limits(turns_per_session=31)),
    "an outside event's money": put("outside", [Outside("paid"), "delivered", "accepted"]),
    "a fact": put("facts", {"order_no": "SO[0-9]+"}),
    "a kept state": put("no_leave", []),
    "the initial state": put("initial", "offer"),
    "the version": put("version", "2"),
    "the name": put("name", "counter"),
}


def parts_of_desk(rows: Any, steps: Any) -> dict[str, Any]:
    return {
        "transitions": {(str(s), e): target for (s, e), target in rows.items()},
        "steps": {str(s): step for s, step in steps.items()},
    }


@pytest.mark.parametrize("change", list(STRUCTURE))
def test_the_fingerprint_changes_with_the_structure(
    change: str, make_desk: Make, desk: Flow, desk_rows: Any, desk_steps: Any
) -> None:
    """A session of before must not go on under other rules unseen."""
    kw = parts_of_desk(desk_rows, desk_steps)
    STRUCTURE[change](kw)
    if change == "the initial state":  # intake needs a way in then
        kw["transitions"]["care", "closed"] = [When({"x": 1}, "intake"), When(None, "completed")]
        other = dict(kw, initial="intake")
        assert make_desk(**other).fingerprint != make_desk(**kw).fingerprint
        return
    assert make_desk(**kw).fingerprint != desk.fingerprint


def test_the_fingerprint_does_not_follow_texts(make_desk: Make, desk: Flow, desk_rows: Any, desk_steps: Any) -> None:
    """Wording may be mended while sessions run, also where there was none."""
    kw = parts_of_desk(desk_rows, desk_steps)
    for state, step in kw["steps"].items():
        if state not in {*Terminal}:
            actions = tuple(
                replace(a, label={"zh": "新"}, examples=("new",), reply=None, ask="Sure?") for a in step.actions
            )
            kw["steps"][state] = replace(step, say="New words", instruction="new", actions=actions)
    kw["steps"]["abandoned"] = Step(say="Until next time.")
    kw["steps"]["intake"] = replace(
        kw["steps"]["intake"],
        collects={
            name: replace(slot, ask="New?", label="new") for name, slot in kw["steps"]["intake"].collects.items()
        },
    )
    kw["steps"]["sign"] = replace(kw["steps"]["sign"], collects={"size": kw["steps"]["intake"].collects["size"]})
    kw |= {"greeting": "Hi", "identity": "A bot", "texts": {"handoff": "Wait."}, "own_words": {"leave": ("tschüss",)}}
    assert make_desk(**kw).fingerprint == desk.fingerprint


def test_a_state_without_a_step_may_get_words() -> None:
    """An empty step and none at all are the same structure."""
    rows: Any = {("a", "x"): "b", ("b", "y"): Terminal.COMPLETED}
    given: dict[str, Any] = {
        "name": "f",
        "states": ["a", "b"],
        "initial": "a",
        "transitions": rows,
        "outside": ["x", "y"],
    }
    assert Flow(**given).fingerprint == Flow(**given, steps={"b": Step(say="hello")}).fingerprint


def test_the_fingerprint_does_not_follow_the_order_of_entries(
    make_desk: Make, desk: Flow, desk_rows: Any, desk_steps: Any
) -> None:
    """Of rows, steps, slots, tests in a condition, states, tools, outside events."""
    kw = parts_of_desk(dict(reversed(desk_rows.items())), dict(reversed(desk_steps.items())))
    intake = kw["steps"]["intake"]
    kw["steps"]["intake"] = replace(intake, collects=dict(reversed(intake.collects.items())))
    kw |= {
        "states": ["care", "wait", "sign", "review", "offer", "intake"],
        "tools": list(reversed([*desk.tools.values()])),
        "outside": list(reversed([*desk.outside.values()])),
    }
    assert make_desk(**kw).fingerprint == desk.fingerprint


def test_order_within_a_row_counts(make_desk: Make, desk_rows: Any) -> None:
    """The first that holds wins."""
    ways = [When({"size": 1}, "care"), When({"name": "x"}, "offer")]
    one = make_desk(transitions={**desk_rows, ("offer", "again"): ways})
    other = make_desk(transitions={**desk_rows, ("offer", "again"): ways[::-1]})
    assert one.fingerprint != other.fingerprint


def test_a_fact_that_is_no_pattern_is_refused(make_desk: Make) -> None:
    """When the flow is built."""
    with pytest.raises(FlowError, match=r"facts\.order_no"):
        make_desk(facts={"order_no": "["})


def test_sentences_can_be_replaced(make_desk: Make) -> None:
    """By key; a language that is not given falls back to the one that is."""
    flow = make_desk(texts={"handoff": {"zh": "稍等"}, "find.error": "gone"})
    assert flow.sentence("handoff", "en") == "稍等"
    assert flow.sentence("farewell", "en").startswith("All right")
