"""Service: the doors to the turn. Takes a request or an occurrence, waits for its session, holds the lease, runs the turn.

Messages of one session are served one after the other, in the order they came; a repeat of a running turn joins it, a repeat
of a finished one gets the stored reply. Called by `app/`; knows ports, not adapters.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import JsonValue

from ..protocol.canonical import checked_json, fingerprint
from ..protocol.errors import (
    BadRequest,
    Fenced,
    FlowMismatch,
    InternalError,
    RequestConflict,
    SessionBusy,
    UnknownEvent,
    UnknownSession,
)
from ..protocol.ids import check_id
from ..protocol.messages import AgentResponse, UserRequest, parse_message
from ..protocol.ports import Begun, Busy, Conflict, Lease, Replay
from ..protocol.session import Session
from ..protocol.turn_events import Replied, TurnEvent
from ..statemachine.parts import Terminal
from .occurrence import CAUSE, Occurrence
from .turn import Parts, Turn

logger = logging.getLogger("maitred.service")

Emit = Callable[[TurnEvent], None]
_FIRST_POLL_S, _LAST_POLL_S = 0.01, 0.2


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds. `renew_s`: how often a lease is renewed while a turn runs; `wait_s`: how long a message waits for its turn."""

    renew_s: float = 5.0
    wait_s: float = 60.0


class Service:
    """Serves one flow over one store. Safe for many tasks at once; other processes may serve the same store."""

    def __init__(self, parts: Parts, times: Times | None = None) -> None:
        self._parts = parts
        self._times = times or Times()
        self._lines: dict[str, tuple[asyncio.Lock, int]] = {}

    async def handle(self, request: UserRequest, emit: Emit = lambda event: None) -> AgentResponse:
        """The reply to a customer's message. Finishes the turn even if the caller goes away.

        Raises RequestConflict (the id came before with other content), SessionBusy, FlowMismatch, StoreUnavailable.
        """
        print_ = fingerprint({"text": request.text, "files": [a.model_dump() for a in request.attachments]})
        body = request.model_dump_json(exclude_defaults=True).encode()
        key = f"message:{request.message_id}"  # apart from event keys: a customer must not be able to take a payment's
        response = await asyncio.shield(self._serve(request.session_id, key, print_, body, emit))
        if response is None:
            raise InternalError(f"message {request.message_id!r} was served without a reply")
        return response

    async def stream(self, request: UserRequest) -> AsyncIterator[TurnEvent]:
        """What happens in the turn, as it happens; the last event is Replied. Errors are raised after what came before."""
        events: asyncio.Queue[TurnEvent | None] = asyncio.Queue()
        task = asyncio.ensure_future(self.handle(request, events.put_nowait))
        task.add_done_callback(lambda _: events.put_nowait(None))
        replied = False
        while (event := await events.get()) is not None:
            replied = replied or isinstance(event, Replied)
            yield event
        response = await task
        if not replied:
            yield Replied(response, replayed=True)

    async def post(self, session_id: str, event: str, payload: dict[str, JsonValue], key: str) -> AgentResponse | None:
        """An outside event: the words for the customer, or None if there is nothing to say. The same key again: the same.

        Raises UnknownEvent (not declared by the flow), UnknownSession, BadRequest, RequestConflict, SessionBusy.
        """
        declared = self._parts.flow.outside
        if event not in declared:
            raise UnknownEvent(
                f"{event!r} is not an outside event of flow {self._parts.flow.name!r}: {', '.join(declared) or 'none'}"
            )
        plain = checked_json(payload, f"payload of {event!r}")
        if not isinstance(plain, dict):
            raise BadRequest(f"payload of {event!r} is a JSON object; got a {type(payload).__name__}")
        return await self._occur("outside", session_id, event, plain, check_id(key, "key"))

    async def resume(self, session_id: str, key: str) -> AgentResponse | None:
        """A human hands the session back to the flow, where it was."""
        session = await self._known(session_id)
        if session.state != Terminal.ESCALATED:
            raise BadRequest(f"session {session_id!r} is not with a human; it is in {session.state!r}")
        return await self._occur("resume", session_id, "resume", {}, check_id(key, "key"))

    async def tick(self, now: datetime | None = None) -> tuple[AgentResponse, ...]:
        """Act on every deadline and expiry that is over; returns the words for customers. Safe to call twice."""
        now = now or self._parts.clock()
        replies = []
        for session_id in await self._parts.store.due(now):
            session = await self._parts.store.load(session_id)
            if session is None or session.fingerprint != self._parts.flow.fingerprint:
                continue
            try:
                reply = await self._fire(session, now)
            except (SessionBusy, Fenced):
                continue  # somebody is in that session; it is due again at the next tick
            if reply:
                replies.append(reply)
        return tuple(replies)

    async def _fire(self, session: Session, now: datetime) -> AgentResponse | None:
        key = str(session.event_seq)
        expires = timedelta(seconds=self._parts.flow.limits.expires_s)
        deadline = self._parts.flow.step(session.state).deadline
        if session.deadline and session.deadline <= now and deadline:
            return await self._occur("deadline", session.session_id, deadline.event, {}, key)
        if session.updated_at and session.updated_at + expires <= now:
            return await self._occur("expiry", session.session_id, "expire", {}, key)
        return None

    async def _occur(
        self, kind: str, session_id: str, event: str, payload: dict[str, JsonValue], key: str
    ) -> AgentResponse | None:
        await self._known(session_id)
        occurrence = Occurrence.model_validate(
            {
                "kind": kind,
                "session_id": session_id,
                "event": event,
                "key": key,
                "payload": payload,
                "timestamp": self._parts.clock(),
            }
        )
        print_ = fingerprint({"event": event, "payload": payload})
        body = occurrence.model_dump_json(exclude_defaults=True).encode()
        return await asyncio.shield(self._serve(session_id, f"{kind}:{key}", print_, body, lambda event: None))

    async def _known(self, session_id: str) -> Session:
        session = await self._parts.store.load(check_id(session_id, "session_id"))
        if session is None:
            raise UnknownSession(f"no session {session_id!r}")
        return session

    async def _serve(
        self, session_id: str, request_id: str, print_: str, body: bytes, emit: Emit
    ) -> AgentResponse | None:
        lock = self._join_line(session_id)
        try:
            async with lock:
                return await self._take_turn(session_id, request_id, print_, body, emit)
        finally:
            self._leave_line(session_id)

    def _join_line(self, session_id: str) -> asyncio.Lock:
        lock, waiting = self._lines.get(session_id) or (asyncio.Lock(), 0)
        self._lines[session_id] = (lock, waiting + 1)
        return lock

    def _leave_line(self, session_id: str) -> None:
        lock, waiting = self._lines[session_id]
        if waiting == 1:
            del self._lines[session_id]
        else:
            self._lines[session_id] = (lock, waiting - 1)

    async def _take_turn(
        self, session_id: str, request_id: str, print_: str, body: bytes, emit: Emit
    ) -> AgentResponse | None:
        """Begin until it is our turn: an interrupted turn of before is finished first, another worker's is waited for."""
        until = time.monotonic() + self._times.wait_s
        poll_s = _FIRST_POLL_S
        while True:
            outcome = await self._parts.store.begin(session_id, request_id, print_, body)
            if isinstance(outcome, Replay):
                return _stored_reply(outcome)
            if isinstance(outcome, Conflict):
                raise RequestConflict(
                    f"request {request_id!r} of session {session_id!r} came before with other content"
                )
            if isinstance(outcome, Busy):
                if time.monotonic() + poll_s > until:
                    raise SessionBusy(f"session {session_id!r} is busy", outcome.retry_after_s)
                await asyncio.sleep(poll_s)
                poll_s = min(2 * poll_s, _LAST_POLL_S)
                continue
            ours = outcome.lease.request_id == request_id
            try:
                response = await self._run(outcome, emit if ours else lambda event: None)
            except Fenced:  # we were away too long and another worker took the turn: its reply is ours
                logger.warning("session %s: the lease was taken over", session_id)
                if time.monotonic() > until:
                    raise
                continue
            if ours:
                return response

    async def _run(self, begun: Begun, emit: Emit) -> AgentResponse | None:
        flow = self._parts.flow
        try:
            if begun.session and begun.session.fingerprint != flow.fingerprint:
                raise FlowMismatch(
                    f"session {begun.lease.session_id!r} belongs to flow {begun.session.flow!r} version "
                    f"{begun.session.flow_version!r} ({begun.session.fingerprint[:8]}); loaded is {flow.name!r} version "
                    f"{flow.version!r} ({flow.fingerprint[:8]})"
                )
            renewal = _Renewal(self._parts, begun.lease, self._times.renew_s)
            try:
                return await Turn(self._parts, begun, CAUSE.validate_json(begun.body), emit).run()
            finally:
                renewal.stop()
        except Fenced:
            raise
        except BaseException:
            await self._parts.store.release(begun.lease)  # whoever comes next takes the turn over at once
            raise


class _Renewal:
    """Renews a lease every `renew_s` while its turn runs. A timer, not a task: most turns end before it fires once."""

    def __init__(self, parts: Parts, lease: Lease, renew_s: float) -> None:
        self._parts, self._lease, self._renew_s = parts, lease, renew_s
        self._task: asyncio.Task[None] | None = None
        self._timer = asyncio.get_running_loop().call_later(renew_s, self._fire)

    def _fire(self) -> None:
        self._task = asyncio.ensure_future(self._renew())
        self._timer = asyncio.get_running_loop().call_later(self._renew_s, self._fire)

    async def _renew(self) -> None:
        try:
            await self._parts.store.renew(self._lease)
        except Exception as error:  # noqa: BLE001  # the next write finds out for itself whether the lease is void
            logger.warning("lease of session %s not renewed: %r", self._lease.session_id, error)

    def stop(self) -> None:
        self._timer.cancel()


def _stored_reply(replay: Replay) -> AgentResponse | None:
    if not replay.body:
        return None
    message = parse_message(replay.body)
    if not isinstance(message, AgentResponse):
        raise BadRequest("the stored reply is not an agent_response")
    return message
