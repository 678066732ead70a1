"""Errors as HTTP answers, on every surface in OpenAI's shape: `{"error": {message, type, param, code}}`.

One table from our errors to a status. What is the caller's fault is said as it is; of ours only the code, the rest is in the log.
"""

import logging
import math
from collections.abc import Mapping, Sequence

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from ..protocol.errors import (
    BadRequest,
    CallerError,
    FlowMismatch,
    MaitredError,
    RequestConflict,
    SessionBusy,
    StoreUnavailable,
    UnknownEvent,
    UnknownSession,
)
from .work import ServiceStopping

logger = logging.getLogger("maitred.gateway")

_STATUS: Sequence[tuple[type[MaitredError], int]] = (
    (UnknownSession, 404),
    (RequestConflict, 409),
    (FlowMismatch, 409),
    (SessionBusy, 503),
    (StoreUnavailable, 503),
    (ServiceStopping, 503),
    (UnknownEvent, 400),
    (BadRequest, 400),
    (CallerError, 400),
)
_CODES = {
    401: "invalid_api_key",
    404: "not_found",
    405: "method_not_allowed",
    413: "body_too_large",
    429: "rate_limit_exceeded",
}
_NO_SLASH = "an id in a path holds no slash, nor %2F; X-Maitred-Session of a reply has a name that can stand here"
_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


class OpenAiRefusal(CallerError):
    """What OpenAI itself refuses so, with a status and a parameter that its clients may look at."""

    status = 400
    param: str | None = None


class NotAllowed(OpenAiRefusal):
    """The key is good, and not for this."""

    code, status = "key_not_allowed", 403


class ModelNotFound(OpenAiRefusal):
    """A model that is not the flow's name."""

    code, status, param = "model_not_found", 404, "model"


class PreviousNotFound(OpenAiRefusal):
    """A reply that this tenant was not given, or that is no longer known."""

    code, param = "previous_response_not_found", "previous_response_id"


class ItemNotFound(OpenAiRefusal):
    """A reference to a message that this tenant was not given, or that is no longer known."""

    code, param = "item_not_found", "input"


class ResponseNotFound(OpenAiRefusal):
    """A response that this tenant was not given, that was not to be stored, or that is gone."""

    code, status, param = "response_not_found", 404, "response_id"


class NotSupported(OpenAiRefusal):
    """Part of OpenAI's API, not of this service. `param`: which field asks for it."""

    code = "unsupported_parameter"

    def __init__(self, message: str, param: str) -> None:
        super().__init__(message)
        self.param = param


def body_of(message: str, status: int, code: str, param: str | None = None) -> dict[str, object]:
    """The object that is sent."""
    kind = _TYPES.get(status, "invalid_request_error" if status < 500 else "server_error")
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def described(error: Exception, *, openai: bool) -> tuple[int, dict[str, object], dict[str, str]]:
    """Status, body and headers of an error. `openai`: never 409, which its clients send again as it is."""
    if isinstance(error, OpenAiRefusal):
        return error.status, body_of(str(error), error.status, error.code, error.param), {}
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
    if status == 409 and openai:
        status = 400
    code = error.code if isinstance(error, MaitredError) else "internal_error"
    headers = {"retry-after": str(math.ceil(error.retry_after_s))} if isinstance(error, SessionBusy) else {}
    if status >= 500:
        if isinstance(error, MaitredError):
            logger.error("%s: %s", code, error)
        else:  # its message may quote a customer
            logger.error("%s: %s", code, type(error).__name__, exc_info=error)
    said = str(error) if status < 500 else _plainly(error)
    return status, body_of(said, status, code), headers


def _plainly(error: Exception) -> str:
    if isinstance(error, SessionBusy):
        return "another message of this conversation is being answered; send this one again in a moment"
    if isinstance(error, StoreUnavailable):
        return "the service cannot reach its store; send the same request again later"
    if isinstance(error, ServiceStopping):
        return "the service is being stopped; send the same request again: whoever serves then takes the turn up"
    return "the service failed; its log says why. The same request again takes the turn up where it stopped"


def refuse_slash(request: Request) -> None:
    """Raises BadRequest for `%2F` in the path: servers read it as a slash before a route is looked for, so it would lead to
    another session, or to none."""
    if _holds_slash(request):
        raise BadRequest(_NO_SLASH)


def _holds_slash(request: Request) -> bool:
    return b"%2f" in bytes(request.scope.get("raw_path") or b"").lower()


async def on_maitred_error(request: Request, error: Exception) -> JSONResponse:
    """Whatever a route raises."""
    status, body, headers = described(error, openai=not request.url.path.startswith("/v1/sessions"))
    return JSONResponse(body, status, headers)


async def on_http_error(request: Request, error: Exception) -> JSONResponse:
    """No such route, no such method, a body that is too large or not JSON."""
    status, detail, headers = 500, "", None
    if isinstance(error, HTTPException):
        if error.status_code == 404 and _holds_slash(request):
            return await on_maitred_error(request, BadRequest(_NO_SLASH))
        status, detail, headers = error.status_code, error.detail, error.headers
    return JSONResponse(body_of(detail, status, _CODES.get(status, "bad_request")), status, headers)


async def on_wrong_body(request: Request, error: Exception) -> JSONResponse:
    """A body that does not fit: place and rule of each fault, never what stood there."""
    if "json" not in request.headers.get("content-type", "application/json").lower():
        return JSONResponse(
            body_of("a body is JSON, with the header Content-Type: application/json", 400, "bad_request"), 400
        )
    faults = error.errors() if isinstance(error, RequestValidationError) else []
    if faults and faults[0].get("type") == "json_invalid":
        why, at = faults[0].get("ctx", {}).get("error", "it cannot be read"), faults[0]["loc"][-1]
        return JSONResponse(body_of(f"the body is not JSON: {why}, at character {at}", 400, "bad_request"), 400)
    lines = [f"{_place(fault)}: {str(fault.get('msg'))[:200]}" for fault in faults[:5]]
    param = _place(faults[0]) if faults else None
    return JSONResponse(body_of("; ".join(lines) or "not a request", 400, "bad_request", param), 400)


def _place(fault: Mapping[str, object]) -> str:
    loc = fault.get("loc")
    parts = [str(part)[:60] for part in loc if part != "body"] if isinstance(loc, (tuple, list)) else []
    return ascii(".".join(parts[:8]))[1:-1] or "body"
