"""Receivers: which channels let letters wait just now. Such a one is sent one letter at a time, until one arrives: whoever hangs
takes one place of those who work for all, and the conversations of other channels go on. Used by `outbox.py`; in memory.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

HANGS_S = 3.0
"""A letter that has not arrived after so long was kept waiting; one that is refused at once was not."""


class Receivers:
    """By the names of channels. `clock`: monotonic seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._hanging: set[str] = set()
        self._trying: Counter[str] = Counter()

    def admits(self, name: str) -> bool:
        """Whether one more letter may be sent there now."""
        return name not in self._hanging or not self._trying[name]

    @contextmanager
    def trying(self, name: str) -> Iterator[None]:
        """Around the sending of one letter."""
        began = self._clock()
        self._trying[name] += 1
        try:
            yield
        except Exception:
            if self._clock() - began >= HANGS_S:
                self._hanging.add(name)
            raise
        else:
            self._hanging.discard(name)
        finally:
            self._trying[name] -= 1
