"""Mistakes about writes that were not answered: nobody can know whether they were made, and each of these thinks it knows.

As those of `mistakes.py`, whose wrappers they use; which experiment must find which is in `mutants.py`.
"""

from dataclasses import replace

from ...protocol.errors import StoreUnavailable
from ...protocol.log import chain
from ...protocol.messages import parse_message
from ...protocol.ports import Append, Lease, Store
from .mistakes import StoreAsItIs


class TakenForDone(StoreAsItIs):
    """The worker goes on as if the write had been made."""

    async def append(self, write: Append) -> None:
        try:
            await self.inner.append(write)
        except StoreUnavailable:
            return


class SentAgain(StoreAsItIs):
    """The client sends it again by itself, as redis-py does if it is let, to a store that adds records wherever its log ends."""

    async def append(self, write: Append) -> None:
        try:
            await self.inner.append(write)
        except StoreUnavailable:
            await self.inner.append(await self._wherever_it_ends(write))

    async def _wherever_it_ends(self, write: Append) -> Append:
        stored = await self.inner.load(write.lease.session_id)
        if stored is None:
            return write
        records, head = chain([parse_message(record.body) for record in write.records], stored.records, stored.head)
        moves = write.session.event_seq - write.after_event_seq
        session = write.session.model_copy(
            update={"records": stored.records + len(records), "head": head, "event_seq": stored.event_seq + moves}
        )
        reply = session.records if write.reply_record else None
        return replace(write, after_event_seq=stored.event_seq, session=session, records=records, reply_record=reply)


class TakenForNone(StoreAsItIs):
    """The turn is given back as one that left no trace."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self._unanswered: set[Lease] = set()

    async def append(self, write: Append) -> None:
        try:
            await self.inner.append(write)
        except StoreUnavailable:
            self._unanswered.add(write.lease)
            raise

    async def release(self, lease: Lease, *, untried: bool = False) -> None:
        await self.inner.release(lease, untried=untried or lease in self._unanswered)
