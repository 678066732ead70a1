"""Finding: one mistake in a flow, with its place and the nearest valid name. Made by `check_map.py` and `check_steps.py`."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from .flow import Flow

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One mistake: stable `code`, `where` in the flow as a key path (steps.review.actions[0]), and what to do."""

    severity: Severity
    code: str
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.severity} {self.code} at {self.where}: {self.message}"


def nearest(name: str, allowed: Iterable[str]) -> str:
    """A hint for the end of a message: the nearest allowed name, or all of them."""
    options = sorted({str(option) for option in allowed})
    close = difflib.get_close_matches(str(name), options, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; allowed: {', '.join(options) or 'none'}"


def data_names(flow: "Flow") -> set[str]:
    """Names under which session data can come to stand: slots, action parameters, tool results, outside events."""
    names = {*flow.slots, *(tool.spec.data_name for tool in flow.tools.values()), *flow.outside}
    return names | {name for step in flow.steps.values() for action in step.actions for name in action.parameters}
