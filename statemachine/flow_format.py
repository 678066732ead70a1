"""flow_format: the keys of a flow file, as tables. Each line is a key and the reader of its value; what is absent is refused.

The keys are the arguments of Flow and the fields of its parts, by the same names (tests compare them), with four differences:
the flow's name is `flow`; states are the keys of `steps`; a step holds the rows that leave it under `transitions`; actions may be
a list with `name` in each or a mapping by name. Called by `flow_file.py`.
"""

import dataclasses
from collections.abc import Mapping
from typing import get_args

from ..protocol.limits import Limits
from ..protocol.slots import Reader as SlotReader
from ..protocol.slots import Slot, SlotType
from .conditions import Operator, When
from .flow_readers import (
    BAD,
    Bad,
    Report,
    build,
    built,
    came,
    flag,
    join,
    list_of,
    mapping_of,
    name,
    number,
    one_of,
    pattern,
    phrases,
    phrases_by_lang,
    record,
    text,
    text_line,
    version,
)
from .parts import Action, Call, Deadline, Migration, Outcome, Outside, Step, Terminal
from .yaml_lines import Fields, Items, Node, Scalar


def _is_empty(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is None


# Slots.


def _choices(node: Node, where: str, report: Report) -> object:
    """`{value: [synonyms]}`, `{value: }` without synonyms, or just `[value, value]`."""
    if isinstance(node, Items):
        values = list_of(name, "choices")(node, where, report)
        return values if isinstance(values, Bad) else dict.fromkeys(values, ())

    def synonyms(child: Node, at: str, to: Report) -> object:
        return () if _is_empty(child) else phrases(child, at, to)

    return mapping_of(synonyms, "choices")(node, where, report)


SLOT = {
    "type": one_of(get_args(SlotType)),
    "read": one_of(get_args(SlotReader)),
    "required": flag,
    "ask": text,
    "label": text,
    "choices": _choices,
    "cues": phrases,
    "pattern": pattern,
    "minimum": number,
    "maximum": number,
}
_slot_record = built(Slot, record(SLOT, "a slot"))


def slot(node: Node, where: str, report: Report) -> object:
    """A slot; nothing behind its name is a text to collect."""
    return Slot() if _is_empty(node) else _slot_record(node, where, report)


# Rows.


def _test(node: Node, where: str, report: Report) -> object:
    """A plain value to be equal to, or {operator: value}."""
    if isinstance(node, Fields) and node.fields:
        return mapping_of(_operand, "tests", get_args(Operator))(node, where, report)
    if isinstance(node, Scalar) and node.value is not None:
        return node.value
    return report.add(
        node.line, where, f"must be a value or a test such as {{gte: 5}} or {{present: false}}, not {came(node)}"
    )


def _operand(node: Node, where: str, report: Report) -> object:
    op = where.rsplit(".", 1)[-1]
    if op == "in":
        found = list_of(_scalar)(node, where, report)
        return found if isinstance(found, Bad) else list(found)
    return flag(node, where, report) if op == "present" else _scalar(node, where, report)


def _scalar(node: Node, where: str, report: Report) -> object:
    if isinstance(node, Scalar) and node.value is not None:
        return node.value
    return report.add(node.line, where, f"must be one value, not {came(node)}")


def _condition(node: Node, where: str, report: Report) -> object:
    if isinstance(node, Fields) and not node.fields:
        return report.add(node.line, where, "an empty condition always holds; leave `when` out for the default")
    found = mapping_of(_test, "tests")(node, where, report)
    if isinstance(found, Bad) or not isinstance(node, Fields) or len(found) < len(node.fields):
        return BAD
    return found


ENTRY = {"when": _condition, "to": name, "forget": list_of(name, "names of data")}


def _entry(node: Node, where: str, report: Report) -> object:
    values = record(ENTRY, "an entry of a row", ["to"])(node, where, report)
    if isinstance(values, Bad) or (isinstance(node, Fields) and "when" in node.fields and "when" not in values):
        return BAD
    arguments = {"condition": values.get("when"), "target": values["to"], "forget": values.get("forget", ())}
    return build(When, arguments, node, where, report)


def row(node: Node, where: str, report: Report) -> object:
    """A target, one entry, or entries in order."""
    if isinstance(node, Items):
        return list_of(_entry, "entries")(node, where, report)
    if isinstance(node, Fields):
        entry = _entry(node, where, report)
        return entry if isinstance(entry, Bad) else (entry,)
    return name(node, where, report)


# Steps.

OUTCOMES = mapping_of(name, "events", get_args(Outcome))
CALL = {"tool": name, "on": OUTCOMES}
DEADLINE = {"after_s": number, "event": name}
OUTSIDE = {"event": name, "money": flag}
ACTION = {
    "name": name,
    "label": text,
    "event": name,
    "tool": name,
    "on": OUTCOMES,
    "parameters": mapping_of(slot, "slots"),
    "confirm": flag,
    "ask": text,
    "reply": text,
    "examples": phrases_by_lang,
}
_call = built(Call, record(CALL, "a call", ["tool"]))
_outside = built(Outside, record(OUTSIDE, "an outside event", ["event"]))
_listed_action = built(Action, record(ACTION, "an action", ["name"]))


def call(node: Node, where: str, report: Report) -> object:
    """The name of a tool, or {tool: ..., on: {...}}."""
    return _call(node, where, report) if isinstance(node, Fields) else name(node, where, report)


def outside(node: Node, where: str, report: Report) -> object:
    """The name of an event, or {event: ..., money: true}."""
    return _outside(node, where, report) if isinstance(node, Fields) else name(node, where, report)


def actions(node: Node, where: str, report: Report) -> object:
    """A list, each with `name`, or a mapping by name."""
    if not isinstance(node, Fields):
        return list_of(_listed_action, "actions")(node, where, report)
    rest = record({key: reader for key, reader in ACTION.items() if key != "name"}, "an action")

    def named(child: Node, at: str, to: Report) -> object:
        values = {} if _is_empty(child) else rest(child, at, to)
        key = at.removeprefix(join(where, ""))
        return values if isinstance(values, Bad) else build(Action, {"name": key, **values}, child, at, to)

    found = mapping_of(named, "actions")(node, where, report)
    return found if isinstance(found, Bad) else tuple(found.values())


STEP = {
    "instruction": text,
    "say": text,
    "actions": actions,
    "collects": mapping_of(slot, "slots"),
    "complete": name,
    "on_enter": call,
    "confirms": name,
    "on_close": name,
    "deadline": built(Deadline, record(DEADLINE, "a deadline", ["after_s", "event"])),
    "without": list_of(name, "actions"),
}


def _no_rows(node: Node, where: str, report: Report) -> object:
    return report.add(node.line, where, "no row leaves an end; a message that comes later starts a new episode")


_state = record({**STEP, "transitions": mapping_of(row, "rows")}, "a step")
_end = record({**STEP, "transitions": _no_rows}, "a step")


@dataclasses.dataclass(frozen=True, slots=True)
class StepAndRows:
    """A step and the rows that leave it, event -> target."""

    step: Step
    rows: Mapping[str, object]


def step(node: Node, where: str, report: Report) -> StepAndRows | Bad:
    ends = where.removeprefix("steps.") in {*Terminal}
    values = {} if _is_empty(node) else (_end if ends else _state)(node, where, report)
    if isinstance(values, Bad):
        return values
    rows = values.pop("transitions", {})
    made = build(Step, values, node, where, report)
    return made if isinstance(made, Bad) else StepAndRows(made, rows if isinstance(rows, Mapping) else {})


# The flow.


@dataclasses.dataclass(frozen=True, slots=True)
class Reference:
    """A reference to a tool and its place. `name`: what the tool is to be called here, if the file says."""

    name: str | None
    text: str
    line: int
    where: str


def tools(node: Node, where: str, report: Report) -> tuple[Reference, ...] | Bad:
    """References in a list, or each under the name that its tool shall have."""
    if isinstance(node, Fields):
        places: list[tuple[str | None, Node, str]] = [
            (key, child, join(where, key)) for key, child in node.fields.items()
        ]
    elif isinstance(node, Items):
        places = [(None, child, f"{where}[{i}]") for i, child in enumerate(node.items)]
    else:
        return report.add(
            node.line, where, f"must be a list of references such as tools.py:find_plan, not {came(node)}"
        )
    found = [(key, name(child, at, report), child.line, at) for key, child, at in places]
    return tuple(Reference(key, text, line, at) for key, text, line, at in found if isinstance(text, str))


def _new_name(node: Node, where: str, report: Report) -> object:
    return None if _is_empty(node) else name(node, where, report)


MIGRATION = {
    "from_version": version,
    "states": mapping_of(name, "states"),
    "data": mapping_of(_new_name, "names of data"),
}
LIMITS = {field.name: number for field in dataclasses.fields(Limits)}
FLOW = {
    "flow": name,
    "version": version,
    "initial": name,
    "identity": text,
    "greeting": text,
    "tools": tools,
    "knowledge": name,
    "outside": list_of(outside, "events"),
    "everywhere": actions,
    "limits": built(Limits, record(LIMITS, "limits")),
    "facts": mapping_of(pattern, "patterns"),
    "links": list_of(text_line, "hosts"),
    "texts": mapping_of(text, "texts"),
    "no_leave": list_of(name, "states"),
    "own_words": mapping_of(phrases, "phrases"),
    "migrations": list_of(built(Migration, record(MIGRATION, "a migration", ["from_version"])), "migrations"),
    "steps": mapping_of(step, "steps"),
}
flow = record(FLOW, "a flow", ["flow", "initial", "steps"])
