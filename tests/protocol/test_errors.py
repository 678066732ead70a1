"""Errors: one tree, stable codes."""

import pytest

from maitred.protocol import errors
from maitred.protocol.errors import CallerError, InternalError, MaitredError, ModelError

CODES = {
    "MaitredError": "maitred_error",
    "CallerError": "caller_error",
    "ModelError": "model_error",
    "ModelAnswerUnusable": "model_answer_unusable",
    "ModelTimeout": "model_timeout",
    "ModelUnreachable": "model_unreachable",
    "ModelBusy": "model_busy",
    "ModelDown": "model_down",
    "ModelFrozen": "model_frozen",
    "ModelKeyRefused": "model_key_refused",
    "ModelUnknown": "model_unknown",
    "ModelRequestRefused": "model_request_refused",
    "InternalError": "internal_error",
    "BadRequest": "bad_request",
    "FlowError": "flow_error",
    "WrongArguments": "wrong_arguments",
    "FlowMismatch": "flow_mismatch",
    "UnknownEvent": "unknown_event",
    "UnknownSession": "unknown_session",
    "RequestConflict": "request_conflict",
    "SessionBusy": "session_busy",
    "LogBroken": "log_broken",
    "StoreUnavailable": "store_unavailable",
    "Fenced": "fenced",
    "Stopped": "stopped",
}
KINDS = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, MaitredError)}


def test_codes_are_stable_and_unique() -> None:
    """Programs of others read them: a new error is added here, an old one is never renamed."""
    assert {name: kind.code for name, kind in KINDS.items()} == CODES
    assert len(set(CODES.values())) == len(CODES)


@pytest.mark.parametrize("name", sorted(CODES))
def test_each_error_says_whose_fault_it_is(name: str) -> None:
    """Caller, model or internal; nothing stands beside them."""
    kind = KINDS[name]
    blamed = [root for root in (CallerError, ModelError, InternalError) if issubclass(kind, root)]
    assert len(blamed) == (0 if kind is MaitredError else 1)
