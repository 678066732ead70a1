"""Lost replies: between workers and server the line breaks, loses answers after the work was done, doubles requests, and delays
both until nobody waits for them any more.

Two workers, each behind a line of its own, serve the same customers, who send again when they are told `store_unavailable` or
`session_busy`. So one worker may take a turn over while a write of the other is still on its way.
"""

from dataclasses import replace
from functools import partial
from random import Random

from ...runtime.turns import Times
from .account import Send
from .child import Child, Tell
from .experiment import Progress, Tally, audited, counted, rounds
from .mutant import Mutant
from .proxy import Proxy
from .site import Site, sends, some_scenes
from .stores import Kind, Opening

_WORKERS = 2
_SESSIONS, _MESSAGES = 40, 3
_SHARE = 0.06
_SHORT = Opening(lease_s=0.6, answer_s=0.2)
_PATIENT = Times(renew_s=0.15, wait_s=5.0)


def lost_replies(kind: Kind, mutant: Mutant, rng: Random, n: int, progress: Progress) -> Tally:
    """A fault is a request that was not simply carried."""

    def one(site: Site, tally: Tally, left: int) -> None:
        rows = [sends(f"s{i}", some_scenes(rng, _MESSAGES)) for i in range(_SESSIONS)]
        tally.done += counted([Child(partial(_serve, site, rows, rng.random())) for _ in range(_WORKERS)])
        tally.violations += audited(site, [send for row in rows for send in row])

    return rounds(kind, mutant, n, progress, one)


async def _serve(site: Site, rows: list[list[Send]], seed: float, tell: Tell) -> None:
    """Tells how many faults there were."""
    async with Proxy(site.server.socket, Random(seed), _SHARE) as line:
        async with site.open(opening=replace(_SHORT, address=line.url), times=_PATIENT) as maitred:
            await site.serve_all(maitred, rows, lambda fact: None)
        tell(line.faults)
