"""Hang-ups: a connection breaks after so many steps of the loop, so the caller of a turn is cancelled; the customer comes
back at once, through the same worker, while the turn may still run.

The turn goes on without its caller, and the repeat joins it or reads its reply. The worker lives, so nothing may be in doubt.
Every other round the store is as it is: a turn runs in its caller's own task then until it first waits.
"""

import asyncio
from itertools import cycle
from random import Random

from ...app.maitred import Maitred
from .account import Promise, Send
from .child import Tell, in_child
from .experiment import Progress, Tally, rounds
from .fuse import pause
from .mutant import Mutant
from .shop import calm
from .site import Site, sends, some_scenes
from .stores import Kind

_SESSIONS, _MESSAGES = 50, 4
_STEPS = 30


def hang_ups(kind: Kind, mutant: Mutant, rng: Random, n: int, progress: Progress) -> Tally:
    """Many sessions at once. A fault is a caller that was gone before its reply came."""
    ways = cycle((False, True))

    def one(site: Site, tally: Tally, left: int) -> None:
        seed, waits = rng.random(), next(ways)
        done, *found = in_child(lambda tell: _serve(site, waits, Random(seed), tell))
        tally.done += done
        tally.violations += found

    return rounds(kind, mutant, n, progress, one)


async def _serve(site: Site, waits: bool, rng: Random, tell: Tell) -> None:
    """Tells how many hung up; then what the audit found."""
    rows = [sends(f"s{i}", some_scenes(rng, _MESSAGES)) for i in range(_SESSIONS)]
    async with site.open(pause if waits else calm, waits=waits) as maitred:
        tell(sum(await asyncio.gather(*(_customer(site, maitred, row, Random(rng.random())) for row in rows))))
        for found in await site.settle(maitred, [send for row in rows for send in row], Promise.CALM):
            tell(found)


async def _customer(site: Site, maitred: Maitred, row: list[Send], rng: Random) -> int:
    left = 0
    for send in row:
        call = asyncio.ensure_future(site.deliver(maitred, send))
        for _ in range(rng.randrange(_STEPS)):
            await asyncio.sleep(0)
        left += call.cancel()
        await asyncio.wait({call})
        await site.deliver(maitred, send)
    return left
