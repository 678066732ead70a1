"""Identity: which conversation is it, and which message? Pure: headers, body and transcript in, names out.

A conversation that the channel names is *explicit*: only its last message counts, for gateways trim histories. One that nobody
names is *derived*: known by its transcript (`derived.py`). `user` names a person and `prompt_cache_key` a cache, so neither
names a conversation unless the operator says so. Every id lies in the namespace of (tenant, flow).
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from ..protocol.errors import BadRequest
from ..protocol.ids import SessionId

_PLAIN = re.compile(r"[A-Za-z0-9._~@+=-]{1,100}")
_DERIVED = re.compile(r"derived-[0-9a-f]{24}")


@dataclass(frozen=True, slots=True)
class Said:
    """A message of a transcript: what a customer wrote or was answered. System messages are none."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Chain:
    """A transcript as hashes, each over all before it.

    `before`: through the last reply, empty if there was none. `asked`: through each customer's message since; the last of them
    names the message that is to be answered.
    """

    before: str
    asked: tuple[str, ...]

    @property
    def key(self) -> str:
        return self.asked[-1]


def chain_of(said: Sequence[Said]) -> Chain:
    """The chain through the last customer's message; what stands after it is not read. Raises BadRequest if there is none."""
    users = [n for n, message in enumerate(said) if message.role == "user"]
    if not users:
        raise BadRequest("there is no message of role 'user'")
    point, before = "", ""
    asked: list[str] = []
    for message in said[: users[-1] + 1]:
        if message.role == "assistant":
            if not message.text.strip():  # the place of a reply that failed
                continue
            point = before = after_reply(point, message.text)
            asked = []
        else:
            point = _next(point, "user", message.text)
            asked.append(point)
    return Chain(before, tuple(asked))


def chain_behind(reply: str, texts: Iterable[str]) -> Chain:
    """The chain of the customer's messages behind a reply that is known by its id. Raises BadRequest if there is none."""
    point = reply
    asked = [point := _next(point, "user", text) for text in texts]
    if not asked:
        raise BadRequest("behind the reply that is named stands no message of role 'user'")
    return Chain(reply, tuple(asked))


def after_reply(point: str, text: str) -> str:
    """The point of a transcript behind this reply."""
    return _next(point, "assistant", text)


def _next(point: str, role: str, text: str) -> str:
    """Clients trim and re-wrap, so white space does not count."""
    words = " ".join(unicodedata.normalize("NFC", text).split())
    return hashlib.sha256(f"{point}\n{role}\n{words}".encode("utf-8", "replace")).hexdigest()[:40]


def conversation_of(
    headers: Mapping[str, str], body: Mapping[str, object], trusted: Iterable[str], fields: Iterable[str]
) -> str | None:
    """What the channel calls this conversation: trusted headers first, then fields of the body. Empty is absent."""
    named = header_named(headers, trusted)
    if named:
        return named
    metadata = body.get("metadata")
    conversation = body.get("conversation")
    candidates = (
        conversation.get("id") if isinstance(conversation, Mapping) else conversation,
        metadata.get("conversation_id") if isinstance(metadata, Mapping) else None,
        body.get("conversation_id"),
        *(body.get(field) for field in fields),
    )
    return next((named for value in candidates if (named := _as_name(value))), None)


def _as_name(value: object) -> str:
    """A number is a name, too. Raises BadRequest for what is neither: taken for absent, it would be another conversation."""
    if value is None or value in ("", [], {}):
        return ""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise BadRequest(f"a conversation's id is a string or a whole number; got a {type(value).__name__}")
    return str(value).strip()


def header_named(headers: Mapping[str, str], names: Iterable[str]) -> str | None:
    """The first header of `names` that is there and not empty. A `*` in a name stands for any letters."""
    for name in (name.lower() for name in names):
        found = (
            [headers.get(name, "")]
            if "*" not in name
            else [value for key, value in sorted(headers.items()) if fnmatchcase(key, name)]
        )
        for value in found:
            if value.strip():
                return value.strip()
    return None


def session_id(tenant: str, flow: str, name: str) -> SessionId:
    """The session of a conversation; `public_name` gives its name for the outside. What cannot stand in an id is hashed, and a
    name that looks derived, for nobody may name such a session into being."""
    return _session(tenant, flow, _hashed(name) if _DERIVED.fullmatch(name) else _plain(name))


def session_shown(tenant: str, flow: str, name: str) -> SessionId:
    """The session whose `public_name` this is: also a derived one."""
    return _session(tenant, flow, _plain(name))


def derived_session(tenant: str, flow: str, *seeds: str) -> SessionId:
    """A session that nobody named."""
    return _session(tenant, flow, "derived-" + hashlib.sha256("\n".join(seeds).encode()).hexdigest()[:24])


def _session(tenant: str, flow: str, name: str) -> SessionId:
    return SessionId(f"{tenant}:{_plain(flow)}:{name}")


def public_name(session: str) -> str:
    """The session's name within its tenant and flow, as the native surface takes it."""
    return session.split(":", 2)[-1]


def is_derived(session: str) -> bool:
    """Whether the session is known by its transcript only: a guess, so tools that cannot be repeated do not run in it."""
    return _DERIVED.fullmatch(public_name(session)) is not None


def reference_of(session: str, attempt: int = 0) -> str:
    """The mark in the first reply of a derived session: `#K7Q2MA`. `attempt`: another one, if that is taken."""
    letters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
    digest = hashlib.sha256(f"reference {attempt}\n{session}".encode()).digest()
    return "#" + "".join(letters[byte % 32] for byte in digest[:6])


def message_id(name: str) -> str:
    """A message's id from what a channel calls it."""
    return name if _PLAIN.fullmatch(name) else _hashed(name)


def _plain(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else _hashed(name)


def _hashed(name: str) -> str:
    return "x-" + hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:32]
