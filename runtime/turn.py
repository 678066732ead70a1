"""Turn: one run through the lifecycle table, from a message (or occurrence) to a durable reply.

Each phase is one method that does its work and reports a signal; `NEXT` says what follows. The session moves only through the
draft, hence through `advance`. Called by `turns.py`, which holds the lease.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass

from pydantic import JsonValue

from ..fallback.guards import guard
from ..fallback.ladder import rung
from ..fallback.no_progress import stuck_level
from ..protocol.decision import AgentDecision
from ..protocol.errors import InternalError, Stopped
from ..protocol.messages import Actor, AgentResponse, ToolStatus, UserRequest
from ..protocol.ports import Begun, CallContext, Clock, Stage, Store, ToolRunner
from ..protocol.session import PendingCall, PendingConfirmation
from ..protocol.slots import Scalar
from ..protocol.tool_spec import Effect, ToolResult
from ..protocol.turn_events import Called, Decided, Planned, Replied, TurnEvent
from ..statemachine.flow import ENDED, Flow
from ..statemachine.machine import new_session
from ..statemachine.menu import allowed_actions, menu_of
from ..statemachine.parts import Terminal
from ..statemachine.proposals import CallTool, Proposal
from .asking import Asker
from .deciding import Questions
from .draft import Draft
from .lifecycle import NEXT, Phase, Signal
from .occurrence import Cause, Occurrence, clock_of
from .opening import change_version, is_older, open_turn
from .planning import guard_view, is_unread, missed_words, read_text
from .records import call_record, reply_record
from .reply import final_words, with_missed, words_after_occurrence, words_of
from .stand_in import StandIn

QUARANTINE_AFTER = 3
"""Attempts at one turn after which it is not tried again but handed over."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What every turn of one flow works with. `away_s`: a worker that was stopped so long looks whether its lease still holds."""

    flow: Flow
    store: Store
    asker: Asker
    runner: ToolRunner
    clock: Clock
    tenant: str = ""
    away_s: float = 5.0


class Turn:
    """One turn in progress."""

    def __init__(
        self, parts: Parts, begun: Begun, cause: Cause, emit: Callable[[TurnEvent], None], *, aloud: bool = False
    ) -> None:
        self._parts, self._flow, self._begun, self._cause, self._emit = parts, parts.flow, begun, cause, emit
        self._base = begun.session or new_session(parts.flow, begun.lease.session_id)
        self._clock = clock_of(cause, parts.clock)
        self._draft = Draft(parts.flow, parts.store, self._clock, begun.lease, self._base, emit)
        self._draft.tenant, self._draft.unprompted = parts.tenant, isinstance(cause, Occurrence)
        self._message = cause if isinstance(cause, UserRequest) else None
        self._text = self._message.text[: self._flow.limits.text_chars] if self._message else ""
        self._unheard = self._message is not None and begun.stage is not Stage.DECIDED
        # Taken over, the log ends with this very message.
        self._history = begun.history[:-1] if self._message and begun.stage is not Stage.NEW else begun.history
        self._queue: list[Proposal] = []
        self._event: Proposal | None = None  # what an occurrence wants: owed until it is taken from the queue
        self._found: Mapping[str, Scalar] = {}
        self._missed = missed_words(self._message, self._history) if self._message else ()
        # Beside an attachment, or words that were missed, a decider's are not the reply's first.
        self._aloud = aloud and not self._missed and not (self._message and self._message.attachments)
        self._questions = Questions(self._flow, parts.asker, self._draft, self._text, self._clock, emit)
        self._left = ""  # words that the customer has read ahead of the commit
        self._spoken = ""  # the decider's words, or a guard's
        self._problem: str | None = None  # why the last decision was refused
        self._told: str | None = None  # and what the next question says of it
        self._frozen = False  # the decider is left alone for a while
        self._wants_words = False
        self._recovering = False
        self._effects = 0  # calls of this turn that may have changed the world
        self._returned: Effect | None = None  # a tool just did; its effect
        self._response: AgentResponse | None = None

    async def run(self) -> AgentResponse | None:
        """Go through the phases until the turn is committed; the reply, or None if there is nothing to say."""
        phases: Mapping[Phase, Callable[[], Awaitable[Signal]]] = {
            Phase.PLANNING: self._plan,
            Phase.EXECUTING: self._execute,
            Phase.WAITING: self._wait_for_tool,
            Phase.ERROR: self._climb,
            Phase.COMPLETED: self._complete,
        }
        phase, signal = Phase.IDLE, self._open()
        while (phase := NEXT[phase, signal]) is not Phase.IDLE:
            signal = await phases[phase]()
        return self._response

    # --- idle: how the turn begins -----------------------------------------------------------------------------------

    def _open(self) -> Signal:
        fresh = self._begun.stage is Stage.NEW
        if self._message and fresh:
            self._draft.turn = self._base.turn + 1
            open_turn(self._flow, self._draft, self._message)
            if self._draft.session.episode != self._base.episode:
                self._history = ()  # a new episode: what was said in the one before is over, as is its data
        elif is_older(self._flow, self._base):
            change_version(self._draft, in_turn=not fresh)
        if self._begun.attempt > QUARANTINE_AFTER:
            return self._hand_over("quarantined", "the turn failed too often")
        if isinstance(self._flow, StandIn) and self._base.state not in ENDED:
            why = f"version {self._flow.version!r} of the flow is not here"
            return self._hand_over("flow_missing", why)
        if (
            isinstance(self._cause, Occurrence)
            and self._cause.kind != "version"
            and self._begun.stage is not Stage.DECIDED
        ):
            self._event = self._draft.proposal(self._cause.event, self._cause.actor, self._cause.payload)
            self._queue.append(self._event)
        if not fresh and not self._draft.call:
            return self._take_over()
        if self._draft.call:
            return Signal.CALL_MADE
        return Signal.MESSAGE_CAME if self._message else Signal.EVENT_CAME

    def _hand_over(self, rule: str, why: str) -> Signal:
        """A human takes the turn. A call that is pending may have been made, so its end is unknown."""
        self._unheard, self._draft.call = False, None
        pending = self._draft.session.pending
        if isinstance(pending, PendingCall):
            call = _call_of(pending)
            if self._begun.stage is Stage.NEW:
                self._note_call(call, ToolResult(ToolStatus.PENDING))
            self._call_returned(call, ToolResult(ToolStatus.UNKNOWN, error=why))
        elif self._draft.session.state != Terminal.ESCALATED:
            self._queue.append(self._draft.proposal("escalate", Actor.SYSTEM, {"rule": rule}, why))
        cause = self._cause
        if isinstance(cause, Occurrence) and cause.actor is Actor.OUTSIDE and self._begun.stage is not Stage.DECIDED:
            # With a human it moves nothing any more, but what came, money perhaps, is on record.
            self._queue.append(self._draft.proposal(cause.event, cause.actor, cause.payload))
        return Signal.EVENT_CAME

    def _take_over(self) -> Signal:
        """An earlier worker made a part durable: finish its open call, or just the rest."""
        pending = self._draft.session.pending
        if not isinstance(pending, PendingCall):
            return Signal.PART_WAS_DONE
        self._draft.call = _call_of(pending)
        self._recovering = True
        return Signal.CALL_LEFT_OPEN

    # --- planning: guards, then the decider ----------------------------------------------------------------------------

    async def _plan(self) -> Signal:
        if self._wants_words:
            return await self._ask_for_words()
        self._unheard = False
        session = self._draft.session
        if self._message is None:
            return Signal.SPOKEN
        if session.state == Terminal.ESCALATED:
            self._draft.propose("pass_on", Actor.GUARD, {}, "a human has the session")
            return Signal.SPOKEN
        self._emit(Planned(menu_of(self._flow, session)))
        self._found = read_text(self._flow, session, self._text, self._clock().date())
        if not self._problem and self._guarded(self._message):
            return Signal.PROPOSED
        return await self._ask_decider()

    def _guarded(self, message: UserRequest) -> bool:
        """Whether a guard answers; then its wish is queued."""
        session = self._draft.session
        wish = guard(guard_view(self._flow, session, self._base, message, self._found, self._history))
        if wish:
            self._spoken = wish.words
            self._queue.append(self._draft.proposal(wish.name, wish.actor, wish.payload, wish.reason))
            self._emit(Decided("guard", AgentDecision(action=wish.name)))
            return True
        pending = session.pending
        if isinstance(pending, PendingConfirmation) and pending.asked >= 2:
            self._draft.propose("decline", Actor.GUARD, {}, "neither yes nor no, twice")
        return False

    async def _ask_decider(self) -> Signal:
        unread = self._message is not None and is_unread(
            self._flow, self._draft.session, self._base, self._message, self._history
        )
        answer = await self._questions.decide(
            self._found, self._history, self._told, aloud=self._aloud, asks_again=not unread
        )
        self._problem, self._told, self._frozen = answer.problem, answer.told, answer.frozen
        self._spoken, self._left = answer.words, answer.left or self._left
        self._queue += answer.proposals
        return Signal.FAILED if answer.problem else Signal.PROPOSED

    async def _ask_for_words(self) -> Signal:
        self._spoken = await self._questions.words(self._history)
        return Signal.SPOKEN

    # --- executing: the machine ------------------------------------------------------------------------------------------

    async def _execute(self) -> Signal:
        while self._queue:
            wish = self._queue.pop(0)
            problem = self._draft.take(wish)
            if problem and self._message:
                self._problem = self._told = problem.why
                return Signal.FAILED
            if problem and wish.actor is Actor.OUTSIDE:  # its sender was told that it is taken
                kept: dict[str, JsonValue] = {"event": wish.name, "payload": dict(wish.payload)}
                self._draft.propose("keep_event", Actor.SYSTEM, kept, problem.why)
            if self._returned:
                await self._seal_result(self._returned)
            if self._draft.call:
                return Signal.CALL_MADE
        if self._unheard:
            return Signal.MESSAGE_CAME
        if self._message and stuck_level(self._draft.session, self._flow.limits) == 2:
            self._draft.propose("escalate", Actor.SYSTEM, {"rule": "no_progress"}, "no progress")
        if self._message and words_of(self._flow, self._draft, self._spoken) is None:
            self._wants_words = True
            return Signal.WORDS_WANTED
        return Signal.SETTLED

    async def _seal_result(self, effect: Effect) -> None:
        """What a tool did stays done: no rollback goes behind it, and one that cannot be repeated is made durable at once."""
        self._returned = None
        self._draft.keep()
        if effect == "non_idempotent":
            await self._draft.write(self._stage)

    @property
    def _stage(self) -> Stage:
        return Stage.OPENED if self._unheard or self._event in self._queue else Stage.DECIDED

    # --- waiting: one tool call --------------------------------------------------------------------------------------------

    async def _wait_for_tool(self) -> Signal:
        call, self._draft.call = self._draft.call, None
        if call is None:
            raise InternalError("the lifecycle led to waiting without a call")
        tool = self._flow.tools[call.tool]
        intended = time.monotonic()
        if not self._recovering:
            self._note_call(call, ToolResult(ToolStatus.PENDING))
            reads_on_opening = self._draft.keeps_call and tool.spec.effect == "none"
            try:
                await self._draft.write(self._stage, stoppable=self._stoppable and not reads_on_opening)
            except Stopped as asked:
                if self._draft.keeps_call:
                    self._call_returned(call, ToolResult(ToolStatus.CANCELLED, error=str(asked)))
                    return Signal.CALL_ENDED
                self._draft.roll_back(str(asked), mark="stopped")
                return Signal.ROLLED_BACK
        self._effects += tool.spec.effect != "none"
        session = self._draft.session
        # From here on in a task of the turn's own: a runner may ask for its task, or set its context.
        await asyncio.sleep(0)
        if time.monotonic() - intended > self._parts.away_s:  # this process was stopped: is the turn still ours?
            await self._parts.store.renew(self._begun.lease)
        context = CallContext(session.session_id, call.call_id, call.key, session.lang, deepcopy(session.meta))
        run = self._parts.runner.recover if self._recovering else self._parts.runner.run
        self._recovering = False
        self._call_returned(call, await run(tool, deepcopy(dict(call.arguments)), context))
        return Signal.CALL_ENDED

    def _call_returned(self, call: CallTool, result: ToolResult) -> None:
        """How a call ended goes on record; its outcome is the next proposal."""
        self._note_call(call, result)
        self._returned = self._flow.tools[call.tool].spec.effect
        payload: dict[str, JsonValue] = {"call_id": call.call_id, "status": result.status.value, "result": result.value}
        if result.error:
            payload["error"] = result.error
        self._queue.insert(0, self._draft.proposal("return_tool", Actor.TOOL, payload))

    def _note_call(self, call: CallTool, result: ToolResult) -> None:
        message = call_record(self._draft.session, call, result, self._clock())
        self._draft.note(message)
        self._emit(Called(message))

    # --- error: the ladder ---------------------------------------------------------------------------------------------------

    async def _climb(self) -> Signal:
        """Record the invalid decision, then retry, roll back or hand over."""
        why = self._problem or "the decision was refused"
        self._queue.clear()
        if self._frozen:  # nobody was asked, so nobody erred: no rung of the ladder
            self._draft.roll_back(why, mark="unheard")
            return Signal.ROLLED_BACK
        if unwritten := self._draft.propose("reject_decision", Actor.SYSTEM, {"why": why}):
            raise InternalError(f"a failure could not be recorded, so the ladder has no end: {unwritten.why}")
        step = rung(self._draft.session.invalid, self._flow.limits)
        if step == "retry":
            return Signal.RETRY
        if step == "roll_back":
            self._draft.roll_back(why, mark="unheard" if self._problem and self._told is None else "")
            return Signal.ROLLED_BACK
        self._draft.propose("escalate", Actor.SYSTEM, {"rule": "invalid_decisions"}, why)
        return Signal.ESCALATED

    # --- completed: words and commit -----------------------------------------------------------------------------------------

    async def _complete(self) -> Signal:
        try:
            await self._reply_and_commit(stoppable=self._stoppable and self._draft.moved and not self._left)
        except Stopped as asked:
            self._spoken, self._response = "", None
            self._draft.roll_back(str(asked), mark="stopped")
            await self._reply_and_commit(stoppable=False)
        if self._response:
            self._emit(Replied(self._response))
        return Signal.COMMITTED

    async def _reply_and_commit(self, *, stoppable: bool) -> None:
        if isinstance(self._cause, Occurrence):
            came = self._draft.moved or self._begun.stage is Stage.DECIDED  # then it had moved before a worker died
            text = words_after_occurrence(self._flow, self._draft, self._cause) if came else None
        else:
            self._show_question()
            unread = bool(self._message and self._message.attachments and self._text.strip())
            text = final_words(self._flow, self._draft, self._spoken, unread=unread, left=self._left)
            text = with_missed(text, self._missed)
        if text is not None:
            actions = allowed_actions(self._flow, self._draft.session)
            self._response = reply_record(
                self._draft, self._cause, text, actions, self._clock(), self._questions.attempts
            )
            self._draft.note(self._response)
        await self._draft.write(Stage.DECIDED, final=True, replied=text is not None, stoppable=stoppable)

    def _show_question(self) -> None:
        """A question that came unprompted stands in this answer, so the next yes is one to it."""
        pending = self._draft.session.pending
        if isinstance(pending, PendingConfirmation) and pending.unprompted:
            self._draft.propose("ask_again", Actor.GUARD, {}, "it was not asked in an answer yet")

    @property
    def _stoppable(self) -> bool:
        """Whether a customer who asks to stop meanwhile still can: not behind an effect, and no need where it ends anyway."""
        ends = self._draft.session.state in (Terminal.ABANDONED, Terminal.ESCALATED)
        return self._message is not None and self._begun.stage is Stage.NEW and not self._effects and not ends


def _call_of(pending: PendingCall) -> CallTool:
    return CallTool(pending.call_id, pending.tool, pending.key, pending.arguments)
