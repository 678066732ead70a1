"""Opening a turn: the request on record, a new episode where none is open, language and background where they changed."""

from pydantic import JsonValue

from ..fallback.language import first_language, language_note
from ..protocol.messages import MAX_META_KEYS, Actor, UserRequest
from ..protocol.trusted import changed
from ..statemachine.flow import ENDED, Flow
from .draft import Draft


def open_turn(flow: Flow, draft: Draft, request: UserRequest) -> None:
    """Put the request on record and the session into a state to hear it."""
    draft.note(_logged(flow, draft, request))
    session, meta = draft.session, dict[str, JsonValue](request.meta or {})
    if not session.episode or session.state in ENDED:
        lang = first_language(request.text, meta, session.lang)
        draft.propose("start", Actor.SYSTEM, {"lang": lang, **({"meta": meta} if meta else {})})
    else:
        _note_changes(draft, request, meta)
    draft.keep()


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
