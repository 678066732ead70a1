"""Requests of every kind, wrong ones above all, sent to the application without a socket between; and what must hold after each.

A scenario is a list of requests to one service. Everything that a stranger can choose (texts, names, headers, keys) carries the
word `CANARY`, which must never reach a log.
"""

import asyncio
import io
import json
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI
from hypothesis import strategies as st

from maitred.app.maitred import Maitred
from maitred.gateway.app import create_app
from maitred.gateway.derived_effects import DerivedEffects
from maitred.gateway.keys import parse_keys
from maitred.gateway.settings import GatewaySettings
from maitred.observability.log import LineFormatter
from maitred.observability.redaction import Marks
from maitred.protocol.ports import Append
from maitred.store.memory import MemoryStore

from .in_process import tea_flow

CANARY = "KANARIENVOGEL"
SECRET = "fuzz-" + CANARY + "-secret"
MARKS = Marks(b"fuzz", ("tea",))
Asgi = Mapping[str, Any]


class CountingStore(MemoryStore):
    """Counts what is written."""

    writes = 0

    async def append(self, write: Append) -> None:
        self.writes += 1
        await super().append(write)


@dataclass(frozen=True)
class Sent:
    """One request. `path` is percent-encoded already."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


@dataclass
class Service:
    """A service for some scenarios. `statuses`: how often each was answered."""

    store: CountingStore = field(default_factory=CountingStore)
    statuses: Counter[int] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.maitred = Maitred(tea_flow(), store=self.store, runner=DerivedEffects())
        settings = GatewaySettings(rate_per_s=1e9, burst=10**9, body_bytes=200_000, ping_s=0.02, resend_s=0.001)
        self.app: FastAPI = create_app(self.maitred, keys=parse_keys(f"fuzz:{SECRET}"), settings=settings, marks=MARKS)
        self.log = io.StringIO()

    async def run(self, scenario: list[Sent]) -> None:
        """Send them one after the other; raises AssertionError with the request that broke something."""
        with logged_to(self.log):
            for sent in scenario:
                await self._check(sent)
        said = self.log.getvalue().split("\n")
        assert not [line for line in said if CANARY in line or not line.isprintable()]
        self.log.seek(0)
        self.log.truncate()

    async def check_logs(self) -> int:
        """How many sessions there are; each one's log must be chained, legal and equal to the session."""
        rows = await self.maitred.sessions(1_000_000)
        for row in rows:
            assert (await self.maitred.replay(row.session_id)).equal, row
        return len(rows)

    async def _check(self, sent: Sent) -> None:
        before = self.store.writes
        status, body = await send(self.app, sent)
        self.statuses[status] += 1
        assert status < 500, (sent, body)
        if status >= 400:
            assert set(json.loads(body)["error"]) == {"message", "type", "param", "code"}, (sent, body)
            assert self.store.writes == before, f"a refused request changed something: {sent}"
        assert SECRET.encode() not in body, (sent, body)


class logged_to:  # noqa: N801  # reads as a function
    """All loggers, at their most talkative, through our formatter."""

    def __init__(self, stream: io.StringIO) -> None:
        self._handler = logging.StreamHandler(stream)
        self._handler.setFormatter(LineFormatter("text", MARKS))
        self._level = logging.getLogger().level

    def __enter__(self) -> None:
        logging.getLogger().addHandler(self._handler)
        logging.getLogger("maitred").setLevel(logging.DEBUG)

    def __exit__(self, *_: object) -> None:
        logging.getLogger().removeHandler(self._handler)
        logging.getLogger("maitred").setLevel(logging.NOTSET)


async def send(app: Callable[..., Any], sent: Sent) -> tuple[int, bytes]:
    """The answer, as a server would get it from the application; the client of a stream without end goes away."""
    raw, _, query = sent.path.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": sent.method,
        "scheme": "http",
        "path": _unquoted(raw),
        "raw_path": raw.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in sent.headers],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    waiting = [{"type": "http.request", "body": sent.body, "more_body": False}]
    status, parts, over = 0, [], asyncio.Event()

    async def receive() -> dict[str, Any]:
        if waiting:
            return waiting.pop()
        try:
            await asyncio.wait_for(over.wait(), 0.3)
        except TimeoutError:
            pass
        return {"type": "http.disconnect"}

    async def answer(message: dict[str, Any]) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        parts.append(message.get("body", b""))
        if message["type"] == "http.response.body" and not message.get("more_body"):
            over.set()

    await app(scope, receive, answer)
    return status, b"".join(parts)


def _unquoted(path: str) -> str:
    from urllib.parse import unquote

    return unquote(path)


# --- what is sent ------------------------------------------------------------------------------------------------------------

_NASTY = (
    "",
    " ",
    "\x00",
    "\ud800",
    "\u202e",
    "\u2028",
    "\x1b[31m",
    "\r\nINFO forged",
    "{tins}",
    "{{tins}}",
    "</now>",
    "%s%n",
    "x" * 9000,
)
_USEFUL = (
    "5",
    "order them",
    "yes",
    "no",
    "human please",
    "forget it",
    "make it 7",
    "hi",
    "what is tea?",
    "5 tins",
    "thanks, bye",
)
words = st.sampled_from(_USEFUL)
odd = st.one_of(st.sampled_from(_NASTY), st.text(max_size=20)).map(lambda text: f"{CANARY}{text}")
texts = st.one_of(words, odd, st.builds(lambda a, b: f"{a} {b}", words, odd))
names = st.one_of(st.sampled_from(["1", "2", "3"]), st.integers(4, 60).map(str), odd)
numbers = st.one_of(
    st.integers(-3, 3),
    st.sampled_from([2**53 + 1, -(2**63), 10**400, 1.5, 1e308]),
    st.floats(allow_nan=True, allow_infinity=True),
)
scalars = st.one_of(st.none(), st.booleans(), numbers, odd)
values = st.recursive(
    scalars, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(odd, inner, max_size=3)), max_leaves=6
)


def mostly(good: st.SearchStrategy[Any], wrong: st.SearchStrategy[Any] = values) -> st.SearchStrategy[Any]:
    """Good 19 times of 20, so that what is wrong meets what is right."""
    return st.integers(0, 19).flatmap(lambda n: wrong if n == 7 else good)


def body_with(required: Mapping[str, Any], optional: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Now and then with a field too many."""
    fits = st.fixed_dictionaries(dict(required), optional=dict(optional))
    return mostly(fits, st.builds(lambda body, more: {**body, CANARY: more}, fits, values))


parts = st.lists(
    st.one_of(
        st.fixed_dictionaries({"type": st.just("text"), "text": mostly(texts)}),
        st.fixed_dictionaries({"type": mostly(st.sampled_from(["image_url", "input_audio", "file"]))}),
        values,
    ),
    max_size=3,
)
roles = mostly(st.sampled_from(["user", "user", "assistant", "system", "developer", "tool"]))
content = mostly(st.one_of(texts, texts, parts))
message = st.fixed_dictionaries({"role": roles, "content": content})
asked = st.fixed_dictionaries({"role": st.just("user"), "content": content})
messages = st.builds(lambda before, last: [*before, last], st.lists(message, max_size=3), mostly(asked, message))
chats = body_with(
    {"model": mostly(st.sampled_from(["tea", "maitred", "tea-task"])), "messages": mostly(messages)},
    {
        "stream": mostly(st.booleans()),
        "stream_options": mostly(st.just({"include_usage": True})),
        "n": mostly(st.just(1)),
        "conversation_id": mostly(names),
        "conversation": mostly(st.builds(lambda name: {"id": name}, names)),
        "metadata": mostly(st.builds(lambda name: {"conversation_id": name}, names)),
        "user": names,
        "tools": values,
    },
)
posts = body_with(
    {"text": mostly(texts)},
    {
        "message_id": mostly(names),
        "meta": mostly(st.dictionaries(odd, st.one_of(odd, st.integers(), st.booleans()), max_size=3)),
        "attachments": mostly(st.just([{"kind": "image"}])),
        "state_version": mostly(st.integers(0, 3)),
    },
)
payloads = st.dictionaries(odd, values, max_size=3)
events = body_with({"event": mostly(st.just("paid")), "key": mostly(names)}, {"payload": mostly(payloads)})
returns = body_with({"key": mostly(names)}, {})
bodies = st.one_of(chats, posts, events, returns, values)


def encoded(value: Any) -> bytes:
    return json.dumps(value).encode()


raw_bodies = st.one_of(
    st.binary(max_size=50),
    st.sampled_from(
        [
            b"[" * 5000,
            b'{"a":' * 500,
            b"nul",
            b'{"model": "tea", "model": "tea"}',
            b"1" * 5000,
            b"\xef\xbb\xbf{}",
            b"[1e999]",
        ]
    ),
    bodies.map(lambda value: encoded(value)[:-1]),
)
headers = st.dictionaries(
    st.sampled_from(
        ["x-conversation-id", "x-openwebui-chat-id", "x-a-session-id", "x-message-id", "idempotency-key", "x-task",
         "x-request-id", "last-event-id", "x-stainless-retry-count", "accept", "accept", "content-type",
         "authorization", "cookie", "host"]
    ),
    st.one_of(
        st.sampled_from(["1", "2", "", "text/event-stream", "application/json", "12.1", "9" * 300, "text/plain"]),
        odd.map(lambda text: "".join(c for c in text if c.isprintable()).encode("utf-8", "replace").decode("latin-1")),
    ),
    max_size=3,
)  # fmt: skip
_ROUTES = {
    "/v1/chat/completions": chats,
    "/v1/sessions/{}/messages": posts,
    "/v1/sessions/{}/events": events,
    "/v1/sessions/{}/resume": returns,
}
_READ = (
    "/v1/models",
    "/v1/models/{}",
    "/v1/sessions/{}",
    "/v1/{}",
    "/{}",
    "/healthz",
    "/readyz",
    "/metrics",
    "/openapi.json",
)


def _sent(method: str, path: str, name: str, more: Mapping[str, str], body: bytes) -> Sent:
    known = {"authorization": f"Bearer {SECRET}", "content-type": "application/json", **more}
    where = path.format(quote(name.encode("utf-8", "replace"), safe=""))
    return Sent(method, where, tuple(known.items()), body)


def _posted() -> st.SearchStrategy[Sent]:
    return st.sampled_from(sorted(_ROUTES)).flatmap(
        lambda path: st.builds(
            _sent, st.just("POST"), st.just(path), names, headers, mostly(_ROUTES[path].map(encoded), raw_bodies)
        )
    )


_anything = st.builds(
    _sent,
    st.sampled_from(["GET", "GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE"]),
    st.sampled_from([*_READ, *_ROUTES]).filter(lambda path: path != "/v1/sessions/{}/events"),
    names,
    headers,
    st.one_of(st.just(b""), raw_bodies),
)
requests = st.one_of(_posted(), _posted(), _anything)
scenarios = st.lists(requests, min_size=5, max_size=40)
