"""At once: run a coroutine in the caller's task until it first waits; only then does it get a task of its own.

A turn has to go on although its caller goes away, so it needs a task; but a turn that never waits cannot be left, and a task
costs as much as a fifth of it. Owns the hand-over. What runs before the first wait must not ask for the current task (as
`asyncio.timeout` does): it would get the caller's. Called by `turns.py`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from types import coroutine
from typing import Any, TypeVar, cast

T = TypeVar("T")


async def at_once(work: Coroutine[Any, Any, T], waits: Callable[["asyncio.Task[T]"], Awaitable[T]]) -> T:
    """The result of `work`. If it does not come at once, what `waits` makes of the task that has the rest of the work."""
    try:
        first = work.send(None)
    except StopIteration as done:
        return cast(T, done.value)
    return await waits(asyncio.ensure_future(_rest(work, first)))


@coroutine
def _rest(work: Coroutine[Any, Any, T], first: object) -> Generator[Any, Any, T]:
    """The work from its first wait on, which it asked for already."""
    while True:
        try:
            yield first
        except BaseException as error:  # noqa: BLE001  # the work's own matter, as is what it waits for next
            try:
                first = work.throw(error)
            except StopIteration as done:
                return cast(T, done.value)
        else:
            return cast(T, (yield from work))
