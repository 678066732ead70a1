"""Schema: the shape that a server may hold a model to. One constant shape, or one per menu with its action and parameter names.

Constant is the default: a server that puts the schema in front of the prompt keeps its prefix cache. Per menu, a server that
enforces schemas cannot write an action that is not on the menu. Either way `check_decision.py` decides. Pure; for `client/`.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, JsonValue, create_model

from ..protocol.menu import Menu

Schema = dict[str, JsonValue]

_TYPES: Mapping[str, list[JsonValue]] = {
    # Models write numbers as text ("20 seats") and the slot's reader understands it: a schema must not forbid that.
    "int": ["integer", "string"],
    "number": ["number", "string"],
    "bool": ["boolean", "string"],
}


class Parameter(NamedTuple):
    """One parameter of an action, as far as a schema knows it."""

    name: str
    kind: str
    required: bool


Shape = tuple[tuple[str, tuple[Parameter, ...]], ...]
"""What of a menu is in its schema: (action, parameters) in its order. Equal menus have equal shapes, so they share a schema."""


def shape_of(menu: Menu) -> Shape:
    """`provide` needs at least one of its slots, no certain one."""
    return tuple(
        (
            item.name,
            tuple(
                Parameter(name, slot.kind, slot.required and item.name != "provide" and name not in item.also)
                for name, slot in (*item.parameters.items(), *item.also.items())
            ),
        )
        for item in menu.items
    )


def _stripped(action: object) -> object:
    return action.strip() if isinstance(action, str) else action


class Wire(BaseModel):
    """A decision as it is validated on arrival; its schema is not pydantic's but the one made here, once.

    Not an AgentDecision: instructor walks over the whole type at every call, and what JsonValue refers to is most of that one.
    Models write null where they have nothing to say.
    """

    model_config = ConfigDict(extra="forbid")

    schema_for_model: ClassVar[Schema]

    action: Annotated[str, BeforeValidator(_stripped)]
    parameters: Annotated[dict[str, Any], BeforeValidator(lambda given: {} if given is None else given)] = {}
    reply_text: Annotated[str, BeforeValidator(lambda given: "" if given is None else given)] = ""

    @classmethod
    def model_json_schema(cls, *_: object, **__: object) -> Schema:
        return cls.schema_for_model


def wire_model(shape: Shape | None) -> type[Wire]:
    """The type to validate with: any action, or only those of the shape."""
    if not shape:
        return _showing(constant_schema(), create_model("AgentDecision", __base__=Wire))
    actions: Any = Annotated[Literal[tuple(name for name, _ in shape)], BeforeValidator(_stripped)]
    return _showing(menu_schema(shape), create_model("AgentDecision", __base__=Wire, action=(actions, ...)))


def _showing(schema: Schema, model: type[Wire]) -> type[Wire]:
    model.schema_for_model = schema
    return model


def constant_schema() -> Schema:
    """Any action, any scalar parameters."""
    return _object(
        {"type": "string"}, {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}}
    )


def menu_schema(shape: Shape) -> Schema:
    """One alternative for each action of the menu, with that action's parameters and no others."""
    return {"anyOf": [_object({"const": name}, _parameters(parameters), parameters) for name, parameters in shape]}


def _parameters(parameters: tuple[Parameter, ...]) -> Schema:
    properties: Schema = {p.name: {"type": _TYPES.get(p.kind, "string")} for p in parameters}
    required: Schema = (
        {"required": [p.name for p in parameters if p.required]} if any(p.required for p in parameters) else {}
    )
    return {"type": "object", "properties": properties, **required, "additionalProperties": False}


def _object(action: Schema, parameters: Schema, needed: tuple[Parameter, ...] = ()) -> Schema:
    """`parameters` may be left out where the action has none: a word less to write for the model."""
    return {
        "type": "object",
        "properties": {"action": action, "parameters": parameters, "reply_text": {"type": "string"}},
        "required": ["action", "parameters"] if needed else ["action"],
        "additionalProperties": False,
    }
