"""One line for any JSON value, within a length: how tool results and collected data stand in a prompt or a note.

Strings keep their JSON quotes, so a value cannot break its line or pass for the name beside it. Pure.
"""

import json
import re
from collections.abc import Mapping

from pydantic import JsonValue

CUT = "…"
_PLAIN_NAME = re.compile(r"[\w.-]{1,60}")
_LINE_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}  # JSON lets them stand; readers of lines do not
_INNER_CHARS = 60


def one_line(value: JsonValue, limit: int) -> str:
    """`value` in at most `limit` characters: an object as `name=value, ...`, what does not fit as `…`."""
    if isinstance(value, Mapping):
        return fields_line(value, limit)
    return scalar(value, limit)


def fields_line(fields: Mapping[str, JsonValue], limit: int) -> str:
    """`name=value, ...` of the fields that say something (null and empty ones do not)."""
    line = ""
    for name, value in fields.items():
        if value is None or value == "":
            continue
        part = f"{_name(name)}={scalar(value, max(limit // 2, _INNER_CHARS))}"
        longer = f"{line}, {part}" if line else part
        if len(longer) > limit:
            return f"{line}, {CUT}" if line and len(line) + 3 <= limit else line or CUT
        line = longer
    return line


def scalar(value: JsonValue, limit: int) -> str:
    """A value as JSON. A long string is cut inside its quotes, a long list or object is counted."""
    if isinstance(value, str):
        return quoted(value, limit)
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_LINE_ENDS)
    if isinstance(value, (list, dict)) and len(text) > min(limit, _INNER_CHARS):
        return f"({len(value)})"
    return text if len(text) <= limit else CUT


def quoted(text: str, limit: int) -> str:
    """`text` as a JSON string of at most `limit` characters (9 or more); what is cut ends in `…`."""
    whole = _quoted(text[:limit])
    if len(text) <= limit and len(whole) <= limit:
        return whole
    kept = text[: max(1, limit - 3)]
    while len(whole := _quoted(f"{kept}{CUT}")) > limit and len(kept) > 1:
        kept = kept[: -max(1, (len(whole) - limit) // 6)]
    return whole


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).translate(_LINE_ENDS)


def _name(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) else _quoted(name)
