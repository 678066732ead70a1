"""`@tool`: makes a typed function, async or not, into a Tool. Owns the spec made from the signature and the argument check.

A tool's effect on the world has no default: whoever writes it must say whether calling it twice is harmless.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

from pydantic import ConfigDict, JsonValue, PydanticUserError, ValidationError, create_model

from ..protocol.errors import FlowError
from ..protocol.messages import explain
from ..protocol.ports import CallContext
from ..protocol.tool_spec import Effect, ToolSpec
from .results import fields_of_result
from .waiting import asynchronous

Lookup = Callable[[str], Any]
CONTEXT = "context"
"""A parameter of this name receives the CallContext (session, call id, idempotency key, language, meta)."""


class ToolError(Exception):
    """Raise it in a tool for an expected refusal ("no such order"): the outcome is `error`, the text goes to the log."""


class FunctionTool:
    """A function with its spec; still callable as the function it was."""

    def __init__(self, function: Callable[..., Any], spec: ToolSpec, lookup: Lookup | None = None) -> None:
        self.spec = spec
        self.lookup = asynchronous(lookup) if lookup else None
        self._function = function
        self._run = asynchronous(function)
        self._model = _arguments_model(function)
        self._wants_context = CONTEXT in inspect.signature(function).parameters
        self.__doc__ = function.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    async def call(self, arguments: Mapping[str, JsonValue], context: CallContext) -> JsonValue:
        """Check the arguments against the signature, and run. What comes back is the function's; the runner checks it."""
        try:
            model = self._model.model_validate(dict(arguments))
        except ValidationError as error:
            raise ToolError(f"arguments do not fit: {explain(error)}") from error
        values = {name: getattr(model, name) for name in self._model.model_fields}
        if self._wants_context:
            values[CONTEXT] = context
        result: JsonValue = await self._run(**values)
        return result

    def __repr__(self) -> str:
        return f"tool {self.spec.name!r} ({self.spec.effect})"


def tool(
    misplaced: None = None,
    /,
    *,
    effect: Effect,
    timeout_s: float = 5.0,
    bind: Mapping[str, str] | None = None,
    summary: str = "",
    name: str | None = None,
    lookup: Lookup | None = None,
    saves: str = "",
    fresh: bool = False,
) -> Callable[[Callable[..., Any]], FunctionTool]:
    """Declare a tool.

    `effect`: "none" (reads only), "idempotent" (the same key takes effect once) or "non_idempotent". `bind`: parameter -> path
    that code fills ("meta.customer_id", "data.seats", "call.key", "session.id", "session.lang"); the model never sees it.
    `lookup(key)`: tells what became of a non-idempotent call whose answer was lost: its result, or None if it
    has not happened and will not (docs/reliability.md); it raises if it cannot tell.
    `saves`: keep the result in session data under this name instead of the tool's. `fresh`: make every call; without it
    the answer to one with the same arguments, in this turn or the one before, is used again if nothing happened in between.
    """
    if misplaced is not None:
        raise FlowError("a tool is declared by @tool(effect=...) above its function; everything is given by name")
    if effect not in ("none", "idempotent", "non_idempotent"):
        raise FlowError(f"effect is 'none', 'idempotent' or 'non_idempotent'; got {effect!r}")
    if not isinstance(timeout_s, (int, float)) or not timeout_s > 0:
        raise FlowError(f"timeout_s is a number of seconds above 0; got {timeout_s!r}")

    def declare(function: Callable[..., Any]) -> FunctionTool:
        spec = replace(
            _spec(function, name or function.__name__, dict(bind or {})),
            effect=effect,
            timeout_s=timeout_s,
            saves=saves,
            fresh=fresh,
        )
        spec = replace(spec, summary=summary or spec.summary)
        return FunctionTool(function, spec, lookup)

    return declare


_BIND_ROOTS = ("meta.", "data.", "call.key", "session.id", "session.lang", "session.episode")


def _spec(function: Callable[..., Any], name: str, bind: dict[str, str]) -> ToolSpec:
    """What the signature says; effect, time-out and summary come from the decorator."""
    parameters = [p for p in inspect.signature(function).parameters.values() if p.name != CONTEXT]
    for p in parameters:
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            raise FlowError(f"tool {name!r}: *{p.name} cannot be checked; name each parameter and its type")
        if p.kind is p.POSITIONAL_ONLY:
            raise FlowError(f"tool {name!r}: {p.name!r} is positional only; tools are called by name")
        if p.annotation is p.empty:
            raise FlowError(f"tool {name!r}: parameter {p.name!r} has no type")
    names = {p.name for p in parameters}
    for parameter, path in bind.items():
        if parameter not in names:
            raise FlowError(
                f"tool {name!r} binds {parameter!r}, which is not one of its parameters: {', '.join(sorted(names))}"
            )
        if not path.startswith(_BIND_ROOTS):
            raise FlowError(
                f"tool {name!r} binds {parameter!r} to {path!r}; a path starts with {', '.join(_BIND_ROOTS)}"
            )
    try:
        schema = cast(dict[str, Any], _arguments_model(function).model_json_schema()).get("properties", {})
    except (NameError, PydanticUserError) as error:  # a type that cannot be found, or that has no JSON form
        raise FlowError(f"tool {name!r}: its parameters have no JSON Schema: {error}") from error
    return ToolSpec(
        name=name,
        effect="none",
        parameters={n: s for n, s in schema.items() if n not in bind},
        required=frozenset(p.name for p in parameters if p.default is p.empty),
        bind=bind,
        summary=(inspect.getdoc(function) or "").split("\n")[0],
        fields=fields_of_result(function),
    )


def _arguments_model(function: Callable[..., Any]) -> Any:
    """A pydantic model of the function's parameters; extra arguments are refused."""
    hints = inspect.get_annotations(function, eval_str=True)
    fields: dict[str, Any] = {
        p.name: (hints[p.name], ... if p.default is p.empty else p.default)
        for p in inspect.signature(function).parameters.values()
        if p.name != CONTEXT and p.name in hints
    }
    return create_model(
        f"{function.__name__}_arguments", __config__=ConfigDict(extra="forbid", arbitrary_types_allowed=True), **fields
    )
