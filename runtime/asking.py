"""Asking: the question goes to the decider, and whatever comes back becomes a legal decision or a problem in words.

A decider may be anything (a model behind a network, a user's function), so nothing it does or returns gets past here, and it has
a time limit: what never answers must not hold the session for ever. Called by the turn; what a decision must be is
`decision/check_decision.py`'s.
"""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from inspect import isawaitable
from math import isfinite

from pydantic import ValidationError

from ..decision.check_decision import Invalid, check_decision
from ..fallback.breaker import LocalBreaker
from ..protocol.decision import AgentDecision, Answered, DecisionRequest
from ..protocol.errors import ModelAnswerUnusable, ModelError, ModelFrozen, ModelTimeout
from ..protocol.messages import clean_text, explain
from ..protocol.ports import DECIDER, AudibleDecider, Breaker, Decider, Listener, PatientDecider, ReadsFirst
from ..protocol.traces import trace_of
from ..protocol.usage import Attempt
from ..protocol.waiting import Late, contained, is_immediate, within

logger = logging.getLogger("maitred.turn")

MAX_PROBLEM_CHARS = 300
GRACE_S = 1.0
"""A decider with a limit of its own gets this much longer than it: its own ending says more than ours."""


@dataclass(frozen=True, slots=True)
class Refused:
    """`problem`: why, for the log; `shown`: what came, for consoles, if something came.

    `told`: the problem as the next question names it; None if the model had no part in it (it is down, it was never reached).
    `late`: there was no answer in time. `frozen`: it was not asked.
    """

    problem: str
    shown: AgentDecision | None = None
    told: str | None = None
    late: bool = False
    frozen: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one question, and the calls of a model that it took (none for deciders that call none)."""

    result: AgentDecision | Refused
    attempts: tuple[Attempt, ...] = ()


def patience(decider: Decider, decide_s: float) -> float:
    """Seconds that a decision may take: `decide_s`, or what the decider says of itself and a little more, if that is longer."""
    own_s = decider.timeout_s if isinstance(decider, PatientDecider) else None
    return max(decide_s, own_s + GRACE_S) if isinstance(own_s, (int, float)) else decide_s


def _reads_first(decider: Decider) -> ReadsFirst:
    """What the decider says of itself; False if it says nothing that is known."""
    said = getattr(decider, "reads_first", False)
    return said if said in ("sure", "likely") else False


class Asker:
    """Asks one decider for all sessions. One that gave no answer in time is left alone for a while, as a tool would be.

    `reads_first`: the decider is not asked where code can read all that a message says; it says so itself. One that says it is
    `immediate` never waits for anything, so it needs no task of its own and no time limit, which could not stop it anyway.
    """

    def __init__(self, decider: Decider, decide_s: float = 30.0, breaker: Breaker | None = None) -> None:
        self.name = decider.name
        self._switch = DECIDER + decider.name
        self.reads_first = _reads_first(decider)
        self._decider, self._limit_s = decider, patience(decider, decide_s)
        self._at_once = is_immediate(decider, "decide")
        self._audible = decider if isinstance(decider, AudibleDecider) else None
        self._breaker: Breaker = breaker or LocalBreaker(time.monotonic)
        self._answers = 0

    @property
    def frozen(self) -> bool:
        """Whether it is left alone, or waits for a probe."""
        return self._switch in self._breaker.open

    async def ask(self, request: DecisionRequest, listener: Listener | None = None) -> Outcome:
        """The decision if it is legal under the request's menu; never raises. `listener` may hear it while it is made."""
        if not await self._breaker.may_call(self._switch):
            frozen = ModelFrozen(f"decider {self.name!r} gave no answer in time just now")
            return Outcome(Refused(f"{frozen.code}: {frozen}", frozen=True))
        before = self._answers
        outcome = await self._ask(request, listener)
        late = isinstance(outcome.result, Refused) and outcome.result.late
        self._answers += not late
        if not late:
            await self._breaker.succeeded(self._switch)
        elif self._answers == before:  # nobody else was answered meanwhile: it is the decider, not this question
            await self._breaker.timed_out(self._switch)
        return outcome

    async def _decided(self, request: DecisionRequest, listener: Listener | None) -> object:
        if listener and self._audible:
            return await self._audible.decide_aloud(request, listener)
        made = self._decider.decide(request)  # also what it raises before it is awaited
        if not isawaitable(made):
            raise ModelError(f"decide gave a {type(made).__name__} at once; write `async def decide(self, request)`")
        return await made

    async def _ask(self, request: DecisionRequest, listener: Listener | None) -> Outcome:
        try:
            work = contained(self._decided(request, listener))
            answer = await (work if self._at_once else within(self._limit_s, work))
            if isinstance(answer, Answered):
                return Outcome(_checked(request, answer.decision), _sound(answer.attempts))
            return Outcome(_checked(request, answer))
        except Late:
            late = ModelTimeout(f"decider {self.name!r} gave no answer within {self._limit_s:g} s")
            return _failed(self.name, request, late)
        except Exception as error:  # noqa: BLE001  # whatever a decider does, the customer gets a sentence
            return _failed(self.name, request, error)


def _failed(decider: str, request: DecisionRequest, error: Exception) -> Outcome:
    """What to note of a decider that raised. The text of a foreign exception may hold a customer's words or a key: not that."""
    if isinstance(error, ModelError):
        problem = _fit(f"{error.code}: {error}")
        told = _fit(str(error)) if isinstance(error, ModelAnswerUnusable) else None
    elif isinstance(error, ValidationError):
        problem = told = _fit(f"not an AgentDecision: {explain(error)}")
    else:
        problem, told = f"the decider failed: {type(error).__name__}", None
    logger.warning("decider %s failed in session %s: %s", decider, request.session_id, problem)
    if logger.isEnabledFor(logging.DEBUG):
        logger.debug("how it failed: %s", " | ".join(trace_of(error)))
    return Outcome(
        Refused(problem, told=told, late=isinstance(error, ModelTimeout)), _sound(getattr(error, "attempts", ()))
    )


def _sound(attempts: object) -> tuple[Attempt, ...]:
    """Those of a decider's attempts that can go on record."""
    listed = attempts if isinstance(attempts, (tuple, list)) else ()
    return tuple(a for a in listed if isinstance(a, Attempt) and isfinite(a.latency_s))


def _checked(request: DecisionRequest, answer: object) -> AgentDecision | Refused:
    if not isinstance(answer, (AgentDecision, Mapping)):
        return _odd(answer)
    try:
        decision = check_decision(request.menu, answer)
        if not isinstance(decision, Invalid):
            return decision
        shown = (
            answer if isinstance(answer, AgentDecision) else AgentDecision(action=_fit(str(answer.get("action")))[:60])
        )
    except Exception:  # noqa: BLE001  # a mapping of somebody's own may raise at any touch
        return _odd(answer)
    problem = _fit(decision.why)
    return Refused(problem, shown, problem)


def _odd(answer: object) -> Refused:
    problem = f"not an AgentDecision: {type(answer).__name__}"
    return Refused(problem, told=problem)


def _fit(text: str) -> str:
    return str(clean_text(text))[:MAX_PROBLEM_CHARS]
