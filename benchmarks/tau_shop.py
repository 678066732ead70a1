"""The shop behind `bench tau`: it knows the status of records and does whatever it is told, in any status, and notes it.

It forbids nothing, so what does not happen was refused by the engine. Called by `tau.py`, `tau_play.py`.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from pydantic import JsonValue

from ..protocol.ports import CallContext, Tool
from ..protocol.tool_spec import ToolSpec
from .tau_flow import Policy, as_heard, specs_of
from .tau_rows import Schema, Write


@dataclass
class Books:
    """What one session's shop knows, and the writes that it received, in their order."""

    status: dict[str, str] = field(default_factory=dict)
    received: list[Write] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ShopTool:
    """A tool by its schema, not by a signature."""

    spec: ToolSpec
    call: Callable[[Mapping[str, JsonValue], CallContext], Awaitable[JsonValue]]
    lookup: None = None


class Shop:
    """One domain's tools, with books for every session."""

    def __init__(self, policy: Policy, schemas: Mapping[str, Schema]) -> None:
        self._policy, self._schemas = policy, schemas
        self._books: dict[str, Books] = {}
        self.tools: Mapping[str, Tool] = {
            spec.name: ShopTool(spec, self._call(spec)) for spec in specs_of(policy, schemas)
        }

    def books(self, session_id: str) -> Books:
        """Those of one session; new ones at first."""
        return self._books.setdefault(session_id, Books())

    def _call(self, spec: ToolSpec) -> Callable[[Mapping[str, JsonValue], CallContext], Awaitable[JsonValue]]:
        return self._look_up if spec.name == self._policy.look_up else partial(self._write, self._schemas[spec.name])

    async def _look_up(self, arguments: Mapping[str, JsonValue], context: CallContext) -> JsonValue:
        record = str(arguments[self._policy.key])
        return {self._policy.key: record, "status": self.books(context.session_id).status[record]}

    async def _write(self, schema: Schema, arguments: Mapping[str, JsonValue], context: CallContext) -> JsonValue:
        heard, books = as_heard(schema, arguments), self.books(context.session_id)
        books.received.append(Write(schema.name, heard))
        if schema.name in self._policy.moves:
            books.status[str(heard[self._policy.key])] = self._policy.moves[schema.name][1]
        return {}
