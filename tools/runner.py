"""Runner: runs one call within its time and says how it ended. Never raises; what a tool does wrong is a ToolResult.

Time-out: `none` is not available; `idempotent` is tried once more with the same key; `non_idempotent` is looked up, else UNKNOWN:
it may have happened, so it is never called again. The one place where results are checked to be JSON that can be kept.
"""

import logging
import time
from collections.abc import Mapping

from pydantic import JsonValue

from ..fallback.breaker import LocalBreaker
from ..protocol.canonical import checked_json
from ..protocol.messages import ToolStatus, clean_text
from ..protocol.ports import DECIDER, Breaker, CallContext, Tool
from ..protocol.tool_spec import ToolResult
from ..protocol.waiting import within
from .tool import ToolError

logger = logging.getLogger("maitred.tools")

MAX_ERROR_CHARS = 500


class Runner:
    """Runs tools; one breaker for all sessions, of this process if none is given."""

    def __init__(self, breaker: Breaker | None = None) -> None:
        self._breaker: Breaker = breaker or LocalBreaker(time.monotonic)

    @property
    def frozen(self) -> frozenset[str]:
        """Names of the tools that are left alone after a time-out."""
        return frozenset(name for name in self._breaker.open if not name.startswith(DECIDER))

    async def run(self, tool: Tool, arguments: Mapping[str, JsonValue], context: CallContext) -> ToolResult:
        """Call the tool for the first time."""
        name = tool.spec.name
        if not await self._breaker.may_call(name):
            return ToolResult(ToolStatus.FROZEN, error=f"{name} is frozen after a time-out")
        result = await self._once(tool, arguments, context)
        if result.status is ToolStatus.TIMEOUT and tool.spec.effect == "idempotent":
            logger.warning("tool %s timed out, trying once more with the same key", name)
            result = await self._once(tool, arguments, context)
        await self._tell_breaker(name, result)
        if result.status in (ToolStatus.TIMEOUT, ToolStatus.UNKNOWN) and tool.spec.effect == "non_idempotent":
            return await self._look_up(tool, context, result)
        return result

    async def recover(self, tool: Tool, arguments: Mapping[str, JsonValue], context: CallContext) -> ToolResult:
        """A worker died in this call: call again with the same key where that is harmless, else find out what happened."""
        if tool.spec.effect == "non_idempotent":
            return await self._look_up(tool, context, ToolResult(ToolStatus.UNKNOWN, error="its worker died"))
        return await self.run(tool, arguments, context)

    async def _once(self, tool: Tool, arguments: Mapping[str, JsonValue], context: CallContext) -> ToolResult:
        name, timeout_s = tool.spec.name, tool.spec.timeout_s
        try:
            value = checked_json(await within(timeout_s, tool.call(arguments, context)), f"result of tool {name!r}")
        except TimeoutError:
            return ToolResult(ToolStatus.TIMEOUT, error=f"{name} did not answer within {timeout_s:g} s")
        except ToolError as refusal:
            return ToolResult(ToolStatus.ERROR, error=_cut(refusal))
        except Exception as error:
            logger.exception("tool %s failed", name)
            # It broke on the way: a non-idempotent call may have happened all the same.
            in_doubt = tool.spec.effect == "non_idempotent"
            broken = f"{type(error).__name__}: {_cut(error)}"
            return ToolResult(ToolStatus.UNKNOWN if in_doubt else ToolStatus.ERROR, error=broken)
        return ToolResult(ToolStatus.OK, value)

    async def _look_up(self, tool: Tool, context: CallContext, lost: ToolResult) -> ToolResult:
        """Ask what became of a call. No answer, or no way to ask: UNKNOWN."""
        name = tool.spec.name
        if tool.lookup is None:
            return ToolResult(ToolStatus.UNKNOWN, error=f"{name} may have run and has no lookup; {lost.error}")
        try:
            found = await within(tool.spec.timeout_s, tool.lookup(context.key))
            value = checked_json(found, f"lookup of tool {name!r}")
        except Exception as error:
            logger.exception("lookup of tool %s failed", name)
            return ToolResult(ToolStatus.UNKNOWN, error=f"lookup failed: {type(error).__name__}; {lost.error}")
        if value is None:
            return ToolResult(ToolStatus.ERROR, error=f"{name} did not happen, says its lookup; {lost.error}")
        return ToolResult(ToolStatus.OK, value)

    async def _tell_breaker(self, name: str, result: ToolResult) -> None:
        if result.status is ToolStatus.TIMEOUT:
            await self._breaker.timed_out(name)
        else:
            await self._breaker.succeeded(name)


def _cut(error: Exception) -> str:
    """The error's text, fit to be stored. One whose text cannot be made is still an error."""
    try:
        return str(clean_text(str(error)))[:MAX_ERROR_CHARS]
    except Exception:  # noqa: BLE001  # a __str__ of its own
        return "(its text cannot be shown)"
