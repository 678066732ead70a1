"""Lines of the log: one record one line, and nothing in it that a customer wrote."""

import io
import json
import logging
from collections.abc import Callable
from typing import Literal

import pytest

from maitred.observability.log import FIELDS, LineFormatter
from maitred.observability.redaction import Marks
from maitred.protocol.errors import StoreUnavailable

Lines = Callable[[], list[str]]


def logger_to(style: Literal["text", "json"], stream: io.StringIO) -> logging.Logger:
    logger = logging.Logger("maitred.test")  # noqa: LOG001  # of this test alone
    handler = logging.StreamHandler(stream)
    handler.setFormatter(LineFormatter(style, Marks(b"key", ["tea"])))
    logger.addHandler(handler)
    return logger


@pytest.fixture(params=["text", "json"])
def logged(request: pytest.FixtureRequest) -> tuple[logging.Logger, Lines]:
    stream = io.StringIO()
    return logger_to(request.param, stream), lambda: stream.getvalue().splitlines()


def test_nobody_forges_a_line(logged: tuple[logging.Logger, Lines]):
    """A message with line ends and terminal colours stays one plain line."""
    logger, lines = logged
    logger.warning("came: %s", "x\r\n2026-12-01 INFO maitred: all is well\x1b[2K\u2028")
    (line,) = lines()
    assert line.isprintable()


def test_an_exceptions_own_words_are_left_out(logged: tuple[logging.Logger, Lines]):
    """Of foreign code; its kind and where it was raised are there. Ours say what they say."""
    logger, lines = logged
    try:
        try:
            raise ValueError("my card is 1, says Ann")
        except ValueError as error:
            raise StoreUnavailable("the disk is full") from error
    except StoreUnavailable:
        logger.exception("it failed")
    said = "\n".join(lines())
    assert "Ann" not in said
    assert "builtins.ValueError (its message is not logged)" in said
    assert "StoreUnavailable: the disk is full" in said
    assert said.count("test_log.py") == 2


def test_a_message_that_does_not_fit_its_arguments_is_told_without_them(logged: tuple[logging.Logger, Lines]):
    """logging itself would print the arguments to stderr."""
    logger, lines = logged
    logger.warning("%d apples", "Ann's")
    (line,) = lines()
    assert "does not fit" in line
    assert "Ann" not in line


def test_json_has_the_fields_of_a_request():
    """Each under its name, redacted as well; none of them takes the place of the line's own."""
    stream = io.StringIO()
    fields = {"route": "/v1/x", "ms": 1.5, "tenant": "ann@shop.example", "level": "forged"}
    logger_to("json", stream).info("GET", extra={FIELDS: fields})
    line = json.loads(stream.getvalue())
    assert (line["route"], line["ms"], line["tenant"], line["level"]) == ("/v1/x", 1.5, "[email]", "INFO")
    assert line["time"].endswith("+00:00")


def test_a_trace_in_text_is_marked_as_such():
    """So its lines are told from those of the log."""
    stream = io.StringIO()
    try:
        raise RuntimeError("x")
    except RuntimeError:
        logger_to("text", stream).exception("it failed")
    first, *trace = stream.getvalue().splitlines()
    assert first.endswith("maitred.test: it failed")
    assert trace
    assert all(line.startswith("    | ") for line in trace)
