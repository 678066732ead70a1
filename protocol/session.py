"""Session: one conversation's snapshot. A pure function of its log (`statemachine/fold.py` rebuilds it byte for byte)."""

from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, JsonValue, TypeAdapter

from .messages import ToolStatus
from .texts import Lang


class PendingCall(BaseModel):
    """A tool was asked and has not answered: everything else waits. `origin`: the action that asked, None for `on_enter`.

    `reused`: no call was made, for the session holds the answer (`statemachine/calls.py`).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["call"] = "call"
    call_id: str
    tool: str
    key: str
    arguments: dict[str, JsonValue]
    origin: str | None = None
    reused: bool = False


class PendingConfirmation(BaseModel):
    """The customer was asked for a yes. `asked`: how often; `on_enter`: the step's own `say` is the question; `unprompted`: an
    event, a deadline or a human's return brought it, no message of theirs, and it has stood in no answer since."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["confirmation"] = "confirmation"
    action: str
    parameters: dict[str, JsonValue] = {}
    asked: int = 1
    on_enter: bool = False
    unprompted: bool = False


class Session(BaseModel):
    """Snapshot of a session. Times are UTC.

    `data`: slot values by slot name, tool results by tool name, outside payloads by event name. `state_version`: moves so
    far; `event_seq`: state_events so far; `records`, `head`: length and head hash of the log. `stuck`: turns in this state
    without new data, move or tool result. `same_event`, `same_event_at`: the flow event last proposed by decider or outside,
    and when, in a row. `calls`: tool calls of this turn; `good_calls`: tool -> turn and arguments of its last answer that
    stands. `turns_before`: those of `episode_turns` up to the last human's return, which the cap does not count.
    `resume_to`: the state that a human hands back to. `agreed`: the customer confirmed an action of this episode;
    what was agreed stays, so only slots of the current step are taken. `done`: in this episode a tool with an effect may have
    had it, or something came from outside; nothing leads back to before that.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    session_id: str
    flow: str
    flow_version: str
    fingerprint: str
    state: str
    lang: Lang = "en"
    lang_doubt: int = 0
    episode: int = 0
    turn: int = 0
    episode_turns: int = 0
    turns_before: int = 0
    data: dict[str, JsonValue] = {}
    meta: dict[str, JsonValue] = {}
    pending: PendingCall | PendingConfirmation | None = None
    last_tool: tuple[str, ToolStatus] | None = None
    invalid: int = 0
    stuck: int = 0
    same_event: str = ""
    same_event_at: tuple[float, ...] = ()
    calls: int = 0
    good_calls: dict[str, tuple[int, float, str]] = {}
    resume_to: str | None = None
    agreed: bool = False
    done: bool = False
    deadline: AwareDatetime | None = None
    state_version: int = 0
    event_seq: int = 0
    records: int = 0
    head: str = ""
    updated_at: AwareDatetime | None = None


_SESSION = TypeAdapter(Session)


def session_json(session: Session) -> bytes:
    """The snapshot as stores keep it: fields that have their defaults are left out."""
    return _SESSION.dump_json(session, exclude_defaults=True)
