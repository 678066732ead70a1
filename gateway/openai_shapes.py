"""Shapes of the OpenAI surface: what is read of a request, and how replies, chunks and the list of models look.

Unknown fields are taken and ignored (clients send dozens, with tools of their own); what is read is read leniently. Pure.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..protocol.errors import BadRequest
from ..protocol.messages import Attachment
from .identity import Said
from .transcripts import Place

Kind = Literal["image", "audio", "video", "file", "other"]

_KINDS: Mapping[str, Kind] = {
    "image_url": "image",
    "input_image": "image",
    "input_audio": "audio",
    "video_url": "video",
    "file": "file",
    "input_file": "file",
}
_CHUNK_CHARS = 24


class ChatMessage(BaseModel):
    """`content`: text, or parts of which the text is read."""

    model_config = ConfigDict(extra="ignore")

    role: str
    content: str | list[dict[str, Any]] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, str):
            return self.content
        return "\n".join(str(part.get("text") or "") for part in self.content or () if "text" in part)

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """What is not text, at most 20; maitred says that it cannot read it."""
        parts = self.content if isinstance(self.content, list) else []
        kinds: list[Kind] = [
            _KINDS.get(str(part.get("type")), "other") for part in parts if part.get("type") not in _TEXTS
        ]
        return tuple(Attachment(kind=kind) for kind in kinds[:20])


_TEXTS = ("text", "input_text", "output_text")


class StreamOptions(BaseModel):
    model_config = ConfigDict(extra="ignore")

    include_usage: bool | None = None


class ChatRequest(BaseModel):
    """A chat completion. `model`: the flow's name, `maitred`, or that with `-task` behind it for titles and the like."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(max_length=200)
    messages: list[ChatMessage] = Field(min_length=1, max_length=10_000)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: int | None = None

    @property
    def said(self) -> list[Said]:
        """The transcript: customers' messages and replies."""
        kept = [m for m in self.messages if m.role in ("user", "assistant")]
        return [Said("user" if m.role == "user" else "assistant", m.text) for m in kept]

    @property
    def unanswered(self) -> list[str]:
        """The customer's messages behind the last reply to one of them; the place of a reply that failed is none."""
        texts: list[str] = []
        waiting: list[str] = []
        for message in self.said:
            if message.role == "user":
                texts = waiting = [*waiting, message.text]
            elif message.text.strip():
                waiting = []
        return texts

    @property
    def answers_only(self) -> bool:
        """Whether the customer was shown answers to messages and nothing else: no second reply stands in front of theirs."""
        behind = [m.role for m in reversed(self.said) if m.role == "user" or m.text.strip()]
        return behind[behind.index("user") + 1 :][:2] != ["assistant", "assistant"]

    @property
    def system(self) -> list[str]:
        return [m.text for m in self.messages if m.role in ("system", "developer")]

    @property
    def last(self) -> ChatMessage:
        """The customer's last message. Raises BadRequest if there is none."""
        for message in reversed(self.messages):
            if message.role == "user":
                return message
        raise BadRequest("there is no message of role 'user'")

    @property
    def fields(self) -> Mapping[str, Any]:
        """What came beside the fields above."""
        return self.model_extra or {}

    @property
    def wants_usage(self) -> bool:
        return bool(self.stream_options and self.stream_options.include_usage)


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back. `session`, `state`, `place` (where the conversation goes on behind it): None for a background call. The
    counts are the turn's sums."""

    id: str
    created: int
    text: str
    session: str | None = None
    state: str | None = None
    prompt: int = 0
    cached: int = 0
    completion: int = 0
    place: Place | None = None

    @property
    def usage(self) -> dict[str, object]:
        return {
            "prompt_tokens": self.prompt,
            "completion_tokens": self.completion,
            "total_tokens": self.prompt + self.completion,
            "prompt_tokens_details": {"cached_tokens": self.cached},
        }


def completion(answer: Answer, model: str) -> dict[str, object]:
    """The whole reply as one object."""
    message = {"role": "assistant", "content": answer.text, "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    head = {"id": answer.id, "object": "chat.completion", "created": answer.created, "model": model}
    return {**head, "choices": [choice], "usage": answer.usage}


def chunk(
    id_: str, created: int, model: str, delta: Mapping[str, str], finish: str | None, *, wants_usage: bool
) -> dict[str, object]:
    """One chunk of a stream."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
    head = {"id": id_, "object": "chat.completion.chunk", "created": created, "model": model}
    return {**head, "choices": [choice], **({"usage": None} if wants_usage else {})}


def usage_chunk(answer: Answer, id_: str, created: int, model: str) -> dict[str, object]:
    """The last chunk, for those who asked for it."""
    head = {"id": id_, "object": "chat.completion.chunk", "created": created, "model": model}
    return {**head, "choices": [], "usage": answer.usage}


def pieces(text: str) -> Iterator[str]:
    """The text in the pieces in which it is streamed."""
    for start in range(0, len(text), _CHUNK_CHARS):
        yield text[start : start + _CHUNK_CHARS]


def models(names: Iterable[str], created: int) -> dict[str, object]:
    """The list of models: the names by which the flow may be asked."""
    return {"object": "list", "data": [model(name, created) for name in names]}


def model(name: str, created: int) -> dict[str, object]:
    return {"id": name, "object": "model", "created": created, "owned_by": "maitred"}
