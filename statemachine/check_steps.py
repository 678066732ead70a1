"""Rules about steps: actions, tools and their outcomes, slots, labels, templates, texts. Called by `check.py`."""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, get_args

from ..protocol.texts import SENTENCES, Text, all_langs, fields_of, fill
from .parts import Action, Outcome
from .rows import BUILT_IN_ACTIONS

if TYPE_CHECKING:
    from .flow import Flow

from .findings import Finding, data_names, nearest

_TEMPLATE_NAMES = frozenset({"ask", "label", "meta"})
"""Fields of templates that are no session data; see `words.py`."""
_WISHES_OF_CODE = frozenset({
    "provide", "answer", "ask_human", "leave", "confirm", "decline", "ask_again", "refuse_input", "refuse_event",
    "replace_reply", "expire",
})  # fmt: skip
"""What guards and the timer wish by name (`machine.WISHES`): an event that they propose must be called something else."""


def actions(flow: "Flow") -> Iterator[Finding]:
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
    for outcome in ("error", "unavailable"):  # that an ok result stays where it is, is the common case
        if outcome not in on:
            yield Finding(
                "note",
                "outcome_stays",
                where,
                f"outcome {outcome!r} of {tool!r} proposes nothing: the session stays, with a sentence",
            )


def steps(flow: "Flow") -> Iterator[Finding]:
    for state, step in flow.steps.items():
        where = f"steps.{state}"
        if step.on_enter:
            yield from _outcomes(flow, state, step.on_enter.tool, step.on_enter.on, f"{where}.on_enter")
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
                f"action {step.confirms!r} has no `confirm: true`"
                if confirmed
                else f"no action {step.confirms!r} with confirm" + nearest(step.confirms, names),
            )


def without(flow: "Flow") -> Iterator[Finding]:
    removable = {*BUILT_IN_ACTIONS, *flow.everywhere}
    for state, step in flow.steps.items():
        for name in step.without:
            if name not in removable:
                where = f"steps.{state}.without"
                yield Finding(
                    "error", "unknown_action", where, f"{name!r} is on no other menu" + nearest(name, removable)
                )


def slots(flow: "Flow") -> Iterator[Finding]:
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
    yield from slot_names(flow)


def slot_names(flow: "Flow") -> Iterator[Finding]:
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


_CONDITION_WORDS = re.compile(
    r"\b(if|when|unless|in case|only after|provided that)\b|如果|假如|若|的话|除非|当.{1,12}时|只有.{1,12}才",
    re.IGNORECASE,
)


def labels(flow: "Flow") -> Iterator[Finding]:
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


def templates(flow: "Flow") -> Iterator[Finding]:
    """A template's field must be something that an event can fill."""
    known = {*data_names(flow), *_TEMPLATE_NAMES}
    for wording in all_langs(flow.greeting):
        if "{" in wording or "}" in wording:
            yield Finding("warning", "odd_template", "greeting", "the greeting takes no fields: nothing is known yet")
    for where, text in said(flow):
        yield from _odd_braces(where, text)
        for path in sorted(fields_of(text)):
            if path.split(".")[0] not in known:
                message = f"nothing ever fills {{{path}}}" + nearest(path.split(".")[0], known)
                yield Finding("error", "unknown_field", where, message)


def said(flow: "Flow") -> Iterator[tuple[str, Text | None]]:
    """Every template of the flow's own that session data fills, with its place."""
    for state, step in flow.steps.items():
        yield f"steps.{state}.say", step.say
        yield from ((f"steps.{state}.actions[{i}].reply", a.reply) for i, a in enumerate(step.actions))
        yield from ((f"steps.{state}.actions[{i}].ask", a.ask) for i, a in enumerate(step.actions))
        yield from ((f"steps.{state}.collects.{n}.ask", slot.ask) for n, slot in step.collects.items())
    outcomes = {f"{tool}.{outcome}" for tool in flow.tools for outcome in get_args(Outcome)}
    yield from ((f"texts.{key}", text) for key, text in flow.texts.items() if key in outcomes)


def _odd_braces(where: str, text: Text | None) -> Iterator[Finding]:
    for wording in all_langs(text):
        rest = fill(wording, {})
        if "{" in rest or "}" in rest:
            message = f"a brace that is no field: {wording[:60]!r}; a field is {{name}} or {{name.part}}"
            yield Finding("warning", "odd_template", where, message)


def texts(flow: "Flow") -> Iterator[Finding]:
    """A sentence under a key that nothing asks for is never said."""
    known = {*SENTENCES, *(f"{tool}.{outcome}" for tool in flow.tools for outcome in get_args(Outcome))}
    for key in flow.texts:
        if key not in known:
            yield Finding("error", "unknown_text", f"texts.{key}", f"no sentence {key!r}" + nearest(key, known))


def languages(flow: "Flow") -> Iterator[Finding]:
    """A flow that speaks both languages and in one place only one; a slot that has no name for customers."""
    texts = tuple(_texts(flow))
    spoken = {lang for _, text in texts if isinstance(text, Mapping) for lang in text}
    for where, text in texts:
        missing = spoken - set(text) if isinstance(text, Mapping) else ()
        for lang in sorted(missing):
            message = f"no text for {lang!r}, which the flow speaks elsewhere; those customers get the other language"
            yield Finding("warning", "one_language", where, message)
    for state, step in flow.steps.items():
        for name, slot in step.collects.items():
            asked_by_name = slot.required and slot.ask is None
            if slot.label is None and (
                asked_by_name or len(spoken) > 1
            ):  # a value that does not fit is refused by name, too
                message = (
                    f"customers read its bare name, {name.replace('_', ' ')!r}, in every language; give it a `label`"
                )
                yield Finding("note", "no_label", f"steps.{state}.collects.{name}", message)


def _texts(flow: "Flow") -> Iterator[tuple[str, Text | None]]:
    """Every text that a customer may read, with its place. Actions of every menu once, where they stand first."""
    yield "greeting", flow.greeting
    yield from ((f"texts.{key}", text) for key, text in flow.texts.items())
    seen: list[Action] = []
    for state, step in flow.steps.items():
        yield f"steps.{state}.say", step.say
        for i, action in enumerate(step.actions):
            where = f"steps.{state}.actions[{i}]"
            if not any(action is other for other in seen):
                seen.append(action)
                yield from (
                    (f"{where}.label", action.label),
                    (f"{where}.ask", action.ask),
                    (f"{where}.reply", action.reply),
                )
        for name, slot in step.collects.items():
            yield f"steps.{state}.collects.{name}.ask", slot.ask
            yield f"steps.{state}.collects.{name}.label", slot.label
