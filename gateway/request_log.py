"""Request log: one line per request, around everything else. Method, route, status, time, tenant and the mark of the session; no
path, for that may hold a customer's number, no text and no key. The same goes to the metrics, without tenant and session.
"""

import logging
import time
from collections.abc import Mapping
from typing import Protocol

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..observability.log import FIELDS
from ..observability.redaction import Marks
from .identity import session_id

logger = logging.getLogger("maitred.requests")

_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
_GONE = 499
"""As nginx has it: the client went away before it was answered."""


class Answered(Protocol):
    """Who counts requests."""

    def answered(self, method: str, route: str, status: int, seconds: float) -> None: ...


class RequestLog:
    """`flow`: the name of the flow that is served; it is part of a session's name."""

    def __init__(self, app: ASGIApp, flow: str, marks: Marks, counts: Answered | None = None) -> None:
        self._app, self._flow, self._marks, self._counts = app, flow, marks, counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status, public = time.perf_counter(), _GONE, ""

        async def watched(message: Message) -> None:
            nonlocal status, public
            if message["type"] == "http.response.start":
                status, public = message["status"], _session_told(message)
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except BaseException:
            status = 500 if status == _GONE else status
            raise
        finally:
            self._note(scope, status, public, time.perf_counter() - began)

    def _note(self, scope: Scope, status: int, public: str, seconds: float) -> None:
        method = scope["method"] if scope["method"] in _METHODS else "OTHER"
        route = getattr(scope.get("route"), "path", "other")
        if self._counts:
            self._counts.answered(method, route, status, seconds)
        if logger.isEnabledFor(logging.INFO):
            logger.info(
                "%s %s %d %.1f ms %s %s",
                *(fields := self._fields(scope, method, route, status, public, seconds)).values(),
                extra={FIELDS: fields},
            )

    def _fields(
        self, scope: Scope, method: str, route: str, status: int, public: str, seconds: float
    ) -> Mapping[str, str | int | float]:
        key = scope.get("state", {}).get("key")
        tenant = key.tenant if key else ""
        name = public or str(scope.get("path_params", {}).get("session", ""))
        mark = self._marks.of(session_id(tenant, self._flow, name)) if tenant and name else "-"
        return {
            "method": method,
            "route": route,
            "status": status,
            "ms": round(seconds * 1000, 1),
            "tenant": tenant or "-",
            "session": mark,
        }


def _session_told(message: Message) -> str:
    return next(
        (value.decode("latin-1") for name, value in message.get("headers", ()) if name == b"x-maitred-session"), ""
    )
