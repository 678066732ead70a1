"""AOF cuts: what a power cut leaves of Redis's append-only file. `power.py` does the same to SQLite's log.

A conversation is played, and at each of its moments it is noted how long the file was: with `appendfsync always` so much of it
was on disk. The file is cut at a random byte, and the ledger is put back to a moment at which power may have failed so: no more
than that was on disk, and no less was on its way. A server is started on what is left and the customer goes on.
- `always`: every promise holds.
- `everysec`: of such a short conversation nothing need be on disk yet. What is left must be a prefix of the log, whole, and the
  customer must be able to go on; an idempotent tool still takes effect once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle, pairwise
from random import Random
from typing import NamedTuple

from .account import Promise, Send
from .child import Tell, in_child
from .experiment import Progress, Tally, rounds
from .ledger import Effect, Reply
from .mutant import Mutant
from .power import go_on, remember
from .site import Site, sends, some_scenes
from .stores import Kind, Opening

_CUTS = 10
"""Of one conversation."""
_SCENES = 4


class _Moment(NamedTuple):
    """How many effects and replies there were; bytes of the file that were on disk, and that were written."""

    effects: int
    replies: int
    durable: int
    written: int


@dataclass(frozen=True, slots=True)
class _Played:
    """A conversation, and what came of it."""

    moments: Sequence[_Moment]
    effects: Sequence[Effect]
    replies: Sequence[Reply]
    records: Sequence[bytes]

    def failing(self, size: int, rng: Random) -> _Moment:
        """One at which a power cut may leave so many bytes. What is written up to the next moment may be on its way."""
        may = [now for now, then in pairwise(self.moments) if now.durable <= size <= then.written]
        return rng.choice(may)


def aof_cuts(kind: Kind, mutant: Mutant, rng: Random, n: int, progress: Progress) -> Tally:
    """Conversations with `always` and `everysec`, in turn."""
    turns = cycle((True, False))

    def one(site: Site, tally: Tally, left: int) -> None:
        row, always = sends("s1", some_scenes(rng, _SCENES)), next(turns)
        if not always:
            site.server.sync_later()
        played, cuts = _play(site, row), min(_CUTS, left)
        site.server.kill()
        written = site.server.log.stat().st_size
        setting, promise = ("always", Promise.ALL) if always else ("everysec", Promise.OLDER)
        for i in range(cuts):
            size = rng.randint(0, written)
            moment = played.failing(size, rng)
            found = _after(site, i, size, moment, row, played, promise)
            tally.violations += [f"{setting}, cut at {size} of {written}: {problem}" for problem in found]
        tally.done += cuts

    return rounds(kind, mutant, n, progress, one)


def _play(site: Site, row: Sequence[Send]) -> _Played:
    *moments, effects, replies, records = in_child(partial(_converse, site, row, site.server.synced))
    return _Played(
        moments=[_Moment(*moment) for moment in moments],
        effects=[Effect(*effect) for effect in effects],
        replies=[Reply(*reply) for reply in replies],
        records=[record.encode() for record in records],
    )


async def _converse(site: Site, row: Sequence[Send], synced: bool, tell: Tell) -> None:
    """Tells each moment, the first before anything was and the last when all is over; then effects, replies and records."""
    ledger, log = site.ledger, site.server.log

    async def seen() -> None:
        written = log.stat().st_size
        tell(_Moment(len(ledger.done), len(ledger.read), written if synced else 0, written))

    await seen()
    async with site.open(seen) as maitred:
        for send in row:
            await site.deliver(maitred, send)
        records = [record.body.decode() for record in await maitred.store.log(row[0].session)]
    await seen()
    for facts in (ledger.done, ledger.read, records):
        tell(facts)


def _after(
    site: Site, i: int, size: int, moment: _Moment, row: Sequence[Send], played: _Played, promise: Promise
) -> list[str]:
    """What is wrong once the customer has gone on."""
    folder = site.folder / f"cut{i}"
    site.server.copy_log(folder, size)
    with site.kind.serving(folder, Opening()) as server:
        left = Site(folder, site.kind, site.mutant, server)
        remember(left, played.effects[: moment.effects], played.replies[: moment.replies], promise)

        async def tell_findings(tell: Tell) -> None:
            for found in await go_on(left, row, played.records, promise):
                tell(found)

        return in_child(tell_findings)
