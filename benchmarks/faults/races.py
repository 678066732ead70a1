"""Races: two workers with different messages for one session at the same time; all are served, each customer's in order.

Two customers write at once, each through a process of their own. Nobody dies, so nothing may be in doubt.
"""

from random import Random

from .account import Promise, Send
from .child import Child, ChildBroke, Tell, hear_all, in_child
from .mutant import Mutant
from .site import Site, new_site, sends, some_scenes
from .stores import Kind
from .tally import Progress, Tally

_MESSAGES = 4
_SESSIONS = 10


def races(kind: Kind, mutant: Mutant, rng: Random, n: int, progress: Progress) -> Tally:
    """A fault is a message that another one raced with."""
    tally = Tally()
    while tally.done < n and not tally.violations:
        rows = [
            [sends(f"s{i}", some_scenes(rng, _MESSAGES), customer) for customer in ("a", "b")] for i in range(_SESSIONS)
        ]
        with new_site(kind, mutant) as site:
            workers = [Child(lambda tell, who=who: _send_all(site, [row[who] for row in rows], tell)) for who in (0, 1)]
            tally.done += sum(hear_all(workers))
            tally.violations += [str(ChildBroke(worker)) for worker in workers if worker.code]
            try:
                tally.violations += in_child(lambda tell: _settle(site, rows, tell))
            except ChildBroke as error:
                tally.violations.append(str(error))
        progress(tally.done)
    return tally


async def _send_all(site: Site, rows: list[list[Send]], tell: Tell) -> None:
    async with site.open() as maitred:
        for row in rows:
            for send in row:
                await site.insist(maitred, send)
            tell(len(row))


async def _settle(site: Site, rows: list[list[list[Send]]], tell: Tell) -> None:
    async with site.open() as maitred:
        flat = [send for row in rows for own in row for send in own]
        for found in await site.settle(maitred, flat, Promise.CALM):
            tell(found)
