"""The OpenAI surface, second part: `/v1/responses`. HTTP only; what a request means is `responses_turn.py`'s."""

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from .errors import NotSupported
from .openai_routes import answer_headers, check_model, header_texts
from .responses_shapes import ResponsesRequest, response
from .responses_streams import response_events
from .responses_turn import Responses
from .rights import tenant_with
from .service import Gateway
from .streams import EventStream
from .voice import Voice


def responses_routes(gateway: Gateway) -> APIRouter:
    """The routes over one gateway."""
    routes = APIRouter(prefix="/v1/responses", tags=["OpenAI"])
    flow = gateway.maitred.flow.name

    @routes.post("")
    async def create_response(request: Request, asked: ResponsesRequest) -> Response:
        """A customer's message; the reply as one object or as a stream. `previous_response_id` or `conversation` goes on."""
        check_model(asked.model, flow)
        voice, ping_s = Voice() if asked.stream else None, gateway.settings.ping_s
        work = Responses(gateway, tenant_with(request, "chat")).create(header_texts(request), asked, voice)
        task = gateway.work.start(work)
        if voice is None:
            answer = await asyncio.shield(task)
            return JSONResponse(
                response(answer, asked.model, asked), headers=answer_headers(answer.session, answer.state)
            )
        await voice.news(task, ping_s)  # until then an error still has its status
        known = task.result() if task.done() else None
        headers = answer_headers(known.session if known else voice.session, known.state if known else None)
        return EventStream(response_events(task, voice, asked, created=int(gateway.now()), ping_s=ping_s), headers)

    @routes.get("/{response_id}")
    async def read_response(request: Request, response_id: str, stream: bool = False) -> dict[str, Any]:
        """A response as it was given, unless `store` was false."""
        if stream:
            raise NotSupported("a response is read whole; only a new one is streamed", "stream")
        answer = await Responses(gateway, tenant_with(request, "read")).stored(response_id)
        return response(answer, flow, None)

    @routes.delete("/{response_id}")
    async def delete_response(response_id: str) -> None:
        """Not served: a response is part of its session's log."""
        raise NotSupported(
            "a response is part of its session's log and is not removed alone; 'maitred sessions purge' removes a session",
            "response_id",
        )

    return routes
