"""What stands in a session's keys, written and read: the JSON for people with the snapshot in it, records, requests."""

from collections.abc import Iterable, Sequence

from pydantic import BaseModel
from pydantic_core import to_json

from ..protocol.log import LogRecord
from ..protocol.ports import Finished
from ..protocol.session import Session, session_json


class _Stored(BaseModel):
    """Of `agent_state:<id>`, what is read again."""

    snapshot: Session


def state_json(session: Session, allowed_actions: Sequence[str] | None) -> bytes:
    """`agent_state:<id>`: first what people look for, then the whole snapshot. None: not known before the next turn."""
    return b'{"current_state":%s,"allowed_actions":%s,"state_version":%d,"updated_at":%s,"snapshot":%s}' % (
        to_json(session.state),
        to_json(allowed_actions),
        session.state_version,
        to_json(session.updated_at),
        session_json(session),
    )


def session_of(state: bytes | str) -> Session:
    """The snapshot in it."""
    return _Stored.model_validate_json(state).snapshot


def record_lines(records: Iterable[LogRecord]) -> bytes:
    """One a line, as the scripts take them; JSON holds no line break."""
    return b"\n".join(b"%s %s %s" % (r.kind.encode(), r.prev.encode(), r.body) for r in records)


def records_of(*streams: Iterable[tuple[bytes, Sequence[bytes]]]) -> tuple[LogRecord, ...]:
    """The log out of the streams that it lies in. An entry `<n>-0`: the kind names the body, `prev` the hash before it."""
    return tuple(sorted((_record(*entry) for stream in streams for entry in stream), key=lambda record: record.n))


def _record(entry: bytes, fields: Sequence[bytes]) -> LogRecord:
    kind, body, _, prev = fields
    return LogRecord(int(entry.partition(b"-")[0]), kind.decode(), body, prev.decode())


def turn_value(done: Finished) -> str:
    """What `:turns` holds of an answered request."""
    return f"{done.reply_record or 0} {done.fingerprint}"


def finished(request_id: bytes, value: bytes) -> Finished:
    """The same read."""
    record, _, fingerprint = value.decode().partition(" ")
    return Finished(request_id.decode(), fingerprint, int(record) or None)
