"""Shapes of the native surface: what is posted, and how a session and its log are shown.

Session ids are the caller's own here: the namespace of tenant and flow is put on and taken off. Pure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ..protocol.log import LogRecord, Message
from ..protocol.messages import AgentResponse, Attachment, StateEvent, ToolCall, UserRequest
from ..protocol.session import Session
from ..statemachine.flow import Flow
from ..statemachine.fold import read_record
from ..statemachine.menu import allowed_actions
from .identity import public_name


class PostedMessage(BaseModel):
    """`message_id` (or the header `Idempotency-Key`): the same again is no second turn. `meta`: background of the customer."""

    model_config = ConfigDict(extra="forbid")

    text: str = ""
    message_id: str | None = None
    meta: dict[str, str | int | float | bool] | None = None
    attachments: Annotated[list[Attachment], Field(max_length=20)] = []
    state_version: int | None = Field(default=None, ge=0)


class PostedEvent(BaseModel):
    """An event that the flow declares as one from outside. `key` (or the header): the same again changes nothing."""

    model_config = ConfigDict(extra="forbid")

    event: str
    payload: dict[str, JsonValue] = {}
    key: str | None = None


class PostedReturn(BaseModel):
    """A human hands the session back to the flow. `key` as above."""

    model_config = ConfigDict(extra="forbid")

    key: str | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """One event of a stream. `id`: the event_seq, and behind it what follows it without one: 12, 12.1, 12.2, 13."""

    id: str
    name: str
    data: dict[str, Any]

    @property
    def place(self) -> tuple[int, int]:
        return place_of(self.id)


def place_of(id_: str) -> tuple[int, int]:
    """An id as numbers; (0, 0), the beginning, if it is none."""
    seq, _, nth = id_.partition(".")
    if not seq.isdecimal() or not (nth or "0").isdecimal() or len(id_) > 40:
        return (0, 0)
    return (int(seq), int(nth or 0))


def shown(session: Session, flow: Flow) -> dict[str, Any]:
    """A session for its tenant. `flow`: the version that it belongs to."""
    kept = session.model_dump(mode="json", exclude={"session_id", "head", "fingerprint", "good_calls", "same_event_at"})
    return {"session_id": public_name(session.session_id), **kept, "allowed_actions": _menu(session, flow)}


def state_of(session: Session, flow: Flow) -> dict[str, Any]:
    """The data of `sop.state`."""
    return {
        "session_id": public_name(session.session_id),
        "state": session.state,
        "state_version": session.state_version,
        "event_seq": session.event_seq,
        "allowed_actions": _menu(session, flow),
    }


def _menu(session: Session, flow: Flow) -> list[str]:
    return list(allowed_actions(flow, session)) if session.fingerprint == flow.fingerprint else []


def shown_message(message: Message) -> dict[str, Any]:
    """A message of the protocol for its tenant."""
    return {
        **message.model_dump(mode="json", exclude_none=True),
        "session_id": public_name(message.session_id),
    }


def told(records: Sequence[LogRecord]) -> Iterator[tuple[Told, Message]]:
    """The log as events of a stream, each with its message."""
    seq = nth = 0
    for record in records:
        message = read_record(record)
        if isinstance(message, StateEvent):
            seq, nth = message.event_seq, 0
        else:
            nth += 1
        yield Told(f"{seq}.{nth}" if nth else str(seq), _name(message), shown_message(message)), message


def _name(message: Message) -> str:
    if isinstance(message, StateEvent):
        return "sop.transition" if message.source_state != message.target_state else "sop.event"
    names = {UserRequest: "sop.message", ToolCall: "sop.tool", AgentResponse: "sop.reply"}
    return names[type(message)]
