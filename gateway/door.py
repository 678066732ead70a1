"""Door: the ASGI middleware before every route of `/v1`. Key, rate, size, room, in this order and before a body is read: who
has no key costs nothing. The tenant is in `scope["state"]["tenant"]` behind it.
"""

import math
import time
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .errors import body_of
from .keys import Keyring, is_loopback
from .limits import AtOnce, Rate
from .settings import GatewaySettings

GUARDED = "/v1"


class Door:
    """`app`: what lies behind."""

    def __init__(self, app: ASGIApp, keyring: Keyring, settings: GatewaySettings) -> None:
        self._app, self._keyring, self._body_bytes = app, keyring, settings.body_bytes
        self._too_large = f"a body has at most {settings.body_bytes:,} bytes"
        self._rate = Rate(settings.rate_per_s, settings.burst, time.monotonic)
        self._turns, self._streams = AtOnce(settings.turns_at_once), AtOnce(settings.streams_at_once)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _is_guarded(scope["path"]):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        tenant = self._keyring.tenant_of(headers.get("authorization", ""))
        refused = self._refusal(tenant, headers)
        if refused:
            await refused(scope, receive, send)
            return
        scope.setdefault("state", {})["tenant"] = tenant
        await self._with_room(scope, self._counted(receive), send)

    def _refusal(self, tenant: str | None, headers: Headers) -> JSONResponse | None:
        if tenant is None:
            return _refuse(401, "no valid key in the header 'Authorization: Bearer KEY'", "invalid_api_key")
        if not self._keyring.keys and not _names_this_machine(headers.get("host", "")):
            # A web page may lead its own name to this machine and so read what is served here.
            message = "without a key only this machine may call, by its own name: http://127.0.0.1 or http://localhost"
            return _refuse(403, message, "key_needed")
        wait_s = self._rate.wait_s(tenant)
        if wait_s:
            return _refuse(429, "too many requests with this key; try again later", "rate_limit_exceeded", wait_s)
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._body_bytes:
            return _refuse(413, self._too_large, "body_too_large")
        return None

    def _counted(self, receive: Receive) -> Receive:
        """A body without a length is counted as it comes. (FastAPI's `max_body_size` does it, too, but answers in plain text.)"""
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._body_bytes:
                raise HTTPException(413, self._too_large)
            return message

        return counted

    async def _with_room(self, scope: Scope, receive: Receive, send: Send) -> None:
        room = self._streams if scope["method"] == "GET" else self._turns
        if not room.enter():
            message = "too many requests at once; try again in a moment"
            await _refuse(429, message, "too_many_at_once", 1.0)(scope, receive, send)
            return
        try:
            await self._app(scope, receive, send)
        finally:
            room.leave()


def _names_this_machine(host: str) -> bool:
    try:
        return is_loopback(urlsplit(f"//{host}").hostname or "")
    except ValueError:  # brackets that do not close
        return False


def _is_guarded(path: str) -> bool:
    return path == GUARDED or path.startswith(f"{GUARDED}/")


def _refuse(status: int, message: str, code: str, retry_after_s: float = 0.0) -> JSONResponse:
    headers = {"retry-after": str(math.ceil(retry_after_s))} if retry_after_s else {}
    if status == 401:
        headers["www-authenticate"] = "Bearer"
    return JSONResponse(body_of(message, status, code), status, headers)
