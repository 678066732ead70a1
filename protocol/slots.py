"""Slot: one value that a step collects, and how code may find and check it.

Owns the definition only. Reading values out of text is `statemachine/readers.py`. Nothing here touches a session.
Used by flows (slots and action parameters), menus and decision requests.
"""

from collections.abc import Mapping
from dataclasses import field
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict
from pydantic.dataclasses import dataclass

from .texts import Text

Scalar = str | int | float | bool
SlotType = Literal["str", "int", "number", "date", "bool", "choice"]
Reader = Literal["text", "number", "date", "yes_no", "choices", "phone", "email", "regex"]

_TYPE_NAMES: dict[Any, str] = {str: "str", int: "int", float: "number", bool: "bool", date: "date"}


def _type_name(value: Any) -> Any:
    return _TYPE_NAMES.get(value, value) if isinstance(value, type) else value


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Slot:
    """One value to collect.

    `type`: python type or its name; a date is kept as ISO text. `read`: how code finds it without a model (None: never).
    `choices`: value -> synonyms in any language (type `choice`; the value itself always counts). `cues`: words near a number,
    phone or text that say it is this slot ("seats", "人"). `pattern`: for `regex`, its first group (or the whole match) is
    the value; for other readers the whole value must match it. `minimum`/`maximum`: bounds for numbers, for str its length.
    `ask`: the question for the customer, a template.
    """

    type: Annotated[SlotType, BeforeValidator(_type_name)] = "str"
    read: Reader | None = None
    required: bool = True
    ask: Text | None = None
    label: Text | None = None
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cues: tuple[str, ...] = ()
    pattern: str | None = None
    minimum: float | None = None
    maximum: float | None = None
