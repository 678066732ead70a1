"""Limits: how often one tenant may call, how many of its requests may be at work at once. In memory, per process. Pure but for
the clock that is given.
"""

from collections import Counter
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


class Room:
    """At most `each` of one name at a time, and `total` of all: no name alone shuts the others out."""

    def __init__(self, total: int, each: int) -> None:
        self._total, self._each = total, each
        self._now: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        return self._now.total()

    def enter(self, name: str) -> bool:
        """Whether there was room; then `leave` follows."""
        if self._now[name] >= self._each or self.taken >= self._total:
            return False
        self._now[name] += 1
        return True

    def leave(self, name: str) -> None:
        self._now[name] -= 1
        if not self._now[name]:
            del self._now[name]
