"""Work: what must come to its end even if the client goes away or the service is told to stop."""

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")


class Work:
    """Tasks in flight. `stopping` is set when the service is told to stop: streams that have no end of their own end then."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()
        self.stopping = asyncio.Event()

    def start(self, coroutine: Coroutine[object, object, T]) -> asyncio.Task[T]:
        """Begin it; whoever waits for the task waits with `asyncio.shield` or `asyncio.wait`."""
        task = asyncio.ensure_future(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[T]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # nobody may be left to read it

    async def drain(self, timeout_s: float) -> None:
        """Let it end; cancel what does not in time."""
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=timeout_s)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
