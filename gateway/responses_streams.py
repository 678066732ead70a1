"""Responses streams: a response as the events that OpenAI's clients put together again. Like every stream here it begins when the
turn is committed, but for words that change nothing, which come ahead; until then comments keep the connection open.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from .errors import described
from .openai_shapes import Answer, pieces
from .responses_shapes import ResponsesRequest, begun, output_item, response, text_part
from .streams import PING, event, left_of
from .voice import Voice

Told = tuple[str, dict[str, Any]]


async def response_events(
    task: "asyncio.Task[Answer]", voice: Voice, asked: ResponsesRequest, *, created: int, ping_s: float
) -> AsyncIterator[bytes]:
    """The stream. A failure once it has begun is an `error` event, and the last."""
    numbers = count()

    def tell(told: Told) -> bytes:
        name, data = told
        return event({"type": name, "sequence_number": next(numbers), **data}, name)

    async for words in voice.heard(task, ping_s):
        if words and voice.said == words:
            for told in _opening(voice.id, created, asked):
                yield tell(told)
        yield tell(_delta(voice.id, words)) if words else PING
    try:
        answer = task.result()
        left = left_of(answer.text, voice.said)
    except Exception as error:  # noqa: BLE001  # the status is sent: whatever it is, it is told here
        yield event(_failure(error, next(numbers)), "error")
        return
    if voice.said:
        answer = replace(answer, created=created)
    else:
        for told in _opening(answer.id, answer.created, asked):
            yield tell(told)
    for piece in pieces(left):
        yield tell(_delta(answer.id, piece))
    for told in _closing(answer, asked):
        yield tell(told)


def _opening(id_: str, created: int, asked: ResponsesRequest) -> Iterator[Told]:
    opened = {"response": begun(id_, created, asked.model, asked)}
    yield "response.created", opened
    yield "response.in_progress", opened
    yield "response.output_item.added", {"output_index": 0, "item": output_item(id_, None)}
    yield "response.content_part.added", {**_here(id_), "part": text_part("")}


def _delta(id_: str, words: str) -> Told:
    return "response.output_text.delta", {**_here(id_), "delta": words, "logprobs": []}


def _closing(answer: Answer, asked: ResponsesRequest) -> Iterator[Told]:
    here = _here(answer.id)
    yield "response.output_text.done", {**here, "text": answer.text, "logprobs": []}
    yield "response.content_part.done", {**here, "part": text_part(answer.text)}
    yield "response.output_item.done", {"output_index": 0, "item": output_item(answer.id, answer.text)}
    yield "response.completed", {"response": response(answer, asked.model, asked)}


def _here(id_: str) -> dict[str, Any]:
    return {"item_id": output_item(id_, None)["id"], "output_index": 0, "content_index": 0}


def _failure(error: Exception, number: int) -> Mapping[str, Any]:
    """Both forms that clients look for: the fields themselves, as documented, and within `error`, as sent."""
    told = described(error, openai=True)[1]["error"]
    fields = dict(told) if isinstance(told, Mapping) else {}
    flat = {name: fields.get(name) for name in ("code", "message", "param")}
    return {"type": "error", "sequence_number": number, **flat, "error": fields}
