"""A conversation over `/v1/responses` with openai-python, in each of the ways in which clients go on."""

from typing import Any, Literal, get_args
from uuid import uuid4

import openai

Way = Literal["conversation", "previous", "items", "text", "references"]
WAYS: tuple[Way, ...] = get_args(Way)


class Talk:
    """`conversation` and `previous` send the last message alone; the others the history: our items as they came, plain texts,
    or references to our items. `state`, `session`: what the last reply's headers said."""

    def __init__(self, client: openai.OpenAI, way: Way, *, stream: bool = False, name: str = "") -> None:
        self.client, self.way, self.stream, self.name = client, way, stream, name or uuid4().hex
        self.history: list[Any] = []
        self.previous: str | None = None
        self.state = self.session = ""

    def say(self, text: str) -> str:
        self.history.append({"role": "user", "content": text})
        raw = self.client.responses.with_raw_response.create(model="presales", stream=self.stream, **self._asked(text))
        self.state = raw.headers.get("x-maitred-state", "")
        self.session = raw.headers.get("x-maitred-session", "")
        parsed: Any = raw.parse()
        response = list(parsed)[-1].response if self.stream else parsed
        self.previous = response.id
        self.history.append(self._reply(response))
        return str(response.output_text)

    def _asked(self, text: str) -> dict[str, Any]:
        if self.way == "conversation":
            return {"input": text, "conversation": self.name}
        if self.way == "previous":
            parts = [{"type": "input_text", "text": text}]
            return {"input": [{"role": "user", "content": parts}], "previous_response_id": self.previous}
        return {"input": self.history}

    def _reply(self, response: Any) -> dict[str, Any]:
        if self.way == "items":
            return dict(response.output[0].model_dump())
        if self.way == "references":
            return {"type": "item_reference", "id": response.output[0].id}
        return {"role": "assistant", "content": response.output_text}
