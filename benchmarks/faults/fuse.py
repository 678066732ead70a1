"""Fuse: counts the sync points of a turn and gives this process a signal at the one it is set to.

A sync point is before or after a step of the store, a tool call, an effect, or a reply that is read. Knows no turn.
"""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from typing import Any

from .shop import Moment

STEPS = ("begin", "append", "renew", "release")
CALLS = ("run", "recover")


class Fuse:
    """`at`: at which moment from now on; None never burns. `how`: SIGKILL, or SIGSTOP for a zombie."""

    def __init__(self, at: int | None = None, how: signal.Signals = signal.SIGKILL) -> None:
        self._how = how
        self.set(at)

    def set(self, at: int | None) -> None:
        """Count anew."""
        self.at, self.count = at, 0

    async def moment(self) -> None:
        self.count += 1
        if self.count == self.at:
            os.kill(os.getpid(), self._how)


async def pause() -> None:
    """A moment at which a task can be cancelled, as every step of a store behind a network is one."""
    await asyncio.sleep(0)


class _Watched:
    def __init__(self, inner: object) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def watched(inner: object, moment: Moment, names: tuple[str, ...], *, waits: bool) -> object:
    """A port whose methods `names` have a moment before and one after. `waits`: the moment waits for the event loop; otherwise
    the port is as immediate as it was, for turns then take a way of their own."""
    methods = {name: staticmethod(around(getattr(inner, name), moment)) for name in names}
    immediate = getattr(inner, "immediate", False) and not waits
    return type("Watched", (_Watched,), {**methods, "immediate": immediate})(inner)


def around(work: Callable[..., Awaitable[Any]], moment: Moment) -> Callable[..., Awaitable[Any]]:
    """`work` between two moments."""

    async def watched(*args: Any, **kwargs: Any) -> Any:
        await moment()
        result = await work(*args, **kwargs)
        await moment()
        return result

    return watched
