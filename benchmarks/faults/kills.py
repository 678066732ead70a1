"""Kills: SIGKILL at every sync point of every scene, again during recovery, and at random moments. Over and over: a worker serves
a row of sessions, dies, and the next goes on with the message at which it died, until the row is done.

A row's deaths are planned: for a message, at which sync point its first worker dies, at which the second, and so on. A worker
without a plan dies when the parent chooses.
"""

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle, product
from random import Random
from time import sleep

from .account import Send
from .child import Child, ChildBroke, Tell, in_child
from .experiment import Progress, Tally, audited, rounds
from .fuse import Fuse
from .mutant import Mutant
from .shop import SCENES
from .site import Site, new_site, sends, some_scenes
from .stores import Kind

_PLANNED, _WILD = 20, 5
"""Sessions of a row."""
_MOST_DEATHS = 5
_LONGEST_LIFE_S = 0.01


@dataclass
class Row:
    """`deaths[i]`: at which sync points the workers of `sends[i]` die, in turn. `at`, `died`: how far the row is."""

    sends: list[Send] = field(default_factory=list)
    deaths: dict[int, tuple[int, ...]] = field(default_factory=dict)
    at: int = 0
    died: int = 0

    def next_death(self) -> int | None:
        planned = self.deaths.get(self.at, ())
        return planned[self.died] if self.died < len(planned) else None

    def served(self) -> None:
        self.at, self.died = self.at + 1, 0


def kills(kind: Kind, mutant: Mutant, rng: Random, n: int, progress: Progress) -> Tally:
    """Rows with a plan and rows without, in turn."""
    plans, turns = plans_of(points_of(kind), rng), cycle((True, False))

    def one(site: Site, tally: Tally, left: int) -> None:
        planned = next(turns)
        row = _planned_row(plans, rng, left) if planned else _wild_row(rng)
        while row.at < len(row.sends):
            at_random = not planned and tally.done < n
            tally.done += _live(site, row, rng.uniform(0, _LONGEST_LIFE_S) if at_random else None)
            progress(tally.done)
        tally.violations += audited(site, row.sends)

    return rounds(kind, mutant, n, progress, one)


def _live(site: Site, row: Row, seconds: float | None) -> bool:
    """A worker goes on with the row until its end, or its own: by plan, or so many seconds after it opened. Whether it died."""
    worker = Child(lambda tell: _serve(site, row, tell))
    if seconds is not None and worker.hear() is not None:
        sleep(seconds)
        os.kill(worker.pid, signal.SIGKILL)
    for fact in worker.end():
        if fact == "served":
            row.served()
    row.died += 1
    return died(worker)


def died(worker: Child) -> bool:
    """Whether a worker that has ended was killed. Raises ChildBroke if it broke."""
    if worker.code not in (0, -signal.SIGKILL):
        raise ChildBroke(worker)
    return worker.code != 0


async def _serve(site: Site, row: Row, tell: Tell) -> None:
    fuse = Fuse()
    async with site.open(fuse.moment) as maitred:
        tell("opened")
        while row.at < len(row.sends):
            fuse.set(row.next_death())
            await site.deliver(maitred, row.sends[row.at])
            fuse.set(None)
            tell("served")
            row.served()


def points_of(kind: Kind) -> dict[str, int]:
    """Sync points of each scene when nobody dies, counted in a dry run."""

    async def count(site: Site, tell: Tell) -> None:
        fuse = Fuse()
        async with site.open(fuse.moment) as maitred:
            for scene in SCENES:
                for send in sends(f"dry-{scene}", [scene]):
                    fuse.set(None)
                    await site.deliver(maitred, send)
                tell([scene, fuse.count])

    with new_site(kind) as site:
        return dict(in_child(lambda tell: count(site, tell)))


def plans_of(points: dict[str, int], rng: Random) -> Iterator[tuple[str, tuple[int, ...]]]:
    """One death at each point of each scene, then two at each pair, then up to five as chance will have it; each round mixed."""
    for depth in (1, 2):
        plans = [
            (scene, deaths) for scene, many in points.items() for deaths in product(range(1, many + 1), repeat=depth)
        ]
        rng.shuffle(plans)
        yield from plans
    while True:
        scene = rng.choice(list(points))
        depth = rng.randint(3, _MOST_DEATHS)
        yield scene, tuple(rng.randint(1, points[scene]) for _ in range(depth))


def _planned_row(plans: Iterator[tuple[str, tuple[int, ...]]], rng: Random, left: int) -> Row:
    """At the end of the bench a short one, for rows without a plan to have their share."""
    row = Row()
    while len(row.deaths) < _PLANNED and sum(map(len, row.deaths.values())) <= left * 2 // 3:
        scene, deaths = next(plans)
        row.deaths[len(row.sends) + 1] = deaths
        row.sends += sends(f"s{len(row.deaths)}", [scene, *some_scenes(rng, 1)])
    return row


def _wild_row(rng: Random) -> Row:
    return Row([send for n in range(_WILD) for send in sends(f"s{n}", some_scenes(rng, 3))])
