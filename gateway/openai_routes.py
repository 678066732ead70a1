"""The OpenAI surface: `/v1/chat/completions` and `/v1/models`. HTTP only; what a request means is `openai_turn.py`'s."""

import asyncio
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from .background import TASK_SUFFIX
from .errors import ModelNotFound
from .openai_shapes import ChatRequest, completion, model, models
from .openai_turn import OpenAiTurn
from .rights import tenant_with
from .service import Gateway
from .streams import EventStream, completion_chunks
from .voice import Voice

ANY_FLOW = "maitred"


def openai_routes(gateway: Gateway) -> APIRouter:
    """The routes over one gateway."""
    routes = APIRouter(tags=["OpenAI"])
    flow = gateway.maitred.flow.name
    started = int(gateway.now())

    # First, for routes are tried in their order, and this is the one that is asked for.
    @routes.post("/v1/chat/completions")
    async def chat_completions(request: Request, chat: ChatRequest) -> Response:
        """A customer's message; the reply as one object or as a stream. The turn is durable before its first word leaves, but for
        words that change nothing."""
        check_model(chat.model, flow)
        voice = Voice() if chat.stream else None
        turn = OpenAiTurn(gateway, tenant_with(request, "chat"), header_texts(request), chat, voice=voice)
        task = gateway.work.start(turn.answer())
        if voice is None:
            whole = await asyncio.shield(task)
            return JSONResponse(completion(whole, chat.model), headers=answer_headers(whole.session, whole.state))
        await voice.news(task, gateway.settings.ping_s)  # until then an error still has its status
        answer = task.result() if task.done() else None
        voice.id = answer.id if answer else voice.id
        chunks = completion_chunks(
            task,
            voice,
            created=answer.created if answer else int(gateway.now()),
            model=chat.model,
            wants_usage=chat.wants_usage,
            ping_s=gateway.settings.ping_s,
        )
        return EventStream(
            chunks, answer_headers(answer.session if answer else voice.session, answer.state if answer else None)
        )

    @routes.get("/v1/models")
    async def list_models() -> dict[str, Any]:
        """The flow, as a model, by its own name and by the one that every service has."""
        return models(dict.fromkeys((flow, ANY_FLOW)), started)

    @routes.get("/v1/models/{name:path}")
    async def one_model(name: str) -> dict[str, Any]:
        """The same, by its name."""
        check_model(name, flow)
        return model(name, started)

    return routes


def check_model(name: str, flow: str) -> None:
    """Raises ModelNotFound for a model that is not this flow."""
    if name.removesuffix(TASK_SUFFIX) not in (flow, ANY_FLOW):
        raise ModelNotFound(f"no model {name[:60]!a}; this service has {flow!r}")


def header_texts(request: Request) -> dict[str, str]:
    """The headers, by their names in lower case. Servers read them as Latin-1; what is UTF-8 was meant as such."""
    texts = {}
    for name, value in request.headers.items():
        try:
            texts[name] = value.encode("latin-1").decode("utf-8")
        except UnicodeDecodeError:
            texts[name] = value
    return texts


def answer_headers(session: str | None, state: str | None) -> dict[str, str]:
    """Where the conversation is on the native surface, and in which state, once that is known."""
    if not session:
        return {}
    return {"x-maitred-session": session, **({"x-maitred-state": quote(state)} if state else {})}
