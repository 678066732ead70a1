"""Responses streams: a response as the events that OpenAI's clients put together again. Like every stream here, it begins when
the turn is committed; until then comments keep the connection open.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

from .errors import described
from .openai_shapes import Answer, pieces
from .responses_shapes import ResponsesRequest, begun, output_item, response, text_part
from .streams import event, pings_until

Told = tuple[str, dict[str, Any]]


async def response_events(task: "asyncio.Task[Answer]", asked: ResponsesRequest, ping_s: float) -> AsyncIterator[bytes]:
    """The stream. A failure once it has begun is an `error` event, and the last."""
    async for ping in pings_until(task, ping_s):
        yield ping
    try:
        answer = task.result()
    except Exception as error:  # noqa: BLE001  # the status is sent: whatever it is, it is told here
        yield event(_failure(error), "error")
        return
    for number, (name, data) in enumerate(_events(answer, asked)):
        yield event({"type": name, "sequence_number": number, **data}, name)


def _events(answer: Answer, asked: ResponsesRequest) -> Iterator[Told]:
    opened = {"response": begun(answer.id, answer.created, asked.model, asked)}
    item = output_item(answer.id, answer.text)
    here = {"item_id": item["id"], "output_index": 0, "content_index": 0}
    yield "response.created", opened
    yield "response.in_progress", opened
    yield "response.output_item.added", {"output_index": 0, "item": output_item(answer.id, None)}
    yield "response.content_part.added", {**here, "part": text_part("")}
    for piece in pieces(answer.text):
        yield "response.output_text.delta", {**here, "delta": piece, "logprobs": []}
    yield "response.output_text.done", {**here, "text": answer.text, "logprobs": []}
    yield "response.content_part.done", {**here, "part": text_part(answer.text)}
    yield "response.output_item.done", {"output_index": 0, "item": item}
    yield "response.completed", {"response": response(answer, asked.model, asked)}


def _failure(error: Exception) -> Mapping[str, Any]:
    """Both forms that clients look for: the fields themselves, as documented, and within `error`, as sent."""
    told = described(error, openai=True)[1]["error"]
    fields = dict(told) if isinstance(told, Mapping) else {}
    flat = {name: fields.get(name) for name in ("code", "message", "param")}
    return {"type": "error", "sequence_number": 0, **flat, "error": fields}
