"""Door: the ASGI middleware before every route. For `/v1`: key, rate, size, then the body, then room for the turn, in this order:
who has no key costs nothing, and a body that comes slowly takes nobody's room but its own tenant's. Other routes have no key;
their bodies are read under the same limits. The key is in `scope["state"]["key"]` behind it.
"""

import math
import time
from collections.abc import Iterable
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from .bodies import Gone, Strangers, TooLarge, TooSlow, json_problem, read_body, repeated_key, replayed
from .errors import body_of
from .keys import Key, Keyring, is_loopback
from .limits import Rate, Room
from .settings import GatewaySettings

GUARDED = "/v1"
NOBODY = ""
"""Who calls routes without a key; no tenant has this name."""
OPEN_BYTES = 1_000_000
_WITHOUT_BODY = ("GET", "HEAD", "OPTIONS")


class Door:
    """`app`: what lies behind. `flow`: the name of the one that is served. `open_bytes`: of a body that comes without a key."""

    def __init__(
        self, app: ASGIApp, keyring: Keyring, settings: GatewaySettings, flow: str, open_bytes: int = OPEN_BYTES
    ) -> None:
        self._app, self._keyring, self._settings, self._flow = app, keyring, settings, flow
        self._open_bytes = min(open_bytes, settings.body_bytes)
        self._strangers = Strangers(settings.tenant_turns_at_once)
        self._rate = Rate(settings.rate_per_s, settings.burst, time.monotonic)
        self._bodies = Room(settings.turns_at_once, settings.tenant_turns_at_once)
        self._turns = Room(settings.turns_at_once, settings.tenant_turns_at_once)
        self._streams = Room(settings.streams_at_once, settings.tenant_streams_at_once)
        self._once = ("authorization", "content-length", *settings.conversation_headers, *settings.message_headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        tenant: str | None = NOBODY
        refused = self._malformed(headers)
        if not refused and _is_guarded(scope["path"]):
            key = self._keyring.key_of(headers.get("authorization", ""))
            refused = self._refusal(key, headers)
            tenant = key.tenant if key else None
            scope.setdefault("state", {})["key"] = key
        if refused or tenant is None:
            await (refused or _unknown())(scope, receive, send)
        elif scope["method"] in _WITHOUT_BODY:
            await self._with_room(self._streams, tenant, scope, receive, send)
        else:
            await self._with_body(tenant, headers, scope, receive, send)

    def _malformed(self, headers: Headers) -> JSONResponse | None:
        """What no key makes right: too much, or two answers to one question (a proxy in front may have read the other one)."""
        length = headers.get("content-length", "")
        if length.isdecimal() and (len(length) > 18 or int(length) > self._settings.body_bytes):
            return _too_large(self._settings.body_bytes)
        if twice := _contradiction(headers, self._once):
            return _refuse(400, f"the header {twice!a} came twice with different values", "bad_request")
        return None

    def _refusal(self, key: Key | None, headers: Headers) -> JSONResponse | None:
        if key is None:
            return _unknown()
        if not key.opens(self._flow):
            return _refuse(403, f"key {key.name!r} is not for the flow {self._flow!r}", "key_not_allowed")
        if not self._keyring.keys and not names_this_machine(headers.get("host", "")):
            # A web page may lead its own name to this machine and so read what is served here.
            message = "without a key only this machine may call, by its own name: http://127.0.0.1 or http://localhost"
            return _refuse(403, message, "key_needed")
        wait_s = self._rate.wait_s(key.tenant)
        return (
            _refuse(429, "too many requests with this key; try again later", "rate_limit_exceeded", wait_s)
            if wait_s
            else None
        )

    async def _with_body(self, tenant: str, headers: Headers, scope: Scope, receive: Receive, send: Send) -> None:
        """Reads the body; only then the turn takes its room."""
        limit = self._open_bytes if tenant == NOBODY else self._settings.body_bytes
        if tenant != NOBODY and not self._bodies.enter(tenant):
            await _full()(scope, receive, send)
            return
        try:
            read = self._strangers.read if tenant == NOBODY else read_body
            body = await read(receive, limit, self._settings.body_s)
        except TooLarge:
            await _too_large(limit)(scope, receive, send)
            return
        except TooSlow:
            message = f"the body was not here within {self._settings.body_s:g} s"
            if tenant == NOBODY:
                message += ", or others came that were faster"
            await _refuse(408, message, "body_too_slow")(scope, receive, send)
            return
        except Gone:
            return
        finally:
            if tenant != NOBODY:
                self._bodies.leave(tenant)
        problem = _problem(body, tenant) if "json" in headers.get("content-type", "").lower() else None
        if problem:
            await _refuse(400, problem, "bad_request")(scope, receive, send)
            return
        await self._with_room(self._turns, tenant, scope, replayed(body, receive), send)

    async def _with_room(self, room: Room, tenant: str, scope: Scope, receive: Receive, send: Send) -> None:
        if tenant == NOBODY:  # whether the service lives must be told however full it is
            await self._app(scope, receive, send)
            return
        if not room.enter(tenant):
            await _full()(scope, receive, send)
            return
        try:
            await self._app(scope, receive, send)
        finally:
            room.leave(tenant)


def _problem(body: bytes, tenant: str) -> str | None:
    """Why this JSON is refused. A webhook's is signed by who wrote it, and nobody in front reads it for us."""
    problem = json_problem(body)
    if problem or tenant == NOBODY:
        return problem
    twice = repeated_key(body)
    return None if twice is None else f"the key {twice[:60]!a} stands twice in one object of the body"


def names_this_machine(host: str) -> bool:
    """Whether a Host header calls this machine by one of its own names."""
    try:
        return is_loopback(urlsplit(f"//{host}").hostname or "")
    except ValueError:  # brackets that do not close
        return False


def _contradiction(headers: Headers, once: Iterable[str]) -> str | None:
    """The header that was given twice with different values though it may say one thing only."""
    names = headers.keys()
    if len(set(names)) == len(names):
        return None
    for name in dict.fromkeys(names):
        if len(set(headers.getlist(name))) > 1 and any(fnmatchcase(name, pattern.lower()) for pattern in once):
            return name
    return None


def _is_guarded(path: str) -> bool:
    return path == GUARDED or path.startswith(f"{GUARDED}/")


def _unknown() -> JSONResponse:
    return _refuse(401, "no valid key in the header 'Authorization: Bearer KEY'", "invalid_api_key")


def _too_large(limit: int) -> JSONResponse:
    return _refuse(413, f"a body has at most {limit:,} bytes", "body_too_large")


def _full() -> JSONResponse:
    return _refuse(429, "too many requests at once; try again in a moment", "too_many_at_once", 1.0)


def _refuse(status: int, message: str, code: str, retry_after_s: float = 0.0) -> JSONResponse:
    headers = {"retry-after": str(math.ceil(retry_after_s))} if retry_after_s else {}
    if status == 401:
        headers["www-authenticate"] = "Bearer"
    if status in (408, 413):  # the rest of the body is not read
        headers["connection"] = "close"
    return JSONResponse(body_of(message, status, code), status, headers)
