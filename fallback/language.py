"""Which language does the session speak? `meta.lang`, else the script of the first message; two messages in a row switch it."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from ..protocol.normalize import script_of
from ..protocol.session import Session
from ..protocol.texts import LANGS, Lang

SWITCH_AFTER = 2


@dataclass(frozen=True, slots=True)
class LanguageNote:
    """Language from now on, and how many messages in a row were in the other one."""

    lang: Lang
    doubt: int


def first_language(text: str, meta: Mapping[str, JsonValue], default: Lang = "en") -> Lang:
    """Language of a new session."""
    return _declared(meta) or script_of(text) or default


def language_note(session: Session, text: str, meta: Mapping[str, JsonValue]) -> LanguageNote | None:
    """What this message changes about the language; None if nothing."""
    declared = _declared(meta)
    if declared:
        return LanguageNote(declared, 0) if declared != session.lang else None
    script = script_of(text)
    if script is None or script == session.lang:
        return LanguageNote(session.lang, 0) if session.lang_doubt and script else None
    if session.lang_doubt + 1 >= SWITCH_AFTER:
        return LanguageNote(script, 0)
    return LanguageNote(session.lang, session.lang_doubt + 1)


def _declared(meta: Mapping[str, JsonValue]) -> Lang | None:
    named = meta.get("lang")
    if not isinstance(named, str):
        return None
    short = named.lower().split("-")[0].split("_")[0]
    return next((lang for lang in LANGS if lang == short), None)
