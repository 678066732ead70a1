"""Cancellations: the task of a turn is cancelled at every await, once or again in its recovery; then the message is sent again.

In every other round there is an await around each step of the store and each call, as with a store behind a network; in the
others the store is as it is, and a turn on one that answers at once has no task of its own until it first waits. The awaits of a
scene are counted in a dry run. A turn that is cancelled while it begins cannot give its lease
back, so the customer comes again when it is over.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Coroutine, Generator, Iterator
from itertools import cycle
from random import Random
from typing import Any

from ...app.maitred import Maitred
from .account import Send
from .child import Tell, in_child
from .experiment import Progress, Tally, rounds
from .fuse import pause
from .mutant import Mutant
from .shop import SCENES, calm
from .site import Site, sends, some_scenes
from .stores import Kind, Opening

_SESSIONS = 100
"""Per store file."""


class Canceller:
    """A task factory that counts the awaits of the first task it makes after `arm`, and cancels it at one of them.

    The first task that a message makes is its turn, made when it first waits; the caller only waits for it.
    """

    def __init__(self) -> None:
        self._at: int | None = None
        self._armed = False
        self.count = 0

    def arm(self, at: int | None) -> None:
        self._at, self._armed, self.count = at, True, 0

    def __call__(self, loop: asyncio.AbstractEventLoop, work: Any, **how: Any) -> "asyncio.Task[Any]":
        armed, self._armed = self._armed, False
        return asyncio.Task(self._counted(work) if armed else work, loop=loop, **how)

    async def _counted(self, work: Coroutine[Any, Any, Any]) -> Any:
        return await _Steps(work, self._step)

    def _step(self) -> None:
        self.count += 1
        if self.count == self._at and (task := asyncio.current_task()):
            task.cancel()


class _Steps:
    """A coroutine driven step by step; `step` is called whenever it waits."""

    def __init__(self, work: Coroutine[Any, Any, Any], step: Any) -> None:
        self._work, self._step = work, step

    def __await__(self) -> Generator[Any, Any, Any]:
        send, value = self._work.send, None
        while True:
            try:
                waiting = send(value)
            except StopIteration as end:
                return end.value
            self._step()
            try:
                send, value = self._work.send, (yield waiting)
            except BaseException as error:  # noqa: BLE001  # goes to whoever waits, as always
                send, value = self._work.throw, error


def cancellations(kind: Kind, mutant: Mutant, rng: Random, n: int, progress: Progress) -> Tally:
    """Some sessions a round; the first rounds go through every await of every scene."""

    ways, sessions = cycle((True, False)), Counter[bool]()

    def one(site: Site, tally: Tally, left: int) -> None:
        seed, waits = rng.random(), next(ways)
        start = sessions[waits]
        done, *found = in_child(lambda tell: _cancel(site, waits, start, left, Random(seed), tell))
        sessions[waits] += _SESSIONS
        tally.done += done
        tally.violations += found

    return rounds(kind, mutant, n, progress, one)


async def _cancel(site: Site, waits: bool, start: int, wanted: int, rng: Random, tell: Tell) -> None:
    """Cancel in up to `_SESSIONS` sessions; tells how often, and what the audit found."""
    canceller = Canceller()
    asyncio.get_running_loop().set_task_factory(canceller)
    leases = iter(range(0, sys.maxsize, 60))
    moment, opening = pause if waits else calm, Opening(clock=lambda: float(next(leases)))
    async with site.open(moment, waits=waits, opening=opening) as maitred:
        dry = await _awaits(site, maitred, canceller)
        sent, done = list[Send](), 0
        for i, (scene, at) in enumerate(_plans(dry, start, rng)):
            if done >= wanted or i >= _SESSIONS:
                break
            row = sends(f"s{i}", [scene, *some_scenes(rng, 1)])
            for send in row:
                for k in at if send is row[1] else ():
                    done += await _cancelled(site, maitred, canceller, send, k)
                await site.deliver(maitred, send)
            sent += row
        tell(done)
        for found in await site.settle(maitred, sent):
            tell(found)


async def _cancelled(site: Site, maitred: Maitred, canceller: Canceller, send: Send, at: int) -> bool:
    """Whether the turn was cancelled; False if it was over before."""
    canceller.arm(at)
    try:
        await site.deliver(maitred, send)
    except asyncio.CancelledError:
        return True
    return False


async def _awaits(site: Site, maitred: Maitred, canceller: Canceller) -> dict[str, int]:
    """How often the turn of each scene waits; without those that never do."""
    found = {}
    for scene in SCENES:
        for send in sends(f"dry-{scene}", [scene]):
            canceller.arm(None)
            await site.deliver(maitred, send)
        found[scene] = canceller.count
    return {scene: many for scene, many in found.items() if many}


def _plans(awaits: dict[str, int], start: int, rng: Random) -> Iterator[tuple[str, tuple[int, ...]]]:
    """One at each await of each scene, from number `start` on; then two, three and four, as chance will have it."""
    singles = [(scene, (at,)) for scene, many in awaits.items() for at in range(1, many + 1)]
    yield from singles[start:]
    while True:
        scene = rng.choice(list(awaits))
        yield scene, tuple(rng.randint(1, awaits[scene]) for _ in range(rng.randint(2, 4)))
