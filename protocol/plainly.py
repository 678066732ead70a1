"""plainly: a part of a flow that is built with wrong arguments says so in plain words: which, what came, what is allowed.

Pydantic checks the parts; its own report speaks of union branches and input types, to people who know them. Used as a decorator
on the parts' classes; from YAML, `flow_readers.py` puts the same words at their line.
"""

import dataclasses
import functools
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from .errors import WrongArguments
from .nearest import nearest

C = TypeVar("C", bound=type[Any])

_WANTED: Mapping[str, str] = {
    "string_type": "a string",
    "string_too_short": "a name that is not empty",
    "dict_type": "a mapping",
    "mapping_type": "a mapping",
    "list_type": "a list",
    "tuple_type": "a tuple",
    "bool_type": "True or False",
    "bool_parsing": "True or False",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a number",
    "greater_than": "above {gt:,.12g}",
    "greater_than_equal": "{ge:,.12g} or more",
    "less_than": "below {lt:,.12g}",
    "less_than_equal": "{le:,.12g} or less",
    "dataclass_type": "{class_name}(...)",
}
"""Kind of fault -> what would have been right, with the values of its context."""
_BRANCH = re.compile(r".*\[.+\]|str|bool|int|float|none")
"""Parts of a place that name no key, but a branch of a union."""


def plainly(part: C) -> C:
    """Decorator: `part(...)` raises WrongArguments instead of pydantic's ValidationError."""
    build: Callable[..., None] = part.__init__

    @functools.wraps(build)
    def built(self: object, *given: object, **named: object) -> None:
        try:
            build(self, *given, **named)
        except ValidationError as error:
            raise WrongArguments(part.__name__, tuple(_faults(part, error.errors(include_url=False)))) from error

    part.__init__ = built
    return part


def _faults(part: type, details: Iterable[ErrorDetails]) -> Iterable[tuple[str, str]]:
    """One fault for each argument: of the branches of a union, those that fit farthest."""
    fields = [field.name for field in dataclasses.fields(part)]
    by_argument: dict[object, list[ErrorDetails]] = {}
    for detail in details:
        by_argument.setdefault(detail["loc"][0] if detail["loc"] else "", []).append(detail)
    for key, found in by_argument.items():
        farthest = max(len(detail["loc"]) for detail in found)
        meant = [detail for detail in found if len(detail["loc"]) == farthest]
        name = fields[key] if isinstance(key, int) and key < len(fields) else str(key)
        yield _place(name, meant[0]), _why(meant, fields)


def _place(name: str, detail: ErrorDetails) -> str:
    """The argument, and the keys below it."""
    below = [part for part in detail["loc"][1:] if isinstance(part, int) or not _BRANCH.fullmatch(part)]
    if detail["type"] == "literal_error" and detail["loc"][-1] == "[key]":  # the key itself is what is wrong
        below = below[:-1]
    return "".join([name, *(f"[{part}]" if isinstance(part, int) else f".{part}" for part in below)])


def _why(meant: list[ErrorDetails], fields: list[str]) -> str:
    detail, came = meant[0], meant[0]["input"]
    if detail["type"] == "unexpected_keyword_argument":
        return f"there is no such argument{nearest(str(detail['loc'][0]), fields)}"
    if detail["type"] in ("missing", "missing_argument"):
        return "is missing"
    if detail["type"] == "unexpected_positional_argument":
        return f"is one argument too many: {_short(came)}"
    if detail["type"] == "value_error":  # the part's own words need no explanation
        return detail["msg"].removeprefix("Value error, ")
    if literal := next((found for found in meant if found["type"] == "literal_error"), None):
        allowed = re.findall(r"'([^']*)'", str(literal["ctx"]["expected"]))
        return f"{_short(came)} is not allowed here{nearest(came if isinstance(came, str) else '', allowed)}"
    wanted = dict.fromkeys(_wanted(found) for found in meant if found["type"] in _WANTED)
    if not wanted:  # a kind of fault that no part has so far
        return f"{detail['msg'][:1].lower()}{detail['msg'][1:]}; got {_short(came)}"
    return f"must be {' or '.join(wanted)}, not {_short(came)}{_instead(detail['type'], came)}"


def _wanted(detail: ErrorDetails) -> str:
    return _WANTED[detail["type"]].format(**detail.get("ctx", {}))


def _instead(kind: str, came: object) -> str:
    """How what came is written rightly, where that is known."""
    if kind == "tuple_type":
        return f"; one alone is written ({_short(came) if isinstance(came, str) else '...'},)"
    spec = getattr(came, "spec", None)
    return f"; write its name, {spec.name!r}" if kind == "string_type" and spec is not None else ""


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:60] + "..."
