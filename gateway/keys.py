"""Keys: who may call, and what. Each key has a name, for people, and a tenant, whose sessions it sees; several keys of one tenant
let it be exchanged without a gap. Only hashes are kept, and every one is compared, so that time tells nothing.

Owns their form and the comparison. Knows no HTTP; asked by `door.py` and `rights.py`, filled by `cli/`.
"""

import hashlib
import hmac
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Literal, get_args

from ..protocol.errors import BadRequest

LOCAL = "local"
"""Tenant of everybody where there are no keys: on this machine only."""
MIN_SECRET_CHARS = 16
Right = Literal["chat", "read", "act"]
"""`chat`: be a customer. `read`: see sessions and what happened in them. `act`: bring events from outside, hand sessions back."""
RIGHTS: frozenset[Right] = frozenset(get_args(Right))
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
_HOW = "MAITRED_API_KEYS is SECRET, NAME:SECRET or NAME@TENANT:SECRET, several with commas between"


@dataclass(frozen=True, slots=True)
class Key:
    """`digest`: SHA-256 of the secret. `tenant`: its own name if none was given. `flows`: names of those that it opens; empty for
    all."""

    name: str
    tenant: str
    digest: bytes
    rights: frozenset[Right] = RIGHTS
    flows: frozenset[str] = frozenset()

    def opens(self, flow: str) -> bool:
        return not self.flows or flow in self.flows


EVERYBODY = Key(LOCAL, LOCAL, b"")
"""Where there are no keys."""


def make_key(
    name: str, secret: str, tenant: str = "", *, may: Collection[Right] = RIGHTS, flows: Collection[str] = ()
) -> Key:
    """A key; raises BadRequest, which never shows the secret."""
    for what, word in (("name", name), ("tenant", tenant or name)):
        if not _NAME.fullmatch(word):
            raise BadRequest(
                f"the {what} of a key is 1 to 40 letters, digits, '_', '.' or '-' of ASCII; got {len(word)} characters"
            )
    if len(secret) < MIN_SECRET_CHARS or not secret.isascii() or not secret.isprintable() or " " in secret:
        raise BadRequest(
            f"key {name!r}: a secret is {MIN_SECRET_CHARS} or more printable ASCII characters without spaces; got {len(secret)}. "
            "One is made by: python3 -c 'import secrets; print(secrets.token_urlsafe(32))'"
        )
    if not may or not RIGHTS.issuperset(may):
        raise BadRequest(
            f"key {name!r}: it may {', '.join(get_args(Right))}, or some of these; got {', '.join(map(ascii, may)) or 'none'}"
        )
    return Key(name, tenant or name, _digest(secret), frozenset(may), frozenset(flows))


def parse_keys(text: str) -> tuple[Key, ...]:
    """The keys of an environment variable."""
    keys = []
    for n, entry in enumerate((part.strip() for part in text.split(",") if part.strip()), start=1):
        label, colon, secret = entry.partition(":")
        name, _, tenant = label.partition("@") if colon else (f"key{n}", "", "")
        try:
            keys.append(make_key(name, secret if colon else entry, tenant or ("" if colon else "main")))
        except BadRequest as error:
            raise BadRequest(f"entry {n} of MAITRED_API_KEYS: {error}; {_HOW}") from error
    return tuple(keys)


class Keyring:
    """All keys that open. Empty: everybody is `local`."""

    def __init__(self, keys: Iterable[Key] = (), compare: Callable[[bytes, bytes], bool] = hmac.compare_digest) -> None:
        self.keys = tuple(keys)
        self._compare = compare
        names = [key.name for key in self.keys]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise BadRequest(f"two keys are named {twice[0]!r}; give each a name of its own, and both one tenant")
        if len({key.digest for key in self.keys}) < len(self.keys):
            raise BadRequest("two keys have the same secret")

    def key_of(self, authorization: str) -> Key | None:
        """The key in an `Authorization` header; None if it opens nothing."""
        if not self.keys:
            return EVERYBODY
        scheme, _, secret = authorization.partition(" ")
        presented = _digest(secret.strip() if scheme.lower() == "bearer" else "")
        found = None
        for key in self.keys:  # all of them, whichever fits
            if self._compare(key.digest, presented):
                found = key
        return found


def is_loopback(host: str) -> bool:
    """Whether the name or address means this machine."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()
