"""Public dialogues as questions for a decider: at each point where a wizard was offered actions, what a decider may know there.

Owns how a dialogue's line becomes DecisionRequests: labels made readable, turns as history, options shuffled. What comes after a
point never enters its request, and the wizard's choice neither. Called by `menus.py`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from ..protocol.decision import DecisionRequest, Exchange
from ..protocol.errors import BadRequest
from ..protocol.menu import Menu, MenuItem
from .json_lines import read_lines

IDENTITY = "You are the assistant of a customer service."
INSTRUCTION = "Pick what the assistant says or does next."
QUERY = "query"

_NUMBER = re.compile(r"_\d+\Z")

Label = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Offer = Annotated[tuple[Label, ...], Field(min_length=1)]


class Dialogue(BaseModel):
    """One line of the file: the wizard's actions, what the customer said before each (may be empty), what was offered."""

    model_config = ConfigDict(frozen=True)

    walk: tuple[Label, ...]
    user: tuple[str, ...]
    menu: tuple[Offer | None, ...]

    @model_validator(mode="after")
    def _fit(self) -> "Dialogue":
        if not len(self.walk) == len(self.user) == len(self.menu):
            raise ValueError(
                f"{len(self.walk)} of walk, {len(self.user)} of user, {len(self.menu)} of menu: wanted as many"
            )
        for place, (label, offer) in enumerate(zip(self.walk, self.menu, strict=True)):
            if offer and (label not in offer or len(set(offer)) < len(offer)):
                raise ValueError(f"menu {place} must hold walk {place}, and nothing twice")
        return self


@dataclass(frozen=True, slots=True)
class Question:
    """A menu of a dialogue. `offer`: the actions as the wizard saw them, the suggested one first; `gold`: the one taken.

    `queried`: the wizard has asked a database since the customer spoke; the data does not hold what came back.
    """

    dialogue: Dialogue
    line: int
    place: int
    offer: tuple[str, ...]
    queried: bool

    @property
    def gold(self) -> str:
        return self.dialogue.walk[self.place]

    def request(self, seed: int) -> DecisionRequest:
        """The options in an order that hangs on the seed and this place alone, so that a part of the file is asked the same."""
        names = list(self.offer)
        Random(f"{seed} {self.line} {self.place}").shuffle(names)
        *past, (text, done) = _turns(self.dialogue, self.place)
        return DecisionRequest(
            session_id=f"line-{self.line}",
            lang="en",
            menu=Menu("dialogue", tuple(MenuItem(name, readable(name)) for name in names)),
            text=text,
            identity=IDENTITY,
            instruction=INSTRUCTION,
            data={"done": done} if done else {},
            history=tuple(Exchange(user, reply, turn=turn) for turn, (user, reply) in enumerate(past, 1)),
        )


def read_questions(path: str | Path) -> list[Question]:
    """Every menu of the file, in order. Raises BadRequest that names file and line, also if there is none to choose from."""
    questions = [question for line, dialogue in read_lines(path, Dialogue) for question in _questions(line, dialogue)]
    if all(len(question.offer) == 1 for question in questions):
        raise BadRequest(f"{path}: no menu with two actions or more")
    return questions


def _questions(line: int, dialogue: Dialogue) -> Iterator[Question]:
    queried = False
    for place, (said, offer, label) in enumerate(zip(dialogue.user, dialogue.menu, dialogue.walk, strict=True)):
        queried = queried and not said.strip()
        if offer:
            yield Question(dialogue, line, place, offer, queried)
        queried = queried or label.startswith(QUERY)


def readable(label: str) -> str:
    """`party_ask_day` -> `Party ask day`; `goodbye_1` -> `Goodbye`."""
    words = " ".join(_NUMBER.sub("", label).split("_")).strip()
    return words.capitalize() or label


def _turns(dialogue: Dialogue, place: int) -> list[tuple[str, str]]:
    """(what the customer said, what was done on it) up to `place`: the wizard acts until the customer speaks again."""
    turns: list[tuple[str, list[str]]] = []
    for said, label in zip(dialogue.user[: place + 1], (*dialogue.walk[:place], ""), strict=True):
        if said.strip() or not turns:
            turns.append((said.strip(), []))
        if label:
            turns[-1][1].append(readable(label))
    return [(said, "; ".join(done)) for said, done in turns]
