"""Opening a turn: the request on record, the session under the version that serves it, a new episode where none is open, language
and background where they changed.
"""

from pydantic import JsonValue

from ..fallback.language import first_language, language_note
from ..protocol.errors import InternalError
from ..protocol.messages import MAX_META_KEYS, Actor, UserRequest
from ..protocol.session import Session
from ..protocol.trusted import changed
from ..statemachine.flow import ENDED, Flow
from .draft import Draft


def open_turn(flow: Flow, draft: Draft, request: UserRequest) -> None:
    """Put the request on record and the session into a state to hear it."""
    draft.note(_logged(flow, draft, request))
    if is_older(flow, draft.session):
        change_version(draft)
    session, meta = draft.session, dict[str, JsonValue](request.meta or {})
    if not session.episode or session.state in ENDED:
        lang = first_language(request.text, meta, session.lang)
        draft.propose("start", Actor.SYSTEM, {"lang": lang, **({"meta": meta} if meta else {})})
    else:
        _note_changes(draft, request, meta)
    draft.keep()


def is_older(flow: Flow, session: Session) -> bool:
    """Whether the session is in the middle of another version of the flow that it is served under."""
    return session.fingerprint != flow.fingerprint and session.state not in ENDED


def change_version(draft: Draft, *, in_turn: bool = False) -> None:
    """Bring it under this one. What was said to the customer was said under the other, so nothing of the turn has moved yet.

    `in_turn`: an earlier worker made a part of the turn durable.
    """
    if problem := draft.propose("migrate", Actor.SYSTEM, {"in_turn": in_turn}):
        raise InternalError(f"the session was to be served by its migration: {problem.why}")
    draft.begin_here()


def _note_changes(draft: Draft, request: UserRequest, meta: dict[str, JsonValue]) -> None:
    known = {**draft.session.meta, **meta}
    if len(known) > MAX_META_KEYS:  # the newest counts; it has few enough by its type
        known = meta
    if known != draft.session.meta:
        draft.propose("note_meta", Actor.SYSTEM, known)
    note = language_note(draft.session, request.text, meta)
    if note:
        draft.propose("note_language", Actor.SYSTEM, {"lang": note.lang, "doubt": note.doubt})


def _logged(flow: Flow, draft: Draft, request: UserRequest) -> UserRequest:
    """The copy for the log: with the session's real version, and a text that is too long cut, with its length."""
    limit, text = flow.limits.text_chars, request.text
    if len(text) > limit:
        text = f"{text[:limit]}… [{len(text)} characters]"
    return changed(request, {"text": text, "state_version": draft.session.state_version})
