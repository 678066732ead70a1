"""Rules about tools: where their arguments come from, and which fields of their results texts and conditions name.

Called by `check.py`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ..protocol.slots import Slot
from ..protocol.texts import fields_of
from ..protocol.tool_spec import ToolSpec
from .check_steps import said
from .findings import Finding, data_names, nearest

if TYPE_CHECKING:
    from .flow import Flow

_NEVER_FITS: Mapping[str, tuple[str, ...]] = {
    "str": ("boolean", "array", "object"),
    "choice": ("boolean", "array", "object"),
    "date": ("integer", "number", "boolean", "array", "object"),
    "int": ("string", "array", "object"),
    "number": ("string", "array", "object"),
    "bool": ("string", "array", "object"),
}
"""Type of a slot -> JSON types of a parameter that refuses each of its values."""


def arguments(flow: "Flow") -> Iterator[Finding]:
    """A call takes what it is given, what is bound, and session data of the parameter's name."""
    for where, tool, given in _calls(flow):
        known = {**flow.slots, **given}
        spec = flow.specs.get(tool)
        if spec is not None:
            yield from _unfilled(flow, spec, where, known)
            yield from _binds(flow, spec, where)
            for name, slot in known.items():
                yield from _misfit(spec, where, name, slot)


def _calls(flow: "Flow") -> Iterator[tuple[str, str, Mapping[str, Slot]]]:
    """Each place that calls a tool, with what the decider gives there."""
    for state, step in flow.steps.items():
        if step.on_enter:
            yield f"steps.{state}.on_enter", step.on_enter.tool, {}
        for i, action in enumerate(step.actions):
            if action.tool:
                yield f"steps.{state}.actions[{i}]", action.tool, action.parameters


def _unfilled(flow: "Flow", spec: ToolSpec, where: str, known: Mapping[str, Slot]) -> Iterator[Finding]:
    for name in sorted(spec.required - set(spec.bind) - set(known) - data_names(flow)):
        if where.endswith(".on_enter"):
            message = f"{spec.name!r} needs {name!r}: bind it, or collect a slot of that name"
            yield Finding("error", "unfilled_parameter", where, message)
        else:
            message = f"{spec.name!r} needs {name!r}, so this is always refused: bind it, or make it a parameter of the action"
            yield Finding("warning", "unfilled_parameter", where, message)


def _binds(flow: "Flow", spec: ToolSpec, where: str) -> Iterator[Finding]:
    for name, path in sorted(spec.bind.items()):
        if path.startswith("data."):
            bound = f"{spec.name!r} binds {name!r} to {path!r}"
            yield from _field(flow, where, path.removeprefix("data."), bound)


def _misfit(spec: ToolSpec, where: str, name: str, slot: Slot) -> Iterator[Finding]:
    wanted = set(_types(spec.parameters.get(name)))
    if wanted and wanted <= {*_NEVER_FITS[slot.kind], "null"}:
        message = f"{spec.name!r} takes {name!r} as {' or '.join(sorted(wanted - {'null'}))}, but the slot is of type {slot.kind}"
        yield Finding("warning", "misfit_parameter", where, message)


def _types(schema: object) -> Iterator[str]:
    """The JSON types that a schema allows; none if it does not say."""
    if isinstance(schema, Mapping):
        branches = schema.get("anyOf")
        if isinstance(branches, list):
            found = [list(_types(branch)) for branch in branches]
            yield from (name for names in found for name in names if all(found))
        elif isinstance(named := schema.get("type"), str):
            yield named


def results(flow: "Flow") -> Iterator[Finding]:
    """A field that no result has is shown as "-", and no condition on it ever holds."""
    for where, text in said(flow):
        for path in sorted(fields_of(text)):
            yield from _field(flow, where, path, f"{{{path}}}", only_fields=True)
    for (source, event), row in flow.transitions.items():
        for path in sorted({path for when in row for path in when.condition or {}}):
            yield from _field(flow, f"transitions.{source}.{event}", path, f"condition {path!r}", only_fields=True)


def _field(flow: "Flow", where: str, path: str, what: str, *, only_fields: bool = False) -> Iterator[Finding]:
    """What is wrong with a path into session data: nothing of that name, or no such field in that tool's result."""
    name, _, rest = path.partition(".")
    if name not in data_names(flow):
        if not only_fields:
            yield Finding(
                "warning", "unknown_field", where, f"{what}: nothing ever fills it" + nearest(name, data_names(flow))
            )
        return
    field, known = rest.partition(".")[0], _fields(spec for spec in flow.specs.values() if spec.data_name == name)
    if field and known is not None and field not in known:
        has = nearest(field, known) if known else "; it has no fields"
        yield Finding("warning", "unknown_field", where, f"{what}: the result {name!r} has no field {field!r}{has}")


def _fields(specs: Iterable[ToolSpec]) -> set[str] | None:
    """The fields of all results that are kept under one name; None if there is none, or one whose fields nobody knows."""
    fields = [spec.fields for spec in specs]
    known = [some for some in fields if some is not None]
    return set().union(*known) if fields and len(known) == len(fields) else None
