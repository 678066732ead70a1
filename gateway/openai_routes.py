"""The OpenAI surface: `/v1/chat/completions` and `/v1/models`. HTTP only; what a request means is `openai_turn.py`'s."""

import asyncio
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from .background import TASK_SUFFIX
from .errors import ModelNotFound
from .openai_shapes import Answer, ChatRequest, completion, model, models
from .openai_turn import OpenAiTurn
from .service import Gateway
from .streams import EventStream, completion_chunks

ANY_FLOW = "maitred"


def openai_routes(gateway: Gateway) -> APIRouter:
    """The routes over one gateway."""
    routes = APIRouter(tags=["OpenAI"])
    flow = gateway.maitred.flow.name
    started = int(gateway.now())

    @routes.get("/v1/models")
    async def list_models() -> dict[str, Any]:
        """The flow, as a model, by its own name and by the one that every service has."""
        return models(dict.fromkeys((flow, ANY_FLOW)), started)

    @routes.get("/v1/models/{name:path}")
    async def one_model(name: str) -> dict[str, Any]:
        """The same, by its name."""
        check_model(name, flow)
        return model(name, started)

    @routes.post("/v1/chat/completions")
    async def chat_completions(request: Request, chat: ChatRequest) -> Response:
        """A customer's message; the reply as one object or as a stream. The turn is durable before its first word leaves."""
        check_model(chat.model, flow)
        turn = OpenAiTurn(gateway, request.state.tenant, header_texts(request), chat)
        task = gateway.work.start(turn.answer())
        if not chat.stream:
            whole = await asyncio.shield(task)
            return JSONResponse(completion(whole, chat.model), headers=answer_headers(whole))
        await asyncio.wait({task}, timeout=gateway.settings.ping_s)  # until then an error still has its status
        answer = task.result() if task.done() else None
        chunks = completion_chunks(
            task,
            id_=answer.id if answer is not None else f"chatcmpl-{uuid4().hex[:24]}",
            created=answer.created if answer is not None else int(gateway.now()),
            model=chat.model,
            wants_usage=chat.wants_usage,
            ping_s=gateway.settings.ping_s,
        )
        return EventStream(chunks, answer_headers(answer))

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


def answer_headers(answer: Answer | None) -> dict[str, str]:
    """Where the conversation is on the native surface, and in which state; nothing while the turn still runs."""
    if answer is None or answer.session is None:
        return {}
    return {"x-maitred-session": answer.session, **({"x-maitred-state": quote(answer.state)} if answer.state else {})}
