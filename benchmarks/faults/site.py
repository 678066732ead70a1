"""Site: one folder with a store, a ledger and a shop, and how workers and customers use them.

Puts the product together as `app/` does, with moments around its steps, and a mutant's changes if there is one. Collects the
accounts of its sessions for the audit. Used by every experiment.
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import cast

from ...app.maitred import Maitred
from ...protocol.errors import BadRequest, SessionBusy, StoreUnavailable
from ...protocol.ports import Clock, Store, ToolRunner
from ...runtime.turns import Times
from ...statemachine.flow import Flow
from ...tools.runner import Runner
from .account import Account, Promise, Send
from .audit import audit
from .child import Tell
from .fuse import CALLS, STEPS, watched
from .ledger import Ledger, Reply
from .mutant import FAITHFUL, Mutant
from .server import Server
from .shop import SCENES, TEXTS, WORDS, Moment, Reworder, Shop, SlowReworder, calm
from .stores import Kind, Opening

_INSIST = 20
_DOGGED, _PAUSE_S, _AT_ONCE = 400, 0.05, 8


class Site:
    """In `folder`, which must be new or have been one before. `running`: the server of its store, if it has one."""

    def __init__(self, folder: Path, kind: Kind, mutant: Mutant = FAITHFUL, running: Server | None = None) -> None:
        self.folder, self.kind, self.mutant, self._running = folder, kind, mutant, running
        self.ledger = Ledger(folder)
        self.shop = Shop(self.ledger)

    @property
    def server(self) -> Server:
        """Raises BadRequest for a store that has none."""
        if self._running is None:
            raise BadRequest(f"{self.kind.name} has no server that could be hurt")
        return self._running

    def open(
        self,
        moment: Moment = calm,
        *,
        waits: bool = False,
        opening: Opening | None = None,
        times: Times | None = None,
        clock: Clock | None = None,
        flows: Sequence[Flow] = (),
    ) -> Maitred:
        """A worker. `moment` is awaited around each step of the store, each call and each effect; `waits`: it waits for the loop,
        and so does the decider then. `flows`: the versions that it serves, if not just the shop's first."""
        self.shop.moment = moment
        opened = self.kind.open(self.folder, self.mutant.opened(opening or Opening()))
        store, runner = self.mutant.fit(
            cast(Store, watched(opened, moment, STEPS, waits=waits)),
            cast(ToolRunner, watched(Runner(), moment, CALLS, waits=waits)),
        )
        decider = SlowReworder() if waits else Reworder()
        flows = flows or (self.shop.flow,)
        return Maitred(flows=flows, store=store, runner=runner, decider=decider, times=times, clock=clock)

    async def deliver(self, maitred: Maitred, send: Send) -> str:
        """A customer sends, and writes down the reply that came."""
        if send.scene == "paid":
            reply = await maitred.post(send.session, "paid", {"id": send.message}, key=send.message)
        else:
            text = TEXTS.get(send.scene, send.text)
            reply = await maitred.say(send.session, text, message_id=send.message)
        body = reply.model_dump_json() if reply else ""
        await self.shop.moment()
        self.ledger.reply(Reply(send.session, send.message, body))
        await self.shop.moment()
        return body

    async def insist(self, maitred: Maitred, send: Send, *, tries: int = _INSIST, pause_s: float = 0.0) -> str:
        """The same by a customer who sends again, a little later, when the shop is too busy."""
        for _ in range(tries - 1):
            try:
                return await self.deliver(maitred, send)
            except (StoreUnavailable, SessionBusy):
                await asyncio.sleep(pause_s)
        return await self.deliver(maitred, send)

    async def serve_all(self, maitred: Maitred, rows: Iterable[Sequence[Send]], tell: Tell) -> None:
        """Rows of messages, some at once, by customers who do not give up; tells of each message that was answered."""
        waiting = iter(rows)

        async def one_after_the_other() -> None:
            for row in waiting:
                for send in row:
                    await self.insist(maitred, send, tries=_DOGGED, pause_s=_PAUSE_S)
                    tell(1)

        await asyncio.gather(*(one_after_the_other() for _ in range(_AT_ONCE)))

    async def settle(self, maitred: Maitred, sends: Sequence[Send], promise: Promise = Promise.ALL) -> list[str]:
        """Send everything once more, and audit every session."""
        for send in sends:
            await self.deliver(maitred, send)
        effects, replies, found = self.ledger.effects(), self.ledger.replies(), []
        for session, own in groupby(sorted(sends, key=lambda send: send.session), key=lambda send: send.session):
            snapshot = await maitred.store.load(session)
            account = Account(
                flow=maitred.version_of(snapshot) if snapshot else maitred.flow,
                session=session,
                sent=tuple(own),
                replies=replies.get(session, ()),
                effects=effects.get(session, ()),
                records=await maitred.store.log(session),
                snapshot=snapshot,
                promise=promise,
            )
            found += audit(account)
        return found


@contextmanager
def new_site(kind: Kind, mutant: Mutant = FAITHFUL) -> Iterator[Site]:
    """A site in a new folder that is gone afterwards."""
    with TemporaryDirectory(prefix="maitred-faults-") as name:
        folder = Path(name)
        with kind.serving(folder, mutant.opened(Opening())) as server:
            yield Site(folder, kind, mutant, server)


def sends(session: str, scenes: Iterable[str], customer: str = "a") -> list[Send]:
    """A note first, for an event from outside needs a session; then the scenes."""
    words = " ".join(WORDS)
    return [Send(session, f"{customer}-{n}", f"{scene} {words}") for n, scene in enumerate(("note", *scenes))]


def some_scenes(rng: Random, n: int) -> list[str]:
    return rng.choices(list(SCENES), k=n)
