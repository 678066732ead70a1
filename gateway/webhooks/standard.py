"""Standard Webhooks (standardwebhooks.com): any program that signs what it sends, and takes replies at a URL of its own.

What comes is `{"type": "message.created", "timestamp": ..., "data": {...}}`, what goes is signed in the same way; a letter's key
is the header `webhook-id`, so a receiver that keeps ids reads each once.
"""

import binascii
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from standardwebhooks import Webhook, WebhookVerificationError

from ...protocol.errors import BadRequest
from ...protocol.messages import Attachment
from .channel import Call, Channel, Heard, Refused
from .posting import Posting
from .words import Control, Entry, Letter, Place, SenderKind


class _Data(BaseModel):
    """`message_id`: the header `webhook-id` if there is none. `control`: who has the conversation."""

    model_config = ConfigDict(extra="forbid")

    conversation: str
    account: str = "main"
    message_id: str | None = None
    sender: SenderKind = "customer"
    text: str = ""
    attachments: Annotated[list[Attachment], Field(max_length=20)] = []
    control: Control | None = None


class _Event(BaseModel):
    type: Literal["message.created", "conversation.changed"]
    timestamp: AwareDatetime
    data: _Data


@dataclass(frozen=True)
class StandardWebhooks(Channel):
    """`secret`: `whsec_...`, for both directions. `callback_url`: where replies go."""

    secret: str
    callback_url: str

    def __post_init__(self) -> None:
        try:
            Webhook(self.secret)
        except Exception as error:  # the library raises what base64 does, and errors of its own
            raise BadRequest("the secret of a standard webhook is 'whsec_' and base64") from error

    def hear(self, call: Call) -> Heard:
        try:
            Webhook(self.secret).verify(call.body, dict(call.headers), json_parse=False)
        except WebhookVerificationError as error:
            raise Refused(401, f"not signed with this webhook's secret, or not now: {error}") from None
        except (ValueError, binascii.Error):
            raise Refused(401, "the header webhook-signature cannot be read, or the body is not UTF-8") from None
        event = _Event.model_validate_json(call.body)
        data = event.data
        if event.type == "conversation.changed" and data.control is None:
            raise Refused(400, "a conversation.changed says 'control': bot, human or closed")
        place = Place(channel=self.name, account=data.account, conversation=data.conversation)
        entry = Entry(
            message_id=data.message_id or call.headers["webhook-id"],
            sender_kind=data.sender if event.type == "message.created" else "system",
            text=data.text,
            attachments=tuple(data.attachments),
            control=data.control,
            ts=event.timestamp.timestamp(),
        )
        return Heard(((place, entry),))

    async def say(self, posting: Posting, place: Place, letter: Letter, *, again: bool) -> None:
        await self._send(posting, place, letter, "reply.created", {"text": letter.text})

    async def hand_off(self, posting: Posting, place: Place, letter: Letter) -> None:
        await self._send(posting, place, letter, "conversation.handed_off", {})

    async def _send(self, posting: Posting, place: Place, letter: Letter, kind: str, more: dict[str, str]) -> None:
        now = datetime.now(UTC)
        made_at = datetime.fromtimestamp(letter.made_at, UTC).isoformat()
        data = {"account": place.account, "conversation": place.conversation, "key": letter.key, **more}
        body = json.dumps({"type": kind, "timestamp": made_at, "data": data}, ensure_ascii=False)
        headers = {
            "webhook-id": letter.key,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": Webhook(self.secret).sign(letter.key, now, body),
        }
        await posting.call("POST", self.callback_url, content=body.encode(), headers=headers)
