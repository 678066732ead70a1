"""What a flow is made of: Step, Action, Call, Deadline, Outside, Terminal, Migration. Only definitions: frozen, closed, checked.

Python code builds them by hand, `flow_file.py` from YAML; both end in the same objects, hence the same fingerprint.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field
from pydantic.dataclasses import dataclass

from ..protocol.limits import LONGEST_S
from ..protocol.plainly import plainly
from ..protocol.slots import Slot
from ..protocol.texts import Text

_CLOSED = ConfigDict(extra="forbid", arbitrary_types_allowed=True)

BuiltIn = Literal["provide", "answer", "ask_human", "leave", "show_detail"]
Outcome = Literal["ok", "error", "unavailable"]
Name = Annotated[
    str, Field(min_length=1), BeforeValidator(lambda value: str(value) if isinstance(value, str) else value)
]

IGNORE = "ignore"
"""Target of a row that accepts an event and does nothing with it."""


class Terminal(StrEnum):
    """The three ends. `completed` only by rows of the map; `escalated` ends the model's part, not the customer's."""

    COMPLETED = "completed"
    ABANDONED = "abandoned"
    ESCALATED = "escalated"


@plainly
@dataclass(frozen=True, config=_CLOSED)
class Action:
    """One line of a menu: exactly one of `event` (moves), `tool` (runs it) or neither (words only, stays).

    `on`: tool outcome -> event to propose. `confirm`: code asks `ask` first and goes on only on an explicit yes. `reply`: words
    after the action if the state stays. `examples` serve the keyword decider and are never sent to a model.
    """

    name: Name
    label: Text | None = None
    event: Name | None = None
    tool: str | None = None
    on: Mapping[Outcome, Name] = field(default_factory=dict)
    parameters: Mapping[str, Slot] = field(default_factory=dict)
    confirm: bool = False
    ask: Text | None = None
    reply: Text | None = None
    examples: Mapping[Literal["zh", "en"], tuple[str, ...]] | tuple[str, ...] = ()

    @property
    def phrases(self) -> tuple[str, ...]:
        """The examples of every language."""
        examples = self.examples
        return examples if isinstance(examples, tuple) else tuple(e for many in examples.values() for e in many)


@plainly
@dataclass(frozen=True, config=_CLOSED)
class Call:
    """A tool run by code when a step is entered; outcomes as in Action."""

    tool: str
    on: Mapping[Outcome, Name] = field(default_factory=dict)


@plainly
@dataclass(frozen=True, config=_CLOSED)
class Deadline:
    """`event` is proposed by the timer `after_s` seconds after the step was entered."""

    after_s: Annotated[float, Field(gt=0, le=LONGEST_S)]
    event: Name


def _as_call(value: object) -> object:
    return Call(value) if isinstance(value, str) else value


@plainly
@dataclass(frozen=True, config=_CLOSED)
class Step:
    """What a state offers.

    `instruction`: for the model. `say`: for the customer on arrival, a template over session data; `{ask}` in it is the
    question for the first missing slot. `collects`: slots in any order; when all required ones are known, code proposes
    `complete`. `on_enter`: tool run on arrival. `confirms`: the action whose confirmation is asked on arrival, with `say` as
    the question. `on_close`: event proposed when the customer says goodbye. `without`: actions
    taken off the menu, built-in ones or those of `Flow(everywhere=...)`.
    """

    instruction: Text | None = None
    say: Text | None = None
    actions: tuple[Action, ...] = ()
    collects: Mapping[str, Slot] = field(default_factory=dict)
    complete: Name | None = None
    on_enter: Annotated[Call | None, BeforeValidator(_as_call)] = None
    confirms: Name | None = None
    on_close: Name | None = None
    deadline: Deadline | None = None
    without: tuple[Name, ...] = ()

    def action(self, name: str) -> Action | None:
        return next((action for action in self.actions if action.name == name), None)


@plainly
@dataclass(frozen=True, config=_CLOSED)
class Outside:
    """An event that comes from outside (payment callback, delivery notice). `money`: one that has no row escalates."""

    event: Name
    money: bool = False


@plainly
@dataclass(frozen=True, config=_CLOSED)
class Migration:
    """How a session in the middle of an older version goes on under this one.

    `from_version`: the older flow's `version`. `states`, `data`: old name -> new name; what is not named keeps its name. A name
    of data that leads to None, or that this flow does not know, or whose value does not fit any more, is dropped; the session
    goes back to the step that asks for it, unless something has been agreed or done already.
    """

    from_version: Annotated[str, BeforeValidator(lambda value: str(value) if isinstance(value, int) else value)]
    states: Mapping[Name, Name] = field(default_factory=dict)
    data: Mapping[Name, Name | None] = field(default_factory=dict)
