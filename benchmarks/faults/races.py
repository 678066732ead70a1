"""Races: two workers with different messages for one session at the same time; all are served, each customer's in order.

Two customers write at once, each through a process of their own. Nobody dies, so nothing may be in doubt.
"""

from functools import partial
from random import Random

from .account import Promise, Send
from .child import Child, Tell
from .experiment import Progress, Tally, audited, counted, rounds
from .mutant import Mutant
from .site import Site, sends, some_scenes
from .stores import Kind

_MESSAGES = 4
_SESSIONS = 10


def races(kind: Kind, mutant: Mutant, rng: Random, n: int, progress: Progress) -> Tally:
    """A fault is a message that another one raced with."""

    def one(site: Site, tally: Tally, left: int) -> None:
        lines = [
            [send for i in range(_SESSIONS) for send in sends(f"s{i}", some_scenes(rng, _MESSAGES), customer)]
            for customer in ("a", "b")
        ]
        tally.done += counted([Child(partial(_send_all, site, line)) for line in lines])
        tally.violations += audited(site, [send for line in lines for send in line], Promise.CALM)

    return rounds(kind, mutant, n, progress, one)


async def _send_all(site: Site, line: list[Send], tell: Tell) -> None:
    async with site.open() as maitred:
        for send in line:
            await site.insist(maitred, send)
    tell(len(line))
