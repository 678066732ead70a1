"""Waiting for code of others: within a time, in a thread if it blocks, and never longer because it does not want to stop.

`asyncio.wait_for` waits until a cancelled task has really ended; a tool that catches its cancellation would hold the turn for
ever. Here such a task is left behind.
"""

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

T = TypeVar("T")


class Broken(Exception):
    """What a tool raised cannot be raised in a turn (SystemExit, a cancellation of its own, ...); the text names it."""


async def within(timeout_s: float, work: Awaitable[T]) -> T:
    """The result of `work`, or what it raised; TimeoutError after `timeout_s` seconds."""
    task = asyncio.ensure_future(work)
    task.add_done_callback(_seen)
    try:
        await asyncio.wait({task}, timeout=timeout_s)
    finally:
        task.cancel()  # also when this turn itself is cancelled; nothing to a task that is done
    if not task.done():
        raise TimeoutError
    if task.cancelled():
        raise Broken("it cancelled itself")
    return task.result()


def _seen(task: "asyncio.Future[Any]") -> None:
    """Nobody may be left to read the exception of a task that was left behind."""
    if not task.cancelled():
        task.exception()


def asynchronous(function: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    """`function` as one to be awaited; a blocking one runs in a thread."""
    if inspect.iscoroutinefunction(function):

        async def guarded(*args: Any, **kwargs: Any) -> Any:
            try:
                return await function(*args, **kwargs)
            except (Exception, asyncio.CancelledError):
                raise
            except BaseException as error:  # SystemExit and the like would end the whole process
                raise Broken(f"it raised {type(error).__name__}") from error

        return guarded

    async def in_thread(*args: Any, **kwargs: Any) -> Any:
        result = await _own_thread(lambda: function(*args, **kwargs))
        return await result if inspect.isawaitable(result) else result

    return in_thread


async def _own_thread(work: Callable[[], Any]) -> Any:
    """Run in a daemon thread of its own: a tool that hangs for ever must neither fill a pool nor keep the process alive."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def settle(result: Any, error: BaseException | None) -> None:
        if done.done():  # timed out meanwhile
            return
        if error is None:
            done.set_result(result)
        elif isinstance(error, Exception) and not isinstance(error, StopIteration):  # a future takes no StopIteration
            done.set_exception(error)
        else:
            done.set_exception(Broken(f"it raised {type(error).__name__}"))

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except BaseException as raised:  # noqa: BLE001  # whatever it raises, the waiting turn must learn of it
            error = raised
        try:
            loop.call_soon_threadsafe(settle, result, error)
        except RuntimeError:  # the loop is closed: nobody waits any more
            return

    threading.Thread(target=run, daemon=True, name="maitred-tool").start()
    return await done
