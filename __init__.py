"""maitred: the model orders from the menu; code runs the floor.

Names are loaded when first used: importing the package costs neither a model client nor a database.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .app.local_model import local_decider as local_decider
    from .app.maitred import Maitred as Maitred
    from .decision.client import InstructorDecider as InstructorDecider
    from .decision.keyword import KeywordDecider as KeywordDecider
    from .decision.scripted import ScriptedDecider as ScriptedDecider
    from .gateway.wrap import wrap as wrap
    from .protocol.decision import AgentDecision as AgentDecision
    from .protocol.decision import DecisionRequest as DecisionRequest
    from .protocol.errors import MaitredError as MaitredError
    from .protocol.limits import Limits as Limits
    from .protocol.messages import AgentResponse as AgentResponse
    from .protocol.messages import Attachment as Attachment
    from .protocol.messages import StateEvent as StateEvent
    from .protocol.messages import ToolCall as ToolCall
    from .protocol.messages import UserRequest as UserRequest
    from .protocol.ports import CallContext as CallContext
    from .protocol.ports import Decider as Decider
    from .protocol.ports import Store as Store
    from .protocol.slots import Slot as Slot
    from .statemachine.conditions import When as When
    from .statemachine.flow import Flow as Flow
    from .statemachine.parts import IGNORE as IGNORE
    from .statemachine.parts import Action as Action
    from .statemachine.parts import Call as Call
    from .statemachine.parts import Deadline as Deadline
    from .statemachine.parts import Migration as Migration
    from .statemachine.parts import Outside as Outside
    from .statemachine.parts import Step as Step
    from .statemachine.parts import Terminal as Terminal
    from .store.redis import RedisStore as RedisStore
    from .store.sqlite import SqliteStore as SqliteStore
    from .tools.tool import ToolError as ToolError
    from .tools.tool import tool as tool

__version__ = "0.1.0"

_HOME = {
    "Maitred": "app.maitred",
    "local_decider": "app.local_model",
    "InstructorDecider": "decision.client",
    "KeywordDecider": "decision.keyword",
    "ScriptedDecider": "decision.scripted",
    "AgentDecision": "protocol.decision",
    "DecisionRequest": "protocol.decision",
    "MaitredError": "protocol.errors",
    "Limits": "protocol.limits",
    "AgentResponse": "protocol.messages",
    "Attachment": "protocol.messages",
    "StateEvent": "protocol.messages",
    "ToolCall": "protocol.messages",
    "UserRequest": "protocol.messages",
    "CallContext": "protocol.ports",
    "Decider": "protocol.ports",
    "Store": "protocol.ports",
    "Slot": "protocol.slots",
    "When": "statemachine.conditions",
    "Flow": "statemachine.flow",
    "IGNORE": "statemachine.parts",
    "Action": "statemachine.parts",
    "Call": "statemachine.parts",
    "Deadline": "statemachine.parts",
    "Migration": "statemachine.parts",
    "Outside": "statemachine.parts",
    "Step": "statemachine.parts",
    "Terminal": "statemachine.parts",
    "RedisStore": "store.redis",
    "SqliteStore": "store.sqlite",
    "ToolError": "tools.tool",
    "tool": "tools.tool",
    "wrap": "gateway.wrap",
}

__all__ = ["__version__", *_HOME]  # the table above is the list


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'maitred' has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
