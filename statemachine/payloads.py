"""Payloads: the shape of what each event carries. `advance` refuses a wish that does not fit, `fold` a record that does not.

Owns shapes only. Events of the map carry what their actions, slots and senders give them and are not listed, but for what every
tool's return has. Whether the values are right is the machine's matter.
"""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue, RootModel, ValidationError

from ..protocol.messages import Actor, explain
from ..protocol.session import PendingCall, PendingConfirmation
from ..protocol.slots import Scalar
from ..protocol.texts import Lang


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Started(_Shape):
    """`flow_version`, `fingerprint`, `episode`: added by the machine, so that a log says under which flow an episode ran."""

    lang: Lang
    meta: dict[str, JsonValue] = {}
    flow_version: str = ""
    fingerprint: str = ""
    episode: int = 1


class _Carried(_Shape):
    lang: Lang
    lang_doubt: int
    episode: int
    episode_turns: int
    turns_before: int
    data: dict[str, JsonValue]
    meta: dict[str, JsonValue]
    last_tool: list[str] | None
    invalid: int
    resume_to: str | None
    agreed: bool
    done: bool
    calls: int


class _FlowChanged(_Shape):
    """`session`: what it keeps of itself, whole: from here on a log is folded without the older flow."""

    from_version: str
    from_fingerprint: str
    flow_version: str
    fingerprint: str
    session: _Carried


class _Language(_Shape):
    lang: Lang
    doubt: int


class _Anything(RootModel[dict[str, JsonValue]]):
    pass


class _Slots(_Shape):
    values: dict[str, Scalar]
    refused: dict[str, dict[str, str]] = {}


class _Answer(_Shape):
    action: str = ""
    values: dict[str, JsonValue] = {}


class _Detail(_Shape):
    tool: str


class _Declined(_Shape):
    action: str


class Returned(_Shape):
    """A call that ended: what every event with actor tool carries."""

    call_id: str
    tool: str
    status: Literal["ok", "error", "timeout", "frozen", "unknown", "cancelled"]
    result: JsonValue = None
    error: str = ""
    origin: str = ""
    saves: str = ""
    reused: bool = False


class _Why(_Shape):
    why: str


class _RolledBack(_Shape):
    invalid: int
    discarded: list[str] = []
    unheard: bool = False
    stopped: bool = False


class _Reason(_Shape):
    reason: str


class _Refused(_Shape):
    event: str


class _Names(_Shape):
    names: list[str]


class _Fact(_Shape):
    fact: str


class _Nothing(_Shape):
    pass


class _Unexpected(_Shape):
    event: str
    payload: dict[str, JsonValue]


SHAPES: Mapping[str, type[BaseModel]] = {
    "session_started": _Started,
    "flow_changed": _FlowChanged,
    "language_noted": _Language,
    "meta_noted": _Anything,
    "slots_provided": _Slots,
    "answer_given": _Answer,
    "detail_shown": _Detail,
    "confirmation_asked": PendingConfirmation,
    "confirmation_declined": _Declined,
    "tool_called": PendingCall,
    "tool_returned": Returned,
    "decision_rejected": _Why,
    "rolled_back": _RolledBack,
    "input_refused": _Reason,
    "values_dropped": _Names,
    "reply_replaced": _Fact,
    "event_refused": _Refused,
    "message_passed_on": _Nothing,
    "unexpected_event": _Unexpected,
}


def misshapen(event: str, actor: Actor, payload: Mapping[str, JsonValue]) -> str | None:
    """What is wrong with the shape of an event's payload; None if it fits."""
    shape = Returned if actor is Actor.TOOL else SHAPES.get(event)
    if shape is None:
        return None
    try:
        shape.model_validate(dict(payload))
    except ValidationError as error:
        return explain(error)
    return None
