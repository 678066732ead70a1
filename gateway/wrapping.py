"""Wrapping: conversations held in the program itself, for a bot or a client that is wrapped. The same rules as over HTTP: which
conversation it is, which message, what is a repeat; `openai_turn.py` knows them. No HTTP. Called by `wrapped_bot.py` and
`wrapped_client.py`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from ..app.maitred import Maitred
from ..protocol.errors import BadRequest
from ..protocol.messages import explain
from .app_parts import transcripts_beside
from .openai_shapes import Answer, ChatRequest
from .openai_turn import OpenAiTurn
from .service import Gateway
from .settings import GatewaySettings
from .webhooks.webhooks import Webhooks

TENANT = "local"


class Conversations:
    """Conversations of one flow. `close` when the program ends."""

    def __init__(self, maitred: Maitred, settings: GatewaySettings | None = None) -> None:
        self.maitred = maitred
        settings = settings or GatewaySettings()
        self._gateway = Gateway(maitred, transcripts_beside(maitred), settings, Webhooks(maitred, ()))

    async def answer(
        self, messages: Sequence[Mapping[str, Any] | BaseModel], fields: Mapping[str, Any], headers: Mapping[str, str]
    ) -> Answer:
        """The reply to the last message. `fields`, `headers`: what came beside it; some of them name the conversation."""
        if isinstance(messages, (str, Mapping)) or not isinstance(messages, Iterable):
            how = "a list of chat messages, such as [{'role': 'user', 'content': 'Hello'}]"
            raise BadRequest(f"messages is {how}; got a {type(messages).__name__}")
        try:
            plain = [m.model_dump(exclude_none=True) if isinstance(m, BaseModel) else m for m in messages]
            chat = ChatRequest.model_validate({"model": self.maitred.flow.name, **fields, "messages": plain})
        except ValidationError as error:
            raise BadRequest(f"not a chat completion: {explain(error)}") from error
        named = {name.lower(): str(value) for name, value in headers.items()}
        return await self._gateway.work.start(OpenAiTurn(self._gateway, TENANT, named, chat).answer())

    async def close(self) -> None:
        """Let turns in flight end, then close what was opened."""
        await self._gateway.work.drain(self._gateway.settings.close_s)
        await self.maitred.close()
        await self._gateway.transcripts.close()
