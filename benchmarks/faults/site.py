"""Site: one folder with a store, a ledger and a shop, and how workers and customers use them.

Puts the product together as `app/` does, with moments around its steps, and a mutant's changes if there is one. Collects the
accounts of its sessions for the audit. Used by every experiment.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import cast

from ...app.maitred import Maitred
from ...protocol.errors import SessionBusy, StoreUnavailable
from ...protocol.ports import Clock, Store, ToolRunner
from ...runtime.turns import Times
from ...tools.runner import Runner
from .account import Account, Promise, Send
from .audit import audit
from .fuse import CALLS, STEPS, Watched
from .ledger import Ledger, Reply
from .mutant import FAITHFUL, Mutant
from .shop import SCENES, TEXTS, WORDS, Moment, Reworder, Shop, calm
from .stores import Kind, Opening

_INSIST = 20


class Site:
    """In `folder`, which must be new or have been one before."""

    def __init__(self, folder: Path, kind: Kind, mutant: Mutant = FAITHFUL) -> None:
        self.folder, self.kind, self.mutant = folder, kind, mutant
        self.ledger = Ledger(folder)
        self.shop = Shop(self.ledger)

    def open(
        self,
        moment: Moment = calm,
        *,
        opening: Opening | None = None,
        times: Times | None = None,
        clock: Clock | None = None,
    ) -> Maitred:
        """A worker. `moment` is awaited around each step of the store, each call and each effect."""
        self.shop.moment = moment
        opened = self.kind.open(self.folder, self.mutant.opened(opening or Opening()))
        store, runner = self.mutant.fit(
            cast(Store, Watched(opened, moment, STEPS)), cast(ToolRunner, Watched(Runner(), moment, CALLS))
        )
        return Maitred(self.shop.flow, store=store, runner=runner, decider=Reworder(), times=times, clock=clock)

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

    async def insist(self, maitred: Maitred, send: Send) -> str:
        """The same by a customer who sends again when the shop is too busy."""
        for _ in range(_INSIST):
            try:
                return await self.deliver(maitred, send)
            except (StoreUnavailable, SessionBusy):
                continue
        return await self.deliver(maitred, send)

    async def settle(self, maitred: Maitred, sends: Sequence[Send], promise: Promise = Promise.ALL) -> list[str]:
        """Send everything once more, and audit every session."""
        for send in sends:
            await self.deliver(maitred, send)
        effects, replies, found = self.ledger.effects(), self.ledger.replies(), []
        for session, own in groupby(sorted(sends, key=lambda send: send.session), key=lambda send: send.session):
            account = Account(
                flow=self.shop.flow,
                session=session,
                sent=tuple(own),
                replies=replies.get(session, ()),
                effects=effects.get(session, ()),
                records=await maitred.store.log(session),
                snapshot=await maitred.store.load(session),
                promise=promise,
            )
            found += audit(account)
        return found


@contextmanager
def new_site(kind: Kind, mutant: Mutant = FAITHFUL) -> Iterator[Site]:
    """A site in a new folder that is gone afterwards."""
    with TemporaryDirectory(prefix="maitred-faults-") as folder, kind.serving(Path(folder)):
        yield Site(Path(folder), kind, mutant)


def sends(session: str, scenes: Iterable[str], customer: str = "a") -> list[Send]:
    """A note first, for an event from outside needs a session; then the scenes."""
    words = " ".join(WORDS)
    return [Send(session, f"{customer}-{n}", f"{scene} {words}") for n, scene in enumerate(("note", *scenes))]


def some_scenes(rng: Random, n: int) -> list[str]:
    return rng.choices(list(SCENES), k=n)
