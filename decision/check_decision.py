"""Is this answer one of the menu's actions with fitting parameters? The check that every decision passes, whoever made it.

Slot values are checked only as finite JSON scalars: a value that does not fit its slot is the customer's matter and is asked
again; an answer of the wrong shape is the model's fault and goes to the ladder.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue, ValidationError

from ..protocol.canonical import MAX_INTEGER_BITS
from ..protocol.decision import AgentDecision
from ..protocol.menu import Menu, MenuItem
from ..protocol.messages import clean_text, explain
from ..protocol.trusted import changed
from ..protocol.visible import is_visible

MAX_REPLY_CHARS = 4000
MAX_VALUE_CHARS = 2000


@dataclass(frozen=True, slots=True)
class Invalid:
    """Why a decision was refused, in words fit for a re-ask: what came, what was allowed."""

    why: str


def check_decision(menu: Menu, answer: AgentDecision | Mapping[str, JsonValue]) -> AgentDecision | Invalid:
    """The decision, if it is legal under `menu`."""
    if not isinstance(answer, AgentDecision):
        try:
            answer = AgentDecision.model_validate(dict(answer))
        except (ValidationError, RecursionError, TypeError, ValueError) as error:
            fault = explain(error) if isinstance(error, (ValidationError, RecursionError)) else type(error).__name__
            return Invalid(f"not an AgentDecision: {fault}")
    item = menu.get(answer.action.strip())
    if item is None:
        return Invalid(f"action {answer.action[:60]!r} is not allowed here; allowed: {', '.join(menu.names) or 'none'}")
    problem = _parameter_problem(item, answer.parameters)
    if problem:
        return Invalid(f"parameters of {item.name!r}: {problem}")
    words = str(clean_text(answer.reply_text))[:MAX_REPLY_CHARS]
    return changed(answer, {"action": item.name, "reply_text": words if is_visible(words) else ""})


def _parameter_problem(item: MenuItem, given: Mapping[str, JsonValue]) -> str | None:
    allowed = {**item.parameters, **item.also}
    unknown = sorted(set(given) - set(allowed))
    if unknown:
        return f"{', '.join(repr(n[:60]) for n in unknown[:5])} not known; known: {', '.join(allowed) or 'none'}"
    for name, value in given.items():
        if not _is_scalar(value):
            return f"{name!r} must be a string, a finite number or true/false"
    if item.name == "provide":
        return None if given else "at least one value is needed"
    absent = [name for name, slot in item.parameters.items() if slot.required and name not in given]
    return f"{', '.join(map(repr, absent))} missing" if absent else None


def _is_scalar(value: JsonValue) -> bool:
    if isinstance(value, str):
        return len(value) <= MAX_VALUE_CHARS
    if isinstance(value, int):
        return value.bit_length() <= MAX_INTEGER_BITS
    return isinstance(value, float) and math.isfinite(value)
