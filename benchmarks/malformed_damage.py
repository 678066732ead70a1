"""A row's kind of damage, put on a decision: what is wrong with the row's text is done to the decision's own JSON.

Only the text is looked at, not the row's label, so rows that nobody has seen go the same way. In this order: a text that stops
in the middle cuts the decision where the lexer stands the same; what stands around a whole object is put around the decision;
damage within an object is known by its sign in the table `malformed_signs.py` and done to the decision; a text that shows none
of these is sent itself, in the decision's place. Pure; called by `malformed.py`.
"""

import json
import re
from typing import NamedTuple

from pydantic import JsonValue

from ..protocol.decision import AgentDecision
from .malformed_signs import SIGNS

Members = dict[str, JsonValue]

INSTEAD = "sent itself"


class Damaged(NamedTuple):
    """`way`: how the damage was put on the decision; `text`: what the model's server says."""

    way: str
    text: str


def damaged(row: str, meant: AgentDecision) -> Damaged:
    """The decision with the damage of the row."""
    whole = written(meant)
    start, end = _object_span(row)
    if _is_cut(row):
        cut = _cut_alike(whole, row)
        return Damaged("cut", row[: max(start, 0)] + cut) if cut else Damaged(INSTEAD, row)
    if start < 0:
        return _without_braces(row, whole)
    before, inside, behind = row[:start], row[start:end], row[end:]
    if _is_object(inside):
        return Damaged("around" if before.strip() or behind.strip() else "undamaged", before + whole + behind)
    for sign in SIGNS:
        if (done := sign.put_on(whole, inside)) != whole:
            return Damaged(sign.name, before + done + behind)
    return Damaged(INSTEAD, row)


def written(meant: AgentDecision) -> str:
    """The decision as a model writes it."""
    return json.dumps(meant.model_dump(), ensure_ascii=False)


def _without_braces(row: str, whole: str) -> Damaged:
    if re.match(r"\s*\[\s*\"[^\"]*\"\s*:", row):
        return Damaged("brackets for braces", f"[{whole[1:-1]}]")
    if re.match(r"\s*[\"']?\w+[\"']?\s*:", row):
        return Damaged("braces missing", whole[1:-1])
    return Damaged(INSTEAD, row)


# --- where the object is ---------------------------------------------------------------------------------------------------


def _object_span(row: str) -> tuple[int, int]:
    """From the first brace (behind closed thinking) to the end of the object there; to the last brace if that is damaged."""
    start = row.find("{", max(row.rfind("</think>"), 0))
    if start < 0:
        return -1, -1
    try:
        return start, json.JSONDecoder(object_pairs_hook=_no_key_twice).raw_decode(row, start)[1]
    except (ValueError, RecursionError):
        return start, max(row.rfind("}") + 1, start + 1)


def _is_object(text: str) -> bool:
    try:
        json.loads(text, object_pairs_hook=_no_key_twice)
    except (ValueError, RecursionError):
        return False
    return True


def _no_key_twice(pairs: list[tuple[str, JsonValue]]) -> Members:
    if len(members := dict(pairs)) < len(pairs):
        raise ValueError("a key stands twice")
    return members


# --- texts that stop in the middle -------------------------------------------------------------------------------------------


def _is_cut(row: str) -> bool:
    """Something is open and the text does not end with a bracket that closes: then brackets are wrong, not missing."""
    standing = _standings(row)
    return bool(standing) and not standing[-1].endswith(":0") and row.rstrip()[-1:] not in "]}"


def _cut_alike(whole: str, row: str) -> str:
    """The decision up to a character where the lexer stands as at the end of the row; which of several, its length says."""
    last = _standings(row)[-1].partition(":")[0]
    if last == "escape":
        return _cut_alike(whole, row[:-1]) + row[-1]
    places = [n for n, standing in enumerate(_standings(whole)[:-1], 1) if standing.partition(":")[0] == last]
    return whole[: places[len(row) % len(places)]] if places else ""


def _standings(text: str) -> list[str]:
    """After each character: what the lexer has just read, and how many strings and brackets are open."""
    found: list[str] = []
    now, depth, in_string = "nothing", 0, False
    for char in text:
        if in_string:
            now = "string" if now == "escape" or char not in '"\\' else "escape" if char == "\\" else "quote"
            in_string = now != "quote"
        elif char == '"':
            now, in_string = "string", True
        elif char in "{[":
            now, depth = "open", depth + 1
        elif char in "}]":
            now, depth = "close", max(depth - 1, 0)
        elif not char.isspace():
            now = {",": "comma", ":": "colon"}.get(char, "word")
        found.append(f"{now}:{depth + in_string}")
    return found
