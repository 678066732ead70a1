"""Readiness: whether a turn could be written now, in every place that it is written to. Tried, for a place that can be read may
not take a write; at most once a second, however often it is asked. Called by `app.py`.
"""

import asyncio
import time
from collections.abc import Callable, Sequence

from ..protocol.errors import MaitredError
from ..protocol.ports import TellsReady

FRESH_S = 1.0


class Readiness:
    """`places`: the store and what lies beside it; of one that cannot tell it is believed. `clock`: monotonic seconds."""

    def __init__(self, places: Sequence[object], clock: Callable[[], float] = time.monotonic) -> None:
        self._places = [place for place in places if isinstance(place, TellsReady)]
        self._clock = clock
        self._until = 0.0
        self._error: MaitredError | None = None
        self._one_at_a_time = asyncio.Lock()

    async def error(self) -> MaitredError | None:
        """What is wrong; None: ready."""
        async with self._one_at_a_time:
            if self._clock() >= self._until:
                self._error = await self._tried()
                self._until = self._clock() + FRESH_S
            return self._error

    async def _tried(self) -> MaitredError | None:
        try:
            for place in self._places:
                await place.ready()
        except MaitredError as error:
            return error
        return None
