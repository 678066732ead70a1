"""PerLoop: what lives only as long as the event loop that it was made in, such as connections, and is made anew in the next.

A bot that is not asynchronous itself calls `asyncio.run` for every message, and each such call is a loop of its own. Used by the
edges that keep connections: stores and the model's client.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from typing import Generic, TypeVar

from .errors import BadRequest

T = TypeVar("T")


async def _nothing(value: object) -> None:
    pass


class PerLoop(Generic[T]):
    """`make`: the value for a loop; the first is made at once, so that what cannot be made is found early. `leave`: closes a
    value; called when its loop ends, if it ends as `asyncio.run` does."""

    __slots__ = ("_end", "_leave", "_loop", "_make", "_value")

    def __init__(self, make: Callable[[], T], leave: Callable[[T], Awaitable[object]] = _nothing) -> None:
        self._make, self._leave = make, leave
        self._value = make()
        self._loop: asyncio.AbstractEventLoop | None = None

    def __call__(self) -> T:
        """The value of the running loop. Raises BadRequest while the loop of before still runs, in another thread that is."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._move(loop)
        return self._value

    def _move(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._loop is not None:
            if self._loop.is_running():
                raise BadRequest("what serves the event loop of one thread cannot serve another's; make one for each")
            self._value = self._make()
        self._loop = loop
        self._end = _left_at_the_end(self._value, self._leave)
        with suppress(StopIteration):
            self._end.asend(None).__await__().send(None)  # up to its yield: from here on the loop knows it


async def _left_at_the_end(value: T, leave: Callable[[T], Awaitable[object]]) -> AsyncGenerator[None, None]:
    """A loop that ends closes the asynchronous generators begun in it: the one moment to do it in the loop's own way."""
    try:
        yield
    finally:
        await leave(value)
