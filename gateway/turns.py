"""Turns: one turn for any surface, seen through to its end. Watches for effects, so that a failure behind one is told as such.

Called by `openai_turn.py` and `native_routes.py`.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence

from ..app.maitred import Maitred
from ..protocol.errors import InternalError, MaitredError
from ..protocol.messages import AgentResponse, ToolStatus, UserRequest
from ..protocol.turn_events import Called, Moved, Replied, Spoken, TurnEvent
from .voice import Voice

logger = logging.getLogger("maitred.gateway")

AfterTurn = Callable[[AgentResponse, str], Awaitable[object]]
"""Called behind each turn with the reply and the state before it; the example's bank pays here. What it raises is logged."""


class InterruptedAfterEffect(InternalError):
    """The turn failed after something was done. The same message again finishes it; another customer message does, too."""

    code = "interrupted_after_effect"


async def take_turn(
    maitred: Maitred, request: UserRequest, after_turn: AfterTurn | None = None, voice: Voice | None = None
) -> AgentResponse:
    """The reply, durable; `voice` is given the words that may leave before. Raises what `Maitred.handle` does, or
    InterruptedAfterEffect."""
    events: list[TurnEvent] = []

    def emit(event: TurnEvent) -> None:
        if voice and isinstance(event, Spoken):
            voice.say(event.words)
        events.append(event)

    try:
        response = await maitred.handle(request, emit, aloud=voice is not None)
    except Exception as error:
        if not isinstance(error, MaitredError):
            logger.exception("a turn of session %s failed", request.session_id)
        if _had_effect(maitred, events):
            raise InterruptedAfterEffect(f"the turn stopped: {type(error).__name__}") from error
        raise
    if after_turn and events and isinstance(events[-1], Replied):  # a repeat has no events
        await _told(after_turn, response, _came_from(events, response))
    return response


def _had_effect(maitred: Maitred, events: Sequence[TurnEvent]) -> bool:
    done = {
        e.call.tool for e in events if isinstance(e, Called) and e.call.status in (ToolStatus.OK, ToolStatus.UNKNOWN)
    }
    specs = [spec for version in maitred.versions for spec in version.specs.values()]
    return any(spec.name in done and spec.effect != "none" for spec in specs)


def _came_from(events: Sequence[TurnEvent], response: AgentResponse) -> str:
    return next((event.event.source_state for event in events if isinstance(event, Moved)), response.state)


async def _told(after_turn: AfterTurn, response: AgentResponse, came_from: str) -> None:
    try:
        await after_turn(response, came_from)
    except Exception:
        logger.exception("what follows a turn of session %s failed", response.session_id)
