"""Inbox: a conversation's waiting messages become one turn, and what its session has to say becomes letters.

Each step may be done again by whoever takes over from a dead process: a batch stays as it was claimed, the turn and the return
have ids made from it, and words are read from the log behind a cursor that moves in the same write as they are put out.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from pydantic import ValidationError

from ...app.maitred import Maitred
from ...fallback.language import first_language
from ...protocol.errors import BadRequest, MaitredError, UnknownSession
from ...protocol.messages import UserRequest, explain
from ...protocol.session import Session
from ...statemachine.parts import Terminal
from ..turns import AfterTurn, take_turn
from .boxes import Boxes
from .channel import Channel
from .conversation import Conversation, claimed, counted_from, finished, put_back, renewed
from .letters import letters_behind
from .sentences import FAILED
from .words import Entry, Letter, digest, turn_id

logger = logging.getLogger("maitred.gateway")

LEASE_S = 30.0
GIVE_UP_AFTER = 8
_LONGEST_WAIT_S = 60.0


class Inbox:
    """`channels`: by name. `lease_s`: how long a worker may be silent."""

    def __init__(
        self,
        maitred: Maitred,
        boxes: Boxes,
        channels: Mapping[str, Channel],
        after_turn: AfterTurn | None,
        lease_s: float,
    ) -> None:
        self._maitred, self._boxes, self._channels = maitred, boxes, channels
        self._after_turn, self._lease_s = after_turn, lease_s

    async def serve(self, session: str) -> bool:
        """Do what is due in one conversation; False if nothing is."""
        claim = await self._boxes.change(session, lambda c, now: claimed(c, now, self._lease_s) if c else None)
        if claim is None:
            return False
        try:
            async with self._held(session, claim):
                await self._serve(session, claim)
        except Exception as error:  # noqa: BLE001  # it is logged there, and tried again
            await self._failed(session, claim, error)
        return True

    async def _serve(self, session: str, claim: Conversation) -> None:
        stored = await self._session(session)
        records = stored.records if stored else 0
        start = records if claim.cursor is None else min(claim.cursor, records)  # fewer: the session was purged
        if claim.cursor is None:
            await self._boxes.change(session, lambda c, _: counted_from(c, claim.inbox.fence, start) if c else None)
        if claim.back and stored and stored.state == Terminal.ESCALATED:
            await self._give_back(session, claim)
            stored = await self._session(session)
        batch = sorted((entry for _, entry in claim.entries[: claim.batch]), key=lambda entry: entry.ts)
        if batch and claim.control in (None, "bot") and (stored is None or stored.state != Terminal.ESCALATED):
            await take_turn(self._maitred, self._request(session, claim, batch), self._after_turn)
        log = await self._maitred.store.log(session)
        channel = self._channels.get(claim.place.channel)
        letters = letters_behind(log, start, channel.max_bytes if channel else Channel.max_bytes)
        await self._boxes.change(session, lambda c, now: finished(c, claim, now, len(log), letters) if c else None)

    async def _session(self, session: str) -> Session | None:
        try:
            return await self._maitred.session(session)
        except UnknownSession:
            return None

    async def _give_back(self, session: str, claim: Conversation) -> None:
        try:
            await self._maitred.resume(session, key=f"back-{digest(claim.back)}")
        except BadRequest:
            pass  # somebody gave it back meanwhile

    def _request(self, session: str, claim: Conversation, batch: list[Entry]) -> UserRequest:
        """The messages as one: what a customer sends in three parts is one thing to say."""
        text = "\n".join(entry.text for entry in batch if entry.text.strip())
        base = self._maitred.request(session, text, message_id=turn_id(claim.place, batch[0].message_id))
        files = [file for entry in batch for file in entry.attachments][:20]
        try:
            return UserRequest.model_validate({**base.model_dump(), "attachments": files})
        except ValidationError as error:
            raise BadRequest(f"not a user_request: {explain(error)}") from error

    @asynccontextmanager
    async def _held(self, session: str, claim: Conversation) -> AsyncIterator[None]:
        """The claim is renewed while it is worked on."""
        task = asyncio.ensure_future(self._renew(session, claim.inbox.fence))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _renew(self, session: str, fence: int) -> None:
        while True:
            await asyncio.sleep(self._lease_s / 3)
            try:
                await self._boxes.change(session, lambda c, now: renewed(c, fence, now + self._lease_s) if c else None)
            except Exception:
                logger.exception("the claim of %s was not renewed", session)

    async def _failed(self, session: str, claim: Conversation, error: Exception) -> None:
        """Again later; in the end a human is called."""
        # Ours have a plain text, and a trace of what caused it may show what a customer wrote; so may the text of any other.
        known = isinstance(error, MaitredError)
        said = error if known else type(error).__name__
        logger.error(
            "messages of %s failed, attempt %d: %s", session, claim.tries, said, exc_info=None if known else error
        )
        fence = claim.inbox.fence
        if claim.tries < GIVE_UP_AFTER or not claim.batch:
            wait_s = min(2.0 ** (claim.tries - 1), _LONGEST_WAIT_S)
            await self._boxes.change(session, lambda c, now: put_back(c, fence, now + wait_s) if c else None)
            return
        lang = first_language(claim.entries[0][1].text, {})
        first = claim.entries[0][1].message_id

        def given_up(c: Conversation | None, now: float) -> Conversation | None:
            said = Letter(key=digest(session, first, "failed"), text=FAILED[lang], made_at=now)
            handed = Letter(key=digest(session, first, "failed", "hand_off"), kind="hand_off", made_at=now)
            return finished(c, claim, now, c.cursor, (said, handed)) if c else None

        await self._boxes.change(session, given_up)
