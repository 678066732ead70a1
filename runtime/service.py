"""Service: the doors. A customer's message, an outside event, a human's return and the timer become jobs; `turns.py` serves them.

Owns what is checked before a session is touched. Called by `app/`; knows ports, not adapters.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Literal

from pydantic_core import to_json

from ..protocol.canonical import checked_json, fingerprint
from ..protocol.errors import (
    BadRequest,
    Fenced,
    InternalError,
    SessionBusy,
    StoreUnavailable,
    UnknownEvent,
    UnknownSession,
)
from ..protocol.ids import check_id
from ..protocol.messages import AgentResponse, UserRequest
from ..protocol.session import Session
from ..protocol.turn_events import Replied, TurnEvent, Watcher
from ..statemachine.deadlines import expires_at
from ..statemachine.flow import Flow
from ..statemachine.parts import Terminal
from .flows import Flows
from .occurrence import Occurrence
from .turn import Parts
from .turns import Emit, Job, Times, Turns, unheard

logger = logging.getLogger("maitred.service")

_DUE_AT_ONCE = 100


class Service:
    """Serves one flow over one store. `older`: versions of it that sessions in the middle may still belong to."""

    def __init__(self, parts: Parts, times: Times | None = None, older: Sequence[Flow] = ()) -> None:
        self._parts = parts
        self._flows = Flows(parts.flow, tuple(older))
        self._times = times or Times()
        self._turns = Turns(parts, self._flows, self._times)

    def watched_by(self, watcher: Watcher) -> None:
        """From now on every job is shown to this watcher, and to no other."""
        self._turns.watcher = watcher

    @property
    def decider_is_frozen(self) -> bool:
        """Whether the decider is left alone because it gave no answer in time."""
        return self._parts.asker.frozen

    async def handle(self, request: UserRequest, emit: Emit = unheard, *, aloud: bool = False) -> AgentResponse:
        """The reply to a customer's message. Finishes the turn even if the caller goes away.

        Raises RequestConflict (the id came before with other content), SessionBusy, FlowMismatch, StoreUnavailable.
        """
        job = Job(
            session_id=request.session_id,
            # Apart from event keys: a customer must not be able to take a payment's.
            request_id=f"message:{request.message_id}",
            fingerprint=_print(request),
            body=request.model_dump_json(exclude_defaults=True).encode(),
            cause=request,
            wait_s=self._times.wait_s,
            emit=emit,
            aloud=aloud,
        )
        response = await self._turns.serve(job)
        if response is None:
            raise InternalError(f"message {request.message_id!r} was served without a reply")
        return response

    async def stream(self, request: UserRequest, *, aloud: bool = False) -> AsyncIterator[TurnEvent]:
        """What happens in the turn, as it happens; the last event is Replied. Errors are raised after what came before.

        `aloud`: with words as they come (Spoken). A repeat has none: its reply is there already.
        """
        events: asyncio.Queue[TurnEvent | None] = asyncio.Queue()
        task = asyncio.ensure_future(self.handle(request, events.put_nowait, aloud=aloud))
        task.add_done_callback(lambda _: events.put_nowait(None))
        replied = False
        while (event := await events.get()) is not None:
            replied = replied or isinstance(event, Replied)
            yield event
        response = await task
        if not replied:
            yield Replied(response, replayed=True)

    async def post(self, session_id: str, event: str, payload: object, key: str) -> AgentResponse | None:
        """An outside event: the words for the customer, or None if there is nothing to say. The same key again: the same.

        Raises UnknownEvent (not declared by the flow), UnknownSession, BadRequest, RequestConflict, SessionBusy.
        """
        self._check_declared(event, *self._flows)
        plain = checked_json(payload, f"payload of {event!r}")
        if not isinstance(plain, dict):
            raise BadRequest(f"payload of {event!r} is a JSON object; got a {type(payload).__name__}")
        self._check_declared(event, self._flows.of(await self._known(session_id)) or self._parts.flow)
        occurrence = Occurrence(
            kind="outside",
            session_id=session_id,
            event=event,
            payload=plain,
            key=check_id(key, "key"),
            timestamp=self._parts.clock(),
        )
        return await self._occur(occurrence, self._times.wait_s)

    def _check_declared(self, event: object, *flows: Flow) -> None:
        """Raises UnknownEvent unless one of the flows declares it: what no row can ever place must come back to its sender."""
        declared = dict.fromkeys(name for flow in flows for name in flow.outside)
        if not isinstance(event, str) or event not in declared:
            versions = ", ".join(repr(flow.version) for flow in flows)
            raise UnknownEvent(
                f"{event!r} is not an outside event of flow {flows[0].name!r} version {versions}: "
                f"{', '.join(declared) or 'none'}"
            )

    async def resume(self, session_id: str, key: str) -> AgentResponse | None:
        """A human hands the session back to the flow, where it was. Raises BadRequest if it is not (or no more) with a human."""
        await self._known(session_id)
        occurrence = Occurrence(
            kind="resume",
            session_id=session_id,
            event="resume",
            key=check_id(key, "key"),
            timestamp=self._parts.clock(),
        )
        return await self._occur(occurrence, self._times.wait_s)

    async def tick(self, now: datetime | None = None) -> tuple[AgentResponse, ...]:
        """Act on every deadline and expiry that is over; returns the words for customers. Safe to call twice.

        Never waits for a session that somebody is in, and no session keeps it from the others: both are due again next time.
        """
        now = now or self._parts.clock()
        if not isinstance(now, datetime) or now.tzinfo is None:
            raise BadRequest("now is a time with its time zone")
        replies: list[AgentResponse] = []
        seen: set[str] = set()
        while fresh := [s for s in await self._parts.store.due(now, _DUE_AT_ONCE + len(seen)) if s not in seen]:
            seen.update(fresh)
            for session_id in fresh:
                reply = await self._fire(session_id, now)
                await asyncio.sleep(0)  # there may be thousands, and others wait, too
                replies += [reply] if reply else []
        return tuple(replies)

    async def _fire(self, session_id: str, now: datetime) -> AgentResponse | None:
        try:
            session = await self._parts.store.load(session_id)
            occurrence = self._over(session, now) if session else None
            return await self._occur(occurrence, 0.0) if occurrence else None
        except (SessionBusy, Fenced):
            return None
        except StoreUnavailable as error:  # due again when it is back
            logger.warning("the timer did not come to session %s: %s", session_id, error)
            return None
        except Exception:
            logger.exception("the timer failed in session %s", session_id)
            return None

    def _over(self, session: Session, now: datetime) -> Occurrence | None:
        """What has become due in the session. If its version of the flow is not here, that is."""
        flow = self._flows.of(session)
        if flow is None:
            ours = session.flow == self._parts.flow.name and session.state not in {*Terminal}
            return _timer("version", session, "version", now) if ours else None
        deadline = flow.step(session.state).deadline
        if deadline and session.deadline and session.deadline <= now:
            return _timer("deadline", session, deadline.event, now)
        expiry = expires_at(flow, session)
        if expiry and expiry <= now:
            return _timer("expiry", session, "expire", now)
        return None

    async def _occur(self, occurrence: Occurrence, wait_s: float) -> AgentResponse | None:
        job = Job(
            session_id=occurrence.session_id,
            request_id=f"{occurrence.kind}:{occurrence.key}",
            fingerprint=fingerprint({"event": occurrence.event, "payload": occurrence.payload}),
            body=occurrence.model_dump_json(exclude_defaults=True).encode(),
            cause=occurrence,
            wait_s=wait_s,
        )
        return await self._turns.serve(job)

    async def _known(self, session_id: str) -> Session:
        session = await self._parts.store.load(check_id(session_id, "session_id"))
        if session is None:
            raise UnknownSession(f"no session {session_id!r}")
        return session

    async def close(self) -> None:
        """Let running turns end."""
        await self._turns.close()


def _print(request: UserRequest) -> str:
    """Of what a customer sent; time and background do not make it another message."""
    files = [attachment.model_dump() for attachment in request.attachments]
    return sha256(to_json([request.text, files])).hexdigest()


def _timer(kind: Literal["deadline", "expiry", "version"], session: Session, event: str, now: datetime) -> Occurrence:
    return Occurrence(
        kind=kind,
        session_id=session.session_id,
        event=event,
        key=str(session.event_seq),
        timestamp=now,
    )
