"""The four messages. They are the wire and the log: what is not in one of them did not happen.

Frozen, closed, discriminated by `msg_type`. Owns shapes and bounds; no behaviour. Made by gateways (user_request), the turn
(agent_response, tool_call) and the machine (state_event).
"""

import re
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import ErrorDetails

from .canonical import kept_json
from .errors import BadRequest
from .ids import PlainId

MAX_TEXT_CHARS = 5_000_000  # of the type; what a flow accepts is Limits.text_chars, answered with a sentence
MAX_META_KEYS = 20
MAX_META_CHARS = 500

_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def clean_text(value: object) -> object:
    """What cannot be stored or is no word: control characters go (those that part words become a space), lone surrogates
    become U+FFFD."""
    if not isinstance(value, str) or not _UNPRINTABLE.search(value):
        return value
    return _UNPRINTABLE.sub(_printable, value)


def _printable(match: re.Match[str]) -> str:
    if match.group() >= "\ud800":
        return "\ufffd"
    return " " if match.group().isspace() else ""


CleanText = Annotated[str, BeforeValidator(clean_text)]
Json = Annotated[JsonValue, BeforeValidator(kept_json)]
JsonObject = Annotated[dict[str, JsonValue], BeforeValidator(kept_json)]


def _clean_meta(value: object) -> object:
    if not isinstance(value, dict):
        return value
    if any(isinstance(item, int) and item.bit_length() > 63 for item in value.values()):
        raise BadRequest("an integer of more than 64 bits would be rounded by its readers; write it as a string")
    return kept_json({clean_text(key): clean_text(item) for key, item in value.items()})


MetaValue = Annotated[str, Field(max_length=MAX_META_CHARS)] | bool | int | float
Meta = Annotated[
    dict[Annotated[str, Field(max_length=60)], MetaValue],
    Field(max_length=MAX_META_KEYS),
    BeforeValidator(_clean_meta),
]


class Actor(StrEnum):
    """Who caused a state_event."""

    MODEL = "model"
    TOOL = "tool"
    GUARD = "guard"
    TIMER = "timer"
    HUMAN = "human"
    OUTSIDE = "outside"
    SYSTEM = "system"


class ToolStatus(StrEnum):
    """How a tool call stands; every call ends as exactly one of the others than PENDING."""

    PENDING = "pending"
    OK = "ok"
    ERROR = "error"
    TIMEOUT = "timeout"
    FROZEN = "frozen"
    UNKNOWN = "unknown"
    CANCELLED = "cancelled"


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    session_id: PlainId
    timestamp: AwareDatetime
    message_id: PlainId
    state_version: int | None = Field(default=None, ge=0)
    meta: Meta | None = None


class Attachment(BaseModel):
    """Something that is not text. maitred does not read it; the customer gets a sentence that says so."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["image", "audio", "video", "file", "other"]
    url: Annotated[str, Field(max_length=2000)] | None = None
    name: Annotated[CleanText, Field(max_length=200)] | None = None


class UserRequest(_Message):
    """What a customer sent. `message_id` is the request id: the same id again gets the same reply.

    `state_version`: optional expected version; the logged copy carries the real one. `answers_only`: the channel shows answers to
    messages and nothing else, so what was said to an event, a deadline or a human's return is unread.
    """

    msg_type: Literal["user_request"] = "user_request"
    text: Annotated[CleanText, Field(max_length=MAX_TEXT_CHARS)] = ""
    attachments: Annotated[tuple[Attachment, ...], Field(max_length=20)] = ()
    answers_only: bool = False


class AgentResponse(_Message):
    """What the customer reads. `reply_to`: the request (or outside event key) that it answers; `state`: where the session is."""

    msg_type: Literal["agent_response"] = "agent_response"
    reply_to: PlainId
    text: CleanText
    state: str
    allowed_actions: tuple[str, ...] = ()


class ToolCall(_Message):
    """One call of a tool: once as `pending` before it runs, once with how it ended."""

    msg_type: Literal["tool_call"] = "tool_call"
    call_id: PlainId
    tool: str
    key: str
    arguments: JsonObject = {}
    status: ToolStatus
    result: Json = None
    error: CleanText | None = None


class StateEvent(_Message):
    """One accepted move, self-loops included: where, from what, caused by whom, why. `event_seq` is gapless from 1."""

    msg_type: Literal["state_event"] = "state_event"
    event: str
    event_seq: int = Field(ge=1)
    source_state: str
    target_state: str
    actor: Actor
    turn: int = Field(ge=0)
    reason: CleanText = ""
    payload: JsonObject = {}


AnyMessage = Annotated[UserRequest | AgentResponse | ToolCall | StateEvent, Field(discriminator="msg_type")]
MESSAGE: TypeAdapter[UserRequest | AgentResponse | ToolCall | StateEvent] = TypeAdapter(AnyMessage)


def parse_message(body: bytes | str) -> UserRequest | AgentResponse | ToolCall | StateEvent:
    """Parse one message from JSON; raises BadRequest that says where and what, without repeating the content."""
    try:
        return MESSAGE.validate_json(body)
    except (ValidationError, RecursionError) as error:
        raise BadRequest(f"not a message: {explain(error)}") from error


def explain(error: ValidationError | RecursionError) -> str:
    """A pydantic error in one line: place and rule of each fault, at most five, never the input."""
    if isinstance(error, RecursionError):
        return "nested too deep"
    faults = error.errors(include_input=False, include_url=False)
    lines = [f"{_place(f['loc'])}: {_rule(f)}" for f in faults[:5]]
    more = f" (and {len(faults) - 5} more)" if len(faults) > 5 else ""
    return "; ".join(lines) + more


def _rule(fault: ErrorDetails) -> str:
    """The rule that was broken. Pydantic's own words for an unknown tag repeat the input."""
    if fault["type"] == "union_tag_invalid":
        return "{discriminator} is one of {expected_tags}".format(**fault["ctx"])
    return fault["msg"][:300]


def _place(loc: tuple[int | str, ...]) -> str:
    """Where a fault is. A key that does not belong came from outside: shown short and plain."""
    return ".".join(ascii(str(part)[:60])[1:-1] for part in loc[:8]) or "message"
