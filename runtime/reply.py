"""The reply: the words of a turn, checked before they leave. Which words it is says `statemachine/words.py`."""

from collections.abc import Iterable

from pydantic import JsonValue

from ..fallback.facts import unheld_fact
from ..fallback.links import foreign_link
from ..fallback.no_progress import stuck_level
from ..protocol.messages import Actor
from ..protocol.session import PendingConfirmation, Session
from ..statemachine.flow import Flow
from ..statemachine.words import asked_now, choices, words_after
from .draft import Draft
from .occurrence import Occurrence


def words_of(flow: Flow, draft: Draft, spoken: str) -> str | None:
    """What the customer is to read, so far; None if only the decider could say."""
    return words_after(flow, draft.session, draft.events, spoken)


def final_words(flow: Flow, draft: Draft, spoken: str, *, unread: bool = False, left: str = "") -> str:
    """The reply to a message: never empty, never with a fact that the session does not hold, or a decider's link to elsewhere.

    `unread`: the message had text and something beside it that is not text; the reply says that only the text was read.
    `left`: words that the customer has read already; the reply begins with them, even if what followed is replaced.
    """
    spoken = _without_foreign_links(flow, draft, spoken)
    text = words_of(flow, draft, spoken) or spoken or asked_now(flow, draft.session) or choices(flow, draft.session)
    text = _with_held_facts(flow, draft, text)
    if stuck_level(draft.session, flow.limits) == 1 and draft.session.pending is None:
        text = f"{text}\n{choices(flow, draft.session)}"
    if not text.startswith(left):
        text = f"{left}\n{text}"
    return f"{flow.sentence('attachment', draft.session.lang)}\n{text}" if unread else text


def with_missed(text: str, missed: Iterable[str]) -> str:
    """A reply behind words that the customer could not be shown before: what a payment or a deadline gave them to read."""
    return "\n".join((*(words for words in dict.fromkeys(missed) if words not in text), text))


def _without_foreign_links(flow: Flow, draft: Draft, spoken: str) -> str:
    """The decider's words; none if they lead to where the flow does not."""
    if not spoken or foreign_link(spoken, flow.links, _brought(flow, draft.session)) is None:
        return spoken
    draft.propose("replace_reply", Actor.GUARD, {"fact": "link"}, "shows a link that neither the flow nor a tool gave")
    return ""


def _with_held_facts(flow: Flow, draft: Draft, text: str) -> str:
    """The text, or if it shows a fact that the session does not hold, code's own words, or the menu if these show it, too."""
    fact = _leak(flow, draft.session, text)
    if not fact:
        return text
    draft.propose("replace_reply", Actor.GUARD, {"fact": fact}, "shows a fact that the session does not hold")
    own = words_of(flow, draft, "")
    if own and not _leak(flow, draft.session, own):
        return own
    if isinstance(
        draft.session.pending, PendingConfirmation
    ):  # not shown, it is not asked: a yes would be one to nothing
        draft.propose("decline", Actor.GUARD, {}, "its question cannot be shown")
    return choices(flow, draft.session)


def _leak(flow: Flow, session: Session, text: str) -> str | None:
    """A declared fact in the text that only customers or deciders said (slots, meta), not tools or the outside."""
    if not flow.facts:
        return None
    names = _names_of_brought(flow)
    said = [value for name, value in session.data.items() if name not in names]
    return unheld_fact(text, flow.facts, _brought(flow, session), [*said, *session.meta.values()])


def _brought(flow: Flow, session: Session) -> list[JsonValue]:
    """What tools and the outside gave."""
    names = _names_of_brought(flow)
    return [value for name, value in session.data.items() if name in names]


def _names_of_brought(flow: Flow) -> set[str]:
    return {*(tool.spec.data_name for tool in flow.tools.values()), *flow.outside}


def words_after_occurrence(flow: Flow, draft: Draft, occurrence: Occurrence) -> str | None:
    """What an outside event, a deadline or a human's return gives the customer to read; None for an expiry."""
    text = words_of(flow, draft, "") if occurrence.kind != "expiry" else None
    return _with_held_facts(flow, draft, text) if text else None
