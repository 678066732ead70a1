"""Failures: what an exception of openai means, as one of our errors, and which of them may pass with a second try.

Pure. `telling`: the server's words are quoted, without the key; only at the start, when no customer has spoken yet. Called by
`server.py`.
"""

from collections.abc import Mapping

import openai

from ...protocol.errors import (
    ModelAnswerUnusable,
    ModelBusy,
    ModelDown,
    ModelError,
    ModelKeyRefused,
    ModelRequestRefused,
    ModelUnknown,
    ModelUnreachable,
)
from ...protocol.messages import clean_text
from .bounded import TooLargeError

LONGEST_PAUSE_S = 2.0
"""A server that wants us to wait longer than this is not asked again in this turn."""
MAX_QUOTED_CHARS = 200

_BY_STATUS: Mapping[int, tuple[type[ModelError], str]] = {
    401: (ModelKeyRefused, ": the key is missing or not accepted"),
    403: (ModelKeyRefused, ": the key is missing or not accepted"),
    404: (ModelUnknown, ": no model {model!r}, or no /chat/completions at this address"),
    408: (ModelDown, ""),
    429: (ModelBusy, ": too many requests, or the quota is used up"),
}
_OTHER_4XX = (ModelRequestRefused, ": it does not take the request")
_OTHER_5XX = (ModelDown, "")


def meaning(error: openai.OpenAIError, where: str, model: str, key: str | None, *, telling: bool) -> ModelError:
    """`where`: the server, for people."""
    if isinstance(error, TooLargeError):
        return ModelAnswerUnusable(f"no decision: {error}")
    if not isinstance(error, openai.APIStatusError):
        cause = error.__cause__ or error
        return ModelUnreachable(f"{where}: {type(cause).__name__}{_quoted(cause, key) if telling else ''}")
    status = error.status_code
    kind, what = _BY_STATUS.get(status) or (_OTHER_5XX if status >= 500 else _OTHER_4XX)
    said = error.body.get("message") if isinstance(error.body, dict) else None
    failure = kind(f"{where} answered {status}{what.format(model=model)}{_quoted(said, key) if telling else ''}")
    if isinstance(failure, ModelBusy):
        failure.retry_after_s = _pause_asked(error)
    return failure


def may_pass(error: BaseException) -> bool:
    """Whether it is worth a second try within this turn."""
    if isinstance(error, ModelBusy):
        return (error.retry_after_s or 0.0) <= LONGEST_PAUSE_S
    return isinstance(error, (ModelUnreachable, ModelDown))


def _quoted(said: object, key: str | None) -> str:
    """In one line of plain characters. The key goes before the cut, which could leave the half of it."""
    words = " ".join(str(clean_text(str(said or ""))).split())
    if key:
        words = words.replace(key, "***")
    return f" ({words[:MAX_QUOTED_CHARS]})" if words else ""


def _pause_asked(error: openai.APIStatusError) -> float | None:
    """Seconds of a Retry-After; a date in it counts as long."""
    asked = error.response.headers.get("retry-after")
    if asked is None:
        return None
    try:
        return max(0.0, float(asked))
    except ValueError:
        return LONGEST_PAUSE_S + 1
