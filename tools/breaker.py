"""Breaker: after a time-out a tool is frozen for everyone, then one probe decides. In memory, per process."""

from collections.abc import Callable
from dataclasses import dataclass

FREEZE_S = 30.0


@dataclass(slots=True)
class _State:
    frozen_until: float = 0.0
    probing: bool = False
    failed: bool = False


class Breaker:
    """Circuit breaker per tool: closed; open for `freeze_s` after a time-out; half-open with a single probe."""

    def __init__(self, monotonic: Callable[[], float], freeze_s: float = FREEZE_S) -> None:
        self._monotonic = monotonic
        self._freeze_s = freeze_s
        self._tools: dict[str, _State] = {}

    def may_call(self, tool: str) -> bool:
        """Whether a call may go out now; a half-open breaker lets one through."""
        state = self._tools.get(tool)
        if state is None or not state.failed:
            return True
        if self._monotonic() < state.frozen_until or state.probing:
            return False
        state.probing = True
        return True

    def succeeded(self, tool: str) -> None:
        """The tool answered (an error of its own is an answer): close."""
        self._tools.pop(tool, None)

    def timed_out(self, tool: str) -> None:
        """The tool did not answer in time: open."""
        self._tools[tool] = _State(frozen_until=self._monotonic() + self._freeze_s, failed=True)
