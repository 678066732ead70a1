"""Draft: a session ahead of what is stored. Takes proposals to the machine, keeps what came of them, and writes it all at once.

Owns the only path to the store during a turn: `write` before a tool is called (INTEND), after a non-idempotent one (RESULT), and
at the end (COMMIT). Called by `turn.py`.
"""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import copy
from typing import Literal

from pydantic import JsonValue

from ..protocol.errors import Fenced, StoreUnavailable
from ..protocol.log import Message, chain
from ..protocol.messages import Actor, StateEvent, ToolCall, ToolStatus
from ..protocol.ports import Append, Clock, Lease, Stage, Store
from ..protocol.session import PendingCall, Session
from ..protocol.trusted import changed
from ..protocol.turn_events import Moved, TurnEvent
from ..statemachine.deadlines import due_at
from ..statemachine.flow import Flow
from ..statemachine.machine import advance
from ..statemachine.menu import allowed_actions
from ..statemachine.proposals import CallTool, Proposal, Rejected

logger = logging.getLogger("maitred.turn")


class Draft:
    """`session` is ahead of what is stored by the messages in the buffer. `events`: what the turn made so far; `unprompted`: it
    answers no message of the customer's."""

    def __init__(
        self, flow: Flow, store: Store, clock: Clock, lease: Lease, base: Session, emit: Callable[[TurnEvent], None]
    ) -> None:
        self._flow, self._store, self._clock, self._lease, self._emit = flow, store, clock, lease, emit
        self._base = base
        self._version = base.state_version
        self._buffer: list[Message] = []
        self._kept: tuple[Session, int] = (base, 0)
        self.session = base
        self.events: list[StateEvent] = []
        self.call: CallTool | None = None
        self.turn = base.turn
        self.tenant = ""
        self.unprompted = False

    def copy(self) -> "Draft":
        """Another to try proposals on: what becomes of it is not heard here, and it must not be written."""
        tried = copy(self)
        tried._buffer, tried.events, tried._emit = [*self._buffer], [*self.events], lambda event: None
        return tried

    @property
    def moved(self) -> bool:
        """Whether a row of the map was taken in this turn."""
        return self.session.state_version > self._version

    @property
    def keeps_call(self) -> bool:
        """Whether a tool was ordered before the point that a rollback goes back to: undone it cannot be, only ended."""
        return isinstance(self._kept[0].pending, PendingCall)

    @property
    def next_record(self) -> int:
        """Number that the next message gets in the log."""
        return self._base.records + len(self._buffer) + 1

    def propose(
        self, name: str, actor: Actor, payload: Mapping[str, JsonValue] | None = None, reason: str = ""
    ) -> Rejected | None:
        """Take a wish to the machine; what it causes joins the draft. A tool that it orders is in `call` then."""
        return self.take(self.proposal(name, actor, payload, reason))

    def proposal(
        self, name: str, actor: Actor, payload: Mapping[str, JsonValue] | None = None, reason: str = ""
    ) -> Proposal:
        """A proposal of this turn."""
        key = self._lease.request_id
        return Proposal(name, actor, payload or {}, key, self.turn, reason, self.tenant, self.unprompted)

    def take(self, proposal: Proposal) -> Rejected | None:
        """The same for a proposal made before."""
        outcome = advance(self._flow, self.session, proposal, self._clock())
        if isinstance(outcome, Rejected):
            logger.warning("session %s: %s", self.session.session_id, outcome.why)
            return outcome
        self.session = outcome.session
        self.call = outcome.effects[0] if outcome.effects else self.call
        for event in outcome.events:
            self.events.append(event)
            self.note(event)
            self._emit(Moved(event))
        return None

    def note(self, message: Message) -> None:
        """Put a message on record."""
        self._buffer.append(message)

    def keep(self) -> None:
        """A rollback goes back no further than to here."""
        self._kept = (self.session, len(self._buffer))

    def begin_here(self) -> None:
        """What came before is no part of what the turn did: it speaks for nothing."""
        self._version = self.session.state_version
        self.events.clear()
        self.keep()

    def roll_back(self, why: str, *, mark: Literal["", "unheard", "stopped"] = "") -> None:
        """Discard what came after `keep` (or the last write): its moves and its slots, never an effect, never an earlier step.

        `mark`: nobody misunderstood the customer: there was no answer, or they asked to stop.
        """
        invalid = self.session.invalid
        session, length = self._kept
        discarded: list[JsonValue] = [m.event for m in self._buffer[length:] if isinstance(m, StateEvent)]
        del self._buffer[length:]
        self.session = session
        self.events.clear()
        self.propose(
            "roll_back",
            Actor.SYSTEM,
            {"invalid": invalid, "discarded": discarded, **({mark: True} if mark else {})},
            why,
        )

    async def write(self, stage: Stage, *, final: bool = False, replied: bool = False, stoppable: bool = False) -> None:
        """Make buffer and session durable, all or nothing. `replied`: the last message is the reply, kept for repeats.

        Raises Stopped if the write is stoppable and the customer asked to stop.
        """
        records, head = chain(self._buffer, self._base.records, self._base.head)
        session = changed(self.session, {"records": self._base.records + len(records), "head": head})
        write = Append(
            lease=self._lease,
            after_event_seq=self._base.event_seq,
            session=session,
            records=records,
            stage=stage,
            final=final,
            reply_record=session.records if replied else None,
            due_at=due_at(self._flow, session),
            allowed_actions=allowed_actions(self._flow, session),
            stoppable=stoppable,
        )
        try:
            await self._store.append(write)
        except Fenced:
            await self._keep_late()
            raise
        self._base = self.session = session
        self._buffer.clear()
        self.keep()

    async def _keep_late(self) -> None:
        """Another worker has the turn, and nobody there knows how a call of this one ended: that stays as evidence."""
        for message in self._buffer:
            if isinstance(message, ToolCall) and message.status is not ToolStatus.PENDING:
                logger.warning("session %s: call %s ended too late", message.session_id, message.call_id)
                with suppress(StoreUnavailable):
                    await self._store.keep_late(message.session_id, message.model_dump_json().encode())
