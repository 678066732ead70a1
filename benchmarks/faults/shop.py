"""Shop: the flow under test, its tools, and a decider that words the same wish in other words each time it is asked.

Every message of `SCENES` is legal in every session that is not with a human, so a session may be any sequence of them. The tools
write what they do into a ledger outside the store. Owns no fault; `moment` is where one may be put into a tool.
"""

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from itertools import count

from pydantic import JsonValue

from ...protocol.decision import AgentDecision, DecisionRequest
from ...protocol.limits import Limits
from ...protocol.ports import CallContext
from ...protocol.slots import Slot
from ...statemachine.flow import Flow
from ...statemachine.parts import Action, Call, Migration, Step
from ...tools.tool import ToolError, tool
from .ledger import Effect, Ledger

Moment = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Scene:
    """What one kind of message causes: its event, once, and the calls before it."""

    event: str
    calls: tuple[str, ...] = ()


SCENES: Mapping[str, Scene] = {
    "note": Scene("noted"),
    "look": Scene("looked", ("look",)),
    "reserve": Scene("reserved", ("reserve",)),
    "charge": Scene("charged", ("charge",)),
    "book": Scene("booked", ("book",)),
    "both": Scene("charged", ("reserve", "charge")),
    "paid": Scene("paid"),
    "leave": Scene("customer_left"),
}
"""First word of a message -> what it causes. `paid` is an event from outside; `leave` is answered by a guard."""

TEXTS = {"leave": "forget it, goodbye"}
WORDS = ("alpha", "beta", "gamma", "delta", "omega")
_OPEN, _PAYING = "open", "paying"


async def calm() -> None:
    """A moment in which nothing happens."""


@dataclass
class Shop:
    """`moment` is awaited before and after each effect. `next_flow`: the same with other names, which takes over from `flow`."""

    ledger: Ledger
    moment: Moment = calm
    flow: Flow = field(init=False)
    next_flow: Flow = field(init=False)

    def __post_init__(self) -> None:
        names = f"{_OPEN}_2", f"{_PAYING}_2"
        self.flow = _flow(self, "1", (_OPEN, _PAYING))
        self.next_flow = _flow(self, "2", names, Migration("1", states=dict(zip((_OPEN, _PAYING), names, strict=True))))

    async def do(self, tool: str, context: CallContext, *, once: bool) -> bool:
        """Take effect, unless the ledger says no; whether it did."""
        await self.moment()
        done = self.ledger.effect(Effect(context.session_id, tool, context.key), once=once)
        await self.moment()
        return done


class Reworder:
    """A decider: the text's first word is the action; for the parameter, another word of the text at every asking."""

    name = "reworder"
    immediate = True

    def __init__(self) -> None:
        self._asked = count(os.getpid())

    async def decide(self, request: DecisionRequest) -> AgentDecision:
        action, *rest = request.text.split()
        if action not in request.menu.names:
            return AgentDecision(action="answer", reply_text=f"you said {request.text}")
        parameters: dict[str, JsonValue] = (
            {"words": rest[next(self._asked) % len(rest)]} if action in ("reserve", "both") else {}
        )
        return AgentDecision(action=action, parameters=parameters, reply_text=f"doing {action}")


class SlowReworder(Reworder):
    """The same as if it asked a model: not immediate, so it is asked in a task, within a time."""

    async def decide(self, request: DecisionRequest) -> AgentDecision:
        return await super().decide(request)


def _flow(shop: Shop, version: str, states: tuple[str, str], *migrations: Migration) -> Flow:
    open_, paying = states

    @tool(effect="none", fresh=True)
    async def look(context: CallContext) -> str:
        await shop.moment()
        return "seen"

    @tool(effect="idempotent", fresh=True)
    async def reserve(words: str, context: CallContext) -> str:
        await shop.do("reserve", context, once=True)
        return "reserved"

    @tool(effect="non_idempotent")
    async def charge(context: CallContext) -> str:
        await shop.do("charge", context, once=False)
        return "charged"

    async def booking(key: str) -> str | None:
        return None if shop.ledger.void(key) else "booked"

    @tool(effect="non_idempotent", lookup=booking)
    async def book(context: CallContext) -> str:
        if not await shop.do("book", context, once=False):
            raise ToolError("this booking was given up: a lookup said that it did not happen")
        return "booked"

    return Flow(
        name="faults",
        version=version,
        states=states,
        initial=open_,
        transitions={
            **{(open_, scene.event): open_ for scene in SCENES.values() if scene.event != "customer_left"},
            (open_, "went_on"): paying,
            (paying, "charged"): open_,
        },
        steps={
            open_: Step(
                say="What next?",
                actions=(
                    Action("note", event="noted"),
                    *(_calls(name) for name in ("look", "charge", "book")),
                    Action("reserve", tool="reserve", on={"ok": "reserved"}, parameters={"words": Slot(type="str")}),
                    Action("both", tool="reserve", on={"ok": "went_on"}, parameters={"words": Slot(type="str")}),
                ),
            ),
            paying: Step(say="Paying.", on_enter=Call("charge", on={"ok": "charged"})),
        },
        tools=(look, reserve, charge, book),
        outside=("paid",),
        migrations=migrations,
        limits=Limits(
            turns_per_session=10_000,
            stuck_offer=9_000,
            stuck_escalate=9_001,
            same_event_in_a_row=30,
            same_event_burst=30,
        ),
    )


def _calls(name: str) -> Action:
    return Action(name, tool=name, on={"ok": SCENES[name].event})
