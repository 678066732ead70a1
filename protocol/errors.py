"""Errors: one tree, blame first. Codes are stable; a message says what came, what was allowed and where, never user text.

Expected outcomes (a rejected proposal, a tool that is down, a busy session) are values or events, not exceptions.
"""

from .usage import Attempt


class MaitredError(Exception):
    """Root. `code` is stable and meant for programs; the text is meant for people."""

    code = "maitred_error"


class CallerError(MaitredError):
    """The caller gave something that cannot be used; nothing changed."""

    code = "caller_error"


class ModelError(MaitredError):
    """The model, or the way to it, failed. `attempts`: the calls that were made for it, for the books."""

    code = "model_error"

    def __init__(self, message: str, attempts: tuple[Attempt, ...] = ()) -> None:
        super().__init__(message)
        self.attempts = attempts


class ModelAnswerUnusable(ModelError):
    """The model answered, but not with one decision. The only failure that asking again with the error may mend."""

    code = "model_answer_unusable"


class ModelTimeout(ModelError):
    """No answer within the time."""

    code = "model_timeout"


class ModelFrozen(ModelError):
    """Not asked: it did not answer in time just now, and one probe at a time finds out whether it does again."""

    code = "model_frozen"


class ModelUnreachable(ModelError):
    """No connection, or it broke before the answer was complete."""

    code = "model_unreachable"


class ModelBusy(ModelError):
    """Too many requests (429), or a quota is used up."""

    code = "model_busy"

    def __init__(self, message: str, attempts: tuple[Attempt, ...] = (), *, retry_after_s: float | None = None) -> None:
        super().__init__(message, attempts)
        self.retry_after_s = retry_after_s


class ModelDown(ModelError):
    """The server failed (5xx), or answered with something that is no chat completion."""

    code = "model_down"


class ModelKeyRefused(ModelError):
    """No key, or one that the server does not take (401, 403)."""

    code = "model_key_refused"


class ModelUnknown(ModelError):
    """The server has no such model, or no chat completions at this address (404)."""

    code = "model_unknown"


class ModelRequestRefused(ModelError):
    """The server does not take the request as it is (400 and other 4xx)."""

    code = "model_request_refused"


class InternalError(MaitredError):
    """maitred or what it stands on failed."""

    code = "internal_error"


class BadRequest(CallerError, ValueError):
    """A message, id, payload or setting that does not fit its type."""

    code = "bad_request"


class FlowError(CallerError):
    """A flow definition with mistakes; `findings` lists all of them, not only the first."""

    code = "flow_error"

    def __init__(self, message: str, findings: tuple[object, ...] = ()) -> None:
        super().__init__(message)
        self.findings = findings


class WrongArguments(FlowError, ValueError):
    """A part of a flow was given what it does not take. `part`: its class; `faults`: (where in it, what is wrong)."""

    code = "wrong_arguments"

    def __init__(self, part: str, faults: tuple[tuple[str, str], ...]) -> None:
        lines = "\n".join(f"  {where}: {why}" if where else f"  {why}" for where, why in faults)
        super().__init__(f"{part}(...) was given\n{lines}")
        self.part = part
        self.faults = faults


class FlowMismatch(CallerError):
    """A live session belongs to another version of the flow than the one loaded."""

    code = "flow_mismatch"


class UnknownEvent(CallerError):
    """An outside event that the flow does not declare."""

    code = "unknown_event"


class UnknownSession(CallerError):
    """No session of that id."""

    code = "unknown_session"


class RequestConflict(CallerError):
    """The same request id came with other content."""

    code = "request_conflict"


class SessionBusy(CallerError):
    """Another turn of this session is running and did not end in time; try again after `retry_after_s`."""

    code = "session_busy"

    def __init__(self, message: str, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class LogBroken(InternalError):
    """A log that is not what was written: `record` is the first record (from 1) that does not fit."""

    code = "log_broken"

    def __init__(self, message: str, record: int) -> None:
        super().__init__(message)
        self.record = record


class StoreUnavailable(InternalError):
    """The store cannot be read or written: locked, full, read-only, not a database, or from a newer version."""

    code = "store_unavailable"


class Stopped(InternalError):
    """The customer asked to stop before this write, which would have gone on; nothing of it was kept."""

    code = "stopped"


class Fenced(InternalError):
    """This worker's lease was taken over; its writes are refused and nothing of them was kept."""

    code = "fenced"
