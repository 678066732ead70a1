"""Reading what a channel sends: JSON, times, HMACs. For channels; raises Refused, which never shows what stood there."""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime

from pydantic import JsonValue
from pydantic_core import from_json

from .channel import Call, Refused

TOLERANCE_S = 300.0
"""A signature is valid so long: who replays a call later is refused, and sooner it is known by its message id."""


def signed(secret: str, text: bytes, given: str) -> None:
    """Raises Refused unless `given` is the hex HMAC-SHA256 of `text`."""
    expected = hmac.new(secret.encode(), text, "sha256").hexdigest()
    if not hmac.compare_digest(expected.encode(), given.encode()):
        raise Refused(401, "the signature is not of this webhook's secret")


def fresh(call: Call, stamp: str) -> float:
    """The seconds of a time stamp that is of now. Raises Refused."""
    if not stamp.isascii() or not stamp.isdecimal() or len(stamp) > 12:
        raise Refused(401, "the call has no time stamp in seconds")
    if abs(call.now - int(stamp)) > TOLERANCE_S:
        raise Refused(401, f"the time stamp is more than {TOLERANCE_S:.0f} s away from now; is a clock wrong?")
    return float(stamp)


def json_object(body: bytes) -> Mapping[str, JsonValue]:
    """Raises Refused if it is none. Depth is bounded by the parser."""
    try:
        found: JsonValue = from_json(body, allow_inf_nan=False)
    except ValueError:
        raise Refused(400, "the body is not JSON") from None
    if not isinstance(found, dict):
        raise Refused(400, f"the body is a JSON object; got a {type(found).__name__}")
    return found


def inner(found: Mapping[str, JsonValue], name: str) -> Mapping[str, JsonValue]:
    """The object under a key, an empty one if it is none."""
    value = found.get(name)
    return value if isinstance(value, dict) else {}


def seconds(value: JsonValue, otherwise: float) -> float:
    """A time as seconds since the epoch: a number of them, or ISO 8601."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e11:
        return float(value)
    if isinstance(value, str):
        try:
            at = datetime.fromisoformat(value.removesuffix(" UTC"))
        except ValueError:
            return otherwise
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    return otherwise


def sha1_hex(*parts: str) -> str:
    """Of the sorted parts, as WeChat signs."""
    return hashlib.sha1("".join(sorted(parts)).encode(), usedforsecurity=False).hexdigest()
