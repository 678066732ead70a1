"""Log: how lines of a log are written, as text or as JSON. Everything passes the redaction here, whoever logged it.

An exception is shown by its type and where it was raised. Its message is shown only if it is one of ours: those promise to hold
no customer's text, and those of foreign code (a tool's, a model server's) often quote it.
"""

import json
import logging
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal, TextIO

from ..protocol.traces import trace_of
from .redaction import Marks, one_line, without_secrets

Style = Literal["text", "json"]
FIELDS = "maitred_fields"
"""Attribute of a record (`extra={FIELDS: {...}}`) with the fields that JSON shows one by one."""


class LineFormatter(logging.Formatter):
    """One record, one line; in text the lines of a traceback follow, each marked as such."""

    def __init__(self, style: Style, marks: Marks) -> None:
        super().__init__()
        self._write = self._as_json if style == "json" else self._as_text
        self._marks = marks

    def format(self, record: logging.LogRecord) -> str:
        trace = list(trace_of(record.exc_info[1])) if record.exc_info and record.exc_info[1] else []
        return self._write(record, self._safe(_message(record)), [self._safe(line) for line in trace])

    def _safe(self, text: str) -> str:
        return one_line(without_secrets(self._marks.in_place_of_names(text)))

    def _as_text(self, record: logging.LogRecord, message: str, trace: list[str]) -> str:
        head = f"{_time(record)} {record.levelname} {one_line(record.name)}: {message}"
        return "\n".join([head, *(f"    | {line}" for line in trace)])

    def _as_json(self, record: logging.LogRecord, message: str, trace: list[str]) -> str:
        line: dict[str, object] = {
            "time": _time(record),
            "level": record.levelname,
            "logger": record.name,
            "message": message,
        }
        fields = getattr(record, FIELDS, None)
        if isinstance(fields, Mapping):
            shown = {name: self._safe(value) if isinstance(value, str) else value for name, value in fields.items()}
            line |= {name: value for name, value in shown.items() if name not in line}
        if trace:
            line["trace"] = trace
        return json.dumps(line, ensure_ascii=False)


def log_to(stream: TextIO, style: Style, level: str, marks: Marks) -> logging.Handler:
    """Write every logger's lines to `stream`, in place of what was set up before.

    `level` is ours alone: at a lower one the libraries below log what they send, and that is what customers wrote.
    """
    handler = logging.StreamHandler(stream)
    handler.setFormatter(LineFormatter(style, marks))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("maitred").setLevel(level.upper())
    logging.captureWarnings(True)
    sys.excepthook = _unhandled
    return handler


def _unhandled(kind: type[BaseException], error: BaseException, trace: object) -> None:
    logging.getLogger("maitred").critical("it ended with an error", exc_info=error)


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception:  # noqa: BLE001  # a wrong placeholder of some library's must not end in a traceback with the text in it
        return f"a message of {record.module}:{record.lineno} that does not fit its arguments"


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
