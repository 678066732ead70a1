"""A flow file: the same flow as in Python, and every kind of mistake at its line, with the key path and the nearest name."""

import dataclasses
import inspect
import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import pytest

from maitred.protocol.errors import BadRequest, FlowError
from maitred.protocol.limits import Limits
from maitred.protocol.slots import Slot
from maitred.protocol.tool_spec import ToolSpec
from maitred.statemachine import flow_format
from maitred.statemachine.conditions import When
from maitred.statemachine.flow import Flow
from maitred.statemachine.flow_file import findings_of, parse_flow
from maitred.statemachine.flow_readers import LocatedFinding
from maitred.statemachine.parts import IGNORE, Action, Call, Deadline, Outside, Step, Terminal
from maitred.statemachine.yaml_lines import MAX_CHARS


@dataclass(frozen=True)
class FakeTool:
    """A tool as the core sees it."""

    spec: ToolSpec
    lookup: None = None
    parameters: dict[str, Any] = field(default_factory=dict)

    async def call(self, arguments: Any, context: Any) -> Any:
        raise NotImplementedError


def fake(name: str, *required: str) -> FakeTool:
    return FakeTool(ToolSpec(name, "none", parameters=dict.fromkeys(required, True), required=frozenset(required)))


def faq(text: str, lang: str) -> list[str]:
    return []


TOOLS: dict[str, Any] = {
    "tools.py:find_plan": fake("find_plan", "seats"),
    "tools.py:make_quote": fake("make_quote", "seats"),
    "tools.py:create_order": fake("create_order"),
    "tools.py:faq": faq,
    "tools.py:RATE": 3,
}


class Shop(StrEnum):
    INFO = "info"
    OFFER = "offer"
    REVIEW = "review"
    PAYING = "paying"


PYTHON = Flow(
    name="shop",
    version="1.10",
    states=Shop,
    initial=Shop.INFO,
    transitions={
        (Shop.INFO, "info_complete"): Shop.OFFER,
        (Shop.OFFER, "quoted"): [When({"seats": {"gt": 100, "ne": 500}}, Shop.REVIEW), When(None, Shop.OFFER)],
        (Shop.OFFER, "changed"): [When(None, Shop.INFO, forget=("seats",))],
        (Shop.OFFER, "order_confirmed"): Shop.PAYING,
        (Shop.REVIEW, "reviewed"): [
            When({"approved": True, "usage": {"in": ["sales", "support"]}}, Shop.OFFER),
            When({"approved": {"present": False}}, Terminal.ESCALATED),
            When(None, Shop.INFO, forget=("seats",)),
        ],
        (Shop.PAYING, "payment_complete"): Terminal.COMPLETED,
        (Shop.PAYING, "order_confirmed"): IGNORE,
        (Shop.PAYING, "too_late"): Terminal.ABANDONED,
    },
    steps={
        Shop.INFO: Step(
            instruction="Collect the numbers.",
            say={"en": "Hello. {ask}", "zh": "您好。{ask}"},
            collects={
                "seats": Slot(
                    type="int", read="number", cues=("seats", "人"), minimum=1, maximum=10000, ask="How many seats?"
                ),
                "usage": Slot(
                    type="choice", read="choices", choices={"sales": ("销售",), "support": ()}, required=False
                ),
                "phone": Slot(read="phone", pattern=r"1\d{10}", label={"en": "phone", "zh": "电话"}, required=False),
                "note": Slot(required=False),
            },
            complete="info_complete",
            without=("show_detail", "hours"),
        ),
        Shop.OFFER: Step(
            on_enter=Call("make_quote", on={"ok": "quoted"}),
            actions=(
                Action(
                    name="confirm_order",
                    label="Order",
                    tool="create_order",
                    on={"ok": "order_confirmed", "error": "changed"},
                    confirm=True,
                    ask="Shall I order?",
                ),
                Action(name="change", event="changed", examples={"en": ("change it",), "zh": ("改一下",)}),
                Action(name="compare", tool="find_plan", parameters={"other": Slot(type="int", minimum=1)}),
                Action(name="chat", reply="I see.", examples=("hm",)),
            ),
            confirms="confirm_order",
        ),
        Shop.REVIEW: Step(actions=(Action(name="reviewed", event="reviewed"),), on_close="reviewed"),
        Shop.PAYING: Step(
            actions=(Action(name="again", event="order_confirmed"),), deadline=Deadline(after_s=900, event="too_late")
        ),
        Terminal.COMPLETED: Step(say="Bye"),
    },
    everywhere=[Action(name="hours", label="opening hours", reply="9 to 5")],
    tools=[fake("find_plan", "seats"), fake("make_quote", "seats"), fake("create_order")],
    outside=[Outside("payment_complete", money=True), "reviewed"],
    limits=Limits(turns_per_session=40, same_event_burst_s=2.5),
    identity={"en": "a shop", "zh": "商店"},
    greeting="Hi",
    facts={"order_no": r"SO\d{8}-\d{6}"},
    texts={"handoff": {"en": "One moment.", "zh": "请稍候。"}},
    no_leave=[Shop.PAYING],
    knowledge=faq,
    own_words={"leave": ("bye now",)},
)

YAML = r"""
flow: shop
version: 1.10
initial: info
identity: {en: a shop, zh: 商店}
greeting: Hi
tools: [tools.py:find_plan, tools.py:make_quote, tools.py:create_order]
knowledge: tools.py:faq
outside: [{event: payment_complete, money: true}, reviewed]
limits: {turns_per_session: 40, same_event_burst_s: 2.5}
facts: {order_no: 'SO\d{8}-\d{6}'}
texts: {handoff: {en: One moment., zh: 请稍候。}}
no_leave: [paying]
everywhere:
  hours: {label: opening hours, reply: 9 to 5}
own_words: {leave: [bye now]}

steps:
  info:
    instruction: Collect the numbers.
    say: {en: "Hello. {ask}", zh: "您好。{ask}"}
    collects:
      seats: {type: int, read: number, cues: [seats, 人], minimum: 1, maximum: 10000, ask: How many seats?}
      usage: {type: choice, read: choices, choices: {sales: [销售], support: }, required: false}
      phone: {read: phone, pattern: '1\d{10}', label: {en: phone, zh: 电话}, required: false}
      note: {required: false}
    complete: info_complete
    without: [show_detail, hours]
    transitions:
      info_complete: offer
  offer:
    on_enter: {tool: make_quote, on: {ok: quoted}}
    actions:
      - name: confirm_order
        label: Order
        tool: create_order
        on: {ok: order_confirmed, error: changed}
        confirm: true
        ask: Shall I order?
      - {name: change, event: changed, examples: {en: [change it], zh: [改一下]}}
      - {name: compare, tool: find_plan, parameters: {other: {type: int, minimum: 1}}}
      - {name: chat, reply: I see., examples: [hm]}
    confirms: confirm_order
    transitions:
      quoted: [{when: {seats: {gt: 100, ne: 500}}, to: review}, {to: offer}]
      changed: {to: info, forget: [seats]}
      order_confirmed: paying
  review:
    actions:
      reviewed: {event: reviewed}
    on_close: reviewed
    transitions:
      reviewed:
        - {when: {approved: true, usage: {in: [sales, support]}}, to: offer}
        - {when: {approved: {present: false}}, to: escalated}
        - {to: info, forget: [seats]}
  paying:
    actions: {again: {event: order_confirmed}}
    deadline: {after_s: 900, event: too_late}
    transitions:
      payment_complete: completed
      order_confirmed: ignore
      too_late: abandoned
  completed: {say: Bye}
"""

SMALL = """\
flow: small
initial: info
steps:
  info:
    say: Hello
    actions:
      - {name: finish, event: done}
    transitions:
      done: completed
"""


def resolve(reference: str) -> object:
    return TOOLS[reference]


def findings(text: str) -> tuple[LocatedFinding, ...]:
    return findings_of(text, "shop.yaml", resolve)


def errors(text: str) -> list[str]:
    return [str(finding) for finding in findings(text) if finding.severity == "error"]


def changed(old: str, new: str, text: str = SMALL) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


class TestSameAsPython:
    def test_the_same_flow_has_the_same_fingerprint(self) -> None:
        """Python and YAML end in the same structure, hence the same fingerprint."""
        flow = parse_flow(YAML, "shop.yaml", resolve)
        assert flow.structure() == PYTHON.structure()
        assert flow.fingerprint == PYTHON.fingerprint

    @pytest.mark.parametrize(
        "attribute",
        ["states", "transitions", "steps", "outside", "limits", "identity", "greeting", "facts", "texts", "own_words"],
    )
    def test_texts_and_order_are_the_same_too(self, attribute: str) -> None:
        """What the fingerprint leaves out is read as well: texts, examples, cues, the order of rows."""
        assert getattr(parse_flow(YAML, "shop.yaml", resolve), attribute) == getattr(PYTHON, attribute)

    def test_knowledge_is_resolved_like_a_tool(self) -> None:
        """`knowledge` is a reference to a function."""
        assert parse_flow(YAML, "shop.yaml", resolve).knowledge is faq

    def test_a_good_file_has_no_errors_and_no_warnings(self) -> None:
        """Only notes: outcomes that stay."""
        assert {finding.severity for finding in findings(YAML)} == {"note"}

    @pytest.mark.parametrize(
        ("part", "table", "renamed"),
        [
            (Slot, flow_format.SLOT, {}),
            (Action, flow_format.ACTION, {}),
            (Step, flow_format.STEP, {}),
            (Call, flow_format.CALL, {}),
            (Deadline, flow_format.DEADLINE, {}),
            (Outside, flow_format.OUTSIDE, {}),
            (Limits, flow_format.LIMITS, {}),
            (When, flow_format.ENTRY, {"condition": "when", "target": "to"}),
        ],
    )
    def test_every_field_of_a_part_is_a_key(self, part: Any, table: dict[str, Any], renamed: dict[str, str]) -> None:
        """A field added to a part without a key in the file fails here."""
        assert {renamed.get(f.name, f.name) for f in dataclasses.fields(part)} == set(table)

    def test_every_argument_of_flow_is_a_key(self) -> None:
        """The flow's name is `flow`; states and rows live in `steps`."""
        arguments = set(inspect.signature(Flow.__init__).parameters) - {"self", "name", "states", "transitions"}
        assert arguments | {"flow"} == set(flow_format.FLOW)


class TestFormat:
    def test_tools_by_name_get_that_name(self) -> None:
        """`tools: {name: reference}` renames a tool for this flow."""
        text = SMALL + "tools: {lookup: tools.py:find_plan}\n"
        assert list(parse_flow(text, "shop.yaml", resolve).tools) == ["lookup"]

    def test_yes_no_and_on_are_words(self) -> None:
        """YAML 1.2: no state called `no` turns into false, no key `on` into true."""
        text = """
flow: words
initial: no
steps:
  no:
    actions: [{name: yes, event: off}]
    transitions: {off: completed}
"""
        flow = parse_flow(text, "shop.yaml", resolve)
        assert flow.states == ("no",)
        assert flow.step("no").actions[0].name == "yes"

    def test_keys_that_look_like_numbers_are_strings_as_written(self) -> None:
        """A choice `007` is not 7."""
        text = changed("    say: Hello", "    collects: {code: {type: choice, choices: {007: [bond], 1: }}}")
        assert list(parse_flow(text, "shop.yaml", resolve).slots["code"].choices) == ["007", "1"]

    def test_what_is_in_quotes_is_a_text(self) -> None:
        """The remedy that the messages name works."""
        text = changed(
            "say: Hello", "say: '5'", changed("info:", "'true':").replace("initial: info", "initial: 'true'")
        )
        assert parse_flow(text, "shop.yaml", resolve).step("true").say == "5"

    def test_an_alias_repeats_a_value(self) -> None:
        """A slot that two steps collect is written once."""
        text = """
flow: twice
initial: one
steps:
  one:
    collects: {seats: &seats {type: int}}
    complete: done
    transitions: {done: two}
  two:
    collects: {seats: *seats}
    complete: done
    transitions: {done: completed}
"""
        flow = parse_flow(text, "shop.yaml", resolve)
        assert flow.step("one").collects == flow.step("two").collects == {"seats": Slot(type="int")}

    def test_an_empty_step_needs_no_braces(self) -> None:
        """A step that only waits for an outside event has nothing to say."""
        text = "flow: f\ninitial: a\noutside: [paid]\nsteps:\n  a: {transitions: {paid: completed}}\n  completed:\n"
        assert parse_flow(text, "shop.yaml", resolve).steps["completed"] == Step()

    def test_one_entry_alone_is_a_row(self) -> None:
        """A row that needs a condition and has no default."""
        text = changed("done: completed", "done: {when: {ok: true}, to: completed}")
        assert parse_flow(text, "shop.yaml", resolve).transitions["info", "done"] == (When({"ok": True}, "completed"),)

    def test_choices_without_synonyms_may_be_a_list(self) -> None:
        """`choices: [a, b]` is `{a: [], b: []}`."""
        text = changed("    say: Hello", "    collects: {usage: {type: choice, choices: [sales, support]}}")
        assert parse_flow(text, "shop.yaml", resolve).slots["usage"].choices == {"sales": (), "support": ()}


# (what is replaced in SMALL, by what, the whole line that is reported)
MISTAKES = {
    "unknown top key": (
        "flow: small\n",
        "flow: small\ngreting: Hi\n",
        "2: greting: unknown key 'greting'; did you mean 'greeting'?",
    ),
    "top key by habit": ("flow: small", "name: small", "1: name: unknown key 'name'; did you mean 'flow'?"),
    "unknown step key": (
        "    say: Hello",
        "    sya: Hello",
        "5: steps.info.sya: unknown key 'sya'; did you mean 'say'?",
    ),
    "unknown action key": (
        "event: done}",
        "event: done, exampels: [ok]}",
        "7: steps.info.actions[0].exampels: unknown key 'exampels'; did you mean 'examples'?",
    ),
    "unknown slot key": (
        "    say: Hello",
        "    collects:\n      seats:\n        typ: int",
        "7: steps.info.collects.seats.typ: unknown key 'typ'; did you mean 'type'?",
    ),
    "unknown limit": (
        "initial: info",
        "initial: info\nlimits: {turns_per_sesion: 3}",
        "3: limits.turns_per_sesion: unknown key 'turns_per_sesion'; did you mean 'turns_per_session'?",
    ),
    "rows in an end": (
        "      done: completed\n",
        "      done: completed\n  completed: {transitions: {again: info}}\n",
        "10: steps.completed.transitions: no row leaves an end; a message that comes later starts a new episode",
    ),
    "missing initial": ("initial: info\n", "", "1: a flow needs 'initial'"),
    "action without name": (
        "{name: finish, event: done}",
        "{event: done}",
        "7: steps.info.actions[0]: an action needs 'name'",
    ),
    "deadline without event": (
        "    say: Hello",
        "    deadline: {after_s: 5}",
        "5: steps.info.deadline: a deadline needs 'event'",
    ),
    "call without tool": ("    say: Hello", "    on_enter: {on: {}}", "5: steps.info.on_enter: a call needs 'tool'"),
    "entry without target": (
        "done: completed",
        "done: [{when: {a: 1}}]",
        "9: steps.info.transitions.done[0]: an entry of a row needs 'to'",
    ),
    "steps is a list": (
        "steps:\n  info:\n    say: Hello",
        "steps:\n- info:\n    say: Hello",
        "4: steps: must be a mapping of steps, not a list",
    ),
    "step is a string": ("steps:\n", "steps:\n  other: Hi\n", None),
    "text is a number": (
        "say: Hello",
        "say: 5",
        "5: steps.info.say: must be a text: a string, or {zh: ..., en: ...}; not the number 5; put it in quotes",
    ),
    "text is nothing": (
        "say: Hello",
        "say:",
        "5: steps.info.say: must be a text: a string, or {zh: ..., en: ...}; not nothing",
    ),
    "text is true": (
        "say: Hello",
        "say: true",
        "5: steps.info.say: must be a text: a string, or {zh: ..., en: ...}; not true (a text needs quotes)",
    ),
    "text in no language": (
        "say: Hello",
        "say: {em: Hello}",
        "5: steps.info.say: 'em' is no language; allowed: en, zh",
    ),
    "template without quotes": (
        "say: Hello",
        "say: {seats}",
        "5: steps.info.say: 'seats' is no language; allowed: en, zh (a text that starts with { needs quotes around it)",
    ),
    "text in a language is a list": (
        "say: Hello",
        "say: {en: [a]}",
        "5: steps.info.say.en: must be a text, not a list",
    ),
    "name is a number": (
        "initial: info",
        "initial: 5",
        "2: initial: must be a name, not the number 5; put it in quotes",
    ),
    "version is a list": (
        "flow: small",
        "flow: small\nversion: []",
        '2: version: must be a version such as "1", not a list',
    ),
    "flag is a word": (
        "event: done}",
        "event: done, confirm: yes}",
        "7: steps.info.actions[0].confirm: must be true or false, not 'yes'",
    ),
    "number is a word": (
        "    say: Hello",
        "    deadline: {after_s: soon, event: done}",
        "5: steps.info.deadline.after_s: must be a number, not 'soon'",
    ),
    "number out of range": (
        "    say: Hello",
        "    deadline: {after_s: 0, event: done}",
        "5: steps.info.deadline.after_s: must be above 0, not 0",
    ),
    "limit out of range": (
        "initial: info",
        "initial: info\nlimits:\n  turns_per_session: 0",
        "4: limits.turns_per_session: must be 1 or more, not 0",
    ),
    "limit is a fraction": ("initial: info", "initial: info\nlimits:\n  turns_per_session: 2.5", None),
    "list is a string": (
        "event: done}",
        "event: done, examples: finish}",
        "7: steps.info.actions[0].examples: must be a list of phrases, not 'finish'; a list of one is written [...]",
    ),
    "actions is a string": (
        "    actions:\n      - {name: finish, event: done}",
        "    actions: finish",
        "6: steps.info.actions: must be a list of actions, not 'finish'; a list of one is written [...]",
    ),
    "action is a string": (
        "{name: finish, event: done}",
        "finish",
        "7: steps.info.actions[0]: must be an action, a mapping with name, label, event, tool, on, parameters, confirm, ask, "
        "reply, examples; not 'finish'",
    ),
    "unknown slot type": (
        "    say: Hello",
        "    collects: {n: {type: integer}}",
        "5: steps.info.collects.n.type: 'integer' is not allowed here; did you mean 'int'?",
    ),
    "unknown reader": (
        "    say: Hello",
        "    collects: {n: {read: numbr}}",
        "5: steps.info.collects.n.read: 'numbr' is not allowed here; did you mean 'number'?",
    ),
    "unknown built-in": (
        "    say: Hello",
        "    without: [leaf]",
        "5: steps.info.without: 'leaf' is on no other menu; did you mean 'leave'?",
    ),
    "unknown outcome": (
        "event: done}",
        "tool: x, on: {okay: done}}",
        "7: steps.info.actions[0].on: 'okay' is not allowed here; did you mean 'ok'?",
    ),
    "unknown operator": (
        "done: completed",
        "done: [{when: {n: {gtt: 1}}, to: completed}]",
        "9: steps.info.transitions.done[0].when.n: 'gtt' is not allowed here; did you mean 'gt'?",
    ),
    "in without a list": (
        "done: completed",
        "done: [{when: {n: {in: a}}, to: completed}]",
        "9: steps.info.transitions.done[0].when.n.in: must be a list of values, not 'a'; a list of one is written [...]",
    ),
    "test for null": (
        "done: completed",
        "done: [{when: {n: null}, to: completed}]",
        "9: steps.info.transitions.done[0].when.n: must be a value or a test such as {gte: 5} or {present: false}, not nothing",
    ),
    "empty condition": (
        "done: completed",
        "done: [{when: {}, to: completed}]",
        "9: steps.info.transitions.done[0].when: an empty condition always holds; leave `when` out for the default",
    ),
    "bad pattern in facts": (
        "initial: info",
        "initial: info\nfacts: {no: '('}",
        "3: facts.no: '(' is not a regular expression: missing ), unterminated subpattern at position 0",
    ),
    "pattern of facts that matches everything": (
        "initial: info",
        "initial: info\nfacts:\n  no: '.*'",
        "4: facts.no: '.*' matches everything; say what such a thing looks like",
    ),
    "link instead of a host": (
        "initial: info",
        "initial: info\nlinks: ['https://shop.example']",
        "3: links: a host such as 'shop.example', without 'https://', path or port; got 'https://shop.example'",
    ),
    "own words for nothing": (
        "initial: info",
        "initial: info\nown_words: {humen: [x]}",
        "3: own_words: 'humen' is none of human, leave, closing",
    ),
    "bad pattern in a slot": (
        "    say: Hello",
        "    collects: {n: {pattern: '('}}",
        "5: steps.info.collects.n.pattern: '(' is not a regular expression: missing ), unterminated subpattern at position 0",
    ),
    # Rules of check.py, at their line.
    "action without row": (
        "event: done}",
        "event: don}",
        "7: steps.info.actions[0].event: the map has no row (info, don); did you mean 'done'?",
    ),
    "unknown target": (
        "done: completed",
        "done: complete",
        "9: steps.info.transitions.done: no state 'complete'; did you mean 'completed'?",
    ),
    "unknown initial": ("initial: info", "initial: inf", "2: initial: no state 'inf'; did you mean 'info'?"),
    "unknown no_leave": (
        "initial: info",
        "initial: info\nno_leave: [inf]",
        "3: no_leave: no state 'inf'; did you mean 'info'?",
    ),
    "unknown tool": ("event: done}", "tool: find}", "7: steps.info.actions[0].tool: no tool 'find'; allowed: none"),
    "unknown tool on entry": (
        "    say: Hello",
        "    on_enter: find",
        "5: steps.info.on_enter: no tool 'find'; allowed: none",
    ),
    "reserved action": (
        "name: finish",
        "name: leave",
        "7: steps.info.actions[0].name: 'leave' is a built-in action; it is on every menu already",
    ),
    "reserved event": (
        "done: completed",
        "done: completed\n      customer_left: completed",
        "10: steps.info.transitions.customer_left: 'customer_left' is a built-in event; its rows are added by maitred",
    ),
    "reserved state": (
        "      done: completed\n",
        "      done: completed\n      go: ignore\n  ignore: {}\n",
        "11: steps.ignore: 'ignore' is a built-in name; call the state something else",
    ),
    "default first": (
        "done: completed",
        "done:\n        - {to: completed}\n        - {when: {a: 1}, to: info}",
        "9: steps.info.transitions.done: entries after the default (entry 1) can never win; put it last",
    ),
    "no way in": (
        "      done: completed\n",
        "      done: completed\n  lost: {transitions: {go: info}}\n",
        "10: steps.lost: no row leads to 'lost' from 'info'",
    ),
    "complete without row": (
        "    say: Hello",
        "    collects: {n: }\n    complete: don",
        "6: steps.info.complete: the map has no row (info, don); did you mean 'done'?",
    ),
    "unknown confirms": (
        "    say: Hello",
        "    confirms: finish",
        "5: steps.info.confirms: action 'finish' has no `confirm: true`",
    ),
    "choice without choices": (
        "    say: Hello",
        "    collects: {n: {type: choice}}",
        "5: steps.info.collects.n: a slot of choices needs `choices`: value -> synonyms",
    ),
    "unknown field in a text": (
        "say: Hello",
        "say: Hello {nam}",
        "5: steps.info.say: nothing ever fills {nam}; allowed: ask, label, meta",
    ),
    # References.
    "unknown reference": (
        "initial: info",
        "initial: info\ntools:\n  - tools.py:x",
        "4: tools[0]: nothing is called 'tools.py:x'",
    ),
    "not a tool": (
        "initial: info",
        "initial: info\ntools: [tools.py:faq]",
        "3: tools[0]: 'tools.py:faq' is a plain function, not a tool; put @tool(effect=...) on it",
    ),
    "the same tool twice": (
        "initial: info",
        "initial: info\ntools: [tools.py:find_plan, tools.py:find_plan]",
        "3: tools[1]: there is a tool 'find_plan' already; name it: `tools: {its_name: tools.py:find_plan}`",
    ),
    "tools is a string": (
        "initial: info",
        "initial: info\ntools: tools.py:find_plan",
        "3: tools: must be a list of references such as tools.py:find_plan, not 'tools.py:find_plan'",
    ),
    "knowledge is no function": (
        "initial: info",
        "initial: info\nknowledge: tools.py:RATE",
        "3: knowledge: 'tools.py:RATE' is a int, not a function (text, lang)",
    ),
}
LOOSE = {
    "step is a string": "4: steps.other: must be a step, a mapping with ",
    "limit is a fraction": "4: limits.turns_per_session: must be a whole number, not 2.5",
}


class TestMistakes:
    @pytest.mark.parametrize("kind", MISTAKES)
    def test_each_kind_is_reported_at_its_line(self, kind: str) -> None:
        """File, line, key path, what came, what was allowed or the nearest name; and it is the only or the first error."""
        old, new, expected = MISTAKES[kind]
        reported = errors(changed(old, new))
        if expected is None:
            assert any(line.startswith(f"shop.yaml:{LOOSE[kind]}") for line in reported), reported
        else:
            assert f"shop.yaml:{expected}" in reported

    @pytest.mark.parametrize("kind", MISTAKES)
    def test_none_of_them_becomes_a_flow(self, kind: str) -> None:
        """parse_flow raises with the same findings that findings_of gives."""
        old, new, _ = MISTAKES[kind]
        text = changed(old, new)
        with pytest.raises(FlowError, match=r"shop\.yaml has \d+ error") as raised:
            parse_flow(text, "shop.yaml", resolve)
        assert raised.value.findings == findings(text)

    @pytest.mark.parametrize(
        "kind", ["unknown step key", "text is a number", "unknown top key", "text in no language", "unknown reference"]
    )
    def test_a_small_mistake_brings_no_ghosts(self, kind: str) -> None:
        """A misspelt key is read as meant and a bad text left out, so the rules over the map find nothing else."""
        old, new, _ = MISTAKES[kind]
        assert len(errors(changed(old, new))) == 1

    def test_a_misspelt_reference_brings_no_ghosts(self) -> None:
        """Nobody is told to write the misspelt name where the right one stands."""
        text = changed("say: Hello", "say: 'For {find_plan.price}'\n    on_enter: find_plan")
        assert errors(text + "tools: [tools.py:find_plam]\n") == [
            "shop.yaml:11: tools[0]: nothing is called 'tools.py:find_plam'"
        ]

    def test_a_misspelt_start_brings_no_ghosts(self) -> None:
        """Where nothing begins, everything would be out of reach."""
        assert len(errors(changed("initial: info", "initial: inf"))) == 1

    def test_all_mistakes_are_found_at_once(self) -> None:
        """Keys, types, references and rules of the map in one run, errors first, then in the order of the file."""
        text = changed("say: Hello", "sya: 5", changed("event: done", "event: don"))
        lines = [finding.line for finding in findings(text + "tools: [tools.py:x]\n") if finding.severity == "error"]
        assert lines == [5, 5, 7, 10]

    def test_rules_over_the_map_wait_while_part_of_it_is_unreadable(self) -> None:
        """A row that cannot be read must not make its target "unreachable"."""
        text = changed("done: completed", "done: [completed]")
        assert [finding.line for finding in findings(text)] == [9]

    def test_an_action_under_its_name_is_located_there(self) -> None:
        """The path shows the key under which the action stands."""
        text = changed(
            "    actions:\n      - {name: finish, event: done}", "    actions:\n      finish:\n        event: don"
        )
        assert errors(text)[0].startswith("shop.yaml:8: steps.info.actions.finish.event: the map has no row")

    def test_names_with_dots_are_found(self) -> None:
        """A state `info.a` is not the key `a` below `info`."""
        text = (
            SMALL.replace("info", "info.a")
            .replace("done: completed", "done.x: complted")
            .replace("event: done", "event: done.x")
        )
        assert (
            errors(text)[0]
            == "shop.yaml:9: steps.info.a.transitions.done.x: no state 'complted'; did you mean 'completed'?"
        )

    @pytest.mark.parametrize(
        ("everywhere", "where"),
        [
            ("\n  - {name: a}\n  - {name: b}\n  - {name: c, event: don}", "14: everywhere[2].event"),
            ("\n  a:\n  b:\n  c: {event: don}", "14: everywhere.c.event"),
        ],
    )
    def test_an_action_of_every_menu_is_located_where_it_is_written(self, everywhere: str, where: str) -> None:
        """And not behind the step's own actions; the step takes one of them off."""
        text = changed("    say: Hello", "    say: Hello\n    without: [b]") + f"everywhere:{everywhere}\n"
        assert errors(text) == [f"shop.yaml:{where}: the map has no row (info, don); did you mean 'done'?"]

    def test_forgotten_data_must_exist(self) -> None:
        """A finding below a row is shown at the row."""
        text = changed("done: completed", "done: {to: completed, forget: [seat]}")
        assert errors(text)[0].startswith("shop.yaml:9: steps.info.transitions.done.forget: nothing ever fills 'seat'")

    def test_the_longest_of_two_names_is_the_one_meant(self) -> None:
        """With states `a` and `a.b`, a finding of `a.b` is not shown at `a`."""
        text = "flow: f\ninitial: a\noutside: [x]\nsteps:\n  a: {transitions: {x: a.b}}\n  a.b:\n    transitions: {x: complete}\n"
        assert (
            errors(text)[-1] == "shop.yaml:7: steps.a.b.transitions.x: no state 'complete'; did you mean 'completed'?"
        )

    def test_an_outside_event_is_found_in_its_list(self) -> None:
        """Warnings have lines too."""
        text = SMALL + "outside:\n  - done\n  - {event: paid, money: true}\n"
        assert [str(f) for f in findings(text)] == ["shop.yaml:12: warning: outside[1]: no state has a row for 'paid'"]

    def test_an_error_of_the_resolver_is_a_finding(self) -> None:
        """What the resolver says stands at the reference's line."""

        def refuse(reference: str) -> object:
            raise BadRequest(f"no file {reference!r}")

        found = findings_of(SMALL + "tools: {x: a.py:b}\n", "shop.yaml", refuse)
        assert [str(f) for f in found] == ["shop.yaml:10: tools.x: no file 'a.py:b'"]


NOT_READABLE = {
    "empty": ("", "1: the file is empty"),
    "comments only": ("# nothing\n", "1: the file is empty"),
    "a list": ("- a\n", "1: must be a flow, a mapping with"),
    "a scalar": ("hello\n", "1: must be a flow, a mapping with"),
    "colon in a text": (
        "flow: a\nsay: Note: this\n",
        "2: not YAML: mapping values are not allowed here (a text that contains ': '",
    ),
    "tab": (
        "flow: a\nsteps:\n\tinfo: {}\n",
        "3: not YAML: found character '\\t' that cannot start any token (indent with spaces",
    ),
    "template that goes on": ("flow: a\ngreeting: {x} hello\n", "2: not YAML: expected <block end>"),
    "open quote": ("flow: 'a\n", "2: not YAML: found unexpected end of stream (a quote is opened and never closed)"),
    "open bracket": ("flow: a\ntools: [a\nsteps: {}\n", "3: not YAML: expected ',' or ']'"),
    "sign": (
        "flow: @a\n",
        "1: not YAML: found character '@' that cannot start any token (a text that starts with a sign",
    ),
    "duplicate key": (
        "flow: a\nsteps: {}\nflow: b\n",
        "3: the key 'flow' stands twice in one mapping, first in line 1",
    ),
    "python tag": ("flow: !!python/object/apply:os.system [x]\n", "1: tags are not allowed"),
    "own tag": ("flow: a\nsteps: !x {}\n", "2: tags are not allowed: '!x'"),
    "merge key": ("flow: a\nsteps:\n  <<: {}\n", "3: merge keys (<<) are not YAML 1.2"),
    "list as key": ("flow: a\n? [b]\n: c\n", "2: a key must be a word or a string, not a list or mapping"),
    "alias as key": ("flow: &f a\n*f : c\n", "2: a key must be a word or a string, not an alias"),
    "unknown alias": ("flow: a\nsteps: *s\n", "2: no finished anchor &s stands before the alias *s"),
    "alias in itself": ("flow: a\nsteps: &s\n  x: *s\n", "3: no finished anchor &s stands before the alias *s"),
    "second document": ("flow: a\n---\nflow: b\n", "2: a second document starts here"),
    "zero byte": ("flow: a\nname: \x00\n", "2: not YAML: the character U+0000 is not allowed"),
    "lone surrogate": ("flow: a\nname: \ud800\n", "2: not YAML: the character U+D800 is not allowed"),
    "escaped surrogate": ('flow: a\nname: "\\ud800"\n', "2: half of a character"),
    "infinity": ("flow: a\nversion: .inf\n", "2: the number .inf is not finite"),
    "nan": ("flow: a\nversion: .nan\n", "2: the number .nan is not finite"),
    "1e400": ("flow: a\nversion: 1e400\n", "2: the number 1e400 is not finite"),
    "huge whole": (f"flow: a\nversion: {'9' * 5000}\n", "2: the number 999999999999999999999999999999 is too large"),
    "nested lists": ("flow: a\nsteps: " + "[" * 10_000, "2: nested more than 20 deep"),
    "nested mappings": ("flow: a\nsteps: " + "{a: " * 10_000, "2: nested more than 20 deep"),
    "nested dashes": ("- " * 10_000 + "a", "1: nested more than 20 deep"),
    "too long": ("flow: a\n#" + "x" * MAX_CHARS, "1: 500,009 characters are too many; at most 500,000"),
    "too many values": ("flow: a\nsteps: [" + "a," * 60_000 + "]", "2: more than 50,000 values"),
    "bomb": (
        "a: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"{n}: &{n} [{', '.join([f'*{m}'] * 9)}]\n" for m, n in zip("abcdefgh", "bcdefghi", strict=True)),
        "5: more than 50,000 values, each alias counted with all that it stands for",
    ),
}


class TestNotReadable:
    @pytest.mark.parametrize("kind", NOT_READABLE)
    def test_each_kind_gets_one_sentence_and_a_line(self, kind: str) -> None:
        """What is no YAML, or YAML that we refuse, in well under a second."""
        text, expected = NOT_READABLE[kind]
        started = time.monotonic()
        found = findings(text)
        assert time.monotonic() - started < 5
        assert [str(finding)[: len(expected) + 10] for finding in found] == [f"shop.yaml:{expected}"]
        with pytest.raises(FlowError):
            parse_flow(text, "shop.yaml", resolve)
