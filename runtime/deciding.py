"""Deciding: one question to the decider in a turn, and what the answer stands for in proposals.

Owns no state of the session: it reads the draft and writes nothing to it. Called by `turn.py`'s planning.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..fallback.same_event import repeated_too_often
from ..protocol.decision import AgentDecision, DecisionRequest, Exchange
from ..protocol.messages import Actor
from ..protocol.ports import Clock
from ..protocol.session import PendingConfirmation
from ..protocol.slots import Scalar
from ..protocol.turn_events import Asked, Decided, TurnEvent
from ..protocol.usage import Attempt
from ..statemachine.flow import Flow
from ..statemachine.proposals import Proposal
from .asking import Asker, Outcome, Refused
from .draft import Draft
from .hearing import Heard, heard
from .plain_values import plain_values
from .planning import decision_request
from .speaking import Speaker


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a question. `proposals`: what the decision stands for; `words`: what it says; `left`: as much of these as the
    customer has read already. `problem`: why there is no decision, and `told`, what the next question says of it: None if
    the decider has no part in it. `frozen`: it was not asked."""

    proposals: tuple[Proposal, ...] = ()
    words: str = ""
    left: str = ""
    problem: str | None = None
    told: str | None = None
    frozen: bool = False


class Questions:
    """The questions of one turn. `attempts`: the calls of a model that they took so far."""

    def __init__(
        self, flow: Flow, asker: Asker, draft: Draft, text: str, clock: Clock, emit: Callable[[TurnEvent], None]
    ) -> None:
        self._flow, self._asker, self._draft, self._text, self._clock, self._emit = (
            flow,
            asker,
            draft,
            text,
            clock,
            emit,
        )
        self.attempts: tuple[Attempt, ...] = ()

    async def decide(
        self,
        found: Mapping[str, Scalar],
        history: tuple[Exchange, ...],
        told: str | None,
        *,
        aloud: bool,
        asks_again: bool,
    ) -> Answer:
        """What is to be done about the message. `found`: values that code read in it; `told`: what was wrong with the answer
        before; `aloud`: words that change nothing are emitted as they come; `asks_again`: the customer has read the pending
        question, and is asked once more if this is no answer to it."""
        request = decision_request(
            self._flow, self._draft.session, self._text, found=found, history=history, last_error=told
        )
        if values := plain_values(request, self._asker.reads_first):
            self._emit(Decided("code", AgentDecision(action="provide", parameters=dict(values))))
            return Answer((self._draft.proposal("provide", Actor.GUARD, values, "code read it in the message"),))
        today = self._clock().date()
        speaker = Speaker(self._flow, self._draft, request, today, self._emit, asks_again) if aloud else None
        answer = (await self._ask(request, speaker)).result
        left = ""
        if speaker:
            answer, left = speaker.end(answer), speaker.spoken
        if isinstance(answer, Refused):
            if answer.shown:
                self._emit(Decided(self._asker.name, answer.shown, answer.problem))
            return Answer(left=left, problem=answer.problem, told=answer.told, frozen=answer.frozen)
        given = heard(answer, request, today)
        if given.missing:
            problem = f"{answer.action!r} needs {', '.join(given.missing)}: the customer did not give it"
            self._emit(Decided(self._asker.name, answer, problem))
            return Answer(left=left, problem=problem, told=problem)
        self._emit(Decided(self._asker.name, answer))
        return self._taken(given, left, asks_again)

    async def words(self, history: tuple[Exchange, ...]) -> str:
        """The session moved into a step without words of its own: only the words of the answer count now, not its action."""
        request = decision_request(self._flow, self._draft.session, self._text, found={}, history=history, moved=True)
        answer = (await self._ask(request)).result
        return "" if isinstance(answer, Refused) else answer.reply_text  # the move stands; plain words will do

    async def _ask(self, request: DecisionRequest, speaker: Speaker | None = None) -> Outcome:
        outcome = await self._asker.ask(request, speaker)
        if outcome.attempts:
            self.attempts += outcome.attempts
            problem = outcome.result.problem if isinstance(outcome.result, Refused) else None
            self._emit(Asked(self._asker.name, outcome.attempts, problem))
        return outcome

    def _taken(self, given: Heard, left: str, asks_again: bool) -> Answer:
        """What a legal decision stands for; an event that came too often is refused instead."""
        session, propose, decision = self._draft.session, self._draft.proposal, given.decision
        action = self._flow.step(session.state).action(decision.action)
        event = action.event if action else None
        if event and repeated_too_often(session, event, self._clock(), self._flow.limits):
            return Answer(
                (propose("refuse_event", Actor.GUARD, {"event": event}, "the same event too often"),), left=left
            )
        proposals = []
        if given.dropped:
            proposals.append(propose("drop_values", Actor.GUARD, {"names": list(given.dropped)}, "nobody gave them"))
        if given.by_code:
            proposals.append(propose("provide", Actor.GUARD, decision.parameters, "code read it in the message"))
        elif given.dropped and decision.action == "provide" and not decision.parameters:
            proposals.append(propose("answer", Actor.GUARD))
        else:
            proposals.append(propose(decision.action, Actor.MODEL, decision.parameters))
        if asks_again and isinstance(session.pending, PendingConfirmation) and decision.action == "answer":
            proposals.append(propose("ask_again", Actor.GUARD, {}, "neither yes nor no"))
        return Answer(tuple(proposals), decision.reply_text, left)
