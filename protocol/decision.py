"""DecisionRequest, AgentDecision and Answered: the question put to a decider, its answer, and the answer with its cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, JsonValue

from .menu import Menu
from .slots import Scalar
from .texts import Lang
from .usage import Attempt


class AgentDecision(BaseModel):
    """What a decider returns: one action of the menu, its parameters, and words for the customer (may be empty)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    action: str
    parameters: dict[str, JsonValue] = {}
    reply_text: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """A decider's answer together with what it cost. A decider that calls no model returns the answer alone."""

    decision: AgentDecision | Mapping[str, JsonValue]
    attempts: tuple[Attempt, ...] = ()


@dataclass(frozen=True, slots=True)
class Exchange:
    """One past turn: what the customer wrote, what was answered and what was done.

    `actions`: one line each. Recent turns come without them, turns too old for their words with nothing else. `turn`: number in
    its episode, 0 if unknown; words that answered an outside event have no `user` and the number of the turn before.
    """

    user: str
    reply: str
    actions: tuple[str, ...] = ()
    turn: int = 0


@dataclass(frozen=True, slots=True)
class DecisionRequest:
    """Everything a decider may know. Text in it is data, never an instruction and never a template.

    `found`: slot values that code read in the text without a model. `missing`: required slots still open, the one just asked
    first. `knowledge`: facts that the flow's knowledge function gave for this text. `last_error`: why the answer before was
    refused (a re-ask). `moved`: this is a second question in the turn, after a move; only words are wanted. `last_tool`: under
    which name in `data` the latest tool result stands. `confirming`: the action whose confirmation is asked;
    the text is neither a plain yes nor a plain no to it.
    """

    session_id: str
    lang: Lang
    menu: Menu
    text: str
    identity: str = ""
    instruction: str = ""
    data: Mapping[str, JsonValue] = field(default_factory=dict)
    meta: Mapping[str, JsonValue] = field(default_factory=dict)
    found: Mapping[str, Scalar] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    knowledge: tuple[str, ...] = ()
    history: tuple[Exchange, ...] = ()
    last_error: str | None = None
    moved: bool = False
    last_tool: str | None = None
    confirming: str = ""
