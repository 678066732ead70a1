"""Canonical JSON (RFC 8785) and the bounds of what may be kept as JSON.

Used for fingerprints and argument comparison. The log itself hashes the bytes that were stored, so it needs no canonical form.
"""

import hashlib
import math
from collections.abc import Mapping

import rfc8785
from pydantic import JsonValue

from .errors import BadRequest

MAX_DEPTH = 32
MAX_NODES = 20_000
_SAFE_INTEGER = 2**53  # beyond it JSON readers that use doubles would round


def canonical_json(value: object) -> bytes:
    """RFC 8785 bytes; integers beyond 2**53 are written as strings so that no reader rounds them."""
    return rfc8785.dumps(_plain(value))  # type: ignore[arg-type]  # its type of JSON is private; _plain gives just that


def fingerprint(value: object) -> str:
    """Hex SHA-256 of the canonical JSON."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, bool) or value is None or isinstance(value, (str, float)):
        return value
    if isinstance(value, int):
        return value if -_SAFE_INTEGER <= value <= _SAFE_INTEGER else str(value)
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    raise BadRequest(f"a {type(value).__name__} has no JSON form")


def checked_json(value: object, where: str) -> JsonValue:
    """Return `value` as plain JSON (tuples become lists) or raise BadRequest: not JSON, not finite, too deep, too large.

    Walks with a stack of its own, so nesting 10,000 deep is an error message and not a crash.
    """
    seen = 0
    stack: list[tuple[object, int]] = [(value, 1)]
    while stack:
        item, depth = stack.pop()
        seen += 1
        if depth > MAX_DEPTH:
            raise BadRequest(f"{where}: JSON nested deeper than {MAX_DEPTH}")
        if seen > MAX_NODES:
            raise BadRequest(f"{where}: more than {MAX_NODES:,} JSON values")
        if isinstance(item, Mapping):
            for key in item:
                if not isinstance(key, str):
                    raise BadRequest(f"{where}: an object key is a {type(key).__name__}, not a string")
                _check_text(key, where)
            stack.extend((v, depth + 1) for v in item.values())
        elif isinstance(item, (list, tuple)):
            stack.extend((v, depth + 1) for v in item)
        else:
            _check_scalar(item, where)
    return _copy(value)


def _check_scalar(item: object, where: str) -> None:
    if isinstance(item, str):
        _check_text(item, where)
    elif isinstance(item, float):
        if not math.isfinite(item):
            raise BadRequest(f"{where}: {item!r} is not a finite number")
    elif not (item is None or isinstance(item, (bool, int))):
        raise BadRequest(f"{where}: a {type(item).__name__} has no JSON form")


def _check_text(item: str, where: str) -> None:
    if not item.isascii() and any("\ud800" <= c <= "\udfff" for c in item):
        raise BadRequest(f"{where}: text with a lone surrogate")


def _copy(value: object) -> JsonValue:
    if isinstance(value, Mapping):
        return {str(k): _copy(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_copy(v) for v in value]
    return value  # type: ignore[return-value]  # scalars were checked above
