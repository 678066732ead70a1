"""DerivedEffects: the runner of a gateway. In a session known by its transcript only, no tool runs that cannot be repeated.

The transcript is a guess at who is speaking, and a first message that a client sends twice is two sessions.

The customer is told that it is not available; the log has `cancelled` and why. Sessions that the channel names run every tool.
"""

import logging
from collections.abc import Mapping

from pydantic import JsonValue

from ..protocol.messages import ToolStatus
from ..protocol.ports import CallContext, FreezingRunner, Tool, ToolRunner
from ..protocol.tool_spec import ToolResult
from ..tools.runner import Runner
from .identity import is_derived

logger = logging.getLogger("maitred.gateway")


class DerivedEffects:
    """Runs what `runner` runs, but that. `Maitred(flow, runner=DerivedEffects())`."""

    def __init__(self, runner: ToolRunner | None = None) -> None:
        self._runner = runner or Runner()

    @property
    def frozen(self) -> frozenset[str]:
        return self._runner.frozen if isinstance(self._runner, FreezingRunner) else frozenset()

    async def run(self, tool: Tool, arguments: Mapping[str, JsonValue], context: CallContext) -> ToolResult:
        return _refused(tool, context) or await self._runner.run(tool, arguments, context)

    async def recover(self, tool: Tool, arguments: Mapping[str, JsonValue], context: CallContext) -> ToolResult:
        return _refused(tool, context) or await self._runner.recover(tool, arguments, context)


def _refused(tool: Tool, context: CallContext) -> ToolResult | None:
    if tool.spec.effect != "non_idempotent" or not is_derived(context.session_id):
        return None
    logger.warning("tool %s not run: session %s has no name of its channel", tool.spec.name, context.session_id)
    return ToolResult(ToolStatus.CANCELLED, error="not run: the channel does not name the conversation")
