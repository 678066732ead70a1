"""Records: the messages that a turn itself puts into the log, beside the machine's events. Shapes only; called by the turn."""

from datetime import datetime

from ..protocol.messages import AgentResponse, ToolCall, ToolStatus, UserRequest, clean_text
from ..protocol.session import Session
from ..protocol.tool_spec import ToolResult
from ..protocol.trusted import made
from ..protocol.usage import Attempt, Total
from ..statemachine.proposals import CallTool
from .draft import Draft
from .occurrence import Cause


def call_record(session: Session, call: CallTool, result: ToolResult, now: datetime) -> ToolCall:
    """A tool call: once pending with its arguments, once with how it ended."""
    pending = result.status is ToolStatus.PENDING
    return ToolCall(
        session_id=session.session_id,
        timestamp=now,
        message_id=call.call_id if pending else f"{call.call_id}-end",
        state_version=session.state_version,
        call_id=call.call_id,
        tool=call.tool,
        key=call.key,
        arguments=dict(call.arguments) if pending else {},
        status=result.status,
        result=result.value,
        error=result.error,
    )


def reply_record(
    draft: Draft, cause: Cause, text: str, actions: tuple[str, ...], now: datetime, attempts: tuple[Attempt, ...] = ()
) -> AgentResponse:
    """The reply to `cause`, about to become the draft's next record. Its meta has the sum of what the turn's model calls cost."""
    session = draft.session
    return made(
        AgentResponse,
        {
            "session_id": session.session_id,
            "timestamp": now,
            "message_id": f"r{draft.next_record}",
            "state_version": session.state_version,
            "reply_to": cause.message_id if isinstance(cause, UserRequest) else cause.key,
            "text": clean_text(text),
            "state": session.state,
            "allowed_actions": actions,
            "meta": Total.of(attempts).as_meta() if attempts else None,
        },
    )
