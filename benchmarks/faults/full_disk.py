"""Full disk: SQLite's log cannot grow at some write of a turn.

The turn is refused with a plain error; once there is room again, the customer comes back and all is well.
"""

from itertools import count
from random import Random

from ...protocol.errors import StoreUnavailable
from .child import Tell, in_child
from .disk import Disk
from .experiment import Progress, Tally, rounds
from .mutant import Mutant
from .site import Site, sends, some_scenes
from .stores import Kind, Opening

_SESSIONS = 20
"""Per store file."""
_MOST_WRITES = 40
"""A scene makes fewer."""


def full_disks(kind: Kind, mutant: Mutant, rng: Random, n: int, progress: Progress) -> Tally:
    """Some sessions a round."""

    def one(site: Site, tally: Tally, left: int) -> None:
        seed, wanted = rng.random(), min(_SESSIONS, left)
        done, *found = in_child(lambda tell: _fill(site, wanted, Random(seed), tell))
        tally.done += done
        tally.violations += found

    return rounds(kind, mutant, n, progress, one)


async def _fill(site: Site, wanted: int, rng: Random, tell: Tell) -> None:
    """Tells how often it was full, then what the audit found."""
    disk, leases, sent, done = Disk(), count(step=60), [], 0
    # Where nothing can be written a lease cannot be given back: the customer comes again when it is over.
    async with site.open(opening=Opening(clock=lambda: float(next(leases)))) as maitred:
        for i in range(10 * wanted):
            if done == wanted:
                break
            row = sends(f"s{i}", some_scenes(rng, 2))
            sent += row
            for send in row:
                disk.full_from = disk.writes + rng.randint(1, _MOST_WRITES) if send is row[1] else None
                try:
                    await site.deliver(maitred, send)
                except StoreUnavailable:
                    done += 1
                disk.full_from = None
                await site.deliver(maitred, send)
        tell(done)
        for found in await site.settle(maitred, sent):
            tell(found)
