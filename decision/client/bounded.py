"""Bounded: no body of a server is read beyond a limit, counted as it comes out of its packing. A hook of the HTTP client.

We ask for plain bodies, but a proxy may pack them all the same, even twice over: half a kilobyte can hold 150 MB.
"""

from collections.abc import AsyncIterator
from contextlib import aclosing

import httpx2
import openai

MAX_BODY_BYTES = 1_000_000
MAX_STREAM_BYTES = 20_000_000
"""Of a stream, which has a quarter of a kilobyte around each token and is never held as a whole."""


class TooLargeError(openai.OpenAIError):
    """A completion beyond the limit. openai lets its own errors through as they are."""


async def bound(response: httpx2.Response) -> None:
    """Put the limit on this response. An error's page is cut there: its status says enough."""
    unpacked = httpx2.Response(200, headers=response.headers, request=response.request, stream=response.stream)
    response.headers.pop("content-encoding", None)
    streams = response.headers.get("content-type", "").startswith("text/event-stream")
    most = MAX_STREAM_BYTES if streams else MAX_BODY_BYTES
    response.stream = _Bounded(unpacked, most, cut=not response.is_success)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, body: httpx2.Response, most: int, *, cut: bool) -> None:
        self._body, self._most, self._cut = body, most, cut

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._most
        async with aclosing(self._body.aiter_bytes()) as parts:
            async for part in parts:
                left -= len(part)
                if left < 0 and self._cut:
                    return
                if left < 0:
                    raise TooLargeError(f"an answer of more than {self._most:,} bytes")
                yield part

    async def aclose(self) -> None:
        await self._body.aclose()
