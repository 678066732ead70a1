"""LocalBreaker: what did not answer in time, a tool or a model, is left alone for a while; then one probe decides.

Of one process; `store/redis_breaker.py` has the one that many share.
"""

from collections.abc import Callable

FREEZE_S = 30.0


class LocalBreaker:
    """The port Breaker per name: closed; open for `freeze_s` after a time-out; half-open: one probe per `freeze_s`.

    The probe takes the next freeze with it, so one that never reports (its turn was cancelled) delays the next and no more.
    """

    def __init__(self, monotonic: Callable[[], float], freeze_s: float = FREEZE_S) -> None:
        self._monotonic = monotonic
        self._freeze_s = freeze_s
        self._frozen_until: dict[str, float] = {}

    @property
    def open(self) -> frozenset[str]:
        return frozenset(self._frozen_until)

    async def may_call(self, name: str) -> bool:
        until = self._frozen_until.get(name)
        if until is None:
            return True
        if self._monotonic() < until:
            return False
        self._freeze(name)
        return True

    async def succeeded(self, name: str) -> None:
        self._frozen_until.pop(name, None)

    async def timed_out(self, name: str) -> None:
        self._freeze(name)

    def _freeze(self, name: str) -> None:
        self._frozen_until[name] = self._monotonic() + self._freeze_s
