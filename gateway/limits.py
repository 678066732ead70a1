"""Limits: how often one tenant may call, how many requests may be at work at once. In memory, per process. Pure but for the clock
that is given.
"""

from collections.abc import Callable


class Rate:
    """A bucket of `burst` requests per name, refilled with `per_s` a second."""

    def __init__(self, per_s: float, burst: int, clock: Callable[[], float]) -> None:
        self._per_s, self._burst, self._clock = per_s, float(burst), clock
        self._left: dict[str, tuple[float, float]] = {}

    def wait_s(self, name: str) -> float:
        """Takes one of `name`'s requests: 0, or the seconds until there is one."""
        now = self._clock()
        left, at = self._left.get(name, (self._burst, now))
        left = min(self._burst, left + (now - at) * self._per_s)
        if left < 1:
            return (1 - left) / self._per_s
        self._left[name] = (left - 1, now)
        return 0.0


class AtOnce:
    """At most `limit` at a time."""

    def __init__(self, limit: int) -> None:
        self._limit, self._now = limit, 0

    def enter(self) -> bool:
        """Whether there was room; then `leave` follows."""
        if self._now >= self._limit:
            return False
        self._now += 1
        return True

    def leave(self) -> None:
        self._now -= 1
