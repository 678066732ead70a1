"""WeChat Official Account. Its messages are answered with `success` at once and later by the customer-service API.

WeChat waits 5 s and sends three times. In plain text mode its signature covers token, time and nonce, not the body: serve it over
HTTPS only. With `aes_key` only encrypted messages are heard, whose signature covers them (`wechat_sealed.py`). A message of a
customer opens that API for 48 hours and five messages. No XML entity is expanded.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hmac import compare_digest
from typing import ClassVar, Literal
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from ...protocol.messages import Attachment
from .channel import Call, Channel, Heard, Refused
from .posting import Posting, Unsent
from .reading import fresh, sha1_hex
from .wechat_sealed import Seal
from .wechat_token import AccessToken
from .words import Entry, Letter, Place, digest

_FILES: Mapping[str, Literal["image", "audio", "video", "other"]] = {
    "image": "image", "voice": "audio", "video": "video", "shortvideo": "video", "location": "other", "link": "other",
}  # fmt: skip
_TOKEN_IS_OLD = (40001, 40014, 42001)
_AGAIN = (-1, 45009, 45011, 45047, 48001)
"""Busy, or too often; 45047: more than a handful since the customer wrote, who may write again; 48001: a right that this account
has not got, yet."""


@dataclass(frozen=True)
class WeChat(Channel):
    """`secret`: the Token of the server settings; `aes_key`: their EncodingAESKey, for safe or compatible mode. `app_id`,
    `app_secret`: of the account. `api_base`: https://api.weixin.qq.com."""

    secret: str
    app_id: str
    app_secret: str
    aes_key: str = field(default="", repr=False)
    api_base: str = "https://api.weixin.qq.com"
    max_bytes: ClassVar[int] = 2000
    _token: AccessToken = field(init=False, repr=False)
    _seal: Seal | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_token", AccessToken(self.api_base, self.app_id, self.app_secret))
        object.__setattr__(self, "_seal", Seal(self.secret, self.aes_key, self.app_id) if self.aes_key else None)

    def hear(self, call: Call) -> Heard:
        stamp, nonce = call.query.get("timestamp", ""), call.query.get("nonce", "")
        expected = sha1_hex(self.secret, stamp, nonce)
        if not compare_digest(expected.encode(), call.query.get("signature", "").encode()):
            raise Refused(401, "the signature is not of this webhook's token")
        fresh(call, stamp)
        if call.method == "GET":
            return Heard(answer=call.query.get("echostr", ""))
        return Heard(self._entries(self._opened(call, stamp, nonce)), answer="success")

    def _opened(self, call: Call, stamp: str, nonce: str) -> Mapping[str, str]:
        """The fields of the message. What is to be sealed counts only as far as it is."""
        fields = _fields(call.body)
        if self._seal:
            return _fields(
                self._seal.open(fields.get("Encrypt", ""), call.query.get("msg_signature", ""), stamp, nonce)
            )
        if not fields.get("MsgType") and fields.get("Encrypt"):
            raise Refused(
                400, "an encrypted message, and no aes_key; set it, or choose plain text mode in WeChat's settings"
            )
        return fields

    def _entries(self, fields: Mapping[str, str]) -> tuple[tuple[Place, Entry], ...]:
        kind = fields.get("MsgType", "")
        sender, made_at = fields.get("FromUserName", ""), fields.get("CreateTime", "")
        if not made_at.isdecimal():
            raise Refused(400, "a message without CreateTime")
        text = fields.get("Content", "") or fields.get("Recognition", "")
        if kind == "event":
            text = fields.get("EventKey", "") if fields.get("Event") == "CLICK" else ""
        place = Place(channel=self.name, account=fields.get("ToUserName", ""), conversation=sender)
        entry = Entry(
            message_id=fields.get("MsgId") or _event_id(fields),
            sender_kind="customer" if text or kind != "event" else "system",
            text=text,
            attachments=_attached(kind, fields),
            ts=float(made_at),
        )
        return ((place, entry),)

    async def say(self, posting: Posting, place: Place, letter: Letter, *, again: bool) -> None:
        message = {"touser": place.conversation, "msgtype": "text", "text": {"content": letter.text}}
        content = json.dumps(message, ensure_ascii=False).encode()  # what is escaped, WeChat shows escaped
        code = await self._send(posting, content)
        if code in _TOKEN_IS_OLD:
            self._token.forget()
            code = await self._send(posting, content)
        if code:
            raise Unsent(f"WeChat answered errcode {code}", again=code in (*_AGAIN, *_TOKEN_IS_OLD))

    async def _send(self, posting: Posting, content: bytes) -> int:
        token = await self._token.get(posting)
        url = f"{self.api_base}/cgi-bin/message/custom/send?access_token={token}"
        found = await posting.call("POST", url, content=content)
        code = found.get("errcode", 0) if isinstance(found, dict) else -1
        return code if isinstance(code, int) else -1


def _fields(body: bytes) -> Mapping[str, str]:
    """The first level of the XML. Raises Refused; a DTD, and with it any entity, is refused."""
    try:
        root: Element = fromstring(body, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError):  # the last for an encoding that nobody knows
        raise Refused(400, "the body is not XML, or has a DTD") from None
    return {child.tag: child.text or "" for child in root}


def _event_id(fields: Mapping[str, str]) -> str:
    """An event has no id; it is known by whose it is and when, and two of one second by what they are."""
    what = digest(fields.get("Event", ""), fields.get("EventKey", ""))
    return f"{fields.get('FromUserName', '')}-{fields.get('CreateTime', '')}-{what}"


def _attached(kind: str, fields: Mapping[str, str]) -> tuple[Attachment, ...]:
    if kind not in _FILES or fields.get("Recognition"):
        return ()
    url = fields.get("PicUrl") or fields.get("Url") or None
    return (Attachment(kind=_FILES[kind], url=url, name=fields.get("MediaId") or None),)
