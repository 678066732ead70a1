"""The reply: the words of a turn, checked before they leave. Which words it is says `statemachine/words.py`."""

from ..fallback.facts import unheld_fact
from ..fallback.no_progress import stuck_level
from ..protocol.messages import Actor
from ..protocol.session import Session
from ..statemachine.flow import Flow
from ..statemachine.words import asked_now, choices, words_after
from .draft import Draft
from .occurrence import Occurrence


def words_of(flow: Flow, draft: Draft, spoken: str) -> str | None:
    """What the customer is to read, so far; None if only the decider could say."""
    return words_after(flow, draft.session, draft.events, spoken)


def final_words(flow: Flow, draft: Draft, spoken: str, *, unread: bool = False) -> str:
    """The reply to a message: never empty, never with a fact that the session does not hold.

    `unread`: the message had text and something beside it that is not text; the reply says that only the text was read.
    """
    text = words_of(flow, draft, spoken) or spoken or asked_now(flow, draft.session) or choices(flow, draft.session)
    leaked = unheld_fact(text, flow.facts, _brought(flow, draft.session))
    if leaked:
        draft.propose("replace_reply", Actor.GUARD, {"fact": leaked}, "shows a fact that the session does not hold")
        text = words_of(flow, draft, "") or choices(flow, draft.session)
    if stuck_level(draft.session, flow.limits) == 1 and draft.session.pending is None:
        text = f"{text}\n{choices(flow, draft.session)}"
    return f"{flow.sentence('attachment', draft.session.lang)}\n{text}" if unread else text


def _brought(flow: Flow, session: Session) -> tuple[object, ...]:
    """What tools and the outside brought. What customers and deciders say (slots, meta) vouches for no fact."""
    names = {*(tool.spec.data_name for tool in flow.tools.values()), *flow.outside}
    return tuple(value for name, value in session.data.items() if name in names)


def words_after_occurrence(flow: Flow, draft: Draft, occurrence: Occurrence) -> str | None:
    """What an outside event or a deadline gives the customer to read; None if nothing came of it, or for an expiry."""
    return words_of(flow, draft, "") if draft.moved and occurrence.kind != "expiry" else None
