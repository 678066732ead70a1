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
MAX_CHARS = 200_000  # of all strings together: what is kept is written again with every snapshot
MAX_INTEGER_BITS = 1024  # what a double reaches; JSON readers make infinity of more
_SAFE_INTEGER = 2**53 - 1  # beyond it JSON readers that use doubles would round


def canonical_json(value: object) -> bytes:
    """RFC 8785 bytes; integers beyond 2**53 - 1 are written as strings so that no reader rounds them.

    Raises BadRequest for what is not JSON: not finite, lone surrogates, other types, nested too deep for Python.
    """
    try:
        return rfc8785.dumps(_plain(value))  # type: ignore[arg-type]  # its type of JSON is private; _plain gives just that
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise BadRequest(f"no canonical JSON: {type(error).__name__}") from error


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


def checked_json(
    value: object, where: str, *, depth: int = MAX_DEPTH, nodes: int = MAX_NODES, chars: int = MAX_CHARS
) -> JsonValue:
    """Return `value` as plain JSON (tuples become lists) or raise BadRequest: not JSON, not finite, too deep, too large.

    Walks with a stack of its own, so nesting 10,000 deep is an error message and not a crash.
    """
    if value == {}:  # most events carry nothing
        return {}
    seen = length = 0
    stack: list[tuple[object, int]] = [(value, 1)]
    while stack:
        item, level = stack.pop()
        seen += 1
        if level > depth:
            raise BadRequest(f"{where}: JSON nested deeper than {depth}")
        if seen > nodes:
            raise BadRequest(f"{where}: more than {nodes:,} JSON values")
        if isinstance(item, Mapping):
            for key in item:
                if not isinstance(key, str):
                    raise BadRequest(f"{where}: an object key is a {type(key).__name__}, not a string")
                _check_text(key, where)
                length += len(key)
            stack.extend((v, level + 1) for v in item.values())
        elif isinstance(item, (list, tuple)):
            stack.extend((v, level + 1) for v in item)
        else:
            _check_scalar(item, where)
            length += len(item) if isinstance(item, str) else 0
        if length > chars:
            raise BadRequest(f"{where}: more than {chars:,} characters of text")
    return _copy(value)


def kept_json(value: object) -> JsonValue:
    """`checked_json` for what a message keeps: with room for the envelope around a value that was checked when it came in."""
    return checked_json(value, "JSON", depth=MAX_DEPTH + 4, nodes=MAX_NODES + 1000, chars=10 * MAX_CHARS)


def _check_scalar(item: object, where: str) -> None:
    if isinstance(item, str):
        _check_text(item, where)
    elif isinstance(item, float):
        if not math.isfinite(item):
            raise BadRequest(f"{where}: {item!r} is not a finite number")
    elif isinstance(item, int):
        if item.bit_length() > MAX_INTEGER_BITS:
            raise BadRequest(f"{where}: an integer of more than {MAX_INTEGER_BITS} bits")
    elif item is not None:
        raise BadRequest(f"{where}: a {type(item).__name__} has no JSON form")


def _check_text(item: str, where: str) -> None:
    try:
        item.encode()
    except UnicodeEncodeError:
        raise BadRequest(f"{where}: text with a lone surrogate") from None


def _copy(value: object) -> JsonValue:
    if isinstance(value, Mapping):
        return {str(k): _copy(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_copy(v) for v in value]
    return value  # type: ignore[return-value]  # scalars were checked above
