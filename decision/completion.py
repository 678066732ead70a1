"""Completion: what of a server's answer is needed, whatever else is in it. Pure; parsed by `client.py`."""

from pydantic import BaseModel, Field, JsonValue

from ..protocol.usage import Usage


class Said(BaseModel):
    """A message of the model: text, or why it declined."""

    content: str | None = None
    refusal: str | None = None


class OneChoice(BaseModel):
    """One answer; `finish_reason` is `stop` if it is complete."""

    message: Said
    finish_reason: str | None = None


class Completion(BaseModel):
    """What of a chat completion is needed; servers add to it and leave out of it as they like."""

    choices: list[OneChoice] = Field(min_length=1)
    usage: JsonValue = None

    @property
    def counted(self) -> Usage | None:
        """The tokens, if the server told them in the usual form."""
        if not isinstance(self.usage, dict):
            return None
        details = self.usage.get("prompt_tokens_details")
        cached = details.get("cached_tokens") if isinstance(details, dict) else 0
        prompt, written = self.usage.get("prompt_tokens"), self.usage.get("completion_tokens")
        if not isinstance(prompt, int) or not isinstance(written, int):
            return None
        return Usage(prompt, cached if isinstance(cached, int) else 0, written)
