"""OpenAI turn: from a chat completion to an Answer. Is it a turn at all, of which conversation, which message of it, and what to
say. No HTTP here; called by `openai_routes.py`.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..protocol.errors import BadRequest
from ..protocol.messages import AgentResponse, UserRequest
from ..protocol.texts import in_lang
from .background import background_answer, background_kind
from .derived import Derived, Leads
from .identity import (
    Chain,
    after_reply,
    chain_behind,
    chain_of,
    conversation_of,
    header_named,
    message_id,
    public_name,
    session_id,
)
from .openai_shapes import Answer, ChatRequest
from .resends import message_of, note_answered
from .sentences import INTERRUPTED
from .service import Gateway
from .settings import GatewaySettings
from .transcripts import Place
from .turns import InterruptedAfterEffect, take_turn
from .voice import Voice


@dataclass(frozen=True, slots=True)
class OpenAiTurn:
    """One request. `headers`: names in lower case. `behind`: the id of the reply that the messages stand behind, where the client
    named it; else the transcript tells. `voice`: of whoever hears the reply as it comes."""

    gateway: Gateway
    tenant: str
    headers: Mapping[str, str]
    chat: ChatRequest
    behind: str = ""
    voice: Voice | None = None

    async def answer(self) -> Answer:
        """Raises MaitredError."""
        chat, flow = self.chat, self.gateway.maitred.flow
        if chat.n not in (None, 1):
            raise BadRequest(f"n is 1: a conversation has one reply; got {chat.n}")
        kind = background_kind(self.headers, chat.model, chat.said, chat.system)
        if kind is not None:
            text = background_answer(kind, flow.name, chat.last.text)
            return Answer(_completion_id("background", text), int(self.gateway.now()), text)
        chain = chain_behind(self.behind, chat.unanswered) if self.behind else chain_of(chat.said)
        named = named_by(self.gateway.settings, self.headers, chat.fields)
        return await (self._named(named, chain) if named else self._derived(chain))

    async def _named(self, name: str, chain: Chain) -> Answer:
        gateway = self.gateway
        session = session_id(self.tenant, gateway.maitred.flow.name, name)
        known = header_named(self.headers, gateway.settings.message_headers)
        if known:
            return answer_of(await self._turn(session, message_id(known)))
        message = await message_of(
            gateway.transcripts,
            session,
            chain,
            resent=self.headers.get("x-stainless-retry-count", "0") not in ("", "0"),
            resend_s=gateway.settings.resend_s,
            now=gateway.now(),
        )
        response = await self._turn(session, message)
        await note_answered(gateway.transcripts, session, message, gateway.now())
        return answer_of(response)

    async def _derived(self, chain: Chain) -> Answer:
        gateway = self.gateway
        derived = Derived(gateway.maitred, gateway.transcripts, self.tenant)
        request = header_named(self.headers, (*gateway.settings.message_headers, "x-request-id"))
        leads = await derived.lead(chain, request, gateway.now())
        place = leads.place or Place(leads.session, f"h-{chain.key}")
        answer = (
            self._aside(leads, chain.key) if leads.words else answer_of(await self._turn(place.session, place.message))
        )
        if leads.new:
            lang = (await gateway.maitred.session(leads.session)).lang
            answer = replace(
                answer, text=await derived.signed(answer.text, chain.key, leads.session, lang, gateway.now())
            )
        point = after_reply(chain.key, answer.text)
        await gateway.transcripts.remember(derived.space, point, place, gateway.now())
        return answer

    def _aside(self, leads: Leads, key: str) -> Answer:
        id_ = _completion_id(leads.session, key, "aside")
        return Answer(id_, int(self.gateway.now()), leads.words, public_name(leads.session), place=leads.place)

    async def _turn(self, session: str, message: str) -> AgentResponse:
        """The turn. What fails behind an effect is told in words, for an error would be sent again as if nothing had happened."""
        gateway = self.gateway
        request = self._request(session, message)
        if self.voice:
            self.voice.id, self.voice.session = _completion_id(session, message), public_name(session)
        try:
            return await take_turn(gateway.maitred, request, gateway.after_turn, self.voice)
        except InterruptedAfterEffect:
            stored = await gateway.maitred.store.load(session)
            return AgentResponse(
                session_id=session,
                timestamp=request.timestamp,
                message_id="interrupted",
                reply_to=message,
                text=in_lang(INTERRUPTED, stored.lang if stored else "en"),
                state=stored.state if stored else gateway.maitred.flow.initial,
            )

    def _request(self, session: str, message: str) -> UserRequest:
        chat = self.chat
        request = self.gateway.maitred.request(session, chat.last.text, message_id=message)
        return request.model_copy(update={"attachments": chat.last.attachments, "answers_only": chat.answers_only})


def named_by(settings: GatewaySettings, headers: Mapping[str, str], fields: Mapping[str, object]) -> str | None:
    """What the channel calls the conversation, by the operator's rules."""
    return conversation_of(headers, fields, settings.conversation_headers, settings.conversation_fields)


def answer_of(response: AgentResponse) -> Answer:
    meta = response.meta or {}
    return Answer(
        id=_completion_id(response.session_id, response.reply_to),
        created=int(response.timestamp.timestamp()),
        text=response.text,
        session=public_name(response.session_id),
        state=response.state,
        place=Place(response.session_id, response.reply_to),
        prompt=int(meta.get("prompt_tokens", 0)),
        cached=int(meta.get("cached_tokens", 0)),
        completion=int(meta.get("completion_tokens", 0)),
    )


def _completion_id(*parts: str) -> str:
    """The same reply has the same id, however often it is sent."""
    return "chatcmpl-" + hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]
