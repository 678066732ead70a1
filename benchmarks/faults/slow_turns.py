"""Slow turns: a tool that takes several times as long as a lease lasts, in a worker that lives. Nobody may take its turn over.

The lease clock is moved by hand, each time by less than a lease, with time for the worker to renew in between; each time another
worker tries to get in.
"""

import asyncio
from random import Random

from ...protocol.errors import SessionBusy
from ...runtime.turns import Times
from .account import Promise
from .child import Tell, in_child
from .experiment import Progress, Tally, rounds
from .mutant import Mutant
from .shop import SCENES
from .site import Site, sends
from .stores import Kind, Opening

_LEASE_S = 15.0
_TRIES = 4
_RENEW_S, _TIME_TO_RENEW_S, _REFUSED_WITHIN_S = 0.005, 0.03, 1.0
_SLOW = [name for name, scene in SCENES.items() if scene.calls]


def slow_turns(kind: Kind, mutant: Mutant, rng: Random, n: int, progress: Progress) -> Tally:
    """One turn a round."""

    def one(site: Site, tally: Tally, left: int) -> None:
        scene = rng.choice(_SLOW)
        tally.violations += in_child(lambda tell: _take_long(site, scene, tell))
        tally.done += 1

    return rounds(kind, mutant, n, progress, one)


async def _take_long(site: Site, scene: str, tell: Tell) -> None:
    """Tells what was found."""
    now, called, answer = [1e9], asyncio.Event(), asyncio.Event()

    async def slowly() -> None:
        called.set()
        await answer.wait()

    opening, row = Opening(lease_s=_LEASE_S, clock=lambda: now[0]), sends("s1", [scene])
    worker = site.open(opening=opening, times=Times(renew_s=_RENEW_S))
    other = site.open(opening=opening, times=Times(wait_s=0))
    async with worker, other:
        await site.deliver(worker, row[0])
        site.shop.moment = slowly
        turn = asyncio.ensure_future(site.deliver(worker, row[1]))
        await called.wait()
        for _ in range(_TRIES):
            now[0] += 0.9 * _LEASE_S
            await asyncio.sleep(_TIME_TO_RENEW_S)
            intruder = asyncio.ensure_future(other.say("s1", "note", message_id="b-0"))
            await asyncio.wait({intruder}, timeout=_REFUSED_WITHIN_S)
            if not (intruder.done() and isinstance(intruder.exception(), SessionBusy)):
                tell(f"{scene}: the turn of a worker that lives was taken over")
                break
        answer.set()
        await turn
        for found in await site.settle(worker, row, Promise.CALM):
            tell(found)
