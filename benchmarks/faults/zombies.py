"""Zombies: a worker is stopped with SIGSTOP at a sync point, sleeps past its lease while another takes over, and wakes.

What it does then must be refused or do no harm, and its customer reads the reply of the heir. Many sleep at once, each in a
session of its own, so that they wait out their leases together.
"""

import asyncio
import os
import signal
from functools import partial
from random import Random

from ...runtime.turns import Times
from .account import Send
from .child import Child, ChildBroke, Tell, in_child
from .experiment import Progress, Tally, audited, rounds
from .fuse import Fuse
from .kills import points_of
from .mutant import Mutant
from .shop import SCENES
from .site import Site, sends, some_scenes
from .stores import Kind, Opening

_AT_ONCE = 12
_SHORT = Opening(lease_s=0.2)
_NEVER_RENEWED = Times(renew_s=3600)  # a worker that is stopped renews nothing; nor may one that is merely slow


def zombies(kind: Kind, mutant: Mutant, rng: Random, n: int, progress: Progress) -> Tally:
    """Up to a dozen a round."""
    points = points_of(kind)

    def one(site: Site, tally: Tally, left: int) -> None:
        scenes = rng.choices(list(SCENES), k=min(_AT_ONCE, left))
        rows = [sends(f"s{i}", [scene, *some_scenes(rng, 1)]) for i, scene in enumerate(scenes)]
        tally.done += _sleep_and_wake(site, rows, [rng.randint(1, points[scene]) for scene in scenes])
        tally.violations += audited(site, [send for row in rows for send in row])

    return rounds(kind, mutant, n, progress, one)


def _sleep_and_wake(site: Site, rows: list[list[Send]], points: list[int]) -> int:
    """How many slept. The heir goes on: half of the sessions have moved on by a message when the zombie wakes."""
    sleepers = [Child(partial(_fall_asleep, site, row, at)) for row, at in zip(rows, points, strict=True)]
    asleep = [sleeper for sleeper in sleepers if sleeper.stopped()]
    try:
        in_child(partial(_inherit, site, rows))
    finally:
        for sleeper in asleep:
            os.kill(sleeper.pid, signal.SIGCONT)
        for sleeper in sleepers:
            sleeper.end()
    for sleeper in sleepers:
        if sleeper.code:
            raise ChildBroke(sleeper)
    return len(asleep)


async def _fall_asleep(site: Site, row: list[Send], at: int, tell: Tell) -> None:
    fuse = Fuse(how=signal.SIGSTOP)
    async with site.open(fuse.moment, opening=_SHORT, times=_NEVER_RENEWED) as maitred:
        await site.insist(maitred, row[0])
        fuse.set(at)
        await site.insist(maitred, row[1])


async def _inherit(site: Site, rows: list[list[Send]], tell: Tell) -> None:
    async with site.open() as maitred:

        async def one(i: int, row: list[Send]) -> None:
            for send in row[1 : 2 + i % 2]:
                await site.insist(maitred, send)

        await asyncio.gather(*(one(i, row) for i, row in enumerate(rows)))
