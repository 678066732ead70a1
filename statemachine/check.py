"""check: what is wrong with a flow before any customer meets it. One small rule per kind of mistake, one list of rules.

Severity `error` stops the build of the flow; `warning` is a mistake that would still run; `note` is a fact worth knowing (a tool
outcome that no row takes: the session stays, with a sentence). Findings name the place and the nearest valid name.
"""

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from ..protocol.texts import SENTENCES, all_langs, fields_of
from .conditions import When
from .parts import IGNORE, Action, Outcome, Step, Terminal
from .rows import BUILT_IN_ACTIONS, RESERVED_EVENTS, RESERVED_STATES, RESUME

if TYPE_CHECKING:
    from .flow import Flow

Severity = Literal["error", "warning", "note"]

_TEMPLATE_NAMES = frozenset({"ask", "label", "meta"})
"""Fields of templates that are no session data; see `words.py`."""
_WISHES_OF_CODE = frozenset({
    "provide", "answer", "ask_human", "leave", "confirm", "decline", "ask_again", "refuse_input", "refuse_event",
    "replace_reply", "expire",
})  # fmt: skip
"""What guards and the timer wish by name (`machine.WISHES`): an event that they propose must be called something else."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One mistake: stable `code`, `where` in the flow as a key path (steps.review.actions[0]), and what to do."""

    severity: Severity
    code: str
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.severity} {self.code} at {self.where}: {self.message}"


def check(flow: "Flow") -> tuple[Finding, ...]:
    """Every finding, errors first."""
    found = [finding for rule in RULES for finding in rule(flow)]
    return tuple(sorted(found, key=lambda f: ("error", "warning", "note").index(f.severity)))


def nearest(name: str, allowed: Iterable[str]) -> str:
    """A hint for the end of a message: the nearest allowed name, or all of them."""
    options = sorted({str(option) for option in allowed})
    close = difflib.get_close_matches(str(name), options, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; allowed: {', '.join(options) or 'none'}"


def _names(flow: "Flow") -> Iterator[Finding]:
    seen: set[str] = set()
    for state in flow.states:
        if state in RESERVED_STATES:
            yield Finding(
                "error",
                "reserved_name",
                f"states.{state}",
                f"{state!r} is a built-in name; call the state something else",
            )
        if state in seen:
            yield Finding("error", "duplicate_state", f"states.{state}", f"{state!r} is listed twice")
        seen.add(state)
    if flow.initial not in flow.states:
        yield Finding(
            "error", "unknown_state", "initial", f"no state {flow.initial!r}" + nearest(flow.initial, flow.states)
        )
    for state in flow.no_leave - set(flow.states):
        yield Finding("error", "unknown_state", "no_leave", f"no state {state!r}" + nearest(state, flow.states))
    for state, step in flow.steps.items():
        if state in {*Terminal}:
            yield from _terminal(state, step)
        elif state not in flow.states:
            yield Finding(
                "error", "unknown_state", f"steps.{state}", f"no state {state!r}" + nearest(state, flow.states)
            )


def _terminal(state: str, step: Step) -> Iterator[Finding]:
    """At an end nothing is offered, collected or run any more."""
    for key in ("actions", "collects", "complete", "on_enter", "confirms", "on_close", "deadline"):
        if getattr(step, key):
            yield Finding("error", "end_acts", f"steps.{state}.{key}", f"{state!r} is an end: it may only have a `say`")


def _rows(flow: "Flow") -> Iterator[Finding]:
    targets = {*flow.states, *Terminal, IGNORE}
    for (source, event), row in flow.transitions.items():
        where = f"transitions.{source}.{event}"
        if source not in flow.states:
            yield Finding("error", "unknown_state", where, f"no state {source!r}" + nearest(source, flow.states))
        if event in RESERVED_EVENTS:
            yield Finding(
                "error", "reserved_name", where, f"{event!r} is a built-in event; its rows are added by maitred"
            )
        if not row:
            yield Finding("error", "empty_row", where, "a row needs at least one target")
        for when in row:
            if when.target not in targets or when.target == RESUME:
                yield Finding(
                    "error", "unknown_target", where, f"no state {when.target!r}" + nearest(when.target, targets)
                )
        yield from _ambiguous(where, row)


def _ambiguous(where: str, row: tuple[When, ...]) -> Iterator[Finding]:
    for i, when in enumerate(row):
        if not when.condition and i < len(row) - 1:
            yield Finding(
                "error", "ambiguous_row", where, f"entries after the default (entry {i + 1}) can never win; put it last"
            )
        if when.condition and any(when.condition == other.condition for other in row[:i]):
            yield Finding("error", "ambiguous_row", where, f"entry {i + 1} repeats the condition of an earlier entry")


def _actions(flow: "Flow") -> Iterator[Finding]:
    for state, step in flow.steps.items():
        seen: set[str] = set()
        for i, action in enumerate(step.actions):
            where = f"steps.{state}.actions[{i}]"
            if action.name in BUILT_IN_ACTIONS:
                yield Finding(
                    "error",
                    "reserved_name",
                    where,
                    f"{action.name!r} is a built-in action; it is on every menu already",
                )
            if action.name in seen:
                yield Finding("error", "duplicate_action", where, f"{action.name!r} is listed twice in {state!r}")
            seen.add(action.name)
            yield from _one_action(flow, state, action, where)


def _one_action(flow: "Flow", state: str, action: Action, where: str) -> Iterator[Finding]:
    if action.event and action.tool:
        yield Finding(
            "error", "two_meanings", where, "an action stands for an event or a tool, not both; put the event into `on`"
        )
    if action.event and (state, action.event) not in flow.transitions:
        events = [event for (source, event) in flow.transitions if source == state]
        yield Finding(
            "error",
            "unknown_event",
            where,
            f"the map has no row ({state}, {action.event})" + nearest(action.event, events),
        )
    if action.on and not action.tool:
        yield Finding("error", "outcomes_without_tool", where, "`on` maps outcomes of a tool, but the action has none")
    if action.tool:
        yield from _outcomes(flow, state, action.tool, action.on, where)


def _outcomes(flow: "Flow", state: str, tool: str, on: Mapping[Outcome, str], where: str) -> Iterator[Finding]:
    if tool not in flow.tools:
        yield Finding("error", "unknown_tool", where, f"no tool {tool!r}" + nearest(tool, flow.tools))
    for outcome, event in on.items():
        if (state, event) not in flow.transitions:
            yield Finding(
                "warning",
                "outcome_without_row",
                where,
                f"outcome {outcome!r} proposes {event!r}, which has no row in {state!r}",
            )
    for outcome in get_args(Outcome):
        if outcome not in on:
            yield Finding(
                "note",
                "outcome_stays",
                where,
                f"outcome {outcome!r} of {tool!r} proposes nothing: the session stays, with a sentence",
            )


def _steps(flow: "Flow") -> Iterator[Finding]:
    for state, step in flow.steps.items():
        where = f"steps.{state}"
        if step.on_enter:
            yield from _outcomes(flow, state, step.on_enter.tool, step.on_enter.on, f"{where}.on_enter")
            yield from _unfilled(flow, step, f"{where}.on_enter")
        for key, event in (("complete", step.complete), ("on_close", step.on_close)):
            if event and (state, event) not in flow.transitions:
                events = [e for (source, e) in flow.transitions if source == state]
                yield Finding(
                    "error",
                    "unknown_event",
                    f"{where}.{key}",
                    f"the map has no row ({state}, {event})" + nearest(event, events),
                )
        overdue = step.deadline.event if step.deadline else None
        for key, event in (("on_close", step.on_close), ("deadline", overdue)):
            if event in _WISHES_OF_CODE:
                yield Finding(
                    "error", "reserved_name", f"{where}.{key}", f"{event!r} means something else to the machine"
                )
        if step.deadline and (state, step.deadline.event) not in flow.transitions:
            yield Finding(
                "error", "unknown_event", f"{where}.deadline", f"the map has no row ({state}, {step.deadline.event})"
            )
        if step.complete and not step.collects:
            yield Finding(
                "error",
                "nothing_to_collect",
                f"{where}.complete",
                "`complete` is proposed when slots are known, but there are none",
            )
        confirmed = step.action(step.confirms) if step.confirms else None
        if step.confirms and (confirmed is None or not confirmed.confirm):
            names = [action.name for action in step.actions if action.confirm]
            yield Finding(
                "error",
                "unknown_action",
                f"{where}.confirms",
                f"no action {step.confirms!r} with confirm" + nearest(step.confirms, names),
            )


def _without(flow: "Flow") -> Iterator[Finding]:
    removable = {*BUILT_IN_ACTIONS, *flow.everywhere}
    for state, step in flow.steps.items():
        for name in step.without:
            if name not in removable:
                where = f"steps.{state}.without"
                yield Finding(
                    "error", "unknown_action", where, f"{name!r} is on no other menu" + nearest(name, removable)
                )


def _forget(flow: "Flow") -> Iterator[Finding]:
    known = _data_names(flow)
    for (source, event), row in flow.transitions.items():
        for name in {name for when in row for name in when.forget} - known:
            where = f"transitions.{source}.{event}.forget"
            yield Finding("error", "unknown_field", where, f"nothing ever fills {name!r}" + nearest(name, known))


def _data_names(flow: "Flow") -> set[str]:
    """Names under which session data can come to stand: slots, action parameters, tool results, outside events."""
    names = {*flow.slots, *(tool.spec.data_name for tool in flow.tools.values()), *flow.outside}
    return names | {name for step in flow.steps.values() for action in step.actions for name in action.parameters}


def _unfilled(flow: "Flow", step: Step, where: str) -> Iterator[Finding]:
    """A tool on entry has only binds and session data to take its arguments from."""
    tool = flow.tools.get(step.on_enter.tool) if step.on_enter else None
    if tool is None:
        return
    known = set(flow.slots) | {name for s in flow.steps.values() for action in s.actions for name in action.parameters}
    for name in sorted(tool.spec.required - set(tool.spec.bind) - known):
        yield Finding(
            "error",
            "unfilled_parameter",
            where,
            f"{tool.spec.name!r} needs {name!r}: bind it, or collect a slot of that name",
        )


def _slots(flow: "Flow") -> Iterator[Finding]:
    first: dict[str, tuple[str, object]] = {}
    for state, step in flow.steps.items():
        for name, slot in step.collects.items():
            where = f"steps.{state}.collects.{name}"
            if name in first and first[name][1] != slot:
                yield Finding(
                    "error",
                    "slot_differs",
                    where,
                    f"{name!r} is another slot in {first[name][0]!r}; a name means one thing per flow",
                )
            first.setdefault(name, (state, slot))
    yield from _slot_names(flow)


def _slot_names(flow: "Flow") -> Iterator[Finding]:
    """Slots and parameters stand in session data, beside what tools and outside events leave there, and in templates."""
    named = [(f"steps.{s}.collects.{name}", name) for s, step in flow.steps.items() for name in step.collects]
    named += [
        (f"steps.{state}.actions[{i}].parameters.{name}", name)
        for state, step in flow.steps.items()
        for i, action in enumerate(step.actions)
        for name in action.parameters
    ]
    taken = {*(tool.spec.data_name for tool in flow.tools.values()), *flow.outside}
    for where, name in named:
        if name in taken:
            message = f"{name!r} is also a tool or outside event; both would write session data {name!r}"
            yield Finding("error", "name_taken", where, message)
        if name in _TEMPLATE_NAMES:
            yield Finding("error", "reserved_name", where, f"{{{name}}} in a template means something else")


def proposable(flow: "Flow", state: str) -> frozenset[str]:
    """Events that somebody may propose in `state`: actions, tool outcomes, completion, closing, deadline, the outside."""
    step = flow.step(state)
    names = {action.event for action in step.actions if action.event}
    names |= {event for action in step.actions for event in action.on.values()}
    names |= set(step.on_enter.on.values()) if step.on_enter else set()
    names |= {event for event in (step.complete, step.on_close, step.deadline and step.deadline.event) if event}
    return frozenset(names | set(flow.outside))


def _proposers(flow: "Flow") -> Iterator[Finding]:
    for source, event in flow.transitions:
        if source in flow.states and event not in proposable(flow, source) and event not in RESERVED_EVENTS:
            yield Finding(
                "warning",
                "nobody_proposes",
                f"transitions.{source}.{event}",
                f"nobody can propose {event!r} in {source!r}: no action, outcome, completion, deadline or outside event names it",
            )
    for event in flow.outside:
        if not any(e == event for (_, e) in flow.transitions):
            yield Finding("warning", "outside_without_row", f"outside.{event}", f"no state has a row for {event!r}")


def _confirmed(flow: "Flow") -> Iterator[Finding]:
    """Only the customer's yes brings the event of an action with `confirm`; whoever else proposes it is refused."""
    for state, step in flow.steps.items():
        guarded = {action.event: action.name for action in step.actions if action.confirm and action.event}
        others = [(f"actions[{i}]", a.event) for i, a in enumerate(step.actions) if not a.confirm]
        others += [(f"actions[{i}].on", event) for i, a in enumerate(step.actions) for event in a.on.values()]
        others += [("on_enter", event) for event in (step.on_enter.on.values() if step.on_enter else ())]
        others += [("complete", step.complete), ("on_close", step.on_close)]
        others += [("deadline", step.deadline.event if step.deadline else None)]
        for key, event in others:
            if event in guarded:
                message = (
                    f"{event!r} happens only by a yes to action {guarded[event]!r}: this proposal is always refused"
                )
                yield Finding("warning", "needs_confirmation", f"steps.{state}.{key}", message)


def _reach(flow: "Flow") -> Iterator[Finding]:
    edges = {
        s: {w.target for (source, _), row in flow.transitions.items() if source == s for w in row} for s in flow.states
    }
    seen, todo = {flow.initial}, [flow.initial]
    while todo:
        for target in edges.get(todo.pop(), set()) - seen:
            seen.add(target)
            todo.append(target)
    for state in flow.states:
        if state not in seen:
            yield Finding("error", "no_way_in", f"states.{state}", f"no row leads to {state!r} from {flow.initial!r}")
        if not edges[state] - {state, IGNORE}:
            yield Finding("error", "no_way_out", f"states.{state}", f"no row leads out of {state!r}")


_CONDITION_WORDS = re.compile(
    r"\b(if|when|unless|in case|only after|provided that)\b|如果|假如|若|的话|除非|当.{1,12}时|只有.{1,12}才",
    re.IGNORECASE,
)


def _labels(flow: "Flow") -> Iterator[Finding]:
    for state, step in flow.steps.items():
        for i, action in enumerate(step.actions):
            hit = next((m for text in all_langs(action.label) if (m := _CONDITION_WORDS.search(text))), None)
            if hit:
                yield Finding(
                    "warning",
                    "condition_in_label",
                    f"steps.{state}.actions[{i}].label",
                    f"{hit.group()!r} reads like a condition; conditions belong in the map",
                )


def _templates(flow: "Flow") -> Iterator[Finding]:
    """A template's field must be something that an event can fill."""
    known = {*_data_names(flow), *_TEMPLATE_NAMES, "allowed"}
    for state, step in flow.steps.items():
        texts = [(f"steps.{state}.say", step.say)]
        texts += [(f"steps.{state}.actions[{i}].reply", a.reply) for i, a in enumerate(step.actions)]
        texts += [(f"steps.{state}.actions[{i}].ask", a.ask) for i, a in enumerate(step.actions)]
        texts += [(f"steps.{state}.collects.{n}.ask", slot.ask) for n, slot in step.collects.items()]
        for where, text in texts:
            for path in sorted(fields_of(text)):
                if path.split(".")[0] not in known:
                    yield Finding(
                        "error",
                        "unknown_field",
                        where,
                        f"nothing ever fills {{{path}}}" + nearest(path.split(".")[0], known),
                    )


def _texts(flow: "Flow") -> Iterator[Finding]:
    """A sentence under a key that nothing asks for is never said."""
    known = {*SENTENCES, *(f"{tool}.{outcome}" for tool in flow.tools for outcome in get_args(Outcome))}
    for key in flow.texts:
        if key not in known:
            yield Finding("error", "unknown_text", f"texts.{key}", f"no sentence {key!r}" + nearest(key, known))


RULES: tuple[Callable[["Flow"], Iterator[Finding]], ...] = (
    _names,
    _rows,
    _forget,
    _actions,
    _steps,
    _without,
    _slots,
    _proposers,
    _confirmed,
    _reach,
    _labels,
    _templates,
    _texts,
)
