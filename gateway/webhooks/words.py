"""The words of webhooks: where a conversation is, what came from it, what is to go there. Values only; kept by `boxes.py`.

Made by channels (`channel.py`) and by `letters.py`.
"""

import json
from hashlib import sha256
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from ...protocol.ids import SessionId
from ...protocol.messages import Attachment, clean_text
from ..identity import session_id

Control = Literal["bot", "human", "closed"]
"""Who has a conversation, as its channel says: the bot, a human, or nobody any more."""
SenderKind = Literal["customer", "bot", "human", "system"]
TEXT_CHARS = 50_000

Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]


def _cut(value: object) -> object:
    value = clean_text(value)
    return value[:TEXT_CHARS] if isinstance(value, str) else value


class _Word(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Place(_Word):
    """Where a conversation is. `channel`: the name of a webhook of the settings; the others are the channel's own names."""

    channel: Name
    account: Name
    conversation: Name

    def session(self, tenant: str, flow: str) -> SessionId:
        """The session of this conversation, in the namespace of (tenant, flow)."""
        parts = (self.account, self.conversation)
        if any("\n" in part for part in parts):  # whatever stands in them, no two places have one name
            return session_id(tenant, flow, "\n\n".join(map(json.dumps, parts)))
        plain = not any("~" in part for part in parts)
        return session_id(tenant, flow, ("~" if plain else "\n").join(parts))  # a name with a line break is hashed


class Entry(_Word):
    """What came from a conversation.

    `message_id`: the same again is no second message. `control`: who has the conversation, if the channel says so. `ts`: when it
    was so, by the channel's clock. `echo`: key of a letter of ours that this is.
    """

    message_id: Name
    sender_kind: SenderKind
    text: Annotated[str, BeforeValidator(_cut)] = ""
    attachments: Annotated[tuple[Attachment, ...], Field(max_length=20)] = ()
    control: Control | None = None
    ts: Annotated[float, Field(ge=0, le=1e11, allow_inf_nan=False)]
    echo: str = ""


class Letter(_Word):
    """What is to go to a conversation: words, or the hand-off to a human. `key`: the receiver may know a repeat by it."""

    key: str
    kind: Literal["say", "hand_off"] = "say"
    text: str = ""
    made_at: float


def turn_id(place: Place, first: str) -> str:
    """Message id of the turn over the messages that begin with `first`."""
    return MESSAGE_PREFIX + digest(place.channel, place.account, first)


MESSAGE_PREFIX = "webhook-"


def digest(*parts: str) -> str:
    """A key of these parts: plain, of fixed length, the same in every process."""
    return sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest()[:32]
