"""Restarts: redis-server is killed and started again on its file, over and over, while several workers serve.

All workers have the same customers, many at once. A customer who is told `store_unavailable` or `session_busy` sends the same
message again. A turn that lost its store cannot give its lease back, so leases are short and whoever comes next takes it over.
"""

from functools import partial
from random import Random
from time import sleep

from ...runtime.turns import Times
from .account import Send
from .child import Child, ChildBroke, Tell, hear_all
from .experiment import Progress, Tally, audited, rounds
from .mutant import Mutant
from .site import Site, sends, some_scenes
from .stores import Kind, Opening

_WORKERS = 3
_SESSIONS, _MESSAGES = 40, 3
_RESTARTS = 15
"""Of one round at most."""
_OFTEN = 0.06
"""So many of the messages served are followed by a crash."""
_SOON_S = 0.02
_SHORT = Opening(lease_s=0.6)
_PATIENT = Times(renew_s=0.15, wait_s=5.0)


def restarts(kind: Kind, mutant: Mutant, rng: Random, n: int, progress: Progress) -> Tally:
    """A fault is a restart with workers at work before and after."""

    def one(site: Site, tally: Tally, left: int) -> None:
        rows = [sends(f"s{i}", some_scenes(rng, _MESSAGES)) for i in range(_SESSIONS)]
        workers = [Child(partial(_serve, site, rows)) for _ in range(_WORKERS)]
        crashes = 0
        for _ in hear_all(workers):
            if crashes < min(_RESTARTS, left) and rng.random() < _OFTEN:
                sleep(rng.uniform(0, _SOON_S))
                site.server.kill()
                site.server.start()
                crashes += 1
                progress(tally.done + crashes)
        tally.done += crashes
        tally.violations += [str(ChildBroke(worker)) for worker in workers if worker.code]
        tally.violations += audited(site, [send for row in rows for send in row])

    return rounds(kind, mutant, n, progress, one)


async def _serve(site: Site, rows: list[list[Send]], tell: Tell) -> None:
    async with site.open(opening=_SHORT, times=_PATIENT) as maitred:
        await site.serve_all(maitred, rows, tell)
