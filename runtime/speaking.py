"""Speaking: which of a decider's words reach the customer before the turn is committed, while they are still being written.

Only words that change nothing: the action `answer`, in a turn that moves nothing by it and called nothing. That is found out by a
rehearsal: the turn is tried on a copy of the draft with the words so far, and they may leave if the reply would begin with them.
So every rule that chooses or replaces words (a pending question, the facts, being stuck) holds for them as well. Where the flow
declares facts, only whole sentences leave, each checked together with all before it, for half a fact cannot be judged.
What has left stands: the reply that is committed begins with it, whatever becomes of the rest. Called by the turn.
"""

import re
from collections.abc import Callable
from datetime import date

from ..decision.check_decision import MAX_REPLY_CHARS
from ..fallback.no_progress import stuck_level
from ..protocol.decision import AgentDecision, DecisionRequest
from ..protocol.messages import Actor, clean_text
from ..protocol.session import PendingConfirmation
from ..protocol.turn_events import Spoken
from ..protocol.visible import is_visible
from ..statemachine.flow import Flow
from .asking import Refused
from .draft import Draft
from .hearing import heard
from .reply import final_words

_SENTENCE = re.compile(r"[。！？!?\n]|\.(?=\s)")


class Speaker:
    """Listens to one question's answer. `asks_again`: the pending question follows once more. `spoken`: what has left."""

    def __init__(
        self,
        flow: Flow,
        draft: Draft,
        request: DecisionRequest,
        today: date,
        emit: Callable[[Spoken], None],
        asks_again: bool,
    ) -> None:
        self._flow, self._draft, self._request, self._today, self._emit = flow, draft, request, today, emit
        self._asks_again = asks_again
        self._rehearsal: Draft | None = None
        self._silent = any("call_id" in event.payload for event in draft.events)
        self.spoken = ""

    def __call__(self, decision: AgentDecision) -> None:
        """Let out what may leave."""
        words = self._sayable(decision.reply_text)
        if self._silent or len(words) <= len(self.spoken):
            return
        rehearsal = self._rehearsal = self._rehearsal or self._rehearse(decision)
        if rehearsal is None or not final_words(self._flow, rehearsal, words).startswith(words):
            self._silent = True
            return
        self._emit(Spoken(words[len(self.spoken) :]))
        self.spoken = words

    def end(self, result: AgentDecision | Refused) -> AgentDecision | Refused:
        """Nothing more is heard. What counts: the result, but if it does not go on from what has left, that, and a sentence."""
        self._silent = True
        if not self.spoken:
            return result
        if isinstance(result, AgentDecision) and result.action == "answer" and self._goes_on(result.reply_text):
            return result
        cut = self._flow.sentence("cut_off", self._request.lang)
        return AgentDecision(action="answer", reply_text=f"{self.spoken} {cut}")

    def _goes_on(self, words: str) -> bool:
        return words.strip().startswith(self.spoken)

    def _sayable(self, text: str) -> str:
        """The beginning of the reply that is certain, as it would be shown."""
        words = str(clean_text(text))[:MAX_REPLY_CHARS]
        if self._flow.facts:
            ends = [match.end() for match in _SENTENCE.finditer(words)]
            words = words[: ends[-1]] if ends else ""
        return words.strip() if is_visible(words) else ""

    def _rehearse(self, decision: AgentDecision) -> Draft | None:
        """The draft as it would be behind this decision; None if it would do more than speak."""
        if decision.action != "answer" or decision.parameters:
            return None
        if heard(decision, self._request, self._today).decision is not decision:
            return None
        tried = self._draft.copy()
        if tried.propose("answer", Actor.MODEL):
            return None
        if self._asks_again and isinstance(tried.session.pending, PendingConfirmation):
            tried.propose("ask_again", Actor.GUARD)
        moved = tried.session.state_version != self._draft.session.state_version
        return None if moved or tried.call or stuck_level(tried.session, self._flow.limits) == 2 else tried
