"""Breaker: what did not answer in time, a tool or a model, is left alone for a while; then one probe decides. Per process."""

from collections.abc import Callable

FREEZE_S = 30.0


class Breaker:
    """Circuit breaker per name: closed; open for `freeze_s` after a time-out; half-open: one probe per `freeze_s`.

    The probe takes the next freeze with it, so one that never reports (its turn was cancelled) delays the next and no more.
    """

    def __init__(self, monotonic: Callable[[], float], freeze_s: float = FREEZE_S) -> None:
        self._monotonic = monotonic
        self._freeze_s = freeze_s
        self._frozen_until: dict[str, float] = {}

    @property
    def open(self) -> frozenset[str]:
        """Names that are left alone, or wait for a probe to say that all is well."""
        return frozenset(self._frozen_until)

    def may_call(self, name: str) -> bool:
        """Whether a call may go out now; a half-open breaker lets one through."""
        until = self._frozen_until.get(name)
        if until is None:
            return True
        if self._monotonic() < until:
            return False
        self._freeze(name)
        return True

    def succeeded(self, name: str) -> None:
        """It answered (an error of its own is an answer): close."""
        self._frozen_until.pop(name, None)

    def timed_out(self, name: str) -> None:
        """It did not answer in time: open."""
        self._freeze(name)

    def _freeze(self, name: str) -> None:
        self._frozen_until[name] = self._monotonic() + self._freeze_s
