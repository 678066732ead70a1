"""LoopThread: an event loop in a daemon thread, for callers that have none. It ends with the program, whether closed or not."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from ..protocol.errors import BadRequest

T = TypeVar("T")


class LoopThread:
    """Starts with the first call, from whatever thread. After `close` it takes no more."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._closed = False

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`, or what it raises. Raises BadRequest in the loop itself, where waiting would never end."""
        with self._lock:
            problem = self._problem()
            if problem:
                work.close()
                raise BadRequest(problem)
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="maitred-loop")
                self._thread.start()
            loop = self._loop
        return asyncio.run_coroutine_threadsafe(work, loop).result()

    def _problem(self) -> str | None:
        if self._closed:
            return "it is closed"
        if self._thread is threading.current_thread():
            return "a plain bot or client cannot be called from inside its own turn"
        return None

    def close(self, last: Coroutine[Any, Any, object]) -> None:
        """Run `last`, then stop. The second time does nothing."""
        if self._closed:
            last.close()
            return
        self.call(last)
        with self._lock:
            self._closed = True
            if self._loop and self._thread:
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._thread.join()
                self._loop.close()
