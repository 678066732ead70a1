"""Finding: one mistake in a flow, with its place and the nearest valid name. Made by `check_map.py` and `check_steps.py`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..protocol.nearest import nearest as nearest

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


def data_names(flow: "Flow") -> set[str]:
    """Names under which session data can come to stand: slots, action parameters, tool results, outside events."""
    names = {*flow.slots, *(tool.spec.data_name for tool in flow.tools.values()), *flow.outside}
    return names | {name for step in flow.steps.values() for action in step.actions for name in action.parameters}
