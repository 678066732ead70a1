"""tau-bench's tools as flows: the state is the status of the order that is open, a write is an action that needs a yes.

Rules, all of them in POLICIES: a write that has the record's key among its parameters (`order_id`) is on the menu only in the
status that it needs, and leads to the status that it makes. One without (a user's own address) is on every menu. The record
is opened by its look-up, whose answer alone decides the state; a write is then bound to the record that is open: the decider
cannot name another. When the outside says that a record changed, it must be looked up again.

Owns policies and converter; plays nothing. Called by `tau.py`, `tau_play.py`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from ..decision.check_decision import MAX_VALUE_CHARS
from ..protocol.ports import Tool
from ..protocol.slots import Slot, SlotType
from ..protocol.texts import Lang
from ..protocol.tool_spec import ToolSpec
from ..statemachine.conditions import When
from ..statemachine.flow import Flow, TransitionMap
from ..statemachine.parts import Action, Outside, Step
from .tau_rows import Parameter, Schema, Write

UNOPENED = "unopened"
OPENED = "record_opened"
CHANGED = "record_changed"

_GO_ON: Mapping[Lang, str] = {"en": "shall I go ahead? (yes / no)", "zh": "确认继续吗？（是 / 否）"}


@dataclass(frozen=True, slots=True)
class Policy:
    """What a domain allows. `key`: the argument that names a record; `look_up`: the tool that tells its status.

    `moves`: write -> (status that it needs, status that it makes). `anywhere`: writes that concern no record.
    """

    key: str
    look_up: str
    statuses: tuple[str, ...]
    moves: Mapping[str, tuple[str, str]]
    anywhere: tuple[str, ...]

    @property
    def writes(self) -> tuple[str, ...]:
        return (*self.moves, *self.anywhere)

    def needs(self, tool: str) -> str:
        """The status that a write needs; UNOPENED, where every session begins, if any will do."""
        return self.moves[tool][0] if tool in self.moves else UNOPENED


POLICIES: Mapping[str, Policy] = {
    # tau-bench, retail policy: items of an order are changed once, then nothing more; a return or an exchange is final, too.
    "retail": Policy(
        key="order_id",
        look_up="get_order_details",
        statuses=(
            "pending",
            "pending_item_modified",
            "processed",
            "delivered",
            "return_requested",
            "exchange_requested",
            "cancelled",
        ),
        moves={
            "modify_pending_order_address": ("pending", "pending"),
            "modify_pending_order_payment": ("pending", "pending"),
            "modify_pending_order_items": ("pending", "pending_item_modified"),
            "cancel_pending_order": ("pending", "cancelled"),
            "return_delivered_order_items": ("delivered", "return_requested"),
            "exchange_delivered_order_items": ("delivered", "exchange_requested"),
        },
        anywhere=("modify_user_address", "modify_user_email"),
    ),
    # Airline policy: whatever stands may be changed again. What depends on cabin, insurance or dates is no status.
    "airline": Policy(
        key="reservation_id",
        look_up="get_reservation_details",
        statuses=("reserved", "cancelled"),
        moves={
            "update_reservation_flights": ("reserved", "reserved"),
            "update_reservation_passengers": ("reserved", "reserved"),
            "update_reservation_baggages": ("reserved", "reserved"),
            "cancel_reservation": ("reserved", "cancelled"),
        },
        anywhere=("book_reservation", "send_certificate"),
    ),
}


def outside_of(policy: Policy, schemas: Mapping[str, Schema], write: Write) -> str:
    """Why a write cannot be said in the flow of its domain; empty if it can."""
    if write.tool not in schemas:
        return f"{write.tool}: not in the tools file"
    if write.tool not in policy.writes:
        return f"{write.tool}: no policy says when it is allowed"
    problem = schemas[write.tool].misfit(write.arguments)
    if not problem and write.tool in policy.moves and not isinstance(write.arguments.get(policy.key), str):
        problem = f"no {policy.key!r}"
    return f"{write.tool}: {problem}" if problem else ""


def flow_of(domain: str, policy: Policy, schemas: Mapping[str, Schema], tools: Mapping[str, Tool]) -> Flow:
    """The flow of a domain, with the writes that have a schema. `tools`: the shop's, see `specs_of`."""
    writes = {name: _action(policy, schemas[name]) for name in policy.writes if name in schemas}
    look_up = Action(
        policy.look_up, tool=policy.look_up, on={"ok": OPENED}, parameters={policy.key: Slot(label=policy.key)}
    )
    found = [*(When({"status": status}, status) for status in policy.statuses), When(None, UNOPENED)]
    transitions: TransitionMap = {
        **{(state, OPENED): found for state in (UNOPENED, *policy.statuses)},
        **{(status, CHANGED): [When(None, UNOPENED, (policy.look_up,))] for status in policy.statuses},
        **{(needs, done(name)): makes for name, (needs, makes) in policy.moves.items() if name in writes},
    }
    here = {
        status: tuple(writes[name] for name in policy.moves if name in writes and policy.needs(name) == status)
        for status in policy.statuses
    }
    return Flow(
        name=f"tau_{domain}",
        states=(UNOPENED, *policy.statuses),
        initial=UNOPENED,
        transitions=transitions,
        steps={status: Step(actions=actions) for status, actions in here.items()},
        everywhere=(look_up, *(writes[name] for name in policy.anywhere if name in writes)),
        tools=tools.values(),
        outside=[Outside(CHANGED)],
    )


def specs_of(policy: Policy, schemas: Mapping[str, Schema]) -> list[ToolSpec]:
    """What the engine must know of the look-up and of every write that has a schema."""
    look_up = ToolSpec(
        policy.look_up, "none", parameters={policy.key: {}}, required=frozenset([policy.key]), fresh=True
    )
    return [look_up, *(_spec(policy, schemas[name]) for name in policy.writes if name in schemas)]


def done(tool: str) -> str:
    """The event of a write that went well."""
    return f"{tool}_done"


def _spec(policy: Policy, schema: Schema) -> ToolSpec:
    bind = {policy.key: f"data.{policy.look_up}.{policy.key}"} if schema.name in policy.moves else {}
    free: dict[str, JsonValue] = {name: {} for name in schema.parameters.properties if name not in bind}
    required = frozenset(n for n, slot in _slots(policy, schema).items() if slot.required)
    return ToolSpec(schema.name, "idempotent", parameters=free, required=required | frozenset(bind), bind=bind)


def _action(policy: Policy, schema: Schema) -> Action:
    """The line of the menu. Its question shows every value, for the policy wants the customer to know what the yes is for."""
    slots, of_record = _slots(policy, schema), schema.name in policy.moves
    shown = [
        *([f"{policy.key}: {{{policy.look_up}.{policy.key}}}"] if of_record else []),
        *(f"{n}: {{{n}}}" for n in slots),
    ]
    return Action(
        schema.name,
        tool=schema.name,
        on={"ok": done(schema.name)} if of_record else {},
        parameters=slots,
        confirm=True,
        ask={lang: f"{{label}} ({', '.join(shown)}): {go_on}" for lang, go_on in _GO_ON.items()},
    )


def _slots(policy: Policy, schema: Schema) -> dict[str, Slot]:
    bound = policy.key if schema.name in policy.moves else ""
    required = schema.parameters.required
    return {
        name: _slot(parameter, name in required)
        for name, parameter in schema.parameters.properties.items()
        if name != bound
    }


_KINDS: Mapping[str, SlotType] = {"string": "str", "integer": "int", "number": "number", "boolean": "bool"}


def _slot(parameter: Parameter, required: bool) -> Slot:
    """A text that may be empty, as its description shows, need not be given: an empty text is no value of a slot."""
    if _has_choices(parameter):
        return Slot("choice", required=required, choices={str(value): () for value in parameter.enum or ()})
    if _is_scalar(parameter):
        return Slot(_KINDS[str(parameter.type)], required=required and not _may_be_empty(parameter))
    return Slot("str", required=required, maximum=MAX_VALUE_CHARS)


def _has_choices(parameter: Parameter) -> bool:
    return bool(parameter.enum) and all(isinstance(value, str) for value in parameter.enum or ())


def _is_scalar(parameter: Parameter) -> bool:
    return _has_choices(parameter) or (isinstance(parameter.type, str) and parameter.type in _KINDS)


def _may_be_empty(parameter: Parameter) -> bool:
    return parameter.type == "string" and "''" in parameter.description


# --- arguments on their way through a decision, whose values are scalars ------------------------------------------------------


def as_said(schema: Schema, arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Arguments as a decision gives them: what is no scalar as JSON text, and no text where it may be empty and is."""
    properties = schema.parameters.properties
    return {
        name: value if _is_scalar(properties[name]) else json.dumps(value, ensure_ascii=False)
        for name, value in arguments.items()
        if value != "" or not _may_be_empty(properties[name])
    }


def as_heard(schema: Schema, arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The same, back in the tool."""
    properties, required = schema.parameters.properties, schema.parameters.required
    empty: dict[str, JsonValue] = {n: "" for n, p in properties.items() if n in required and _may_be_empty(p)}
    return empty | {
        name: value if _is_scalar(properties[name]) else json.loads(str(value)) for name, value in arguments.items()
    }
