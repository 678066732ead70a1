"""ways: which states the map leads to, and which of them lie on every way there. Rows only; conditions may hold or not.

Called by `check_map.py` and `migration.py`.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .flow import Flow


def reached(flow: "Flow", begin: Iterable[str], *, without: str | None = None) -> set[str]:
    """The states that some way leads to from `begin`, these among them, if none of the ways passes `without`."""
    seen = set(begin) - {without}
    todo = list(seen)
    while todo:
        state = todo.pop()
        targets = {when.target for (source, _), row in flow.transitions.items() if source == state for when in row}
        fresh = targets - seen - {without}
        seen |= fresh
        todo += fresh
    return seen


def passed_before(flow: "Flow", state: str) -> tuple[str, ...]:
    """The states that every way to `state` passes, in the order of the flow; without `state` itself."""
    return tuple(s for s in flow.states if s != state and state not in reached(flow, [flow.initial], without=s))
