"""Streams: server-sent events. A turn is committed first and streamed then, so nothing that was sent is ever taken back; while
it runs, comments keep the connection alive.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping

from starlette.responses import StreamingResponse

from .errors import described
from .openai_shapes import Answer, chunk, pieces, usage_chunk

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


async def completion_chunks(
    task: "asyncio.Task[Answer]", *, id_: str, created: int, model: str, wants_usage: bool, ping_s: float
) -> AsyncIterator[bytes]:
    """The stream of a chat completion. A failure once it has begun is an event of its own, without `[DONE]`."""

    def part(delta: Mapping[str, str], finish: str | None = None) -> bytes:
        return event(chunk(id_, created, model, delta, finish, wants_usage=wants_usage))

    yield part({"role": "assistant", "content": ""})
    async for ping in pings_until(task, ping_s):
        yield ping
    try:
        answer = task.result()
    except Exception as error:  # noqa: BLE001  # the status is sent: whatever it is, it is told here
        yield event(described(error, openai=True)[1])
        return
    for piece in pieces(answer.text):
        yield part({"content": piece})
    yield part({}, "stop")
    if wants_usage:
        yield event(usage_chunk(answer, id_, created, model))
    yield b"data: [DONE]\n\n"
