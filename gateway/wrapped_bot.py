"""A wrapped bot: called as the bot was, with chat messages, it answers by the flow; the bot gives the words.

    bot = wrap(old_bot, flow, store="shop.db")
    text = await bot([{"role": "user", "content": "hello"}], conversation_id="customer-7")

A plain function becomes a plain function; its turns run in a thread with an event loop of their own.
"""

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from .loop_thread import LoopThread
from .wrapping import Conversations


class WrappedBot:
    """Of an async bot. `conversation_id` names the conversation; without it the messages must hold all that was said so far."""

    def __init__(self, conversations: Conversations) -> None:
        self._conversations = conversations
        self.maitred = conversations.maitred

    async def __call__(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        conversation_id: str | int | None = None,
        message_id: str | None = None,
    ) -> str:
        """The reply to the last message."""
        return await _reply(self._conversations, messages, conversation_id, message_id)

    async def close(self) -> None:
        """Let turns in flight end; close the store."""
        await self._conversations.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class WrappedSyncBot:
    """Of a plain bot; may be called from several threads."""

    def __init__(self, conversations: Conversations) -> None:
        self._conversations = conversations
        self.maitred = conversations.maitred
        self.loop = LoopThread()

    def __call__(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        conversation_id: str | int | None = None,
        message_id: str | None = None,
    ) -> str:
        """The reply to the last message."""
        return self.loop.call(_reply(self._conversations, messages, conversation_id, message_id))

    def close(self) -> None:
        """Let turns in flight end; close the store and stop the loop."""
        self.loop.close(self._conversations.close())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


async def _reply(
    conversations: Conversations,
    messages: Sequence[Mapping[str, Any]],
    conversation_id: str | int | None,
    message_id: str | None,
) -> str:
    fields = {"conversation_id": conversation_id} if conversation_id is not None else {}
    headers = {"x-message-id": message_id} if message_id else {}
    return (await conversations.answer(messages, fields, headers)).text
