"""Upgrades: a worker dies at every sync point of every scene, and whoever goes on with the message serves the flow's next
version, which knows the older only by its migration. Sometimes the heir dies, too.

Each session begins with a worker of the older version and ends with heirs of the newer.
"""

from collections.abc import Sequence
from itertools import groupby
from random import Random

from .account import Send
from .child import Child, Tell
from .experiment import Progress, Tally, audited, rounds
from .fuse import Fuse
from .kills import died, plans_of, points_of
from .mutant import Mutant
from .site import Site, sends, some_scenes
from .stores import Kind

_SESSIONS = 20
"""Of a round."""


def upgrades(kind: Kind, mutant: Mutant, rng: Random, n: int, progress: Progress) -> Tally:
    """Deaths by plan, as in `kills`."""
    plans = plans_of(points_of(kind), rng)

    def one(site: Site, tally: Tally, left: int) -> None:
        planned = [next(plans) for _ in range(min(_SESSIONS, left))]
        row = [send for i, (scene, _) in enumerate(planned) for send in sends(f"s{i}", [scene, *some_scenes(rng, 1)])]
        for (_, deaths), (_, own) in zip(planned, groupby(row, key=lambda send: send.session), strict=True):
            tally.done += _session(site, list(own), deaths)
            progress(tally.done)
        tally.violations += audited(site, row, flows=(site.shop.flow, site.shop.next_flow))

    return rounds(kind, mutant, n, progress, one)


def _session(site: Site, row: list[Send], deaths: Sequence[int]) -> int:
    """A session, whose second message meets the deaths; how many there were."""
    at, count = 0, 0

    async def serve(tell: Tell) -> None:
        fuse = Fuse()
        async with site.open(fuse.moment, flows=(site.shop.next_flow if count else site.shop.flow,)) as maitred:
            for i, send in enumerate(row[at:], start=at):
                fuse.set(deaths[count] if i == 1 and count < len(deaths) else None)
                await site.deliver(maitred, send)
                fuse.set(None)
                tell("served")

    while at < len(row):
        worker = Child(serve)
        at += worker.end().count("served")
        count += died(worker)
    return count
