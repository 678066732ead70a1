"""Streams: server-sent events. What is sent is never taken back: a turn is committed first and streamed then, but for words that
change nothing, which come ahead and which the committed reply begins with; while it runs, comments keep the connection alive.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from uuid import uuid4

from starlette.responses import StreamingResponse

from ..protocol.errors import InternalError
from .errors import described
from .openai_shapes import Answer, chunk, pieces, usage_chunk
from .voice import Voice

PING = b": ping\n\n"


class EventStream(StreamingResponse):
    """`text/event-stream` that no proxy keeps back."""

    def __init__(self, events: AsyncIterator[bytes], headers: Mapping[str, str] | None = None) -> None:
        every = {"cache-control": "no-cache", "x-accel-buffering": "no", **(headers or {})}
        super().__init__(events, media_type="text/event-stream", headers=every)


def event(data: object, name: str = "", id_: str = "") -> bytes:
    """One event. JSON holds no raw newline, so one `data` line is enough."""
    head = (f"id: {id_}\n" if id_ else "") + (f"event: {name}\n" if name else "")
    return f"{head}data: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n".encode(errors="replace")


async def pings_until(task: "asyncio.Task[Answer]", ping_s: float) -> AsyncIterator[bytes]:
    """A comment every `ping_s` seconds until the task has ended."""
    while not task.done():
        await asyncio.wait({task}, timeout=ping_s)
        if not task.done():
            yield PING


class RepliedOtherwise(InternalError):
    """Words were streamed, but the turn was finished by another worker, with another reply. The same message again gets that."""

    code = "replied_otherwise"


def left_of(text: str, said: str) -> str:
    """What of the reply was not said yet. Raises RepliedOtherwise."""
    if not text.startswith(said):
        raise RepliedOtherwise(
            "the reply that was stored is not the one that began here; send the message again to get it"
        )
    return text.removeprefix(said)


async def completion_chunks(
    task: "asyncio.Task[Answer]", voice: Voice, *, created: int, model: str, wants_usage: bool, ping_s: float
) -> AsyncIterator[bytes]:
    """The stream of a chat completion. A failure once it has begun is an event of its own, without `[DONE]`."""
    id_ = voice.id or f"chatcmpl-{uuid4().hex[:24]}"

    def part(delta: Mapping[str, str], finish: str | None = None) -> bytes:
        return event(chunk(id_, created, model, delta, finish, wants_usage=wants_usage))

    yield part({"role": "assistant", "content": ""})
    async for words in voice.heard(task, ping_s):
        yield part({"content": words}) if words else PING
    try:
        answer = task.result()
        left = left_of(answer.text, voice.said)
    except Exception as error:  # noqa: BLE001  # the status is sent: whatever it is, it is told here
        yield event(described(error, openai=True)[1])
        return
    for piece in pieces(left):
        yield part({"content": piece})
    yield part({}, "stop")
    if wants_usage:
        yield event(usage_chunk(answer, id_, created, model))
    yield b"data: [DONE]\n\n"
