"""`maitred schema`: JSON Schema of the protocol."""

import json
from typing import Annotated

import typer
from pydantic import BaseModel

from ..protocol.decision import AgentDecision
from ..protocol.errors import BadRequest
from ..protocol.messages import MESSAGE, AgentResponse, StateEvent, ToolCall, UserRequest
from ..protocol.session import Session

_TYPES: dict[str, type[BaseModel]] = {
    "user_request": UserRequest,
    "agent_response": AgentResponse,
    "tool_call": ToolCall,
    "state_event": StateEvent,
    "agent_decision": AgentDecision,
    "session": Session,
}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(schema)


def schema(
    name: Annotated[str, typer.Argument(help=f"message (any of the four), {', '.join(_TYPES)}")] = "message",
) -> None:
    """Print the JSON Schema of a message type, of the decision, or of the session snapshot."""
    if name == "message":
        shown = MESSAGE.json_schema()
    elif name in _TYPES:
        shown = _TYPES[name].model_json_schema()
    else:
        raise BadRequest(f"no schema {name!r}; there are: message, {', '.join(_TYPES)}")
    typer.echo(json.dumps(shown, indent=2, ensure_ascii=False))
