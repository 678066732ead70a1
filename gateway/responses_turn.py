"""Responses turn: a response is a chat completion that can be named again. Finds the place behind which a message stands, lets
`openai_turn.py` take the turn, and keeps the place of the new reply under its id.

No words are kept here: what a response said is read from its session's log. No HTTP. Called by `responses_routes.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..protocol.messages import AgentResponse
from .branches import messages_of
from .derived import Derived
from .errors import ItemNotFound, PreviousNotFound, ResponseNotFound
from .identity import is_derived
from .openai_shapes import Answer
from .openai_turn import OpenAiTurn, answer_of, named_by
from .responses_shapes import ResponsesRequest, reply_key, response_id
from .service import Gateway
from .transcripts import Place
from .voice import Voice


@dataclass(frozen=True, slots=True)
class Responses:
    """Those of one tenant."""

    gateway: Gateway
    tenant: str

    async def create(self, headers: Mapping[str, str], asked: ResponsesRequest, voice: Voice | None = None) -> Answer:
        """The reply; `voice` is given the words that may leave before it is durable. Raises MaitredError."""
        asked.refuse_unsupported()
        chat = asked.chat
        if named_by(self.gateway.settings, headers, chat.fields):
            behind = (reply.id if (reply := asked.last_reply) else None) or asked.previous_response_id or ""
        else:
            behind = await self._behind(asked)
        answer = await OpenAiTurn(self.gateway, self.tenant, headers, chat, behind, voice).answer()
        if answer.place and asked.store is not False:
            await self._keep(answer, answer.place)
        return answer

    async def _behind(self, asked: ResponsesRequest) -> str:
        """The key of the reply that the message stands behind; empty if the transcript must tell."""
        previous = reply_key(asked.previous_response_id)
        if asked.previous_response_id and not await self._place(previous):
            raise PreviousNotFound(f"Previous response with id {asked.previous_response_id[:60]!a} not found.")
        reply = asked.last_reply
        if reply is None:
            return previous
        if await self._place(known := reply_key(reply.id)):
            return known
        if reply.is_reference and not previous:
            raise ItemNotFound(f"Item with id {(reply.id or '')[:60]!a} not found.")
        return previous

    async def stored(self, id_: str) -> Answer:
        """What was answered, from the session's log. Raises ResponseNotFound."""
        place = await self._place(reply_key(id_)) if id_.startswith("resp_") else None
        answer = await self._read(place) if place else None
        if answer is None or response_id(answer.id) != id_:
            raise ResponseNotFound(f"Response with id {id_[:60]!a} not found.")
        return answer

    async def _read(self, place: Place) -> Answer | None:
        maitred = self.gateway.maitred
        replies = [m for m in await messages_of(maitred, place.session) if isinstance(m, AgentResponse)]
        found = next((reply for reply in replies if reply.reply_to == place.message), None)
        if found is None:
            return None
        answer = answer_of(found)
        if found is not replies[0] or not is_derived(place.session):
            return answer
        lang = (await maitred.session(place.session)).lang
        key = place.message.removeprefix("h-")
        text = await self._derived.signed(answer.text, key, place.session, lang, self.gateway.now())
        return replace(answer, text=text)

    @property
    def _derived(self) -> Derived:
        return Derived(self.gateway.maitred, self.gateway.transcripts, self.tenant)

    async def _place(self, key: str) -> Place | None:
        return await self.gateway.transcripts.place(self._derived.space, key) if key else None

    async def _keep(self, answer: Answer, place: Place) -> None:
        key = reply_key(response_id(answer.id))
        await self.gateway.transcripts.remember(self._derived.space, key, place, self.gateway.now())
