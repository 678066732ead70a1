"""Posting: HTTP calls to channels, bounded in time and size, and their failures in two words: again later, or never.

No redirect is followed: a channel that is led elsewhere would be sent our keys. Errors name host and status, never a URL's query
(WeChat wants its token there) or a body.
"""

import asyncio
import logging
from collections.abc import Mapping
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import httpx2
from pydantic import JsonValue
from pydantic_core import from_json

TIMEOUT_S = 10.0
ANSWER_BYTES = 1_000_000
_NEVER = (400, 410, 413, 414, 422)
"""The receiver judges this letter, or is gone for good. Any other status is of its state or of settings, which somebody will put
right: a rotated token, a page that moved, a deployment."""
_TOLD = {401: "is its key still good?", 403: "is its key still good?", 404: "is its address still right?"}


class Unsent(Exception):
    """A letter did not arrive, or nobody knows. `again`: it may later. `after_s`: not before, if the receiver said so."""

    def __init__(self, message: str, *, again: bool, after_s: float = 0.0, status: int = 0) -> None:
        super().__init__(message)
        self.again, self.after_s, self.status = again, after_s, status


class Posting:
    """One client for all channels of a service."""

    def __init__(self, timeout_s: float = TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._client = httpx2.AsyncClient(timeout=timeout_s, follow_redirects=False)
        # It writes whole URLs at INFO, and with them WeChat's token.
        log = logging.getLogger("httpx2")
        log.setLevel(max(log.level, logging.WARNING))

    async def call(
        self, method: str, url: str, *, content: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> JsonValue:
        """The JSON that came back, None if it was none. Raises Unsent unless the status is 2xx."""
        where = urlsplit(url).netloc.rpartition("@")[2]
        sent = {"content-type": "application/json", **(headers or {})} if content else dict(headers or {})
        try:
            async with (
                asyncio.timeout(self._timeout_s),  # httpx2's own is for each read
                self._client.stream(method, url, content=content or None, headers=sent) as answer,
            ):
                status, after = answer.status_code, answer.headers.get("retry-after", "")
                body = b""
                async for part in answer.aiter_bytes():
                    body += part
                    if len(body) > ANSWER_BYTES:
                        break
        except (httpx2.HTTPError, TimeoutError) as error:
            raise Unsent(f"{where} did not answer ({type(error).__name__})", again=True) from error
        if not 200 <= status < 300:
            hint = _TOLD.get(status) or ("no redirect is followed" if 300 <= status < 400 else "")
            said = f"{where} answered {status}{f' ({hint})' if hint else ''}"
            raise Unsent(said, again=status not in _NEVER, after_s=_seconds(after), status=status)
        return _json(body)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.aclose()


def _seconds(text: str) -> float:
    """Of a Retry-After that is a number; a date is left to our own pace."""
    return min(float(text), 3600.0) if text.isdecimal() and len(text) < 10 else 0.0


def _json(body: bytes) -> JsonValue:
    try:
        found: JsonValue = from_json(body)
    except ValueError:
        return None
    return found
