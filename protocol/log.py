"""The log's chain: each record holds the hash of the one before, so a changed, missing or swapped record is found and named.

Pure; storing is the store's work, writing the turn's, checking `statemachine/replay.py`'s.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from .errors import LogBroken
from .messages import AgentResponse, StateEvent, ToolCall, UserRequest

Message = UserRequest | AgentResponse | ToolCall | StateEvent
_DUMPS = {kind: TypeAdapter(kind).dump_json for kind in (UserRequest, AgentResponse, ToolCall, StateEvent)}


@dataclass(frozen=True, slots=True)
class LogRecord:
    """Record `n` (from 1) of a session: `kind` is the msg_type, `body` the message as stored, `prev` the hash before it."""

    n: int
    kind: str
    body: bytes
    prev: str


def record_hash(record: LogRecord) -> str:
    """Hex SHA-256 over the previous hash, the number and the body."""
    return hashlib.sha256(b"%s\n%d\n%s" % (record.prev.encode(), record.n, record.body)).hexdigest()


def chain(messages: Iterable[Message], n: int, head: str) -> tuple[tuple[LogRecord, ...], str]:
    """Records for `messages` behind a log of `n` records with head hash `head`; returns them and the new head."""
    records = []
    for message in messages:
        n += 1
        body = _DUMPS[type(message)](message, exclude_defaults=True, exclude_none=True)
        record = LogRecord(n, message.msg_type, _with_type(body, message.msg_type), head)
        head = record_hash(record)
        records.append(record)
    return tuple(records), head


def _with_type(body: bytes, msg_type: str) -> bytes:
    """Put the discriminator first: exclude_defaults drops it, and a reader of raw lines wants it in front."""
    return b'{"msg_type":"%s",%s' % (msg_type.encode(), body[1:])


def verify_chain(records: Sequence[LogRecord], head: str | None = None, length: int | None = None) -> str:
    """Check numbers, kinds and hashes; returns the head hash. Raises LogBroken that names the first record that does not fit.

    `head`, `length`: the snapshot's. Without them a change of the last record, or the loss of it, cannot be seen.
    """
    before = ""
    for expected, record in enumerate(records, start=1):
        if record.n != expected:
            raise LogBroken(f"record {expected} is missing: record {record.n} stands in its place", expected)
        if record.prev != before:
            raise _broken_at(records, expected, head)
        if not record.body.startswith(b'{"msg_type":"%s"' % record.kind.encode()):
            raise LogBroken(f"record {expected} is not the {record.kind} that it is filed as", expected)
        before = record_hash(record)
    if head is not None and before != head:
        raise _wrong_end(len(records), length)
    return before


def _wrong_end(last: int, length: int | None) -> LogBroken:
    """Every record follows from the one before, but the last is not the one that the snapshot ends with."""
    if length is not None and last < length:
        return LogBroken(f"record {last + 1} is missing: the log ends before it, the snapshot has {length}", last + 1)
    if length is not None and last > length:
        return LogBroken(f"record {length + 1} was added: the snapshot has {length}", length + 1)
    if not last:
        return LogBroken("the log is empty, but the snapshot has a head hash", 1)
    return LogBroken(
        f"record {last} does not have the snapshot's head hash: it was changed, or records after it are missing", last
    )


def _broken_at(records: Sequence[LogRecord], n: int, head: str | None) -> LogBroken:
    """Whose fault is it that record n does not follow from n-1? If n+1 still follows from n, then n is whole and n-1 is not."""
    follower = records[n].prev if n < len(records) else head
    if n > 1 and follower == record_hash(records[n - 1]):
        return LogBroken(f"record {n - 1} was changed: record {n} holds another hash of it", n - 1)
    return LogBroken(f"record {n} was changed or moved: it does not follow from record {n - 1}", n)
