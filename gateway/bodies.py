"""Bodies: read whole, within a time and a size, before anything of a turn is taken for them; and judged as JSON before a parser
builds objects from them. Called by `door.py`; knows no keys and no routes.
"""

import asyncio
import json
import re

from starlette.types import Message, Receive

MAX_DEPTH = 64
MAX_CONTAINERS = 100_000
MAX_VALUES = 1_000_000
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


class TooLarge(Exception):
    """More bytes than allowed."""


class TooSlow(Exception):
    """Not whole in time."""


class Gone(Exception):
    """The client went away before it had sent all."""


async def read_body(receive: Receive, limit_bytes: int, within_s: float) -> bytes:
    """The whole body. Raises TooLarge, TooSlow or Gone."""
    try:
        async with asyncio.timeout(within_s):
            return await _whole(receive, limit_bytes)
    except TimeoutError:
        raise TooSlow from None


class Strangers:
    """Bodies that no key vouches for, `at_once` of them. One more, and the one that has been waited for longest is given up: what
    a channel sends is here at once, and who holds bodies back shuts out others like him."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._open: dict[asyncio.Timeout, None] = {}

    async def read(self, receive: Receive, limit_bytes: int, within_s: float) -> bytes:
        """The whole body. Raises TooLarge, TooSlow or Gone."""
        if len(self._open) >= self._at_once:
            oldest = next(iter(self._open))
            del self._open[oldest]
            if not oldest.expired():
                oldest.reschedule(asyncio.get_running_loop().time())
        try:
            async with asyncio.timeout(within_s) as limit:
                self._open[limit] = None
                try:
                    return await _whole(receive, limit_bytes)
                finally:
                    self._open.pop(limit, None)
        except TimeoutError:
            raise TooSlow from None


async def _whole(receive: Receive, limit_bytes: int) -> bytes:
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise Gone
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > limit_bytes:
            raise TooLarge
        more = message.get("more_body", False)
    return b"".join(parts)


def replayed(body: bytes, receive: Receive) -> Receive:
    """`receive` for whoever lies behind: the body that has been read, then what comes after it."""
    told = False

    async def next_message() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return next_message


def json_problem(body: bytes) -> str | None:
    """Why this JSON is not parsed: a few bytes a value become a hundred in memory, and depth becomes recursion. None: it may."""
    if b"\0" in body:  # UTF-16 or UTF-32, which a parser takes and nobody here has counted
        return "a body is JSON in UTF-8; this one holds a zero byte"
    containers = body.count(b"{") + body.count(b"[")
    if containers > MAX_CONTAINERS or body.count(b",") > MAX_VALUES:
        return f"a body holds at most {MAX_CONTAINERS:,} objects and lists and {MAX_VALUES:,} values"
    if containers > MAX_DEPTH and _depth(body) > MAX_DEPTH:
        return f"a body is nested at most {MAX_DEPTH} deep"
    return None


def repeated_key(body: bytes) -> str | None:
    """A key that stands twice in one object of this JSON: some parsers take the first, some the last, and a proxy in front may
    have seen the other one. None also for what is no JSON; its parser says that better."""
    try:
        json.loads(body, object_pairs_hook=_once)
    except _Twice as twice:
        return twice.key
    except (ValueError, RecursionError):
        pass
    return None


class _Twice(Exception):
    def __init__(self, key: str) -> None:
        self.key = key


def _once(pairs: list[tuple[str, object]]) -> None:
    if len(dict(pairs)) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _Twice(key)
            seen.add(key)


def _depth(body: bytes) -> int:
    """How deep it nests; brackets in strings are none. Stops at the first that is too deep."""
    depth = deepest = 0
    for token in _TOKENS.finditer(body):
        first = body[token.start()]
        if first in b"[{":
            depth += 1
            deepest = max(deepest, depth)
            if depth > MAX_DEPTH:
                break
        elif first in b"]}":
            depth -= 1
    return deepest
