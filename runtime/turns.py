"""Turns: gives each job its turn. Waits for the session, holds the lease, runs the turn, gives the lease back.

Jobs of one session are served one after the other, in the order they came; a repeat of a running turn joins it, a repeat of a
finished one gets the stored reply. Nothing of a message's content is looked at here. Called by `service.py`.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from ..protocol.errors import (
    BadRequest,
    Fenced,
    FlowMismatch,
    InternalError,
    MaitredError,
    RequestConflict,
    SessionBusy,
)
from ..protocol.messages import AgentResponse, UserRequest, parse_message
from ..protocol.ports import Begun, Busy, Conflict, Lease, Replay
from ..protocol.turn_events import Replied, TurnEvent, TurnWatch, Watcher
from ..protocol.waiting import is_immediate
from ..statemachine.parts import Terminal
from .at_once import at_once
from .flows import Flows
from .occurrence import CAUSE, Cause, Occurrence
from .renewals import Renewals
from .stopping import stop_if_asked
from .turn import Parts, Turn

logger = logging.getLogger("maitred.service")

Emit = Callable[[TurnEvent], None]
_FIRST_POLL_S, _LAST_POLL_S = 0.01, 0.2
_RETRY_AFTER_S = 1.0
AT_ONCE_S = 0.005
"""Turns that never wait run one after the other for so long at most."""


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds. `renew_s`: how often a lease is renewed while a turn runs; `wait_s`: how long a message waits for its turn;
    `close_s`: how long closing waits for turns that still run; `decide_s`: how long a decider may take for one decision."""

    renew_s: float = 5.0
    wait_s: float = 60.0
    close_s: float = 10.0
    decide_s: float = 30.0


class NotWithHuman(BadRequest):
    """Somebody hands back a session that nobody has taken."""


def unheard(event: TurnEvent) -> None:
    """Emit for a turn that nobody watches."""


class _Unwatched:
    """The watch of a job that nobody counts."""

    def event(self, event: TurnEvent) -> None:
        pass

    def ended(self, error: BaseException | None) -> None:
        pass


def unwatched(kind: str) -> TurnWatch:
    """Watcher for a service that nobody watches."""
    return _UNWATCHED


_UNWATCHED = _Unwatched()


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be served. `cause`; `body`: the same as it is stored; `fingerprint`: of its content; `wait_s`: for its turn;
    `aloud`: words that change nothing are emitted before the commit."""

    session_id: str
    request_id: str
    fingerprint: str
    body: bytes
    cause: Cause
    wait_s: float
    emit: Emit = unheard
    aloud: bool = False

    @property
    def kind(self) -> str:
        """What it is: `message`, or the kind of occurrence."""
        return self.cause.kind if isinstance(self.cause, Occurrence) else "message"


class Turns:
    """Serves one flow over one store. Safe for many tasks at once; other processes may serve the same store."""

    def __init__(self, parts: Parts, flows: Flows, times: Times) -> None:
        self._parts, self._flows = parts, flows
        self._times = times
        self._renewals = Renewals(parts.store, times.renew_s)
        self._store_is_immediate = is_immediate(parts.store, "begin")
        self._lines: dict[str, tuple[asyncio.Lock, int]] = {}
        self._until = 0.0
        self._running: set[asyncio.Task[AgentResponse | None]] = set()
        self.watcher: Watcher = unwatched

    def serve(self, job: Job) -> Awaitable[AgentResponse | None]:
        """The reply, None if there is nothing to say. The turn goes on to its end even if the caller goes away."""
        work = self._serve(job)
        if self._store_is_immediate and job.session_id not in self._lines:
            served = at_once(work, self._watched)
            return self._and_rest(served) if self._is_others_turn() else served
        return self._watched(asyncio.ensure_future(work))

    async def _and_rest(self, served: Awaitable[AgentResponse | None]) -> AgentResponse | None:
        response = await served
        await asyncio.sleep(0)
        return response

    def _is_others_turn(self) -> bool:
        """Now and then a caller waits for the loop, so that one with many turns does not keep everybody else from it."""
        now = time.monotonic()
        if now < self._until:
            return False
        self._until = now + AT_ONCE_S
        return True

    def _watched(self, task: "asyncio.Task[AgentResponse | None]") -> Awaitable[AgentResponse | None]:
        self._running.add(task)  # the event loop alone would let it be collected
        task.add_done_callback(self._running.discard)
        return asyncio.shield(task)

    async def close(self) -> None:
        """Let running turns end. Those that do not in time are cancelled: they give their lease back."""
        if self._running:
            _, late = await asyncio.wait(self._running, timeout=self._times.close_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        self._renewals.close()

    async def _serve(self, job: Job) -> AgentResponse | None:
        until = time.monotonic() + job.wait_s
        if job.session_id in self._lines:
            await self._stop_if_asked(job)
        watch = self.watcher(job.kind)
        try:
            async with self._in_line(job.session_id, job.wait_s):
                response = await self._take_turn(job, until, watch)
        except BaseException as error:
            watch.ended(error)
            raise
        watch.ended(None)
        return response

    @asynccontextmanager
    async def _in_line(self, session_id: str, wait_s: float) -> AsyncIterator[None]:
        """This process's queue of the session. Raises SessionBusy if the turn does not come in time."""
        lock, waiting = self._lines.get(session_id) or (asyncio.Lock(), 0)
        self._lines[session_id] = (lock, waiting + 1)
        try:
            await _acquire(lock, session_id, wait_s)
            try:
                yield
            finally:
                lock.release()
        finally:
            lock, waiting = self._lines.pop(session_id)
            if waiting > 1:
                self._lines[session_id] = (lock, waiting - 1)

    async def _take_turn(self, job: Job, until: float, watch: TurnWatch) -> AgentResponse | None:
        """Begin until it is our turn: an interrupted turn of before is finished first, another worker's is waited for."""
        poll_s, asked = _FIRST_POLL_S, False
        while True:
            outcome = await self._parts.store.begin(job.session_id, job.request_id, job.fingerprint, job.body)
            if isinstance(outcome, Replay):
                return _told_again(_stored_reply(outcome), watch)
            if isinstance(outcome, Conflict):
                raise RequestConflict(
                    f"request {job.request_id!r} of session {job.session_id!r} came before with other content"
                )
            if isinstance(outcome, Busy):
                if not asked:
                    asked = True
                    await self._stop_if_asked(job)
                if time.monotonic() + poll_s > until:
                    raise SessionBusy(f"session {job.session_id!r} is busy", outcome.retry_after_s)
                await asyncio.sleep(poll_s)
                poll_s = min(2 * poll_s, _LAST_POLL_S)
                continue
            ours = outcome.lease.request_id == job.request_id
            try:
                cause = job.cause if ours and outcome.body == job.body else None
                response = await self._run(outcome, cause, job if ours else None, watch)
            except Fenced:  # we were away too long and another worker took the turn: its reply is ours
                logger.warning("session %s: the lease was taken over", job.session_id)
                if time.monotonic() > until:
                    raise
                job = replace(job, aloud=False)  # what it said, it said once
                continue
            if ours:
                return response

    async def _stop_if_asked(self, job: Job) -> None:
        if isinstance(job.cause, UserRequest):
            await stop_if_asked(self._parts.flow, self._parts.store, job.cause, job.request_id)

    async def _run(self, begun: Begun, cause: Cause | None, job: Job | None, watch: TurnWatch) -> AgentResponse | None:
        """`job`: whoever waits for this very turn; None for one of before."""
        emit, aloud = _both(job.emit if job else unheard, watch), job is not None and job.aloud
        self._renewals.hold(begun.lease)
        try:
            cause = cause or CAUSE.validate_json(begun.body)
            _refuse_needless_return(begun, cause)
            flow = self._flows.serving(begun.session, cause)
            parts = self._parts if flow is self._parts.flow else replace(self._parts, flow=flow)
            return await Turn(parts, begun, cause, emit, aloud=aloud).run()
        except Fenced:
            raise
        except BaseException as error:
            await self._give_back(begun.lease, error)
            raise
        finally:
            self._renewals.drop(begun.lease)

    async def _give_back(self, lease: Lease, error: BaseException) -> None:
        """Whoever comes next takes the turn over at once. If that fails, too, the lease runs out by itself."""
        said = repr(error) if isinstance(error, MaitredError) else type(error).__name__  # of foreign ones only the kind
        logger.warning("a turn of session %s stopped: %s", lease.session_id, said)
        try:
            await self._parts.store.release(lease, untried=isinstance(error, (FlowMismatch, NotWithHuman)))
        except MaitredError as second:
            logger.warning("lease of session %s not given back: %r", lease.session_id, second)


async def _acquire(lock: asyncio.Lock, session_id: str, wait_s: float) -> None:
    if not lock.locked():  # nearly always, and then it does not wait
        await lock.acquire()
        return
    try:
        async with asyncio.timeout(wait_s):
            await lock.acquire()
    except TimeoutError:
        raise SessionBusy(f"session {session_id!r} is busy", _RETRY_AFTER_S) from None


def _both(emit: Emit, watch: TurnWatch) -> Emit:
    if watch is _UNWATCHED:
        return emit

    def heard(event: TurnEvent) -> None:
        emit(event)
        watch.event(event)

    return heard


def _told_again(response: AgentResponse | None, watch: TurnWatch) -> AgentResponse | None:
    if response is not None:
        watch.event(Replied(response, replayed=True))
    return response


def _refuse_needless_return(begun: Begun, cause: Cause) -> None:
    """Raises NotWithHuman for a human's return to a session that no human has: its key must stay good for when one has."""
    is_return = isinstance(cause, Occurrence) and cause.kind == "resume"
    if is_return and begun.attempt == 1 and begun.session and begun.session.state != Terminal.ESCALATED:
        raise NotWithHuman(
            f"session {begun.session.session_id!r} is not with a human; it is in {begun.session.state!r}"
        )


def _stored_reply(replay: Replay) -> AgentResponse | None:
    if not replay.body:
        return None
    message = parse_message(replay.body)
    if not isinstance(message, AgentResponse):
        raise InternalError("the stored reply is not an agent_response")
    return message
