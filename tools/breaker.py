"""Breaker: after a time-out a tool is frozen for everyone, then one probe decides. In memory, per process."""

from collections.abc import Callable

FREEZE_S = 30.0


class Breaker:
    """Circuit breaker per tool: closed; open for `freeze_s` after a time-out; half-open: one probe per `freeze_s`.

    The probe takes the next freeze with it, so one that never reports (its turn was cancelled) delays the next and no more.
    """

    def __init__(self, monotonic: Callable[[], float], freeze_s: float = FREEZE_S) -> None:
        self._monotonic = monotonic
        self._freeze_s = freeze_s
        self._frozen_until: dict[str, float] = {}

    def may_call(self, tool: str) -> bool:
        """Whether a call may go out now; a half-open breaker lets one through."""
        until = self._frozen_until.get(tool)
        if until is None:
            return True
        if self._monotonic() < until:
            return False
        self._freeze(tool)
        return True

    def succeeded(self, tool: str) -> None:
        """The tool answered (an error of its own is an answer): close."""
        self._frozen_until.pop(tool, None)

    def timed_out(self, tool: str) -> None:
        """The tool did not answer in time: open."""
        self._freeze(tool)

    def _freeze(self, tool: str) -> None:
        self._frozen_until[tool] = self._monotonic() + self._freeze_s
