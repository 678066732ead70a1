"""Chatwoot: an agent bot of an inbox (or a webhook of the account). Replies and hand-offs go through its API.

Conversations are the bot's while they are `pending`; `open` and `snoozed` are humans', `resolved` is over. A call is signed with
HMAC-SHA256 over `timestamp.body`. Chatwoot waits 5 s, sends again on 429 and 500, and after that opens the conversation.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from ...protocol.messages import Attachment
from .channel import Call, Channel, Heard, Refused
from .posting import Posting, Unsent
from .reading import fresh, inner, json_object, seconds, signed
from .words import Control, Entry, Letter, Place, SenderKind

_CONTROL: Mapping[JsonValue, Control] = {"pending": "bot", "open": "human", "snoozed": "human", "resolved": "closed"}
_STATUS_EVENTS = ("conversation_opened", "conversation_resolved", "conversation_status_changed")
_KINDS: Mapping[JsonValue, str] = {"image": "image", "audio": "audio", "video": "video", "file": "file"}
_OURS = "maitred_key"
_FORBIDDEN = (401, 403, 404)


@dataclass(frozen=True)
class Chatwoot(Channel):
    """`account`: its number. `secret`: of the bot. `token`: an access token that may write messages and change the status.
    `api_base`: https://HOST."""

    secret: str
    account: str
    api_base: str
    token: str

    def hear(self, call: Call) -> Heard:
        stamp = call.headers.get("x-chatwoot-timestamp", "")
        given = call.headers.get("x-chatwoot-signature", "").removeprefix("sha256=")
        signed(self.secret, stamp.encode() + b"." + call.body, given)
        at = fresh(call, stamp)
        payload = json_object(call.body)
        event = payload.get("event")
        if event == "message_created":
            return self._message(payload, at)
        if event in _STATUS_EVENTS:
            return self._status(payload, at)
        return Heard()

    def _message(self, payload: Mapping[str, JsonValue], at: float) -> Heard:
        account = str(inner(payload, "account").get("id", self.account))
        conversation = inner(payload, "conversation")
        if payload.get("private"):
            return Heard()
        entry = Entry(
            message_id=str(payload.get("id") or ""),
            sender_kind=_sender(payload),
            text=payload.get("content") or "",  # type: ignore[arg-type]  # judged by the entry's own type
            attachments=tuple(_files(payload.get("attachments"))),
            control=_CONTROL.get(conversation.get("status")),
            ts=seconds(payload.get("created_at"), at),
            echo=str(inner(payload, "content_attributes").get(_OURS, "")),
        )
        return Heard(((self._place(account, conversation), entry),))

    def _status(self, payload: Mapping[str, JsonValue], at: float) -> Heard:
        control = _CONTROL.get(payload.get("status"))
        if control is None:
            return Heard()
        at = seconds(payload.get("updated_at"), at)
        entry = Entry(message_id=f"status-{control}-{at}", sender_kind="system", control=control, ts=at)
        return Heard(((self._place(_account(payload, self.account), payload), entry),))

    def _place(self, account: str, conversation: Mapping[str, JsonValue]) -> Place:
        number = str(conversation.get("id", ""))
        if account != self.account:
            raise Refused(400, f"this webhook is for account {self.account}")
        if not number.isdecimal() or not number.isascii():
            raise Refused(400, "a conversation's id is a number")
        return Place(channel=self.name, account=account, conversation=number)

    async def say(self, posting: Posting, place: Place, letter: Letter, *, again: bool) -> None:
        if again and await self._has(posting, place, letter.key):
            return
        message = {"content": letter.text, "message_type": "outgoing", "private": False}
        await self._post(posting, place, "messages", {**message, "content_attributes": {_OURS: letter.key}})

    async def hand_off(self, posting: Posting, place: Place, letter: Letter) -> None:
        await self._post(posting, place, "toggle_status", {"status": "open"})

    async def control(self, posting: Posting, place: Place) -> Control | None:
        found = await self._get(posting, place, "")
        return _CONTROL.get(found.get("status")) if found else None

    async def _has(self, posting: Posting, place: Place, key: str) -> bool:
        """Whether the letter is there already. A bot's token may not look everywhere; then it is sent again."""
        found = await self._get(posting, place, "/messages")
        listed = found.get("payload") if found else None
        messages = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
        return any(inner(message, "content_attributes").get(_OURS) == key for message in messages)

    async def _get(self, posting: Posting, place: Place, what: str) -> Mapping[str, JsonValue] | None:
        try:
            found = await posting.call("GET", self._url(place) + what, headers=self._headers)
        except Unsent as error:
            if error.status in _FORBIDDEN:
                return None
            raise
        return found if isinstance(found, dict) else None

    async def _post(self, posting: Posting, place: Place, what: str, body: Mapping[str, object]) -> None:
        content = json.dumps(body, ensure_ascii=False).encode()
        await posting.call("POST", f"{self._url(place)}/{what}", content=content, headers=self._headers)

    def _url(self, place: Place) -> str:
        return f"{self.api_base}/api/v1/accounts/{self.account}/conversations/{place.conversation}"

    @property
    def _headers(self) -> Mapping[str, str]:
        return {"api_access_token": self.token}


def _sender(payload: Mapping[str, JsonValue]) -> SenderKind:
    """Who wrote a message. Ours is known by its key, whichever token sent it; campaigns and rules have no sender."""
    kind = payload.get("message_type")
    if kind in ("incoming", 0):
        return "customer"
    ours = inner(payload, "content_attributes").get(_OURS)
    is_human = kind in ("outgoing", 1) and inner(payload, "sender").get("type") == "user" and not ours
    return "human" if is_human else "bot"


def _account(conversation: Mapping[str, JsonValue], otherwise: str) -> str:
    """Of a conversation: a bot of several accounts hears of each one's number 5. Versions differ in where they say it."""
    last = conversation.get("messages")
    told = (
        inner(conversation, "account").get("id"),
        conversation.get("account_id"),
        *(
            message.get("account_id")
            for message in (last if isinstance(last, list) else ())
            if isinstance(message, dict)
        ),
    )
    return next((str(account) for account in told if account is not None), otherwise)


def _files(listed: JsonValue) -> Iterator[Attachment]:
    for item in listed[:20] if isinstance(listed, list) else ():
        if isinstance(item, dict):
            url = item.get("data_url")
            kind = _KINDS.get(item.get("file_type"), "other")
            yield Attachment(kind=kind, url=url if isinstance(url, str) else None)  # type: ignore[arg-type]
