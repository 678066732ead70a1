"""Stream: a completion read piece by piece, and no further than it is wanted. Called by `server.py`.

Server-sent events as these servers send them: a `data` line each, JSON or `[DONE]`. openai's own reader gives the connection up
at `[DONE]`, and the next decision would have to make a new one.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress

import httpx2

from ..completion import Chunk, Completion, written
from ..growing import Growing
from .bounded import MAX_BODY_BYTES

END_S = 0.05
"""How long a server may take to end the body behind `[DONE]`."""


class StoppedError(Exception):
    """The server did not write to the end."""


async def completion_from(response: httpx2.Response, growing: Growing) -> Completion:
    """What the server wrote. If no more was wanted, it is what is refused, and the connection is closed on the server.

    Raises StoppedError if the server stopped by itself, ValidationError if it sent something else.
    """
    if not response.headers.get("content-type", "").startswith("text/event-stream"):
        return Completion.model_validate_json(await response.aread())  # it does not stream
    finish, usage, refusal = None, None, None
    async with aclosing(_data(response)) as events:
        async for data in events:
            chunk = Chunk.model_validate_json(data)
            if chunk.error is not None:
                raise StoppedError("an error in its stream")
            usage = usage if chunk.usage is None else chunk.usage
            for choice in chunk.choices:
                finish, refusal = choice.finish_reason or finish, choice.said.refusal or refusal
                if choice.said.content and not growing.add(choice.said.content):
                    return written(growing.text)
    if finish is None:
        raise StoppedError("its stream ended before the answer did")
    return written(growing.text, refusal, finish, usage)


async def _data(response: httpx2.Response) -> AsyncGenerator[bytes]:
    try:
        rest = b""
        async with aclosing(response.aiter_bytes()) as parts:
            async for part in parts:
                *lines, rest = (rest + part).split(b"\n")
                if len(rest) > MAX_BODY_BYTES:
                    raise StoppedError(f"a line of more than {MAX_BODY_BYTES:,} bytes in its stream")
                for line in lines:
                    data = line.removeprefix(b"data:").strip()
                    if data == b"[DONE]":
                        await _to_the_end(parts)
                        return
                    if data and line.startswith(b"data:"):
                        yield data
    finally:
        await response.aclose()


async def _to_the_end(parts: AsyncIterator[bytes]) -> None:
    """Read whole, the connection can be kept for the next decision."""
    with suppress(TimeoutError):
        async with asyncio.timeout(END_S):
            async for _ in parts:
                pass
