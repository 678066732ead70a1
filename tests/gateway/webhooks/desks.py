"""The other side of a webhook, on a real socket: what an inbox sends, signed, and an API that records what it gets.

They resend as the real ones do: Chatwoot on 429 and 500, WeChat on anything but `success` in time, three times in all.
"""

import base64
import hashlib
import hmac
import json
import os
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import apsw
import httpx2
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from standardwebhooks import Webhook

SECRET = "chatwoot-bot-secret"
TOKEN = "access-token-of-the-bot"
WHSEC = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


class _Listening(ThreadingHTTPServer):
    """With room for many who call at once: whoever finds none comes again a second later, when the letter's lease is over."""

    daemon_threads = True
    request_queue_size = 128


@dataclass
class Got:
    """A request that an API got."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any
    raw: str


class Api:
    """An HTTP server; `answer(got) -> (status, object)` decides. `port`: the same one again, after a restart."""

    def __init__(self, answer: Callable[[Got], tuple[int, Any]], port: int = 0) -> None:
        self.got: list[Got] = []
        api = self

        class Handler(BaseHTTPRequestHandler):
            def _any(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                raw = self.rfile.read(length).decode()
                parts = urlsplit(self.path)
                query = {name: values[0] for name, values in parse_qs(parts.query).items()}
                headers = {name.lower(): value for name, value in self.headers.items()}
                got = Got(self.command, parts.path, query, headers, json.loads(raw) if raw else None, raw)
                status, answered = answer(got)
                api.got.append(got)
                body = json.dumps(answered).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = _any  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        self.server = _Listening(("127.0.0.1", port), Handler)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def until(found: Callable[[], Any], what: str = "it", timeout_s: float = 20.0) -> Any:
    """Wait for something that must come."""
    end = time.monotonic() + timeout_s
    while not (value := found()):
        assert time.monotonic() < end, f"{what} did not come"
        time.sleep(0.02)
    return value


@dataclass
class Chatwoot:
    """A Chatwoot with one inbox and one bot. `bot`: where its webhook is. `statuses`: by conversation."""

    bot: str = ""
    boxes: Path = Path()
    http: httpx2.Client = field(default_factory=lambda: httpx2.Client(timeout=5))
    statuses: dict[int, str] = field(default_factory=dict)
    messages: list[dict[str, Any]] = field(default_factory=list)
    deliveries: list[int] = field(default_factory=list)
    fail_next: list[int] = field(default_factory=list)
    bot_may_look: bool = True
    echoes: bool = True
    api: Api = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.api = Api(self._answer)

    def _answer(self, got: Got) -> tuple[int, Any]:
        if got.headers.get("api_access_token") != TOKEN:
            return 401, {"error": "Invalid Access Token"}
        if self.fail_next:
            return self.fail_next.pop(0), {}
        number = int(got.path.split("/")[6])
        if got.method == "GET":
            if not self.bot_may_look:
                return 401, {"error": "Access to this endpoint is not authorized for bots"}
            if got.path.endswith("/messages"):
                return 200, {"payload": [m for m in self.messages if m["conversation"]["id"] == number]}
            return 200, {"id": number, "status": self.statuses.get(number, "pending")}
        if got.path.endswith("/toggle_status"):
            self.set_status(number, got.body["status"], tell=False)
            return 200, {"success": True}
        message = self._written(number, got.body["content"], "outgoing", "agent_bot", got.body["content_attributes"])
        if self.echoes:
            threading.Thread(target=self._echo, args=(message,), daemon=True).start()
        return 200, message

    def _written(
        self, number: int, text: str, kind: str, sender: str, attributes: dict[str, Any] | None = None, **more: Any
    ) -> dict[str, Any]:
        with self._lock:
            message = {
                "event": "message_created",
                "id": len(self.messages) + 1,
                "account": {"id": 1, "name": "Acme"},
                "content": text,
                "content_type": "text",
                "message_type": kind,
                "private": False,
                "created_at": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
                "content_attributes": attributes or {},
                "sender": {"id": 7, "name": "x", "type": sender},
                "conversation": {"id": number, "status": self.statuses.setdefault(number, "pending")},
                **more,
            }
            self.messages.append(message)
        return message

    def customer(self, number: int, text: str, **more: Any) -> int:
        """A customer writes; the status of the last delivery."""
        return self._deliver(self._written(number, text, "incoming", "contact", **more))

    def human(self, number: int, text: str, **more: Any) -> int:
        return self._deliver(self._written(number, text, "outgoing", "user", **more))

    def set_status(self, number: int, status: str, *, tell: bool = True) -> None:
        """A human sets it, or the bot."""
        self.statuses[number] = status
        if tell:
            stamp = {"updated_at": time.time(), "account_id": 1}
            self._deliver({"event": "conversation_status_changed", "id": number, "status": status, **stamp})

    def _deliver(self, payload: dict[str, Any]) -> int:
        status = 0
        for _ in range(3):
            status = self.post(json.dumps(payload).encode())
            if status not in (429, 500):
                break
        if status >= 300 and payload["event"] == "message_created":
            self.statuses[payload["conversation"]["id"]] = "open"
        return status

    def _echo(self, message: dict[str, Any]) -> None:
        with suppress(httpx2.HTTPError, RuntimeError):  # the test may be over
            self._deliver(message)

    def post(self, body: bytes, secret: str = SECRET, at: float | None = None) -> int:
        stamp = str(int(time.time() if at is None else at))
        signature = hmac.new(secret.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        headers = {
            "content-type": "application/json",
            "x-chatwoot-timestamp": stamp,
            "x-chatwoot-signature": f"sha256={signature}",
        }
        status = self.http.post(self.bot, content=body, headers=headers).status_code
        self.deliveries.append(status)
        return status

    def said(self, number: int) -> list[str]:
        """What the bot wrote."""
        return [
            m["content"]
            for m in self.messages
            if m["sender"]["type"] == "agent_bot" and m["conversation"]["id"] == number
        ]


@dataclass
class WeChat:
    """WeChat with one account. `bot`: where its server URL is."""

    bot: str = ""
    boxes: Path = Path()
    http: httpx2.Client = field(default_factory=lambda: httpx2.Client(timeout=5))
    token: str = "wechat-token"
    aes_key: str = ""
    app_id: str = "wx1"
    answers: list[str] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    issued: int = 0
    api: Api = field(init=False)
    sent: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.api = Api(self._answer)

    def _answer(self, got: Got) -> tuple[int, Any]:
        if got.path == "/cgi-bin/stable_token":
            if got.body.get("secret") != "app-secret":
                return 200, {"errcode": 40125, "errmsg": "invalid appsecret"}
            self.issued += 1
            return 200, {"access_token": f"T/{self.issued}", "expires_in": 7200}
        if got.query.get("access_token") != f"T/{self.issued}":
            return 200, {"errcode": 40001, "errmsg": "invalid credential"}
        if code := self.codes.pop(0) if self.codes else 0:
            return 200, {"errcode": code}
        self.sent.append((got.body["touser"], got.body["text"]["content"]))
        assert "\\u" not in got.raw  # WeChat would show it so
        return 200, {"errcode": 0, "errmsg": "ok"}

    def query(self, stamp: str = "", **more: str) -> dict[str, str]:
        stamp, nonce = stamp or str(int(time.time())), "n1"
        signature = hashlib.sha1("".join(sorted((self.token, stamp, nonce))).encode()).hexdigest()
        return {"signature": signature, "timestamp": stamp, "nonce": nonce, **more}

    def customer(self, who: str, text: str, number: int) -> None:
        self.deliver(
            f"<xml><ToUserName><![CDATA[gh_1]]></ToUserName><FromUserName><![CDATA[{who}]]></FromUserName>"
            f"<CreateTime>{int(time.time())}</CreateTime><MsgType><![CDATA[text]]></MsgType>"
            f"<Content><![CDATA[{text}]]></Content><MsgId>{number}</MsgId></xml>"
        )

    def sealed(self, xml: str) -> tuple[dict[str, str], str]:
        """Query and body as in safe mode."""
        content = xml.encode()
        plain = os.urandom(16) + struct.pack(">I", len(content)) + content + self.app_id.encode()
        more = 32 - len(plain) % 32
        key = base64.b64decode(f"{self.aes_key}=")
        encryptor = Cipher(algorithms.AES(key), modes.CBC(key[:16])).encryptor()
        secret = base64.b64encode(encryptor.update(plain + bytes([more]) * more) + encryptor.finalize()).decode()
        query = self.query(encrypt_type="aes")
        query["msg_signature"] = self.signature(query, secret)
        return query, f"<xml><ToUserName>gh_1</ToUserName><Encrypt><![CDATA[{secret}]]></Encrypt></xml>"

    def signature(self, query: dict[str, str], secret: str) -> str:
        """Of a sealed message."""
        parts = sorted((self.token, query["timestamp"], query["nonce"], secret))
        return hashlib.sha1("".join(parts).encode()).hexdigest()

    def deliver(self, xml: str) -> None:
        """Three times at most, until it is told `success`."""
        for _ in range(3):
            query, body = self.sealed(xml) if self.aes_key else (self.query(), xml)
            reply = self.http.post(self.bot, params=query, content=body.encode())
            self.answers.append(reply.text)
            if reply.text == "success":
                return


@dataclass
class Shop:
    """A program with Standard Webhooks, which reads each id once. `got`: id -> event; `calls`: all that came."""

    bot: str = ""
    boxes: Path = Path()
    http: httpx2.Client = field(default_factory=lambda: httpx2.Client(timeout=5))
    port: int = 0
    down: int = 0
    got: dict[str, dict[str, Any]] = field(default_factory=dict)
    calls: int = 0
    api: Api = field(init=False)

    def __post_init__(self) -> None:
        self.api = Api(self._answer, self.port)

    def _answer(self, got: Got) -> tuple[int, Any]:
        self.calls += 1
        if self.down:
            self.down -= 1
            return 503, {}
        Webhook(WHSEC).verify(got.raw, got.headers)
        self.got.setdefault(got.headers["webhook-id"], got.body)
        return 200, {}

    def send(
        self,
        data: dict[str, Any],
        id_: str,
        kind: str = "message.created",
        secret: str = WHSEC,
        *,
        at: datetime | None = None,
    ) -> httpx2.Response:
        """`at`: when it was written, if not now."""
        now = datetime.now(UTC)
        body = json.dumps({"type": kind, "timestamp": (at or now).isoformat(), "data": data})
        signature = Webhook(secret).sign(id_, now, body)
        headers = {
            "webhook-id": id_,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": signature,
        }
        return self.http.post(self.bot, content=body.encode(), headers=headers)

    def said(self, conversation: str) -> list[str]:
        events = [e for e in self.got.values() if e["data"]["conversation"] == conversation]
        return [e["data"].get("text", e["type"]) for e in events]


def quiet(boxes: Path) -> None:
    """Wait until nothing waits in any conversation: what was to be said is said."""

    def nothing() -> bool:
        with closing(
            apsw.Connection(str(boxes))
        ) as db:  # a second SQLite in this process would break the locks of the first
            db.set_busy_timeout(2000)
            return db.execute("SELECT count(*) FROM conversations WHERE due_at IS NOT NULL").fetchone() == (0,)

    until(nothing, "quiet")


@contextmanager
def open_desk(kind: type[Any], **more: Any) -> Iterator[Any]:
    desk = kind(**more)
    try:
        yield desk
    finally:
        desk.http.close()
        desk.api.close()
