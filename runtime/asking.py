"""Asking: the question goes to the decider, and whatever comes back becomes a legal decision or a problem in words.

A decider may be anything (a model behind a network, a user's function), so nothing it does or returns gets past here. Called by
the turn; what a decision must be is `decision/check_decision.py`'s.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from ..decision.check_decision import Invalid, check_decision
from ..protocol.decision import AgentDecision, DecisionRequest
from ..protocol.messages import clean_text
from ..protocol.ports import Decider

logger = logging.getLogger("maitred.turn")

MAX_PROBLEM_CHARS = 300


@dataclass(frozen=True, slots=True)
class Refused:
    """`problem`: why, fit for a re-ask and for the log; `shown`: what came, for consoles, if something came."""

    problem: str
    shown: AgentDecision | None = None


async def ask(decider: Decider, request: DecisionRequest) -> AgentDecision | Refused:
    """The decider's decision if it is legal under the request's menu."""
    try:
        answer: object = await decider.decide(request)
        return _checked(request, answer)
    except Exception as error:  # noqa: BLE001  # whatever a decider does, the customer gets a sentence
        logger.warning("decider %s failed in session %s: %r", decider.name, request.session_id, error)
        return Refused(_fit(f"the decider failed: {type(error).__name__}: {error}"))


def _checked(request: DecisionRequest, answer: object) -> AgentDecision | Refused:
    if not isinstance(answer, (AgentDecision, Mapping)):
        return Refused(f"not an AgentDecision: {type(answer).__name__}")
    decision = check_decision(request.menu, answer)
    if not isinstance(decision, Invalid):
        return decision
    shown = answer if isinstance(answer, AgentDecision) else AgentDecision(action=_fit(str(answer.get("action")))[:60])
    return Refused(_fit(decision.why), shown)


def _fit(text: str) -> str:
    return str(clean_text(text))[:MAX_PROBLEM_CHARS]
