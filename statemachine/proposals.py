"""Proposal, Outcome, Rejected: what goes into the machine and what comes out."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from ..protocol.messages import Actor, StateEvent
from ..protocol.session import Session


@dataclass(frozen=True, slots=True)
class Proposal:
    """A wish to move: an action of the menu (actor model), an event (outside, timer), or a built-in wish of code.

    `turn`: the turn it belongs to; `key`: id of the request that caused it, from which tool keys are made; `unprompted`: that was
    no message of the customer's.
    """

    name: str
    actor: Actor
    payload: Mapping[str, JsonValue] = field(default_factory=dict)
    key: str = ""
    turn: int = 0
    reason: str = ""
    tenant: str = ""
    unprompted: bool = False


@dataclass(frozen=True, slots=True)
class CallTool:
    """Effect: run this tool. The pending call is in the snapshot already."""

    call_id: str
    tool: str
    key: str
    arguments: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The proposal was accepted: the session after it, the events it made, and the tool to run, if any."""

    session: Session
    events: tuple[StateEvent, ...]
    effects: tuple[CallTool, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejected:
    """The proposal is not legal here; nothing changed. `code` is stable, `why` names what came and what was allowed."""

    code: str
    why: str
