"""Menu: the actions legal now, as the decider sees them. Computed by `statemachine/menu.py`, never by a model."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .slots import Slot


@dataclass(frozen=True, slots=True)
class MenuItem:
    """One line: name, label in the session's language, parameters by name, and examples (keyword decider only).

    `also`: parameters accepted but not advertised (slots of other steps: customers answer ahead and correct).
    """

    name: str
    label: str
    parameters: Mapping[str, Slot] = field(default_factory=dict)
    also: Mapping[str, Slot] = field(default_factory=dict)
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Menu:
    """What the current state allows. Empty while a call is pending or a human has the session."""

    state: str
    items: tuple[MenuItem, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(item.name for item in self.items)

    def get(self, name: str) -> MenuItem | None:
        return next((item for item in self.items if item.name == name), None)
