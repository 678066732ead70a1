"""ToolSpec: what the core knows of a tool. The callable behind it lives in `tools/`; results come back as ToolResult."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from .messages import ToolStatus

Effect = Literal["none", "idempotent", "non_idempotent"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """Name, effect on the world, time-out, and which parameters code fills.

    `parameters`: name -> JSON Schema of each parameter that the model may give. `bind`: name -> path ("meta.customer_id",
    "data.seats", "call.key", "session.id", "session.lang") that code fills; a bound parameter never appears in a schema. `saves`:
    where several tools maintain one thing (a plan on offer), the name of that thing. `fresh`: every call is made, even
    if one with the same arguments was just answered. `fields`: all that its result may have, None where nobody knows; for
    `maitred check` alone.
    """

    name: str
    effect: Effect
    timeout_s: float = 5.0
    parameters: Mapping[str, JsonValue] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    bind: Mapping[str, str] = field(default_factory=dict)
    summary: str = ""
    saves: str = ""
    fresh: bool = False
    fields: frozenset[str] | None = None

    @property
    def data_name(self) -> str:
        """Under which name of session data an `ok` result is kept: `saves`, else the tool's own name."""
        return self.saves or self.name


@dataclass(frozen=True, slots=True)
class ToolResult:
    """How a call ended. `value` is JSON; `error` a sentence for the log, never for the customer."""

    status: ToolStatus
    value: JsonValue = None
    error: str | None = None


OUTCOME_OF: Mapping[ToolStatus, str] = {
    ToolStatus.OK: "ok",
    ToolStatus.ERROR: "error",
    ToolStatus.TIMEOUT: "unavailable",
    ToolStatus.FROZEN: "unavailable",
    ToolStatus.CANCELLED: "unavailable",
    ToolStatus.UNKNOWN: "unknown",
}
"""Tool status -> the outcome that an action's `on` names. `unknown` cannot be mapped: it always escalates."""
