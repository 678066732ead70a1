"""Runner: runs one call within its time and says how it ended. Never raises; what a tool does wrong is a ToolResult.

Time-out: `none` is not available; `idempotent` is tried once more with the same key; `non_idempotent` is looked up, else UNKNOWN:
it may have happened, so it is never called again.
"""

import asyncio
import logging
import time
from collections.abc import Mapping

from pydantic import JsonValue

from ..protocol.messages import ToolStatus
from ..protocol.ports import CallContext, Tool
from ..protocol.tool_spec import ToolResult
from .breaker import Breaker
from .tool import ToolError

logger = logging.getLogger("maitred.tools")


class Runner:
    """Runs tools of one process; shares one breaker among all sessions."""

    def __init__(self, breaker: Breaker | None = None) -> None:
        self._breaker = breaker or Breaker(time.monotonic)

    async def run(self, tool: Tool, arguments: Mapping[str, JsonValue], context: CallContext) -> ToolResult:
        """Call the tool for the first time."""
        name = tool.spec.name
        if not self._breaker.may_call(name):
            return ToolResult(ToolStatus.FROZEN, error=f"{name} is frozen after a time-out")
        result = await self._once(tool, arguments, context)
        if result.status is ToolStatus.TIMEOUT and tool.spec.effect == "idempotent":
            logger.warning("tool %s timed out, trying once more with the same key", name)
            result = await self._once(tool, arguments, context)
        self._tell_breaker(name, result)
        if result.status in (ToolStatus.TIMEOUT, ToolStatus.UNKNOWN) and tool.spec.effect == "non_idempotent":
            return await self._look_up(tool, context)
        return result

    async def recover(self, tool: Tool, arguments: Mapping[str, JsonValue], context: CallContext) -> ToolResult:
        """A worker died after the intent was recorded: nobody knows whether the call went out."""
        if tool.spec.effect == "non_idempotent":
            return await self._look_up(tool, context)
        return await self.run(tool, arguments, context)

    async def _once(self, tool: Tool, arguments: Mapping[str, JsonValue], context: CallContext) -> ToolResult:
        name, timeout_s = tool.spec.name, tool.spec.timeout_s
        try:
            value = await asyncio.wait_for(tool.call(arguments, context), timeout_s)
        except TimeoutError:
            return ToolResult(ToolStatus.TIMEOUT, error=f"{name} did not answer within {timeout_s:g} s")
        except ToolError as error:
            return ToolResult(ToolStatus.ERROR, error=str(error)[:500])
        except Exception as error:
            logger.exception("tool %s failed", name)
            broken = f"{type(error).__name__}: {error}"[:500]
            # It broke on the way: a non-idempotent call may have happened all the same.
            in_doubt = tool.spec.effect == "non_idempotent"
            return ToolResult(ToolStatus.UNKNOWN if in_doubt else ToolStatus.ERROR, error=broken)
        return ToolResult(ToolStatus.OK, value)

    async def _look_up(self, tool: Tool, context: CallContext) -> ToolResult:
        """Ask what became of a call. No answer, or no way to ask: UNKNOWN."""
        name = tool.spec.name
        if tool.lookup is None:
            return ToolResult(ToolStatus.UNKNOWN, error=f"{name} may have run; it has no lookup")
        try:
            value = await asyncio.wait_for(tool.lookup(context.key), tool.spec.timeout_s)
        except Exception as error:
            logger.exception("lookup of tool %s failed", name)
            return ToolResult(ToolStatus.UNKNOWN, error=f"lookup failed: {type(error).__name__}")
        if value is None:
            return ToolResult(ToolStatus.ERROR, error=f"{name} did not happen, says its lookup")
        return ToolResult(ToolStatus.OK, value)

    def _tell_breaker(self, name: str, result: ToolResult) -> None:
        if result.status is ToolStatus.TIMEOUT:
            self._breaker.timed_out(name)
        else:
            self._breaker.succeeded(name)
