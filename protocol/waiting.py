"""Waiting for code of others, tools and deciders: within a time, and never longer because it does not want to stop.

`asyncio.wait_for` waits until a cancelled task has really ended; code that catches its cancellation would hold the turn for ever.
Here such a task is left behind.
"""

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

T = TypeVar("T")


class Broken(Exception):
    """What foreign code raised cannot be raised in a turn (SystemExit, a cancellation of its own, ...); the text names it."""


class Late(TimeoutError):
    """The time is up; unlike a TimeoutError that the work itself raised."""


def is_immediate(port: object, method: str) -> bool:
    """Whether the object says that this method never waits for the event loop: `immediate = True`, in the class that has it.

    One that overrides the method has to say so anew, for it may ask a network.
    """
    owner = next((kind for kind in type(port).__mro__ if method in kind.__dict__), None)
    return owner is not None and owner.__dict__.get("immediate") is True


async def within(timeout_s: float, work: Awaitable[T]) -> T:
    """The result of `work`, or what it raised; Late after `timeout_s` seconds."""
    task = asyncio.ensure_future(work)
    task.add_done_callback(_seen)
    try:
        await asyncio.wait({task}, timeout=timeout_s)
    finally:
        task.cancel()  # also when this turn itself is cancelled; nothing to a task that is done
    if not task.done():
        raise Late
    if task.cancelled():
        raise Broken("it cancelled itself")
    return task.result()


def _seen(task: "asyncio.Future[Any]") -> None:
    """Nobody may be left to read the exception of a task that was left behind."""
    if not task.cancelled():
        task.exception()


async def contained(work: Awaitable[T]) -> T:
    """The result of `work`; SystemExit and the like, which would end the whole process, become Broken."""
    try:
        return await work
    except (Exception, asyncio.CancelledError):
        raise
    except BaseException as error:
        raise Broken(f"it raised {type(error).__name__}") from error
