"""flow_file: YAML text -> Flow, with every mistake at its line. Owns the way from text to Flow; opens no file, imports no tool.

The text becomes a tree with lines (`yaml_lines.py`), the tree is read by tables (`flow_format.py`), the Flow is built as from
Python and checked by the same rules (`check.py`), whose places are then found in the file (`flow_places.py`). A flow in YAML and
the same flow in Python have the same fingerprint. Called by `app/flow_loading.py`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from pydantic import JsonValue

from ..protocol.errors import FlowError, MaitredError, WrongArguments
from ..protocol.ports import CallContext, Tool
from ..protocol.tool_spec import ToolSpec
from . import flow_format
from .check import Finding, check
from .flow import Flow
from .flow_places import locate
from .flow_readers import Bad, LocatedFinding, Report
from .parts import Step, Terminal
from .yaml_lines import Fields, Node, NotReadable, read_yaml

Resolve = Callable[[str], object]
"""Reference ("tools.py:find_plan") -> tool or function. Raises a MaitredError or LookupError for one that it cannot find."""

_ORDER = ("error", "warning", "note")


def parse_flow(text: str, source: str, resolve_tool: Resolve) -> Flow:
    """The flow in `text`. `source` names the file in messages. Raises FlowError with every finding, errors first."""
    arguments, found = _read(text, source, resolve_tool)
    errors = [finding for finding in found if finding.severity == "error"]
    if errors or arguments is None:
        lines = "\n".join(f"  {finding}" for finding in errors)
        raise FlowError(f"{source} has {len(errors)} error(s):\n{lines}", found)
    return _build(**arguments)


def findings_of(text: str, source: str, resolve_tool: Resolve) -> tuple[LocatedFinding, ...]:
    """Everything that is wrong with `text`, errors first, then in the order of the file.

    While a mistake hides part of the map (a row that cannot be read, say), the rules over the map wait: they would find ghosts.
    """
    return _read(text, source, resolve_tool)[1]


class _Draft(Flow):
    """A flow that is built in spite of its errors, so that all of them can be listed."""

    def _refuse_errors(self) -> None:
        pass


_build: Callable[..., Flow] = Flow
_build_draft: Callable[..., Flow] = _Draft
"""Flow takes a mapping of arguments here, whose types the readers of `flow_format.py` vouch for."""


def _read(text: str, source: str, resolve: Resolve) -> tuple[dict[str, object] | None, tuple[LocatedFinding, ...]]:
    report = Report(source)
    try:
        root = read_yaml(text)
    except NotReadable as error:
        report.add(error.line, "", error.why, code="not_readable")
        return None, tuple(report.found)
    values = flow_format.flow(root, "", report)
    if isinstance(values, Bad):
        return None, _sorted(report.found)
    arguments = _arguments(values, root, resolve, report)
    if not report.misleading:
        report.found += _checked(arguments, root, source)
    return arguments, _sorted(report.found)


def _sorted(found: Iterable[LocatedFinding]) -> tuple[LocatedFinding, ...]:
    return tuple(sorted(found, key=lambda finding: (_ORDER.index(finding.severity), finding.line or 0)))


def _checked(arguments: Mapping[str, object], root: Node, source: str) -> list[LocatedFinding]:
    found = []
    for finding in _of_draft(arguments):
        line, where = locate(root, finding)
        found.append(LocatedFinding(finding.severity, finding.code, where, finding.message, source, line))
    return found


def _of_draft(arguments: Mapping[str, object]) -> Iterable[Finding]:
    """What the rules find, or what the flow does not take at all."""
    try:
        return check(_build_draft(**arguments))
    except WrongArguments as error:
        return [Finding("error", "bad_value", where, why) for where, why in error.faults]


def _arguments(values: dict[str, object], root: Node, resolve: Resolve, report: Report) -> dict[str, object]:
    """What Flow(...) takes, from what the file says. The types are those of the readers in `flow_format.FLOW`."""
    steps = cast(Mapping[str, flow_format.StepAndRows], values.pop("steps"))
    references = cast(Iterable[flow_format.Reference], values.pop("tools", ()))
    knowledge = cast(str | None, values.pop("knowledge", None))
    return {
        "name": values.pop("flow"),
        **values,
        "states": [state for state in steps if state not in {*Terminal}],
        "transitions": {(state, event): row for state, read in steps.items() for event, row in read.rows.items()},
        "steps": {state: read.step for state, read in steps.items()},
        "tools": _tools(references, resolve, report, [read.step for read in steps.values()]),
        "knowledge": None if knowledge is None else _knowledge(knowledge, root, resolve, report),
    }


# Tools.


def _tools(
    references: Iterable[flow_format.Reference], resolve: Resolve, report: Report, steps: Iterable[Step]
) -> list[Tool]:
    tools: dict[str, Tool] = {}
    for reference in references:
        tool = _tool(reference, resolve, report)
        if tool.spec.name in tools:
            message = f"there is a tool {tool.spec.name!r} already; name it: `tools: {{its_name: {reference.text}}}`"
            report.add(reference.line, reference.where, message, code="duplicate_tool", misleads=False)
        tools[tool.spec.name] = tool
    if any(tool.call is _never for tool in tools.values()):  # what it was to be called nobody knows: any name of a step
        tools |= {name: _placeholder(name) for name in _called(steps) - set(tools)}
    return list(tools.values())


def _called(steps: Iterable[Step]) -> set[str]:
    """The tools that steps name."""
    calls = [call for step in steps for call in (step.on_enter, *step.actions) if call]
    return {call.tool for call in calls if call.tool}


def _placeholder(name: str) -> Tool:
    return _NamedTool(ToolSpec(name, "none"), _never)


def _tool(reference: flow_format.Reference, resolve: Resolve, report: Report) -> Tool:
    """The tool, or after a report something in its place, so that the rest of the file is still checked."""
    found = _resolved(reference.text, reference.line, reference.where, resolve, report)
    if found is not None and not _is_tool(found):
        message = f"{reference.text!r} is {_kind(found)}, not a tool; put @tool(effect=...) on it"
        report.add(reference.line, reference.where, message, code="not_a_tool", misleads=False)
    if not _is_tool(found):
        return _placeholder(reference.name or reference.text.rsplit(":", 1)[-1])
    tool = cast(Tool, found)
    if reference.name in (None, tool.spec.name):
        return tool
    return _NamedTool(replace(tool.spec, name=str(reference.name)), tool.call, tool.lookup)


def _knowledge(reference: str, root: Node, resolve: Resolve, report: Report) -> object:
    line = root.fields["knowledge"].line if isinstance(root, Fields) and "knowledge" in root.fields else root.line
    found = _resolved(reference, line, "knowledge", resolve, report)
    if found is not None and not callable(found):
        message = f"{reference!r} is {_kind(found)}, not a function (text, lang)"
        report.add(line, "knowledge", message, code="not_a_function", misleads=False)
    return found if callable(found) else None


def _resolved(reference: str, line: int, where: str, resolve: Resolve, report: Report) -> object | None:
    try:
        return resolve(reference)
    except MaitredError as error:
        message = str(error)
    except LookupError:
        message = f"nothing is called {reference!r}"
    report.add(line, where, message, code="unknown_reference", misleads=False)
    return None


def _is_tool(found: object) -> bool:
    return isinstance(getattr(found, "spec", None), ToolSpec) and callable(getattr(found, "call", None))


def _kind(found: object) -> str:
    return "a plain function" if type(found).__name__ == "function" else f"a {type(found).__name__}"


@dataclass(frozen=True, slots=True)
class _NamedTool:
    """A tool under the name that the file gives it."""

    spec: ToolSpec
    call: Callable[[Mapping[str, JsonValue], CallContext], Any]
    lookup: Callable[[str], Any] | None = None


async def _never(arguments: Mapping[str, JsonValue], context: CallContext) -> JsonValue:
    raise FlowError("a flow with errors never runs its tools")
