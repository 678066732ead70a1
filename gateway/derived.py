"""Derived sessions: a conversation that nobody names is known by its transcript. Where does it lead: on, again, or aside?

- No reply in it yet: a new session. Two customers who both begin with "hi" never share one, and the mark in the first reply
  tells their transcripts apart from then on.
- It ends where a session stands: that session goes on. The message may have come before; then the session knows its key.
- Another message follows there already: a branch (`branches.py`).
- Nobody knows it (trimmed, or from elsewhere): a new session.

Which message follows a point is claimed before anything is done, so that workers agree. Called by `openai_turn.py`.
"""

import logging
from dataclasses import dataclass
from itertools import pairwise
from uuid import uuid4

from ..app.maitred import Maitred
from ..protocol.errors import InternalError
from ..protocol.texts import Lang, in_lang
from .branches import effects_of, fork, is_followed_by
from .identity import Chain, after_reply, derived_session, is_derived, reference_of, session_id
from .sentences import ALREADY_DONE, REFERENCE
from .transcripts import Place, Transcripts

logger = logging.getLogger("maitred.gateway")

_MARKS = 100


@dataclass(frozen=True, slots=True)
class Leads:
    """To which session a transcript leads. `new`: it begins here. `words`: what to answer instead of taking a turn; they stand
    behind `place`."""

    session: str
    new: bool = False
    words: str = ""
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Derived:
    """Finds the sessions of one tenant and flow."""

    maitred: Maitred
    transcripts: Transcripts
    tenant: str

    @property
    def space(self) -> str:
        """The namespace of its transcripts."""
        return session_id(self.tenant, self.maitred.flow.name, "")

    async def lead(self, chain: Chain, request: str | None, now: float) -> Leads:
        """`request`: an id of the request, if the client sent one: its resend then finds the session that it began."""
        place = await self.transcripts.place(self.space, chain.before) if chain.before else None
        if place is None:
            if chain.before:
                logger.info("a transcript that no session of %s has said: a new session", self.space)
            return Leads(self._session(self.space, chain.key, request or uuid4().hex), new=True)
        return Leads(place.session) if await self._goes_on(place, chain, now) else await self._aside(place, chain)

    async def signed(self, text: str, key: str, session: str, lang: Lang, now: float) -> str:
        """The first reply of a session, to the message `key`, bears a mark of its own, so that no two transcripts are the same
        from then on."""
        for attempt in range(_MARKS):
            mark = reference_of(session, attempt)
            marked = f"{text}\n\n{in_lang(REFERENCE, lang).format(ref=mark)}"
            point = after_reply(key, marked)
            if await self.transcripts.claim(self.space, point, session, now) == session:
                return marked
        raise InternalError(f"session {session!r} finds no mark of its own")

    async def _goes_on(self, place: Place, chain: Chain, now: float) -> bool:
        """Whether the session went, or may go, along these messages."""
        for point, key in pairwise((chain.before, *chain.asked)):
            if await self.transcripts.claim(place.session, point, key, now) != key:
                return False
        if is_derived(place.session):
            return True
        # Messages that came under its name have claimed nothing.
        return await is_followed_by(self.maitred, place, [f"h-{key}" for key in chain.asked])

    async def _aside(self, place: Place, chain: Chain) -> Leads:
        done = await effects_of(self.maitred, place.session)
        if done:
            session = await self.maitred.session(place.session)
            words = in_lang(ALREADY_DONE, session.lang).format(done=", ".join(done))
            return Leads(place.session, words=words, place=place)
        copy = self._session(place.session, chain.before, chain.key)
        await fork(self.maitred, place, copy)
        logger.info("session %s: another message after the same reply: it goes on as %s", place.session, copy)
        return Leads(copy)

    def _session(self, *seeds: str) -> str:
        return derived_session(self.tenant, self.maitred.flow.name, *seeds)
