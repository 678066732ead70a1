"""Shapes of `/v1/responses`: what is read of a request, and how a response looks, whole or begun.

A request becomes the chat request that it stands for, so that what a message means is decided in one place. Pure.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from .errors import NotSupported
from .openai_shapes import Answer, ChatMessage, ChatRequest

_OURS = re.compile(r"(?:resp|msg)_([0-9a-f]{24})")


class InputItem(BaseModel):
    """A message, or a reference to one by its id. Items of other types (calls of tools, reasoning) say nothing to us."""

    model_config = ConfigDict(extra="ignore")

    type: str | None = None
    role: str | None = None
    content: str | list[dict[str, Any]] | None = None
    id: str | None = Field(default=None, max_length=500)

    @property
    def is_reference(self) -> bool:
        return self.type == "item_reference" and (self.id or "").startswith("msg")

    @property
    def message(self) -> ChatMessage | None:
        """What a reference points to was said by us: of its words only the place counts."""
        if self.is_reference:
            return ChatMessage(role="assistant", content=f"[{self.id}]")
        if self.role is None or self.type not in (None, "message"):
            return None
        return ChatMessage(role=self.role, content=self.content)


class ResponsesRequest(BaseModel):
    """`conversation`: an id, or an object with one. What is not named here is taken and ignored, `tools` too."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(max_length=200)
    input: str | Annotated[list[InputItem], Field(min_length=1, max_length=9_000)]
    instructions: str | list[Any] | None = None
    conversation: str | dict[str, Any] | None = None
    previous_response_id: str | None = Field(default=None, max_length=500)
    store: bool | None = None
    stream: bool | None = None
    background: bool | None = None
    prompt: Any = None
    text: dict[str, Any] | None = None

    @property
    def items(self) -> list[InputItem]:
        return [InputItem(role="user", content=self.input)] if isinstance(self.input, str) else self.input

    @property
    def chat(self) -> ChatRequest:
        """The same as a chat completion."""
        said = [message for item in self.items if (message := item.message)]
        system = [ChatMessage(role="system", content=self.instructions)] if isinstance(self.instructions, str) else []
        beside = {**(self.model_extra or {}), "conversation": self.conversation}
        beside = {name: value for name, value in beside.items() if name not in ("messages", "n", "stream_options")}
        return ChatRequest(model=self.model, messages=[*system, *said] or [ChatMessage(role="system")], **beside)

    @property
    def last_reply(self) -> InputItem | None:
        """The reply behind which the customer's last message stands, if the input holds it."""
        items = self.items
        while items and items[-1].role != "user":
            items = items[:-1]
        return next((item for item in reversed(items) if (said := item.message) and _is_reply(said)), None)

    def refuse_unsupported(self) -> None:
        """Raises NotSupported for what would be something else if it were ignored."""
        if self.background:
            raise NotSupported("background responses are not served: a reply comes within its request", "background")
        if self.prompt is not None:
            raise NotSupported("stored prompts are not served: the flow has its own", "prompt")
        wanted = (self.text or {}).get("format")
        if isinstance(wanted, Mapping) and wanted.get("type", "text") != "text":
            raise NotSupported("replies are text; 'text.format' may be of type 'text' only", "text.format")
        if self.conversation and self.previous_response_id:
            raise NotSupported("'conversation' and 'previous_response_id' exclude each other", "previous_response_id")


def _is_reply(message: ChatMessage) -> bool:
    return message.role == "assistant" and bool(message.text.strip())


def reply_key(id_: str | None) -> str:
    """Under what name the place behind a response, or behind the message in it, is kept; empty if the id is none of ours."""
    found = _OURS.fullmatch(id_ or "")
    return f"reply-{found.group(1)}" if found else ""


def response_id(completion: str) -> str:
    """`completion`: the id of the chat completion that it is."""
    return "resp_" + completion.rpartition("-")[2]


def response(answer: Answer, model: str, asked: ResponsesRequest | None) -> dict[str, Any]:
    """The whole response. `asked`: None when it is read again: what was asked beside the message is not kept."""
    return {
        **begun(answer.id, answer.created, model, asked),
        "status": "completed",
        "completed_at": answer.created,
        "output": [output_item(answer.id, answer.text)],
        "usage": _usage(answer),
    }


def begun(completion: str, created: int, model: str, asked: ResponsesRequest | None) -> dict[str, Any]:
    """The response before it has words."""
    return {
        "id": response_id(completion),
        "object": "response",
        "created_at": created,
        "status": "in_progress",
        "background": False,
        "completed_at": None,
        "error": None,
        "incomplete_details": None,
        "model": model,
        "output": [],
        "parallel_tool_calls": False,
        "reasoning": {"effort": None, "summary": None},
        "temperature": None,
        "text": {"format": {"type": "text"}},
        "tool_choice": "none",
        "tools": [],
        "top_p": None,
        "truncation": "disabled",
        "usage": None,
        **_echo(asked),
    }


def _echo(asked: ResponsesRequest | None) -> dict[str, Any]:
    if asked is None:
        return {"instructions": None, "metadata": {}, "previous_response_id": None, "store": True}
    conversation, metadata = asked.conversation, (asked.model_extra or {}).get("metadata")
    named = _sendable(conversation.get("id") if isinstance(conversation, Mapping) else conversation)
    pairs = metadata.items() if isinstance(metadata, Mapping) else ()
    return {
        "instructions": _sendable(asked.instructions),
        "metadata": {_sendable(name): text for name, value in pairs if (text := _sendable(value)) is not None},
        "previous_response_id": _sendable(asked.previous_response_id),
        "store": asked.store is not False,
        **({"conversation": {"id": named}} if named else {}),
    }


def _sendable(value: object) -> str | None:
    """Only text is echoed, without what cannot be sent: JSON may hold half a surrogate pair, UTF-8 may not."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else None


def output_item(completion: str, text: str | None) -> dict[str, Any]:
    """The reply as the one item that a response has. `text`: None while it is still to come."""
    return {
        "id": "msg_" + completion.rpartition("-")[2],
        "type": "message",
        "status": "in_progress" if text is None else "completed",
        "role": "assistant",
        "content": [] if text is None else [text_part(text)],
    }


def text_part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _usage(answer: Answer) -> dict[str, Any]:
    return {
        "input_tokens": answer.prompt,
        "input_tokens_details": {"cached_tokens": answer.cached, "cache_write_tokens": 0},
        "output_tokens": answer.completion,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": answer.prompt + answer.completion,
    }
