"""A wrapped bot: called as the bot was, with chat messages, it answers by the flow; the bot gives the words.

    bot = wrap(old_bot, flow, store="shop.db")
    text = await bot([{"role": "user", "content": "hello"}], conversation_id="customer-7")

A plain function becomes a plain function; its turns run in a thread with an event loop of their own.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from threading import Lock
from types import TracebackType
from typing import Any, Self

from anyio.from_thread import BlockingPortal, start_blocking_portal

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
        conversation_id: str | None = None,
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
    """Of a plain bot; may be called from any thread that runs no event loop of its own."""

    def __init__(self, conversations: Conversations) -> None:
        self._conversations = conversations
        self.maitred = conversations.maitred
        self._running: AbstractContextManager[BlockingPortal] | None = None
        self._portal: BlockingPortal | None = None
        self._starting = Lock()

    def __call__(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        conversation_id: str | None = None,
        message_id: str | None = None,
    ) -> str:
        """The reply to the last message."""
        reply: str = self.portal.call(_reply, self._conversations, messages, conversation_id, message_id)
        return reply

    @property
    def portal(self) -> BlockingPortal:
        """The loop's door; it is started with the first call."""
        with self._starting:
            if self._portal is None:
                self._running = start_blocking_portal()
                self._portal = self._running.__enter__()
            return self._portal

    def close(self) -> None:
        """Let turns in flight end; close the store and stop the loop."""
        self.portal.call(self._conversations.close)
        if self._running:
            self._running.__exit__(None, None, None)
        self._running = self._portal = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


async def _reply(
    conversations: Conversations,
    messages: Sequence[Mapping[str, Any]],
    conversation_id: str | None,
    message_id: str | None,
) -> str:
    fields = {"conversation_id": conversation_id} if conversation_id else {}
    headers = {"x-message-id": message_id} if message_id else {}
    return (await conversations.answer(messages, fields, headers)).text
