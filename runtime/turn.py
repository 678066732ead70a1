"""Turn: one run through the lifecycle table, from a message (or occurrence) to a durable reply.

Each phase is one method that does its work and reports a signal; `NEXT` says what follows. The session moves only through
`advance`. Nothing is durable but by `_write`: before a tool is called (INTEND), after a non-idempotent one (RESULT), and at the
end (COMMIT). Called by `service.py`, which holds the lease.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from ..decision.check_decision import Invalid, check_decision
from ..fallback.caps import repeated_too_often, stuck_level, too_many_turns
from ..fallback.facts import unheld_fact
from ..fallback.guards import GuardView, guard
from ..fallback.ladder import rung
from ..fallback.language import first_language, language_note
from ..protocol.decision import AgentDecision, DecisionRequest
from ..protocol.log import Message, chain
from ..protocol.messages import Actor, AgentResponse, StateEvent, ToolCall, ToolStatus, UserRequest
from ..protocol.ports import Append, Begun, CallContext, Clock, Decider, Store, ToolRunner
from ..protocol.session import PendingCall, PendingConfirmation, Session
from ..protocol.texts import in_lang
from ..protocol.tool_spec import ToolResult
from ..protocol.turn_events import Called, Decided, Moved, Planned, Replied, TurnEvent
from ..statemachine.deadlines import due_at
from ..statemachine.flow import ENDED, Flow
from ..statemachine.machine import advance, missing_slots, new_session
from ..statemachine.menu import menu_of
from ..statemachine.parts import Terminal
from ..statemachine.proposals import CallTool, Outcome, Proposal, Rejected
from ..statemachine.reading.readers import read_slots
from ..statemachine.words import asked_now, choices, words_after
from .lifecycle import NEXT, Phase, Signal
from .occurrence import Cause, Occurrence

logger = logging.getLogger("maitred.turn")

QUARANTINE_AFTER = 3
"""Recoveries of one turn after which it is not tried again but handed over."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What every turn of one flow works with."""

    flow: Flow
    store: Store
    decider: Decider
    runner: ToolRunner
    clock: Clock
    tenant: str = ""


class Turn:
    """State of one turn in progress. `session` is ahead of `base` by what `_buffer` holds."""

    def __init__(self, parts: Parts, begun: Begun, cause: Cause, emit: Callable[[TurnEvent], None]) -> None:
        self._parts = parts
        self._flow = parts.flow
        self._begun = begun
        self._cause = cause
        self._emit = emit
        self._base = begun.session or new_session(parts.flow, begun.lease.session_id)
        self.session = self._base
        message = isinstance(cause, UserRequest)
        self._turn = self._base.turn + 1 if message and not begun.decided else self._base.turn
        self._buffer: list[Message] = []
        self._kept: tuple[Session, int] = (self._base, 0)  # where a rollback goes back to: session, length of the buffer
        self._events: list[StateEvent] = []
        self._queue: list[Proposal] = []
        self._to_plan = message and not begun.decided
        self._call: CallTool | None = None
        self._recovering = False
        self._write_result = False
        self._spoken = ""
        self._problem: str | None = None
        self._found: Mapping[str, str | int | float | bool] = {}
        self._speaking = 0
        self.response: AgentResponse | None = None

    async def run(self) -> AgentResponse | None:
        """Go through the phases until the turn is committed; the reply, or None if there is nothing to say."""
        phases: Mapping[Phase, Callable[[], Awaitable[Signal]]] = {
            Phase.IDLE: self._open,
            Phase.PLANNING: self._plan,
            Phase.EXECUTING: self._execute,
            Phase.WAITING: self._wait_for_tool,
            Phase.ERROR: self._climb,
            Phase.COMPLETED: self._complete,
        }
        phase, signal = Phase.IDLE, await self._open()
        while signal is not Signal.COMMITTED:
            phase = NEXT[phase, signal]
            signal = await phases[phase]()
        return self.response

    # --- idle: how the turn begins ---------------------------------------------------------------------------------

    async def _open(self) -> Signal:
        if self._begun.attempt > QUARANTINE_AFTER:
            return self._quarantine()
        if self._begun.decided:
            return self._take_over()
        if isinstance(self._cause, Occurrence):
            self._queue.append(self._proposal(self._cause.event, self._cause.actor, self._cause.payload))
            return Signal.EVENT_CAME
        self._buffer.append(self._logged_request(self._cause))
        self._greet_session(self._cause)
        self._kept = (self.session, len(self._buffer))
        return Signal.CALL_MADE if self._call else Signal.MESSAGE_CAME

    def _quarantine(self) -> Signal:
        self._to_plan = False
        if isinstance(self._cause, UserRequest) and not self._begun.decided:
            self._buffer.append(self._logged_request(self._cause))
            self._greet_session(self._cause)
            self._call = None
        self._queue.append(self._proposal("escalate", Actor.SYSTEM, {"rule": "quarantined"}, "the turn failed too often"))
        return Signal.EVENT_CAME

    def _take_over(self) -> Signal:
        """An earlier worker committed a part: finish its open call, or just the rest."""
        pending = self.session.pending
        if not isinstance(pending, PendingCall):
            return Signal.PART_WAS_DONE
        self._call = CallTool(pending.call_id, pending.tool, pending.key, pending.arguments)
        self._recovering = True
        return Signal.CALL_LEFT_OPEN

    def _logged_request(self, request: UserRequest) -> UserRequest:
        """The copy for the log: with the real version, and a text that is too long cut, with its length."""
        limit, text = self._flow.limits.text_chars, request.text
        if len(text) > limit:
            text = f"{text[:limit]}… [{len(text)} characters]"
        return request.model_copy(update={"text": text, "state_version": self.session.state_version})

    def _greet_session(self, request: UserRequest) -> None:
        """Open an episode where none is open; note language and background where they changed."""
        meta: dict[str, JsonValue] = dict(request.meta or {})
        if not self.session.episode or self.session.state in ENDED:
            lang = first_language(request.text, meta, self.session.lang)
            self._advance(self._proposal("start", Actor.SYSTEM, {"lang": lang, **({"meta": meta} if meta else {})}))
            return
        if meta and meta != self.session.meta:
            self._advance(self._proposal("note_meta", Actor.SYSTEM, {**self.session.meta, **meta}))
        note = language_note(self.session, request.text, meta)
        if note:
            self._advance(self._proposal("note_language", Actor.SYSTEM, {"lang": note.lang, "doubt": note.doubt}))

    # --- planning: guards, then the decider --------------------------------------------------------------------------

    async def _plan(self) -> Signal:
        if self._speaking:
            return await self._ask_for_words()
        self._to_plan = False
        assert isinstance(self._cause, UserRequest)  # occurrences are proposals already
        if self.session.state == Terminal.ESCALATED:
            return Signal.SPOKEN
        self._emit(Planned(menu_of(self._flow, self.session)))
        text = self._cause.text
        self._found = self._read(text[: self._flow.limits.text_chars])
        wish = None if self._problem else guard(self._guard_view(self._cause))
        if wish:
            self._spoken = wish.words
            self._queue.append(self._proposal(wish.name, wish.actor, wish.payload, wish.reason))
            self._emit(Decided("guard", AgentDecision(action=wish.name), None))
            return Signal.PROPOSED
        self._drop_stale_confirmation()
        return await self._ask_decider(text)

    def _read(self, text: str) -> Mapping[str, str | int | float | bool]:
        """What code finds in the text: slots of this step and others, parameters of the menu's actions."""
        slots = {name: slot for item in menu_of(self._flow, self.session).items for name, slot in item.parameters.items()}
        missing = missing_slots(self._flow, self.session)
        return read_slots(
            {**self._flow.slots, **slots}, text, asked=missing[0] if missing else None, today=self._parts.clock().date()
        )

    def _guard_view(self, request: UserRequest) -> GuardView:
        session, flow = self.session, self._flow
        pending = session.pending
        return GuardView(
            text=request.text,
            asked=self._begun.history[-1].reply if self._begun.history else "",
            attachments=len(request.attachments),
            text_chars=flow.limits.text_chars,
            confirming=pending.asked if isinstance(pending, PendingConfirmation) else 0,
            brings_values=bool(self._found),
            can_leave=session.state not in flow.no_leave,
            on_close=flow.step(session.state).on_close,
            over_turn_cap=too_many_turns(self._base, flow.limits) if self._base.episode == session.episode else False,
            greeting=in_lang(flow.greeting, session.lang),
            own_words=flow.own_words,
        )

    def _drop_stale_confirmation(self) -> None:
        """Asked twice and still neither yes nor no: the question is off, the message is taken for what it says."""
        pending = self.session.pending
        if isinstance(pending, PendingConfirmation) and pending.asked >= 2 and not self._problem:
            self._advance(self._proposal("decline", Actor.GUARD, {}, "neither yes nor no, twice"))

    async def _ask_decider(self, text: str) -> Signal:
        menu = menu_of(self._flow, self.session)
        request = self._request(text)
        name = self._parts.decider.name
        try:
            answer = await self._parts.decider.decide(request)
        except Exception as error:  # whatever a decider does, the customer gets a sentence
            logger.warning("decider %s failed in session %s: %r", name, self.session.session_id, error)
            self._problem = f"the decider failed: {type(error).__name__}: {error}"[:300]
            return Signal.FAILED
        decision = check_decision(menu, answer)
        if isinstance(decision, Invalid):
            self._problem = decision.why
            shown = answer if isinstance(answer, AgentDecision) else AgentDecision(action=str(answer.get("action", ""))[:60])
            self._emit(Decided(name, shown, decision.why))
            return Signal.FAILED
        self._emit(Decided(name, decision))
        self._problem = None
        self._propose(decision)
        return Signal.PROPOSED

    def _propose(self, decision: AgentDecision) -> None:
        action = self._flow.step(self.session.state).action(decision.action)
        now = self._parts.clock()
        if action and action.event and repeated_too_often(self.session, action.event, now, self._flow.limits):
            self._queue.append(self._proposal("refuse_event", Actor.GUARD, {"event": action.event}, "the same event too often"))
            return
        self._spoken = decision.reply_text
        self._queue.append(self._proposal(decision.action, Actor.MODEL, decision.parameters))
        pending = self.session.pending
        if isinstance(pending, PendingConfirmation) and decision.action == "answer":
            self._queue.append(self._proposal("ask_again", Actor.GUARD, {}, "neither yes nor no"))

    def _request(self, text: str, *, moved: bool = False) -> DecisionRequest:
        session, flow = self.session, self._flow
        knowledge = flow.knowledge(text, session.lang) if flow.knowledge and text else ()
        return DecisionRequest(
            session_id=session.session_id,
            lang=session.lang,
            menu=menu_of(flow, session),
            text=text,
            identity=in_lang(flow.identity, session.lang),
            instruction=in_lang(flow.step(session.state).instruction, session.lang),
            data=session.data,
            meta=session.meta,
            found=self._found,
            missing=missing_slots(flow, session),
            knowledge=tuple(knowledge),
            history=self._begun.history,
            last_error=self._problem,
            moved=moved,
        )

    async def _ask_for_words(self) -> Signal:
        """The session moved into a step without words of its own: only the decider's words count now, not its action."""
        request = self._request(self._cause.text if isinstance(self._cause, UserRequest) else "", moved=True)
        try:
            answer = await self._parts.decider.decide(request)
        except Exception as error:  # the move stands; plain words will do
            logger.warning("decider %s gave no words: %r", self._parts.decider.name, error)
            return Signal.SPOKEN
        decision = check_decision(request.menu, answer)
        self._spoken = "" if isinstance(decision, Invalid) else decision.reply_text
        return Signal.SPOKEN

    # --- executing: the machine ----------------------------------------------------------------------------------------

    async def _execute(self) -> Signal:
        while self._queue:
            proposal = self._queue.pop(0)
            problem = self._advance(proposal)
            if problem and proposal.actor is Actor.MODEL:
                self._problem = problem.why
                return Signal.FAILED
            if problem:
                logger.warning("session %s: %s", self.session.session_id, problem.why)
            if self._write_result:
                self._write_result = False
                await self._write(final=False)
            if self._call:
                return Signal.CALL_MADE
        if self._to_plan:
            return Signal.MESSAGE_CAME
        self._give_up_if_stuck()
        if self._words() is None and isinstance(self._cause, UserRequest) and not self._speaking:
            self._speaking = 1
            return Signal.WORDS_WANTED
        return Signal.SETTLED

    def _advance(self, proposal: Proposal) -> Rejected | None:
        outcome = advance(self._flow, self.session, proposal, self._parts.clock())
        if isinstance(outcome, Rejected):
            return outcome
        self._take(outcome)
        return None

    def _take(self, outcome: Outcome) -> None:
        self.session = outcome.session
        self._call = outcome.effects[0] if outcome.effects else self._call
        for event in outcome.events:
            self._buffer.append(event)
            self._events.append(event)
            self._emit(Moved(event))

    def _give_up_if_stuck(self) -> None:
        if isinstance(self._cause, UserRequest) and stuck_level(self.session, self._flow.limits) == 2:
            self._advance(self._proposal("escalate", Actor.SYSTEM, {"rule": "no_progress"}, "no progress"))

    # --- waiting: one tool call --------------------------------------------------------------------------------------

    async def _wait_for_tool(self) -> Signal:
        call, self._call = self._call, None
        assert call is not None  # the table leads here only with a call
        tool = self._flow.tools[call.tool]
        if not self._recovering:
            self._note_call(call, ToolStatus.PENDING)
            await self._write(final=False)
        context = CallContext(self.session.session_id, call.call_id, call.key, self.session.lang, self.session.meta)
        run = self._parts.runner.recover if self._recovering else self._parts.runner.run
        self._recovering = False
        result = await run(tool, call.arguments, context)
        self._note_call(call, result.status, result)
        self._write_result = tool.spec.effect == "non_idempotent"
        payload: dict[str, JsonValue] = {"call_id": call.call_id, "status": result.status.value, "result": result.value}
        if result.error:
            payload["error"] = result.error
        self._queue.insert(0, self._proposal("return_tool", Actor.TOOL, payload))
        return Signal.CALL_ENDED

    def _note_call(self, call: CallTool, status: ToolStatus, result: ToolResult | None = None) -> None:
        message = ToolCall(
            session_id=self.session.session_id,
            timestamp=self._parts.clock(),
            message_id=call.call_id if status is ToolStatus.PENDING else f"{call.call_id}-end",
            state_version=self.session.state_version,
            call_id=call.call_id,
            tool=call.tool,
            key=call.key,
            arguments=dict(call.arguments) if status is ToolStatus.PENDING else {},
            status=status,
            result=result.value if result else None,
            error=result.error if result else None,
        )
        self._buffer.append(message)
        self._emit(Called(message))

    # --- error: the ladder ---------------------------------------------------------------------------------------------

    async def _climb(self) -> Signal:
        """Record the invalid decision, then retry, roll back or hand over."""
        why = self._problem or "the decision was refused"
        self._queue.clear()
        self._advance(self._proposal("reject_decision", Actor.SYSTEM, {"why": why}))
        step = rung(self.session.invalid, self._flow.limits)
        if step == "retry":
            self._to_plan = True
            return Signal.RETRY
        if step == "roll_back":
            self._roll_back(why)
            return Signal.ROLLED_BACK
        self._advance(self._proposal("escalate", Actor.SYSTEM, {"rule": "invalid_decisions"}, why))
        return Signal.ESCALATED

    def _roll_back(self, why: str) -> None:
        """Discard what is not durable yet: back to the opening of the turn or the last tool call, never to an earlier step."""
        invalid = self.session.invalid
        session, length = self._kept
        discarded: list[JsonValue] = [m.event for m in self._buffer[length:] if isinstance(m, StateEvent)]
        del self._buffer[length:]
        self.session = session
        self._events.clear()
        self._advance(self._proposal("roll_back", Actor.SYSTEM, {"invalid": invalid, "discarded": discarded}, why))

    # --- completed: words and commit -----------------------------------------------------------------------------------

    async def _complete(self) -> Signal:
        text = self._final_words()
        if text is not None:
            self.response = AgentResponse(
                session_id=self.session.session_id,
                timestamp=self._parts.clock(),
                message_id=f"r{self._base.records + len(self._buffer) + 1}",
                state_version=self.session.state_version,
                reply_to=self._begun.lease.request_id,
                text=text,
                state=self.session.state,
                allowed_actions=menu_of(self._flow, self.session).names,
            )
            self._buffer.append(self.response)
        await self._write(final=True)
        if self.response:
            self._emit(Replied(self.response))
        return Signal.COMMITTED

    def _words(self) -> str | None:
        return words_after(self._flow, self.session, self._events, self._spoken)

    def _final_words(self) -> str | None:
        """The reply; None only for an occurrence that has nothing to tell the customer."""
        text = self._words()
        if isinstance(self._cause, Occurrence):
            return text if any(e.source_state != e.target_state or e.event == self._cause.event for e in self._events) else None
        text = text or self._spoken or asked_now(self._flow, self.session) or choices(self._flow, self.session)
        leaked = unheld_fact(text, self._flow.facts, (self.session.data, self.session.meta))
        if leaked:
            self._advance(self._proposal("replace_reply", Actor.GUARD, {"fact": leaked}, "shows a fact that the session does not hold"))
            text = words_after(self._flow, self.session, self._events, "") or choices(self._flow, self.session)
        if stuck_level(self.session, self._flow.limits) == 1 and self.session.pending is None:
            text = f"{text}\n{choices(self._flow, self.session)}"
        return text

    async def _write(self, *, final: bool) -> None:
        """Make the buffer and the session durable, all or nothing."""
        records, head = chain(self._buffer, self._base.records, self._base.head)
        session = self.session.model_copy(update={"records": self._base.records + len(records), "head": head})
        await self._parts.store.append(
            Append(
                lease=self._begun.lease,
                after_event_seq=self._base.event_seq,
                session=session,
                records=records,
                final=final,
                reply_record=session.records if final and self.response else None,
                due_at=due_at(self._flow, session),
            )
        )
        self._base = self.session = session
        self._buffer.clear()
        self._kept = (session, 0)

    def _proposal(self, name: str, actor: Actor, payload: Mapping[str, JsonValue] | None = None, reason: str = "") -> Proposal:
        return Proposal(
            name=name,
            actor=actor,
            payload=payload or {},
            key=self._begun.lease.request_id,
            turn=self._turn,
            reason=reason,
            tenant=self._parts.tenant,
        )
