"""Work: what must come to its end even if the client goes away or the service is told to stop."""

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

from ..protocol.errors import InternalError

T = TypeVar("T")


class ServiceStopping(InternalError):
    """The service was told to stop, and the work was not done in time. The same message again takes it up."""

    code = "service_stopping"


class Work:
    """Tasks in flight. `stopping` is set when the service is told to stop: streams that have no end of their own end then."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()
        self.stopping = asyncio.Event()
        self._stopped_at = 0.0
        self._given_up = False

    def start(self, coroutine: Coroutine[object, object, T]) -> asyncio.Task[T]:
        """Begin it; whoever waits for the task waits with `asyncio.shield` or `asyncio.wait`."""
        task = asyncio.ensure_future(self._seen_through(coroutine))
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def _seen_through(self, coroutine: Coroutine[object, object, T]) -> T:
        try:
            return await coroutine
        except asyncio.CancelledError:
            if self._given_up:  # whoever waits is told, in the form of any other error
                raise ServiceStopping("the service stops, and this was not done in time") from None
            raise

    def _ended(self, task: asyncio.Task[T]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # nobody may be left to read it

    def stop(self) -> None:
        """The service is told to stop; the time that all of it has begins to run."""
        if not self.stopping.is_set():
            self._stopped_at = asyncio.get_running_loop().time()
            self.stopping.set()

    def left_s(self, close_s: float) -> float:
        """Of the time that a stop may take."""
        return max(0.0, self._stopped_at + close_s - asyncio.get_running_loop().time())

    async def drain(self, timeout_s: float) -> None:
        """Let it end; give up what does not in time."""
        end = asyncio.get_running_loop().time() + timeout_s
        while self._tasks and (left_s := end - asyncio.get_running_loop().time()) > 0:
            await asyncio.wait(set(self._tasks), timeout=left_s)
        self._given_up = True
        late = set(self._tasks)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
