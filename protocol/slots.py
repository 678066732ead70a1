"""Slot: one value that a step collects, and how code may find and check it.

Owns the definition only. Reading values out of text is `statemachine/reading/`. Nothing here touches a session.
Used by flows (slots and action parameters), menus and decision requests.
"""

import re
from collections.abc import Mapping
from dataclasses import field
from datetime import date
from typing import Annotated, Literal, cast

from pydantic import BeforeValidator, ConfigDict
from pydantic.dataclasses import dataclass

from .plainly import plainly
from .texts import Text

Scalar = str | int | float | bool
SlotType = Literal["str", "int", "number", "date", "bool", "choice"]
PythonType = type[str] | type[int] | type[float] | type[bool] | type[date]
Reader = Literal["text", "number", "date", "yes_no", "choices", "phone", "email", "regex"]

_TYPE_NAMES: dict[object, str] = {str: "str", int: "int", float: "number", bool: "bool", date: "date"}


_KINDS_READ: Mapping[str, tuple[SlotType, ...]] = {
    "text": ("str",),
    "number": ("int", "number"),
    "date": ("date",),
    "yes_no": ("bool",),
    "choices": ("choice",),
    "phone": ("str",),
    "email": ("str",),
    "regex": ("str", "int", "number", "choice"),
}
"""Reader -> types that its values can have."""


def _type_name(value: object) -> object:
    return _TYPE_NAMES.get(value, value) if isinstance(value, type) else value


@plainly
@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Slot:
    """One value to collect.

    `type`: python type or its name; a date is kept as ISO text. `read`: how code finds it without a model (None: never).
    `choices`: value -> synonyms in any language (type `choice`; the value itself always counts), in the order in which `ask`
    names them; `...` in a synonym stands for a few words ("answer ... calls", "接...电话"). `cues`: words near a number,
    date, phone or text that say it is this slot ("seats", "人"). `pattern`: for `regex`, its first group (or the whole match) is
    the value; for other readers the whole value must match it. `minimum`/`maximum`: bounds for numbers, for str its length.
    `maximum` above 60 also lets a text slot take whole sentences. `ask`: the question for the customer, a template.
    """

    type: Annotated[SlotType | PythonType, BeforeValidator(_type_name)] = "str"
    read: Reader | None = None
    required: bool = True
    ask: Text | None = None
    label: Text | None = None
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cues: tuple[str, ...] = ()
    pattern: str | None = None
    minimum: float | None = None
    maximum: float | None = None

    @property
    def kind(self) -> SlotType:
        """The type by its name, however it was written."""
        return cast(SlotType, self.type)  # the validator has turned Python types into names

    def __post_init__(self) -> None:
        """A slot that cannot work is refused where it is written."""
        if self.pattern is not None:
            try:
                re.compile(self.pattern)
            except re.error as error:
                raise ValueError(f"pattern {self.pattern!r} is not a regular expression: {error}") from error
        if self.minimum is not None and self.maximum is not None and self.minimum > self.maximum:
            raise ValueError(f"minimum {self.minimum:g} is above maximum {self.maximum:g}")
        if (self.type == "choice" or self.read == "choices") and not self.choices:
            raise ValueError("a slot of choices needs `choices`: value -> synonyms")
        if self.read and self.kind not in _KINDS_READ[self.read]:
            raise ValueError(f"read {self.read!r} finds no {self.kind}; it finds {' or '.join(_KINDS_READ[self.read])}")
        if self.read == "regex" and self.pattern is None:
            raise ValueError("a slot read by regex needs a `pattern`")
