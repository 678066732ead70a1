"""Webhooks: the one place that puts the parts together, and the loop that works on what is due. Made by `app.py`.

Several processes may work on one store: whoever claims a conversation has it.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TypeVar

from ...app.maitred import Maitred
from ...protocol.errors import BadRequest, StoreUnavailable
from ..limits import Rate
from ..outage import Outage
from ..turns import AfterTurn
from ..work import Work
from .boxes import Boxes, MemoryBoxes, boxes_beside
from .channel import Channel
from .conversation import Conversation, looked_for, received
from .inbox import LEASE_S, Inbox
from .outbox import SEND_LEASE_S, Outbox
from .posting import Posting
from .words import Entry, Place

logger = logging.getLogger("maitred.gateway")
T = TypeVar("T")

AT_ONCE = 16
POLL_S = 0.2
_DUE_AT_ONCE = 10_000
_PAUSE_S = 1.0
_OVER_S = 300.0
"""Longer than an event from outside, or a look at all deadlines, takes: what a process that dies in it leaves is found then."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """A channel and what is set for it. `tenant`: whose sessions its conversations are. `settle_s`: so long a customer may pause
    between messages that are one turn. `per_s`, `burst`: calls."""

    channel: Channel
    tenant: str
    settle_s: float = 2.0
    body_bytes: int = 1_000_000
    per_s: float = 50.0
    burst: int = 200


class Full(BadRequest):
    """More messages wait in a conversation than anybody writes."""

    code = "too_many_waiting"


class Webhooks:
    """All webhooks of a service; without any it does nothing. `inbox_lease_s`, `outbox_lease_s`: for a worker to be silent."""

    def __init__(
        self,
        maitred: Maitred,
        webhooks: Sequence[Webhook],
        after_turn: AfterTurn | None = None,
        *,
        boxes: Boxes | None = None,
        keep_days: float = 30.0,
    ) -> None:
        self.named = {webhook.channel.name: webhook for webhook in webhooks}
        if len(self.named) < len(webhooks):
            raise BadRequest("two webhooks have the same name")
        self._maitred, self._after_turn, self._keep_days = maitred, after_turn, keep_days
        self.rates = {name: Rate(w.per_s, w.burst, time.monotonic) for name, w in self.named.items()}
        self.boxes = boxes or (boxes_beside(maitred, keep_days) if webhooks else MemoryBoxes())
        self.inbox_lease_s, self.outbox_lease_s = LEASE_S, SEND_LEASE_S
        self._channels = {name: webhook.channel for name, webhook in self.named.items()}

    async def receive(self, webhook: Webhook, place: Place, entry: Entry) -> None:
        """Take in one message, durably. Raises Full, StoreUnavailable."""

        def step(c: Conversation | None, now: float) -> Conversation | None:
            c = c or Conversation(place=place)
            if c.is_full and entry.sender_kind == "customer" and entry.message_id not in c.seen:
                raise Full(f"{len(c.entries)} messages of this conversation wait to be answered")
            return received(c, entry, now, webhook.settle_s)

        await self.boxes.change(place.session(webhook.tenant, self._maitred.flow.name), step)

    async def carried(self, session: str, work: Callable[[], Coroutine[object, object, T]]) -> T:
        """Do what may say something to a session's customer from outside; the words go out even if the process dies in it."""
        await self._look((session,), _OVER_S)
        try:
            return await work()
        finally:
            await self._look((session,), 0.0)

    async def tick(self) -> None:
        """`Maitred.tick`, whose words go out in the same way; then forget what is long over."""
        soon = datetime.now(UTC) + timedelta(seconds=1)
        due = await self._maitred.store.due(soon, _DUE_AT_ONCE) if self.named else ()
        await self._look(due, _OVER_S)
        replies = await self._maitred.tick()
        await self._look({*due, *(reply.session_id for reply in replies)}, 0.0)
        if self.named:
            await self.boxes.forget(self._keep_days)

    async def _look(self, sessions: Iterable[str], in_s: float) -> None:
        if not self.named:
            return
        for session in sessions:
            await self.boxes.change(session, lambda c, now: looked_for(c, now + in_s) if c else None)
            await asyncio.sleep(0)  # there may be thousands, and others wait, too

    @asynccontextmanager
    async def working(self, work: Work, close_s: float) -> AsyncIterator[None]:
        """Work on what is due, until the service is told to stop; what is begun then has `close_s` to end."""
        if not self.named:
            yield
            return
        busy: dict[str, asyncio.Task[None]] = {}
        async with Posting() as posting:
            inbox = Inbox(self._maitred, self.boxes, self._channels, self._after_turn, self.inbox_lease_s)
            outbox = Outbox(self.boxes, self._channels, posting, self.outbox_lease_s)
            loop = asyncio.ensure_future(self._work(inbox, outbox, busy, work.stopping))
            try:
                yield
            finally:
                loop.cancel()
                await asyncio.gather(loop, return_exceptions=True)
                work.stop()
                await _end(list(busy.values()), work.left_s(close_s))
        await self.boxes.close()

    async def _work(
        self, inbox: Inbox, outbox: Outbox, busy: dict[str, asyncio.Task[None]], stopping: asyncio.Event
    ) -> None:
        outage = Outage("the inbox of the webhooks")
        while not stopping.is_set():
            pause_s = POLL_S
            try:
                for session in await self.boxes.waiting():
                    if session not in busy and len(busy) < AT_ONCE:
                        busy[session] = asyncio.ensure_future(_serve(session, inbox, outbox))
                        busy[session].add_done_callback(partial(_gone, busy, session))
            except StoreUnavailable as error:
                outage.on(error)
                pause_s = _PAUSE_S
            except Exception:
                logger.exception("the inbox of the webhooks cannot be read")
                pause_s = _PAUSE_S
            else:
                outage.over()
            if len(busy) >= AT_ONCE:
                await asyncio.wait(busy.values(), timeout=pause_s, return_when=asyncio.FIRST_COMPLETED)
            else:
                await asyncio.sleep(pause_s)


def _gone(busy: dict[str, asyncio.Task[None]], session: str, task: asyncio.Task[None]) -> None:
    del busy[session]


async def _serve(session: str, inbox: Inbox, outbox: Outbox) -> None:
    try:
        while await inbox.serve(session) or await outbox.send(session):
            pass
    except StoreUnavailable as error:
        logger.warning("conversation %s waits for the store: %s", session, error)
        await asyncio.sleep(_PAUSE_S)
    except Exception:
        logger.exception("conversation %s failed; it is tried again", session)
        await asyncio.sleep(_PAUSE_S)


async def _end(tasks: Sequence[asyncio.Task[None]], close_s: float) -> None:
    """Let them end; what does not in time is taken over by whoever comes next."""
    if tasks:
        _, late = await asyncio.wait(tasks, timeout=close_s)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
