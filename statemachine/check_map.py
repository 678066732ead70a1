"""Rules about the map: states, rows, targets, who can bring an event, ways in and out. Called by `check.py`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .conditions import When
from .parts import IGNORE, Step, Terminal
from .rows import RESERVED_EVENTS, RESERVED_STATES, RESUME

if TYPE_CHECKING:
    from .flow import Flow

from .findings import Finding, data_names, nearest
from .ways import reached


def names(flow: "Flow") -> Iterator[Finding]:
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


def rows(flow: "Flow") -> Iterator[Finding]:
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


def forget(flow: "Flow") -> Iterator[Finding]:
    known = data_names(flow)
    for (source, event), row in flow.transitions.items():
        for name in {name for when in row for name in when.forget} - known:
            where = f"transitions.{source}.{event}.forget"
            yield Finding("error", "unknown_field", where, f"nothing ever fills {name!r}" + nearest(name, known))


def proposable(flow: "Flow", state: str) -> frozenset[str]:
    """Events that somebody may propose in `state`: actions, tool outcomes, completion, closing, deadline, the outside."""
    step = flow.step(state)
    names = {action.event for action in step.actions if action.event}
    names |= {event for action in step.actions for event in action.on.values()}
    names |= set(step.on_enter.on.values()) if step.on_enter else set()
    names |= {event for event in (step.complete, step.on_close, step.deadline and step.deadline.event) if event}
    return frozenset(names | set(flow.outside))


def proposers(flow: "Flow") -> Iterator[Finding]:
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


def confirmed(flow: "Flow") -> Iterator[Finding]:
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


def reach(flow: "Flow") -> Iterator[Finding]:
    edges = {
        s: {w.target for (source, _), row in flow.transitions.items() if source == s for w in row} for s in flow.states
    }
    seen = reached(flow, [flow.initial])
    for state in flow.states:
        if state not in seen and flow.initial in flow.states:
            yield Finding("error", "no_way_in", f"states.{state}", f"no row leads to {state!r} from {flow.initial!r}")
        if not edges[state] - {state, IGNORE}:
            yield Finding("error", "no_way_out", f"states.{state}", f"no row leads out of {state!r}")


def undecided(flow: "Flow") -> Iterator[Finding]:
    """A row of conditions that may all fail: the event is then rejected. True and False of one path leave nothing open."""
    for (source, event), row in flow.transitions.items():
        tests = [next(iter(when.condition.items())) for when in row if when.condition and len(when.condition) == 1]
        both = {path for path, test in tests if test is True} & {path for path, test in tests if test is False}
        if row and row[-1].condition and not both:
            message = f"if no condition holds, {event!r} is rejected in {source!r}; add an entry without `when`"
            yield Finding("warning", "no_default", f"transitions.{source}.{event}", message)


def conditions(flow: "Flow") -> Iterator[Finding]:
    """A path that nothing fills never holds. Tools and the outside bring fields of their own, so their events are not judged."""
    known = data_names(flow)
    for (source, event), row in flow.transitions.items():
        step = flow.step(source)
        callers = [step.on_enter, *step.actions]
        free = event in flow.outside or any(caller is not None and event in caller.on.values() for caller in callers)
        for path in () if free else sorted({path for when in row for path in when.condition or {}}):
            if path.split(".")[0] not in known:
                where = f"transitions.{source}.{event}"
                yield Finding("warning", "unknown_field", where, f"nothing ever fills {path!r}" + nearest(path, known))


def bounces(flow: "Flow") -> Iterator[Finding]:
    """A row back to a step whose slots are all known by then: the step completes at once and nobody is asked anything."""
    for (source, event), row in flow.transitions.items():
        for when in row:
            step = flow.step(when.target)
            wanted = {name for name, slot in step.collects.items() if slot.required}
            if when.target == source or not step.complete or not wanted or wanted & set(when.forget):
                continue
            if source in _behind(flow, when.target, step.complete):
                message = (
                    f"by then {', '.join(sorted(wanted))} are known, so {when.target!r} completes at once and leads back; "
                    "let the row `forget` what is to be asked again"
                )
                yield Finding("warning", "bounces_back", f"transitions.{source}.{event}", message)


def _behind(flow: "Flow", state: str, event: str) -> set[str]:
    """The states that can be reached by the completing `event` of `state` without passing it again."""
    return reached(flow, (when.target for when in flow.transitions.get((state, event), ())), without=state)
