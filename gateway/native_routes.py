"""The native surface: `/v1/sessions/...`. Post a message, read or follow a session, bring an event from outside. All of it is
idempotent by key. HTTP only.
"""

import asyncio
from typing import Any
from uuid import uuid4

from fastapi import APIRouter, Depends, Request
from pydantic import ValidationError
from starlette.responses import JSONResponse, Response

from ..protocol.errors import BadRequest
from ..protocol.messages import AgentResponse, UserRequest, explain
from .errors import refuse_slash
from .identity import is_derived, message_id, session_shown
from .keys import Right
from .native_shapes import PostedEvent, PostedMessage, PostedReturn, shown, shown_message
from .native_streams import session_events, turn_events
from .rights import tenant_with
from .service import Gateway
from .streams import EventStream
from .turns import take_turn
from .voice import Voice

KEY_HEADER = "idempotency-key"


def native_routes(gateway: Gateway) -> APIRouter:
    """The routes over one gateway."""
    routes = APIRouter(prefix="/v1/sessions", tags=["Sessions"], dependencies=[Depends(refuse_slash)])
    maitred = gateway.maitred

    def session_of(request: Request, name: str, *rights: Right) -> str:
        return session_shown(tenant_with(request, *rights), maitred.flow.name, name)

    @routes.post("/{session}/messages")
    async def post_message(request: Request, session: str, posted: PostedMessage) -> Response:
        """One turn. With `Accept: text/event-stream` as events; the same again with `Last-Event-ID` goes on where they broke."""
        key = posted.message_id or request.headers.get(KEY_HEADER)
        follows = "text/event-stream" in request.headers.get("accept", "")
        name = session_of(request, session, *(("chat", "read") if follows else ("chat",)))
        turn = _request(gateway, name, posted, message_id(key) if key else f"m-{uuid4().hex}")
        if is_derived(turn.session_id):
            await maitred.session(turn.session_id)  # nobody may name one into being
        voice = Voice() if follows else None
        task = gateway.work.start(take_turn(maitred, turn, gateway.after_turn, voice))
        if voice is None:
            return JSONResponse(shown_message(await asyncio.shield(task)))
        await voice.news(task, gateway.settings.ping_s)  # until then an error still has its status
        if task.done():
            task.result()
        last_id = request.headers.get("last-event-id", "")
        return EventStream(turn_events(gateway, task, voice, turn, last_id))

    @routes.get("/{session}")
    async def read_session(request: Request, session: str) -> dict[str, Any]:
        """Where the session is: state, menu, collected data."""
        stored = await maitred.session(session_of(request, session, "read"))
        return shown(stored, maitred.version_of(stored))

    @routes.get("/{session}/events")
    async def follow_session(request: Request, session: str) -> Response:
        """All that happened (behind `Last-Event-ID`) and happens in the session, as server-sent events."""
        stored = await maitred.session(session_of(request, session, "read"))
        last_id = request.headers.get("last-event-id", "")
        return EventStream(session_events(gateway, stored.session_id, last_id))

    @routes.post("/{session}/events")
    async def post_event(request: Request, session: str, posted: PostedEvent) -> dict[str, Any]:
        """An event from outside: a payment callback, the result of something that took long. `reply`: words for the customer."""
        key = _key(request, posted.key)
        name = session_of(request, session, "act")
        work = gateway.webhooks.carried(name, lambda: maitred.post(name, posted.event, posted.payload, key=key))
        return _reply(await asyncio.shield(gateway.work.start(work)))

    @routes.post("/{session}/resume")
    async def resume(request: Request, session: str, posted: PostedReturn) -> dict[str, Any]:
        """A human hands the session back to the flow."""
        name, key = session_of(request, session, "act"), _key(request, posted.key)
        work = gateway.webhooks.carried(name, lambda: maitred.resume(name, key=key))
        return _reply(await asyncio.shield(gateway.work.start(work)))

    return routes


def _request(gateway: Gateway, session: str, posted: PostedMessage, message: str) -> UserRequest:
    base = gateway.maitred.request(session, posted.text, message_id=message, meta=posted.meta)
    beside = {"attachments": posted.attachments, "state_version": posted.state_version}
    try:
        return UserRequest.model_validate({**base.model_dump(), **beside})
    except ValidationError as error:
        raise BadRequest(f"not a user_request: {explain(error)}") from error


def _key(request: Request, given: str | None) -> str:
    key = given or request.headers.get(KEY_HEADER)
    if not key:
        raise BadRequest(
            "an event needs a key: 'key' in the body or the header Idempotency-Key, the same for each delivery"
        )
    return message_id(key)


def _reply(response: AgentResponse | None) -> dict[str, Any]:
    return {"reply": shown_message(response) if response else None}
