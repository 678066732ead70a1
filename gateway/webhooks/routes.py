"""Routes: `/webhooks/NAME`. Verified by the channel's signature, so no key of `/v1` opens it; small bodies, read in time.

A call is answered when what it brought is durable, well within a second; the turn comes later. A failure of ours is 500, the one
status that Chatwoot sends again for.
"""

import asyncio
import logging
import time

from fastapi import APIRouter, Request
from pydantic import ValidationError
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, PlainTextResponse, Response

from ...protocol.errors import MaitredError
from ...protocol.messages import explain
from ..errors import body_of
from ..limits import Room
from .channel import Call, Refused
from .webhooks import Full, Webhook, Webhooks

logger = logging.getLogger("maitred.gateway")

READ_S = 10.0
CALLS_AT_ONCE = 64


def webhook_routes(webhooks: Webhooks) -> APIRouter:
    """The route over all webhooks."""
    routes = APIRouter(prefix="/webhooks", tags=["Webhooks"])
    room = Room(CALLS_AT_ONCE, CALLS_AT_ONCE // 2)

    @routes.get("/{name}", response_class=PlainTextResponse)
    @routes.post("/{name}", response_class=PlainTextResponse)
    async def hear(request: Request, name: str) -> Response:
        """What a channel sends, signed in its own way."""
        webhook = webhooks.named.get(name)
        if webhook is None:
            return _refusal(404, "no webhook of this name", "not_found")
        if not room.enter(name):
            return _refusal(429, "too many requests at once; try again in a moment", "too_many_at_once")
        try:
            return await _heard(webhooks, webhook, request)
        except Refused as error:
            return _refusal(error.status, str(error), error.code)
        except Full as error:
            return _refusal(429, str(error), error.code)
        except Exception as error:  # ours have a plain text, and come with every call while a store is down
            known = isinstance(error, MaitredError)
            said = error if known else type(error).__name__
            logger.error("a message to webhook %s was not taken in: %s", name, said, exc_info=None if known else error)
            return _refusal(500, "the message was not taken in; send it again", "internal_error")
        finally:
            room.leave(name)

    return routes


async def _heard(webhooks: Webhooks, webhook: Webhook, request: Request) -> Response:
    headers = {name: request.headers[name] for name in request.headers}
    body = await _body(request, webhook.body_bytes)
    call = Call(request.method, dict(request.query_params), headers, body, time.time())
    try:
        heard = webhook.channel.hear(call)
    except ValidationError as error:
        raise Refused(400, f"a message that cannot be read: {explain(error)}") from None
    if webhooks.rates[webhook.channel.name].wait_s(""):  # behind the signature: a stranger cannot use it up
        raise Refused(429, "too many messages; send this one again later")
    for place, entry in heard.entries:
        await webhooks.receive(webhook, place, entry)
    return PlainTextResponse(heard.answer)


async def _body(request: Request, limit: int) -> bytes:
    """The whole body. Raises Refused if it is too long or too slow."""
    body = bytearray()
    try:
        async with asyncio.timeout(READ_S):
            async for part in request.stream():
                body += part
                if len(body) > limit:
                    raise Refused(413, f"a body has at most {limit:,} bytes")
    except TimeoutError:
        raise Refused(408, f"the body did not come within {READ_S:g} s") from None
    except ClientDisconnect:
        raise Refused(400, "the connection broke") from None
    return bytes(body)


def _refusal(status: int, message: str, code: str) -> Response:
    return JSONResponse(body_of(message, status, code), status)
