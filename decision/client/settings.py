"""Settings: what InstructorDecider is given, checked when it is made. A slip is named then, not at a customer's first message.

Reads the environment. Raises BadRequest, which names the setting and never shows a key. Called by `decider.py`.
"""

import json
import math
import os
from collections.abc import Iterator, Mapping

import httpx2
from pydantic import JsonValue

from ...protocol.errors import BadRequest

NOT_EXTRA = ("messages", "stream")
"""The prompt is ours, and whether an answer is streamed is decided by who listens."""


def key_in_force(given: str | None) -> str | None:
    """`given`, else MAITRED_API_KEY, else OPENAI_API_KEY. White space comes with pasting it or reading a file."""
    for name, key in _first("api_key", given, "MAITRED_API_KEY", "OPENAI_API_KEY"):
        if not (key.isascii() and key.isprintable()):
            raise BadRequest(f"{name} holds a character that cannot be sent: a key is printable ASCII")
        return key
    return None


def address_in_force(given: str | None) -> str | None:
    """`given`, else OPENAI_BASE_URL; None is OpenAI itself."""
    for name, address in _first("base_url", given, "OPENAI_BASE_URL"):
        if not address.startswith(("http://", "https://")):
            raise BadRequest(f"{name} {address!r} does not begin with http:// or https://")
        try:
            host = httpx2.URL(address).host
        except httpx2.InvalidURL as error:
            raise BadRequest(f"{name} {address!r} is no address: {error}") from error
        if not host:
            raise BadRequest(f"{name} {address!r} names no host")
        return address
    return None


def _first(setting: str, given: str | None, *variables: str) -> Iterator[tuple[str, str]]:
    """What is set, the nearest first, with the name by which it was set."""
    for name, value in ((setting, given), *((name, os.environ.get(name)) for name in variables)):
        if value and value.strip():
            yield name, value.strip()


def check_number(name: str, value: float, *, least: float = 0.0) -> None:
    """Finite, and `least` or more."""
    if not (math.isfinite(value) and value >= least):
        raise BadRequest(f"{name} is {value!r}, and must be a finite number of at least {least:g}")


def checked_extra(extra: Mapping[str, JsonValue] | None) -> dict[str, JsonValue]:
    """More fields of the request."""
    fields = dict(extra or {})
    for name in NOT_EXTRA:
        if name in fields:
            raise BadRequest(f"extra may not set {name!r}")
    try:
        json.dumps(fields, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadRequest(f"extra is no JSON: {error}") from error
    return fields
