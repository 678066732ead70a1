"""A wrapped openai client: `chat.completions.create` as before, stream and all, answered by the flow; the model gives the words.

    client = wrap(AsyncOpenAI(), flow, store="shop.db")
    reply = await client.chat.completions.create(model="gpt-4.1-mini", messages=messages,
                                                 extra_headers={"X-Conversation-Id": "customer-7"})

What else the client has (models, embeddings, ...) is the client's own. The model is asked for words only, with the model's name
and sampling of the call; it never sees the menu and cannot move the flow.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Self

from openai.types.chat import ChatCompletion, ChatCompletionChunk

from ..app.bot_words import Bot
from ..decision.history import Message
from ..protocol.errors import BadRequest
from .openai_shapes import Answer, chunk, completion, pieces, usage_chunk
from .wrapped_bot import WrappedSyncBot
from .wrapping import Conversations

_SAMPLING = (
    "model",
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "seed",
    "timeout",
    "reasoning_effort",
)
_asked: ContextVar[Mapping[str, Any]] = ContextVar("asked")
"""What the call that the turn belongs to said of the model."""

Create = Callable[..., Any]


def async_bot(create: Callable[..., Awaitable[Any]]) -> Bot:
    """The client's model as a bot."""

    async def speak(messages: list[Message]) -> Mapping[str, object]:
        return _words(await create(messages=messages, **_asked.get()))

    return speak


def sync_bot(create: Create) -> Bot:
    """The same for a client that blocks."""

    def speak(messages: list[Message]) -> Mapping[str, object]:
        return _words(create(messages=messages, **_asked.get()))

    return speak


def _words(reply: Any) -> Mapping[str, object]:
    usage = reply.usage.model_dump() if reply.usage else None
    return {"content": reply.choices[0].message.content if reply.choices else "", "usage": usage}


class _Completions:
    """`chat.completions`; what is not `create` is the client's."""

    def __init__(self, inner: Any, create: Create) -> None:
        self._inner, self.create = inner, create

    def __getattr__(self, name: str) -> Any:
        return _own(self._inner, name)


class _Chat:
    def __init__(self, inner: Any, create: Create) -> None:
        self._inner, self.completions = inner, _Completions(inner.completions, create)

    def __getattr__(self, name: str) -> Any:
        return _own(self._inner, name)


_WAYS_AROUND = frozenset(
    "with_options copy with_raw_response with_streaming_response stream parse responses beta completions".split()
)
"""What would lead to the model's own words past the flow, its confirmations and its check of facts."""


def _own(inner: Any, name: str) -> Any:
    """Of the client itself, what the flow has no part in."""
    if name in _WAYS_AROUND:
        raise BadRequest(f"{name!r} would go past the flow; a wrapped client answers by chat.completions.create")
    return getattr(inner, name)


class WrappedAsyncClient:
    """Of an AsyncOpenAI. `close` closes the flow's store and the client."""

    def __init__(self, client: Any, conversations: Conversations) -> None:
        self._client, self._conversations = client, conversations
        self.maitred = conversations.maitred
        self.chat = _Chat(client.chat, self._create)

    async def _create(
        self, *, model: str, messages: Sequence[Mapping[str, Any]], stream: bool | None = None, **beside: Any
    ) -> Any:
        token = _asked.set(_of_the_model(model, beside))
        try:
            answer = await self._conversations.answer(messages, *_beside(beside))
        finally:
            _asked.reset(token)
        return _AsyncStream(_chunks(answer, model, beside)) if stream else _whole(answer, model)

    async def close(self) -> None:
        await self._conversations.close()
        await self._client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __getattr__(self, name: str) -> Any:
        return _own(self._client, name)


class WrappedClient:
    """Of an OpenAI client that blocks."""

    def __init__(self, client: Any, conversations: Conversations) -> None:
        self._client, self._bot = client, WrappedSyncBot(conversations)
        self._conversations, self.maitred = conversations, conversations.maitred
        self.chat = _Chat(client.chat, self._create)

    def _create(
        self, *, model: str, messages: Sequence[Mapping[str, Any]], stream: bool | None = None, **beside: Any
    ) -> Any:
        answer: Answer = self._bot.loop.call(self._answer(model, messages, beside))
        return _Stream(_chunks(answer, model, beside)) if stream else _whole(answer, model)

    async def _answer(self, model: str, messages: Sequence[Mapping[str, Any]], beside: Mapping[str, Any]) -> Answer:
        _asked.set(_of_the_model(model, beside))  # each call has a task, hence a context of its own
        return await self._conversations.answer(messages, *_beside(beside))

    def close(self) -> None:
        self._bot.close()
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getattr__(self, name: str) -> Any:
        return _own(self._client, name)


class _Stream:
    """What `create(stream=True)` gives: chunks, once."""

    def __init__(self, chunks: Iterator[ChatCompletionChunk]) -> None:
        self._chunks = chunks

    def __iter__(self) -> Iterator[ChatCompletionChunk]:
        return self._chunks

    def __next__(self) -> ChatCompletionChunk:
        return next(self._chunks)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is open: the turn is over before its first chunk."""


class _AsyncStream:
    """The same, asynchronously."""

    def __init__(self, chunks: Iterator[ChatCompletionChunk]) -> None:
        self._chunks = chunks

    def __aiter__(self) -> AsyncIterator[ChatCompletionChunk]:
        return self

    async def __anext__(self) -> ChatCompletionChunk:
        try:
            return next(self._chunks)
        except StopIteration:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Nothing is open."""


def _of_the_model(model: str, beside: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in {"model": model, **beside}.items() if name in _SAMPLING}


def _beside(beside: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Fields of the body, and headers."""
    fields = {name: value for name, value in beside.items() if not name.startswith("extra_") and name != "timeout"}
    return {**fields, **(beside.get("extra_body") or {})}, dict(beside.get("extra_headers") or {})


def _whole(answer: Answer, model: str) -> ChatCompletion:
    return ChatCompletion.model_validate(completion(answer, model))


def _chunks(answer: Answer, model: str, beside: Mapping[str, Any]) -> Iterator[ChatCompletionChunk]:
    wants_usage = bool((beside.get("stream_options") or {}).get("include_usage"))

    def part(delta: Mapping[str, str], finish: str | None = None) -> ChatCompletionChunk:
        shape = chunk(answer.id, answer.created, model, delta, finish, wants_usage=wants_usage)
        return ChatCompletionChunk.model_validate(shape)

    yield part({"role": "assistant", "content": ""})
    for piece in pieces(answer.text):
        yield part({"content": piece})
    yield part({}, "stop")
    if wants_usage:
        yield ChatCompletionChunk.model_validate(usage_chunk(answer, answer.id, answer.created, model))
