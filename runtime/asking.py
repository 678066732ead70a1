"""Asking: the question goes to the decider, and whatever comes back becomes a legal decision or a problem in words.

A decider may be anything (a model behind a network, a user's function), so nothing it does or returns gets past here, and it has
a time limit: what never answers must not hold the session for ever. Called by the turn; what a decision must be is
`decision/check_decision.py`'s.
"""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass

from ..decision.check_decision import Invalid, check_decision
from ..protocol.decision import AgentDecision, Answered, DecisionRequest
from ..protocol.errors import ModelAnswerUnusable, ModelError, ModelTimeout
from ..protocol.messages import clean_text
from ..protocol.ports import Decider, PatientDecider
from ..protocol.usage import Attempt

logger = logging.getLogger("maitred.turn")

MAX_PROBLEM_CHARS = 300
GRACE_S = 1.0
"""A decider with a limit of its own gets this much longer than it: its own ending says more than ours."""


@dataclass(frozen=True, slots=True)
class Refused:
    """`problem`: why, for the log; `shown`: what came, for consoles, if something came.

    `told`: the problem as the next question names it; None if the model had no part in it (it is down, it was never reached).
    """

    problem: str
    shown: AgentDecision | None = None
    told: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one question, and the calls of a model that it took (none for deciders that call none)."""

    result: AgentDecision | Refused
    attempts: tuple[Attempt, ...] = ()


def patience(decider: Decider, decide_s: float) -> float:
    """Seconds that a decision may take: `decide_s`, or what the decider says of itself and a little more, if that is longer."""
    return max(decide_s, decider.timeout_s + GRACE_S) if isinstance(decider, PatientDecider) else decide_s


async def ask(decider: Decider, request: DecisionRequest, limit_s: float) -> Outcome:
    """The decider's decision if it is legal under the request's menu."""
    try:
        answer = await _answer(decider, request, limit_s)
        if isinstance(answer, Answered):
            return Outcome(_checked(request, answer.decision), answer.attempts)
        return Outcome(_checked(request, answer))
    except ModelError as error:
        logger.warning("decider %s failed in session %s: %s: %s", decider.name, request.session_id, error.code, error)
        problem = _fit(f"{error.code}: {error}")
        told = _fit(str(error)) if isinstance(error, ModelAnswerUnusable) else None
        return Outcome(Refused(problem, told=told), error.attempts)
    except Exception as error:  # noqa: BLE001  # whatever a decider does, the customer gets a sentence
        logger.warning("decider %s failed in session %s: %r", decider.name, request.session_id, error)
        problem = _fit(f"the decider failed: {type(error).__name__}: {error}")
        return Outcome(Refused(problem, told=problem))


async def _answer(decider: Decider, request: DecisionRequest, limit_s: float) -> object:
    limit = asyncio.timeout(limit_s)
    try:
        async with limit:
            return await decider.decide(request)
    except TimeoutError as error:
        if limit.expired():
            raise ModelTimeout(f"decider {decider.name!r} gave no answer within {limit_s:g} s") from error
        raise


def _checked(request: DecisionRequest, answer: object) -> AgentDecision | Refused:
    if not isinstance(answer, (AgentDecision, Mapping)):
        problem = f"not an AgentDecision: {type(answer).__name__}"
        return Refused(problem, told=problem)
    decision = check_decision(request.menu, answer)
    if not isinstance(decision, Invalid):
        return decision
    shown = answer if isinstance(answer, AgentDecision) else AgentDecision(action=_fit(str(answer.get("action")))[:60])
    problem = _fit(decision.why)
    return Refused(problem, shown, problem)


def _fit(text: str) -> str:
    return str(clean_text(text))[:MAX_PROBLEM_CHARS]
