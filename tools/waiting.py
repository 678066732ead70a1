"""Waiting for tools: a blocking one runs in a thread of its own. How long anything is waited for: `protocol/waiting.py`."""

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable
from contextvars import copy_context
from typing import Any

from ..protocol.waiting import Broken, contained


def asynchronous(function: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    """`function` as one to be awaited; a blocking one runs in a thread."""
    if inspect.iscoroutinefunction(function):

        async def guarded(*args: Any, **kwargs: Any) -> Any:
            return await contained(function(*args, **kwargs))

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

    context = copy_context()  # of the turn: what a program keeps there (a trace, a tenant) holds in the thread, too

    def run() -> None:
        result, error = None, None
        try:
            result = context.run(work)
        except BaseException as raised:  # noqa: BLE001  # whatever it raises, the waiting turn must learn of it
            error = raised
        try:
            loop.call_soon_threadsafe(settle, result, error)
        except RuntimeError:  # the loop is closed: nobody waits any more
            return

    threading.Thread(target=run, daemon=True, name="maitred-tool").start()
    return await done
