"""Duplicates: every message of every session delivered again and again by six processes at once; one turn each, one reply.

Each process sends a session's messages in order and repeats of earlier ones in between, and now and then the same id with another
text, which must be refused. Nobody dies, so nothing may be in doubt.
"""

import asyncio
from functools import partial
from random import Random

from ...app.maitred import Maitred
from ...protocol.errors import RequestConflict
from .account import Promise, Send
from .child import Child, ChildBroke, Tell, hear_all
from .experiment import Progress, Tally, audited, rounds
from .mutant import Mutant
from .site import Site, sends, some_scenes
from .stores import Kind

PROCESSES = 6
SESSIONS = 50
_MESSAGES = 12
_TOLD_EVERY = 100
_FORGED = 0.02
"""So many of the deliveries are of another text under a known id."""


def duplicates(kind: Kind, mutant: Mutant, rng: Random, n: int, progress: Progress) -> Tally:
    """All in one round."""
    # Each process delivers each message once anyway; fewer sessions where that would be all.
    many = max(1, min(SESSIONS, n // (3 * PROCESSES * (_MESSAGES + 1))))
    each = -(-n // (PROCESSES * many))

    def one(site: Site, tally: Tally, left: int) -> None:
        rows = [sends(f"s{i}", some_scenes(rng, _MESSAGES)) for i in range(many)]
        workers = [Child(partial(_deliver_all, site, rows, each, rng.random())) for _ in range(PROCESSES)]
        for fact in hear_all(workers):
            if isinstance(fact, str):
                tally.violations.append(fact)
            else:
                tally.done += fact
                progress(tally.done)
        tally.violations += [str(ChildBroke(worker)) for worker in workers if worker.code]
        tally.violations += audited(site, [send for row in rows for send in row], Promise.CALM)

    return rounds(kind, mutant, n, progress, one)


async def _deliver_all(site: Site, rows: list[list[Send]], each: int, seed: float, tell: Tell) -> None:
    """All sessions at once, `each` deliveries in each. Tells how many were made, and each forged one that was answered."""
    rng = Random(seed)
    async with site.open() as maitred:
        await asyncio.gather(*(_customer(site, maitred, row, each, Random(rng.random()), tell) for row in rows))


async def _customer(site: Site, maitred: Maitred, row: list[Send], each: int, rng: Random, tell: Tell) -> None:
    made = told = 0
    for n, send in enumerate(row, start=1):
        await site.insist(maitred, send)
        made += 1
        while made < n * each // len(row):
            again = rng.choice(row[:n])
            if rng.random() < _FORGED and again.scene not in ("paid", "leave"):
                await _forge(site, maitred, again, tell)
            else:
                await site.insist(maitred, again)
            made += 1
        if made - told >= _TOLD_EVERY or n == len(row):
            tell(made - told)
            told = made


async def _forge(site: Site, maitred: Maitred, send: Send, tell: Tell) -> None:
    try:
        await site.insist(maitred, send._replace(text="note something else"))
    except RequestConflict:
        return
    tell(f"{send.session}: {send.message} was answered under another text")
