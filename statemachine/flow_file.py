"""flow_file: YAML text -> Flow, with every mistake at its line. Owns the way from text to Flow; opens no file, imports no tool.

The text becomes a tree with lines (`yaml_lines.py`), the tree is read by tables (`flow_format.py`), the Flow is built as from
Python and checked by the same rules (`check.py`), whose places are then found in the file (`flow_places.py`). A flow in YAML and
the same flow in Python have the same fingerprint. Called by `app/flow_loading.py`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import JsonValue

from ..protocol.errors import FlowError, MaitredError
from ..protocol.ports import CallContext, Tool
from ..protocol.tool_spec import ToolSpec
from . import flow_format
from .check import check
from .flow import Flow
from .flow_places import locate
from .flow_readers import BAD, LocatedFinding, Report
from .parts import Terminal
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
    return Flow(**arguments)


def findings_of(text: str, source: str, resolve_tool: Resolve) -> tuple[LocatedFinding, ...]:
    """Everything that is wrong with `text`, errors first, then in the order of the file.

    While a mistake hides part of the map (a row that cannot be read, say), the rules over the map wait: they would find ghosts.
    """
    return _read(text, source, resolve_tool)[1]


class _Draft(Flow):
    """A flow that is built in spite of its errors, so that all of them can be listed."""

    def _refuse_errors(self) -> None:
        pass


def _read(text: str, source: str, resolve: Resolve) -> tuple[dict[str, Any] | None, tuple[LocatedFinding, ...]]:
    report = Report(source)
    try:
        root = read_yaml(text)
    except NotReadable as error:
        report.add(error.line, "", error.why, code="not_readable")
        return None, tuple(report.found)
    values = flow_format.flow(root, "", report)
    if values is BAD:
        return None, _sorted(report.found)
    arguments = _arguments(values, root, resolve, report)
    if not report.misleading:
        report.found += _checked(arguments, root, source)
    return arguments, _sorted(report.found)


def _sorted(found: Iterable[LocatedFinding]) -> tuple[LocatedFinding, ...]:
    return tuple(sorted(found, key=lambda finding: (_ORDER.index(finding.severity), finding.line or 0)))


def _checked(arguments: Mapping[str, Any], root: Node, source: str) -> list[LocatedFinding]:
    found = []
    for finding in check(_Draft(**arguments)):
        line, where = locate(root, finding)
        found.append(LocatedFinding(finding.severity, finding.code, where, finding.message, source, line))
    return found


def _arguments(values: dict[str, Any], root: Node, resolve: Resolve, report: Report) -> dict[str, Any]:
    """What Flow(...) takes, from what the file says."""
    steps = values.pop("steps")
    references = values.pop("tools", [])
    knowledge = values.pop("knowledge", None)
    arguments = {
        **values,
        "name": values["flow"],
        "states": [state for state in steps if state not in {*Terminal}],
        "transitions": {(state, event): row for state, (_, rows) in steps.items() for event, row in rows.items()},
        "steps": {state: step for state, (step, _) in steps.items()},
        "tools": _tools(references, resolve, report),
        "knowledge": None if knowledge is None else _knowledge(knowledge, root, resolve, report),
    }
    del arguments["flow"]
    return arguments


# Tools.


def _tools(references: Iterable[tuple[str | None, str, int, str]], resolve: Resolve, report: Report) -> list[Tool]:
    tools: dict[str, Tool] = {}
    for name, reference, line, where in references:
        tool = _tool(name, reference, line, where, resolve, report)
        if tool.spec.name in tools:
            message = f"there is a tool {tool.spec.name!r} already; name it: `tools: {{its_name: {reference}}}`"
            report.add(line, where, message, code="duplicate_tool", misleads=False)
        tools[tool.spec.name] = tool
    return list(tools.values())


def _tool(name: str | None, reference: str, line: int, where: str, resolve: Resolve, report: Report) -> Tool:
    """The tool, or after a report something in its place, so that the rest of the file is still checked."""
    found = _resolved(reference, line, where, resolve, report)
    if found is not None and not _is_tool(found):
        message = f"{reference!r} is {_kind(found)}, not a tool; put @tool(effect=...) on it"
        report.add(line, where, message, code="not_a_tool", misleads=False)
    if not _is_tool(found):
        return _NamedTool(ToolSpec(name or reference.rsplit(":", 1)[-1], "none"), _never)
    tool: Tool = found  # type: ignore[assignment]  # _is_tool looked at its parts
    return (
        tool
        if name in (None, tool.spec.name)
        else _NamedTool(replace(tool.spec, name=str(name)), tool.call, tool.lookup)
    )


def _knowledge(reference: str, root: Node, resolve: Resolve, report: Report) -> Any:
    line = root.fields["knowledge"].line if isinstance(root, Fields) and "knowledge" in root.fields else root.line
    found = _resolved(reference, line, "knowledge", resolve, report)
    if found is not None and not callable(found):
        message = f"{reference!r} is {_kind(found)}, not a function (text, lang)"
        report.add(line, "knowledge", message, code="not_a_function", misleads=False)
    return found


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
