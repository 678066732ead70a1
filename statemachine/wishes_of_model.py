"""Wishes of the model (some of them guards' too): an action of the menu, slot values, words, a human, to leave.

Whatever is not on the menu is rejected; values that do not fit their slot are the customer's matter and are asked again.
"""

from collections.abc import Mapping

from pydantic import JsonValue

from ..protocol.menu import MenuItem
from ..protocol.messages import Actor
from ..protocol.slots import Slot
from .menu import menu_of
from .proposals import Rejected
from .rows import HUMAN_REQUESTED
from .run import Run, ask_confirmation, move, perform, settle
from .slot_values import BadValue, parse_value


def choose(run: Run) -> Rejected | None:
    """An action of the menu."""
    item = menu_of(run.flow, run.session).get(run.proposal.name)
    action = run.flow.step(run.session.state).action(run.proposal.name)
    if item is None or action is None:
        names = ", ".join(menu_of(run.flow, run.session).names) or "none"
        return Rejected("not_in_menu", f"{run.proposal.name!r} is not on the menu of {run.session.state!r}: {names}")
    problem = _misfit(item, run.proposal.payload)
    if problem:
        return problem
    values, refused = _read_values(run, item.parameters, run.proposal.payload)
    if refused:
        run.emit("slots_provided", {"values": {}, "refused": refused})
        return None
    if action.confirm:
        ask_confirmation(run, action.name, values)
        return None
    return perform(run, action, values)


def _misfit(item: MenuItem, given: Mapping[str, JsonValue]) -> Rejected | None:
    """Parameters that the action does not have, or required ones that are not given."""
    unknown = sorted(set(given) - set(item.parameters) - set(item.also))
    if unknown:
        allowed = ", ".join((*item.parameters, *item.also)) or "none"
        return Rejected(
            "unknown_parameter", f"{item.name!r} has no parameter {', '.join(map(repr, unknown))}; it has: {allowed}"
        )
    absent = (
        [] if item.name == "provide" else [n for n, slot in item.parameters.items() if slot.required and n not in given]
    )
    return Rejected("missing_parameter", f"{item.name!r} needs {', '.join(map(repr, absent))}") if absent else None


def _read_values(
    run: Run, slots: Mapping[str, Slot], given: Mapping[str, JsonValue]
) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
    values: dict[str, JsonValue] = {}
    refused: dict[str, JsonValue] = {}
    for name, raw in given.items():
        parsed = parse_value(slots[name], raw, today=run.now.date())
        if isinstance(parsed, BadValue):
            refused[name] = {"code": parsed.code, "allowed": parsed.allowed}
        else:
            values[name] = parsed
    return values, refused


def provide(run: Run) -> Rejected | None:
    """Slot values, of this step or another: customers answer ahead and correct themselves. A bad value is asked again."""
    item = menu_of(run.flow, run.session).get("provide")
    given = run.proposal.payload
    if item is None:
        return Rejected("not_in_menu", f"'provide' is not on the menu of {run.session.state!r}")
    problem = _misfit(item, given)
    if problem:
        return problem
    values, refused = _read_values(run, {**item.parameters, **item.also}, given)
    changed = [name for name, value in values.items() if run.session.data.get(name) != value]
    run.emit("slots_provided", {"values": values, **({"refused": refused} if refused else {})})
    if values:
        settle(run, provided=True, changed=changed)
    return None


def answer(run: Run) -> Rejected | None:
    if "answer" not in menu_of(run.flow, run.session).names and run.proposal.actor is Actor.MODEL:
        return Rejected("not_in_menu", f"'answer' is not on the menu of {run.session.state!r}")
    run.emit("answer_given", {})
    return None


def show_detail(run: Run) -> Rejected | None:
    if "show_detail" not in menu_of(run.flow, run.session).names or run.session.last_tool is None:
        return Rejected("not_in_menu", "'show_detail' needs a stored tool result")
    run.emit("detail_shown", {"tool": run.session.last_tool[0]})
    return None


def ask_human(run: Run) -> Rejected | None:
    if run.proposal.actor is Actor.MODEL and "ask_human" not in menu_of(run.flow, run.session).names:
        return Rejected("not_in_menu", f"'ask_human' is not on the menu of {run.session.state!r}")
    return move(run, HUMAN_REQUESTED, run.proposal.payload)


def wish_to_leave(run: Run) -> Rejected | None:
    """The model thinks the customer wants to leave: code asks once."""
    if "leave" not in menu_of(run.flow, run.session).names:
        return Rejected("not_in_menu", f"'leave' is not on the menu of {run.session.state!r}")
    ask_confirmation(run, "leave", {})
    return None
