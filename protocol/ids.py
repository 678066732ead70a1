"""Ids: names that cross a boundary, with the one rule of what may stand in them.

An id ends up in keys, file names, log lines and URLs, so it is plain: 1 to 200 printable characters, no space, no brace
(Redis hash tags), nothing that cannot be seen (newlines, zero width, direction marks). Made by callers (sessions, requests) or
derived (events, calls); never drawn at random here.
"""

import hashlib
from typing import Annotated, NewType

from pydantic import AfterValidator

from .errors import BadRequest

SessionId = NewType("SessionId", str)
MessageId = NewType("MessageId", str)
CallId = NewType("CallId", str)
IdempotencyKey = NewType("IdempotencyKey", str)

MAX_ID_CHARS = 200
_NOT_IN_IDS = frozenset(" {}")


def check_id(value: str, what: str = "id") -> str:
    """Return `value` if it may serve as an id; else raise BadRequest (a ValueError, so pydantic reports it too)."""
    if not isinstance(value, str):
        raise BadRequest(f"{what} is a string; got a {type(value).__name__}")
    if not 1 <= len(value) <= MAX_ID_CHARS or not value.isprintable() or not _NOT_IN_IDS.isdisjoint(value):
        raise BadRequest(
            f"{what} is 1 to {MAX_ID_CHARS} printable characters without spaces, braces or newlines; "
            f"got {len(value)} characters: {value[:60]!a}"
        )
    return value


PlainId = Annotated[str, AfterValidator(check_id)]


def event_message_id(event_seq: int) -> MessageId:
    """Message id of a state_event: derived, so that a replay names the same event."""
    return MessageId(f"e{event_seq}")


def idempotency_key(tenant: str, session_id: str, request_id: str, tool: str, nth: int) -> IdempotencyKey:
    """Key handed to a tool: hash of (tenant, session, request, tool, n-th call in the turn).

    Never the arguments: a model that is asked again words them differently, and the effect would happen twice.
    """
    text = "\x1f".join((tenant, session_id, request_id, tool, str(nth)))
    return IdempotencyKey(hashlib.sha256(text.encode()).hexdigest()[:32])
