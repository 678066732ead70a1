"""Completion: what of a server's answer is needed, whatever else is in it, and how the decision is dug out of it.

Pure; called by `client/`.
"""

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field, JsonValue

from ..protocol.errors import ModelAnswerUnusable
from ..protocol.usage import Usage, tokens
from .salvage import Unusable, salvage


def _joined(content: object) -> object:
    """Some servers send text in parts, thinking among them."""
    if not isinstance(content, list):
        return content
    parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return "".join(text for text in parts if isinstance(text, str))


def _first_only(choices: object) -> object:
    return choices[:1] if isinstance(choices, list) else choices


class Said(BaseModel):
    """A message of the model: text, or why it declined."""

    content: Annotated[str | None, BeforeValidator(_joined)] = None
    refusal: str | None = None


class OneChoice(BaseModel):
    """One answer; `finish_reason` is `stop` if it is complete."""

    message: Said
    finish_reason: str | None = None


class Completion(BaseModel):
    """What of a chat completion is needed; servers add to it and leave out of it as they like."""

    choices: Annotated[list[OneChoice], Field(min_length=1), BeforeValidator(_first_only)]
    usage: JsonValue = None

    @property
    def counted(self) -> Usage | None:
        """The tokens, if the server told them in the usual form."""
        if not isinstance(self.usage, dict):
            return None
        details = self.usage.get("prompt_tokens_details")
        cached = tokens(details.get("cached_tokens")) if isinstance(details, dict) else None
        prompt, written = tokens(self.usage.get("prompt_tokens")), tokens(self.usage.get("completion_tokens"))
        return None if prompt is None or written is None else Usage(prompt, cached or 0, written)


class Piece(BaseModel):
    """What a chunk of a stream adds to the one answer."""

    delta: Said | None = None
    finish_reason: str | None = None

    @property
    def said(self) -> Said:
        return self.delta or Said()


class Chunk(BaseModel):
    """What of a chunk is needed. The last one may hold only the usage."""

    choices: Annotated[list[Piece], BeforeValidator(lambda given: _first_only(given) or [])] = []
    usage: JsonValue = None
    error: JsonValue = None


def written(content: str, refusal: str | None = None, finish: str = "stop", usage: JsonValue = None) -> Completion:
    """The completion that a stream came to."""
    return Completion(
        choices=[OneChoice(message=Said(content=content, refusal=refusal), finish_reason=finish)], usage=usage
    )


@dataclass(slots=True)
class Text:
    """The message that instructor parses."""

    content: str
    role: str = "assistant"


@dataclass(slots=True)
class Picked:
    """The one choice."""

    finish_reason: str | None
    message: Text


@dataclass(slots=True)
class DugOut:
    """What instructor reads of a ChatCompletion; the real one takes long to make. `usage` is for it to add up in."""

    choices: list[Picked]
    usage: object


def dug_out(completion: Completion, usage: object) -> DugOut:
    """The completion as instructor reads it, its text the one JSON object. Cut short, it goes on as it is: instructor says so.

    Raises ModelAnswerUnusable.
    """
    choice = completion.choices[0]
    text = choice.message.content or ""
    if choice.finish_reason == "content_filter":
        raise ModelAnswerUnusable("withheld by the server's content filter")
    if choice.finish_reason != "length":
        found = salvage(text)
        if isinstance(found, Unusable):
            declined = " (the model declined)" if choice.message.refusal else ""
            raise ModelAnswerUnusable(f"no decision: {found.why}{declined}")
        text = found
    return DugOut([Picked(choice.finish_reason, Text(text))], usage)
