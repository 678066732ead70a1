"""Clocks: three workers on one store, each with clocks of its own that jump by minutes and days, forwards and back.

A worker that is ahead takes leases that are not over; one that is behind waits for leases that are. So a turn may be taken over
in the middle, so often that it is handed to a human; but nothing may be lost or done twice.
"""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from functools import partial
from random import Random

from .account import Send
from .child import Child, Tell
from .experiment import Progress, Tally, audited, counted, rounds
from .mutant import Mutant
from .site import Site, sends, some_scenes
from .stores import Kind, Opening

_WORKERS = 3
_SESSIONS = 10
_MESSAGES = 4
_LEASE_JUMPS_S = (0.0, 30.0, -30.0, 300.0)
_DAY_JUMPS = (0, 1, -1, 3)


class JumpyClock:
    """Every few readings another offset."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.jumps = 0
        self._seconds, self._days = 0.0, 0

    def seconds(self) -> float:
        if self._rng.random() < 0.2:
            self.jumps += 1
            self._seconds, self._days = self._rng.choice(_LEASE_JUMPS_S), self._rng.choice(_DAY_JUMPS)
        return time.time() + self._seconds

    def date(self) -> datetime:
        return datetime.now(UTC) + timedelta(days=self._days)


def clock_jumps(kind: Kind, mutant: Mutant, rng: Random, n: int, progress: Progress) -> Tally:
    """The workers serve the same sessions at the same time."""

    def one(site: Site, tally: Tally, left: int) -> None:
        line = [send for i in range(_SESSIONS) for send in sends(f"s{i}", some_scenes(rng, _MESSAGES))]
        tally.done += counted([Child(partial(_work, site, line, rng.random())) for _ in range(_WORKERS)])
        tally.violations += audited(site, line, opening=Opening(clock=lambda: time.time() + 3600))

    return rounds(kind, mutant, n, progress, one)


async def _work(site: Site, line: list[Send], seed: float, tell: Tell) -> None:
    clock = JumpyClock(Random(seed))
    async with site.open(_breath, waits=True, opening=Opening(clock=clock.seconds), clock=clock.date) as maitred:
        for send in line:
            await site.insist(maitred, send)
    tell(clock.jumps)


async def _breath() -> None:
    """Long enough for another process to come in between."""
    await asyncio.sleep(0.0005)
