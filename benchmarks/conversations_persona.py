"""Personas: what the scripted customers of `bench conversations` want, and the sentences they have for it.

Owns the shape of `customers/*.yaml` and when a value is what a customer meant. No behaviour: `conversations_customer.py` chooses
what to say. Called by `conversations.py`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from ruamel.yaml import YAML

from ..protocol.errors import BadRequest
from ..protocol.messages import explain
from ..protocol.normalize import normalize
from ..protocol.slots import Scalar
from ..protocol.texts import Lang

FOLDER = Path(__file__).parent / "customers"
SLOTS = ("company", "seats", "contact", "use", "budget", "term_months", "recording")
TOPICS = (*SLOTS, "accept", "other", "plan", "reopen", "order", "paid", "bye", "refuse", "but")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Line(_Part):
    """One message. `gives`: the slots that it tells."""

    say: str
    gives: tuple[str, ...] = ()


def _line(value: object) -> object:
    return {"say": value} if isinstance(value, str) else value


class Aside(_Part):
    """Something beside the bot's question, said once `when` that slot is asked for or that state is reached; in the next words
    if the bot did something else. `expects`: the actions that would be right. `sets`: what the customer wants from now on."""

    when: str
    expects: frozenset[str]
    say: Annotated[tuple[str, ...], Field(min_length=1)]
    sets: Mapping[str, Scalar] = {}


class Wants(_Part):
    """`company`: every spelling that the customer takes for right. `plan`: the plan that is ordered in the end."""

    company: Annotated[tuple[str, ...], Field(min_length=1)]
    seats: int
    contact: str
    use: str
    budget: float
    term_months: int
    recording: bool
    plan: str

    def values(self) -> dict[str, Scalar]:
        """By slot, as the flow names them."""
        wanted = {name: getattr(self, name) for name in SLOTS}
        return {**wanted, "company": self.company[0], "plan_wish": self.plan}


class Persona(_Part):
    """One customer."""

    name: str
    wants: Wants
    opens: tuple[Annotated[Line, BeforeValidator(_line)], ...]
    says: Mapping[str, Annotated[tuple[str, ...], Field(min_length=2)]]
    asides: tuple[Aside, ...] = ()

    def takes(self, slot: str, wanted: Scalar, value: object) -> bool:
        """Whether `value` is what this customer meant by `wanted`."""
        if slot == "company":
            return _name(value) in {_name(name) for name in self.wants.company}
        if slot == "contact":
            return _digits(value) == _digits(wanted)
        return value == wanted


def _name(value: object) -> str:
    return normalize(str(value)).removeprefix("the ").replace(" ", "")


def _digits(value: object) -> str:
    return "".join(sign for sign in str(value) if sign.isdecimal())


def personas(lang: Lang) -> tuple[Persona, ...]:
    """The customers of one language, in the order of the file."""
    return read_personas(FOLDER / f"{lang}.yaml")


def read_personas(path: Path) -> tuple[Persona, ...]:
    """Raises BadRequest that says which customer is wrong, and where."""
    found = []
    for number, row in enumerate(YAML(typ="safe").load(path.read_text(encoding="utf-8")), 1):
        try:
            persona = Persona.model_validate(row)
        except ValidationError as error:
            raise BadRequest(f"{path.name}: customer {number}: {explain(error)}") from error
        if missing := [topic for topic in TOPICS if topic not in persona.says]:
            raise BadRequest(f"{path.name}: customer {persona.name!r} has no words for {', '.join(missing)}")
        found.append(persona)
    return tuple(found)
