"""Ports: what the turn needs from the edge. Each has an in-memory form that ships (SQLite on `:memory:`, ScriptedDecider).

A Store does whole steps, each one atomic: begin, append (INTEND, RESULT and COMMIT are appends), renew. No other writes.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from typing import Literal, Protocol, runtime_checkable

from pydantic import JsonValue

from .decision import AgentDecision, Answered, DecisionRequest, Exchange
from .log import LogRecord
from .session import Session
from .texts import Lang
from .tool_spec import ToolResult, ToolSpec

Clock = Callable[[], datetime]
ReadsFirst = Literal[False, "sure", "likely"]
"""Whether code reads messages before a decider is asked; see `runtime/plain_values.py`."""
Knowledge = Callable[[str, Lang], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write one session's turn. Every write carries the fence; a newer fence makes it void."""

    session_id: str
    request_id: str
    fence: int


class Stage(IntEnum):
    """How far the durable part of a turn is: nothing of it; the message is on record but not decided; decided."""

    NEW = 0
    OPENED = 1
    DECIDED = 2


@dataclass(frozen=True, slots=True)
class Begun:
    """The lease is ours. `session` is None for a first message. `body` is the request as it was first stored.

    `attempt` > 1: an earlier worker died in this turn; `stage`: what it had made durable. `lease.request_id` differs from the
    one asked for if an earlier turn must be finished first.
    """

    lease: Lease
    body: bytes
    session: Session | None
    history: tuple[Exchange, ...] = ()
    attempt: int = 1
    stage: Stage = Stage.NEW


@dataclass(frozen=True, slots=True)
class Replay:
    """The request was answered before: `body` is the agent_response as stored (empty if it had none)."""

    body: bytes


@dataclass(frozen=True, slots=True)
class Busy:
    """Another worker holds the lease, for `retry_after_s` more seconds unless it renews."""

    retry_after_s: float


@dataclass(frozen=True, slots=True)
class Conflict:
    """This request id is taken by another content."""


BeginOutcome = Begun | Replay | Busy | Conflict


@dataclass(frozen=True, slots=True)
class Append:
    """One atomic write under a lease: log records and the snapshot behind them. `final` also ends the turn, frees the lease.

    `stage`: how far the turn is with this write. `allowed_actions`: of that snapshot, for people who look into the store.
    `after_event_seq`: the event_seq that the stored snapshot must still have. `reply_record`: number of the agent_response's
    record, for replays. `due_at`: when the timer must look at the session. `stoppable`: refused once a stop was asked for.
    """

    lease: Lease
    after_event_seq: int
    session: Session
    records: tuple[LogRecord, ...]
    stage: Stage = Stage.DECIDED
    final: bool = False
    reply_record: int | None = None
    due_at: datetime | None = None
    allowed_actions: tuple[str, ...] = ()
    stoppable: bool = False


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One line of a session list."""

    session_id: str
    flow: str
    state: str
    turn: int
    records: int
    updated_at: datetime | None


@dataclass(frozen=True, slots=True)
class Finished:
    """A request (or outside event) that was answered: a repeat of it replays the record of the reply."""

    request_id: str
    fingerprint: str
    reply_record: int | None = None


@dataclass(frozen=True, slots=True)
class Dossier:
    """All that a store keeps of a session that nobody is in: what moves to another store, or goes to whom it is about.

    `requests`: in the order of their ids. `late`: as in `Store.late`.
    """

    session: Session
    records: tuple[LogRecord, ...]
    requests: tuple[Finished, ...] = ()
    due_at: datetime | None = None
    late: tuple[bytes, ...] = ()


class Store(Protocol):
    """Where sessions live. Raises StoreUnavailable when it cannot; Fenced when a lease was taken over.

    One whose methods never wait for anything of the event loop says so by `immediate = True`; a turn is cheaper then.
    """

    async def begin(self, session_id: str, request_id: str, request_fingerprint: str, body: bytes) -> BeginOutcome: ...

    async def append(self, write: Append) -> None:
        """All or nothing. Raises Fenced; Stopped if the write is stoppable and a stop was asked for."""

    async def stop(self, session_id: str, by: str) -> None:
        """Ask the turn that is open to do nothing more, unless it is that of request `by`. Nothing happens if none is open."""

    async def keep_late(self, session_id: str, result: bytes) -> None:
        """Keep, beside the log, how a call ended whose worker had lost its lease: evidence, never state."""

    async def late(self, session_id: str) -> tuple[bytes, ...]:
        """Those results, in the order they came: tool_call messages."""

    async def renew(self, lease: Lease) -> None: ...

    async def release(self, lease: Lease, *, untried: bool = False) -> None:
        """Give the lease back without ending the turn: the next worker takes it over at once.

        `untried`: nothing was done with it, so this was no attempt; a request that had no other leaves no trace.
        """

    async def load(self, session_id: str) -> Session | None: ...

    async def log(self, session_id: str) -> tuple[LogRecord, ...]: ...

    async def dossier(self, session_id: str) -> Dossier | None:
        """All of a session at one moment; None if there is none. Raises SessionBusy while a turn is open."""

    async def restore(self, dossier: Dossier) -> bool:
        """Put a session in as it was elsewhere. False, and nothing is changed, if one of its name is there."""

    async def purge(self, session_id: str) -> bool:
        """Remove all of a session for good; False if there is none. Raises SessionBusy while somebody is in it."""

    async def sessions(self, limit: int = 100) -> tuple[SessionRow, ...]: ...

    async def due(self, now: datetime, limit: int = 100) -> tuple[str, ...]:
        """Sessions whose deadline or expiry has passed at `now`."""

    async def close(self) -> None: ...


DECIDER = "decider "
"""What the names of deciders begin with in a breaker, which may hold tools, too."""


class Breaker(Protocol):
    """Circuit breaker by name: what gave no answer in time, a tool or a decider, is left alone a while; then one probe tries."""

    @property
    def open(self) -> frozenset[str]:
        """Names that are left alone, or wait for a probe to say that all is well; as far as this worker knows."""

    async def may_call(self, name: str) -> bool:
        """Whether a call may go out now. Open: no. Half-open: for one caller, the probe."""

    async def succeeded(self, name: str) -> None:
        """It answered (an error of its own is an answer): close."""

    async def timed_out(self, name: str) -> None:
        """It did not answer in time: open."""


@runtime_checkable
class SharesBreaker(Protocol):
    """A store whose workers can know of each other's time-outs. `space`: names of one are apart from another's."""

    def breaker(self, space: str) -> Breaker: ...


@runtime_checkable
class TellsReady(Protocol):
    """A store, or an index beside it, that can try whether a turn could be written now."""

    async def ready(self) -> None:
        """Raises StoreUnavailable if none could."""


class Decider(Protocol):
    """Whoever answers "which action?". `name` goes into logs. Raises ModelError, or anything: the turn survives it."""

    name: str

    async def decide(self, request: DecisionRequest) -> AgentDecision | Mapping[str, JsonValue] | Answered: ...


Listener = Callable[[AgentDecision], None]
"""Hears a decision whose `action` and `parameters` are whole and legal and whose `reply_text` still grows; called in the loop's
thread, each time with all words so far. What was heard once is not taken back."""


@runtime_checkable
class AudibleDecider(Decider, Protocol):
    """One that can be heard while it decides; asked so only if somebody listens."""

    async def decide_aloud(
        self, request: DecisionRequest, listener: Listener
    ) -> AgentDecision | Mapping[str, JsonValue] | Answered: ...


@runtime_checkable
class PatientDecider(Decider, Protocol):
    """One that ends its calls by itself after `timeout_s`; it may be given longer than others."""

    timeout_s: float


@dataclass(frozen=True, slots=True)
class CallContext:
    """What a tool may know beside its arguments."""

    session_id: str
    call_id: str
    key: str
    lang: Lang
    meta: Mapping[str, JsonValue] = field(default_factory=dict)


class Tool(Protocol):
    """A callable with its spec. `lookup`, if given, tells what became of a call whose answer was lost."""

    @property
    def spec(self) -> ToolSpec: ...

    @property
    def call(self) -> Callable[[Mapping[str, JsonValue], CallContext], Awaitable[JsonValue]]: ...

    @property
    def lookup(self) -> Callable[[str], Awaitable[JsonValue]] | None: ...


class ToolRunner(Protocol):
    """Runs calls within their time and turns every ending into a ToolResult; never raises."""

    async def run(self, tool: Tool, arguments: Mapping[str, JsonValue], context: CallContext) -> ToolResult: ...

    async def recover(self, tool: Tool, arguments: Mapping[str, JsonValue], context: CallContext) -> ToolResult: ...


@runtime_checkable
class FreezingRunner(ToolRunner, Protocol):
    """One that leaves tools alone for a while after a time-out, and says which."""

    @property
    def frozen(self) -> frozenset[str]: ...
