"""Power: what a power cut leaves of SQLite's write-ahead log. kill -9 never tests that, for the kernel keeps what was written.

A conversation is played on a watched disk. A moment of it is chosen, and the log is cut at a random byte behind what was synced
by then: exactly what may be left. With the ledger as it was at that moment, the store is opened again and the customer goes on.
- synchronous FULL (the default): every promise holds.
- NORMAL: nothing is synced at a commit, so the cut is at any byte. What is left must be a prefix of the log that was, whole, and
  the customer must be able to go on; an idempotent tool still takes effect once.
"""

import os
import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from random import Random

from .account import Promise, Send
from .child import Tell, in_child
from .disk import Disk
from .experiment import Progress, Tally, rounds
from .ledger import Effect, Reply
from .mutant import Mutant
from .site import Site, sends, some_scenes
from .stores import Kind, Opening, sqlite_file

_CUTS = 10
"""Of one conversation."""
_SCENES = 4
_LATER = Opening(clock=lambda: time.time() + 3600)  # the leases of before the cut are over


@dataclass(frozen=True, slots=True)
class _Cut:
    """Power fails when so many effects and replies were there; of the log `left` bytes are."""

    effects: int
    replies: int
    left: int


def wal_cuts(kind: Kind, mutant: Mutant, rng: Random, n: int, progress: Progress) -> Tally:
    """Conversations with FULL and NORMAL, in turn."""
    turns = cycle((True, False))

    def one(site: Site, tally: Tally, left: int) -> None:
        row, seed = sends("s1", some_scenes(rng, _SCENES)), rng.random()
        durable, cuts = next(turns), min(_CUTS, left)
        tally.violations += in_child(lambda tell: _play_and_cut(site, row, durable, cuts, Random(seed), tell))
        tally.done += cuts

    return rounds(kind, mutant, n, progress, one)


async def _play_and_cut(site: Site, row: Sequence[Send], durable: bool, cuts: int, rng: Random, tell: Tell) -> None:
    moments: list[tuple[int, int, int, int]] = []
    ledger = site.ledger
    disk = Disk()
    disk.seen = lambda: moments.append((len(ledger.done), len(ledger.read), disk.synced, disk.size))

    async def seen() -> None:
        disk.seen()

    async with site.open(seen, opening=Opening(durable=durable)) as maitred:
        for send in row:
            await site.deliver(maitred, send)
        disk.seen = lambda: None  # what the cuts do to their copies is no moment of this conversation
        whole = [record.body for record in await maitred.store.log(row[0].session)]
        promise = Promise.ALL if durable else Promise.OLDER
        for i in range(cuts):
            effects, replies, synced, size = rng.choice(moments)
            cut = _Cut(effects, replies, rng.randint(synced, size))
            for found in await go_on(_left(site, site.folder / f"cut{i}", cut, promise), row, whole, promise):
                tell(f"{'FULL' if durable else 'NORMAL'}, cut at {cut.left} of {size}: {found}")


async def go_on(left: Site, row: Sequence[Send], whole: Sequence[bytes], promise: Promise) -> list[str]:
    """What is wrong once the customer has gone on with what a cut left. `whole`: the records that there were."""
    async with left.open(opening=_LATER) as maitred:
        records = [record.body for record in await maitred.store.log(row[0].session)]
        if records != list(whole[: len(records)]):
            return [f"{len(records)} records are left that are not the first of the {len(whole)}"]
        for send in row:
            await left.deliver(maitred, send)
        return await left.settle(maitred, row, promise)


def _left(site: Site, folder: Path, cut: _Cut, promise: Promise) -> Site:
    """A copy of the site as the cut leaves it."""
    folder.mkdir()
    for end in ("", "-wal"):
        shutil.copy(f"{sqlite_file(site.folder)}{end}", f"{sqlite_file(folder)}{end}")
    os.truncate(f"{sqlite_file(folder)}-wal", cut.left)
    left = Site(folder, site.kind, site.mutant)
    remember(left, site.ledger.done[: cut.effects], site.ledger.read[: cut.replies], promise)
    return left


def remember(left: Site, effects: Iterable[Effect], replies: Iterable[Reply], promise: Promise) -> None:
    """What the world knows of the time before the cut. Replies are held to only where they must stand."""
    for effect in effects:
        left.ledger.effect(effect, once=False)
    for reply in replies if promise is Promise.ALL else ():
        left.ledger.reply(reply)
