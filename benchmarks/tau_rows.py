"""The files of `bench tau`: cases with their gold writes, and the schemas of the tools. Reads and checks; knows no policy.

Raises BadRequest with file and line, or the place in the file. Called by `tau.py`.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, JsonValue, TypeAdapter, ValidationError

from ..protocol.errors import BadRequest
from ..protocol.messages import explain


class Parameter(BaseModel):
    """One property of a tool's JSON Schema, as far as a slot can say it. A `type` that no slot has goes as JSON text."""

    type: JsonValue = None
    enum: list[JsonValue] | None = None
    description: str = ""


class Parameters(BaseModel):
    """The arguments of a tool."""

    properties: dict[str, Parameter]
    required: list[str] = []


class Schema(BaseModel):
    """A tool as the data describes it."""

    name: str
    parameters: Parameters

    def misfit(self, arguments: Mapping[str, JsonValue]) -> str:
        """Names of arguments that the tool does not have, or needs and does not get; empty if all is well."""
        unknown = sorted(set(arguments) - set(self.parameters.properties))
        absent = sorted(set(self.parameters.required) - set(arguments))
        return ", ".join([*(f"unknown {name!r}" for name in unknown), *(f"no {name!r}" for name in absent)])


Schemas = Mapping[str, Mapping[str, Schema]]
"""Domain -> name -> tool."""


@dataclass(frozen=True, slots=True)
class Write:
    """A gold call that changes something."""

    tool: str
    arguments: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Case:
    """One line of the cases: its domain, by the second part of its id, and its gold writes in their order."""

    line: int
    id: str
    domain: str
    writes: tuple[Write, ...]


class _Row(BaseModel):
    id: str
    actions: list[tuple[str, dict[str, JsonValue]]]
    writes: list[str]


_SCHEMAS = TypeAdapter(dict[str, list[Schema]])


def read_schemas(path: str | Path) -> Schemas:
    """The tools file: domain -> list of tools, each with name and JSON Schema."""
    try:
        found = _SCHEMAS.validate_json(_text(path))
    except ValidationError as error:
        raise BadRequest(f"{path}: not a tools file: {explain(error)}") from error
    return {domain: {schema.name: schema for schema in schemas} for domain, schemas in found.items()}


def read_cases(path: str | Path) -> list[Case]:
    """The cases file, one JSON object a line."""
    lines = _text(path).split("\n")
    found = [_case(f"{path}: line {n}", n, line) for n, line in enumerate(lines, 1) if line.strip()]
    if not found:
        raise BadRequest(f"{path}: holds no cases; wanted is one JSON object a line with id, actions and writes")
    return found


def _case(where: str, n: int, line: str) -> Case:
    try:
        row = _Row.model_validate_json(line)
    except ValidationError as error:
        raise BadRequest(f"{where}: not a case: {explain(error)}") from error
    made = tuple(Write(tool, arguments) for tool, arguments in row.actions if tool in row.writes)
    if Counter(write.tool for write in made) != Counter(row.writes):
        raise BadRequest(f"{where}: 'writes' names {len(row.writes)} calls, 'actions' holds {len(made)} of those tools")
    domain = row.id.split(":")[1] if ":" in row.id else ""
    return Case(n, row.id, domain, made)


def _text(path: str | Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(f"{path}: cannot be read as UTF-8 text: {type(error).__name__}") from error
