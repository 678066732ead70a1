"""Session files: whole sessions as JSON lines, to move them between stores or to hand them to whom they are about.

One line heads each session (snapshot, deadline, answered requests), then one line per log record. What is read is checked before
it is used: the shapes, the hash chain, and its end in the snapshot; whether the log also makes this snapshot, only a replay under
the flow can say. Called by `cli/sessions_command.py`.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from ..protocol.errors import BadRequest, LogBroken
from ..protocol.ids import check_id
from ..protocol.log import LogRecord, verify_chain
from ..protocol.messages import explain, parse_message
from ..protocol.ports import Dossier, Finished
from ..protocol.session import Session

VERSION = 1
T = TypeVar("T", bound=BaseModel)


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")

    request_id: str
    fingerprint: str
    reply_record: int | None = Field(default=None, ge=1)


class _Head(BaseModel):
    """The line that a session begins with. `records`: how many lines of the log follow."""

    model_config = ConfigDict(extra="forbid")

    maitred_session: int
    session: Session
    due_at: AwareDatetime | None = None
    requests: list[_Request] = []
    late: list[str] = []
    records: int = Field(ge=0)


class _Line(BaseModel):
    """A record. `body` is a string, because its very bytes are hashed."""

    model_config = ConfigDict(extra="forbid")

    n: int
    kind: str
    prev: str
    body: str


def lines_of(dossier: Dossier) -> Iterator[str]:
    """The session as lines, without their ends."""
    yield json.dumps(
        {
            "maitred_session": VERSION,
            "session": dossier.session.model_dump(mode="json", exclude_defaults=True),
            "due_at": _iso(dossier.due_at),
            "requests": [
                {"request_id": r.request_id, "fingerprint": r.fingerprint, "reply_record": r.reply_record}
                for r in dossier.requests
            ],
            "late": [result.decode() for result in dossier.late],
            "records": len(dossier.records),
        },
        ensure_ascii=False,
    )
    for record in dossier.records:
        line = {"n": record.n, "kind": record.kind, "prev": record.prev, "body": record.body.decode()}
        yield json.dumps(line, ensure_ascii=False)


def _iso(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def dossiers_of(lines: Iterable[str], source: str) -> Iterator[Dossier]:
    """The sessions in the lines, each checked. Raises BadRequest that names `source` and line."""
    names: set[str] = set()
    numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    for number, line in numbered:
        where = f"{source}:{number}"
        head = _parsed(_Head, line, where)
        if head.maitred_session != VERSION:
            raise BadRequest(f"{where}: session file of version {head.maitred_session}; this maitred reads {VERSION}")
        records: list[LogRecord] = []
        for _ in range(head.records):
            following = next(numbered, None)
            if following is None:
                raise BadRequest(f"{where}: {head.records} records announced, {len(records)} there: the file was cut")
            row = _parsed(_Line, following[1], f"{source}:{following[0]}")
            records.append(LogRecord(row.n, row.kind, row.body.encode(), row.prev))
        if head.session.session_id in names:
            raise BadRequest(f"{where}: session {head.session.session_id!r} is there twice")
        names.add(head.session.session_id)
        yield _whole(head, tuple(records), where)


def _whole(head: _Head, records: tuple[LogRecord, ...], where: str) -> Dossier:
    session = head.session
    try:
        verify_chain(records, session.head, session.records)
    except LogBroken as error:
        raise BadRequest(f"{where}: session {session.session_id!r}: {error}") from error
    _check_owner(head, records, where)
    replies = {record.n for record in records if record.kind == "agent_response"}
    if any(r.reply_record is not None and r.reply_record not in replies for r in head.requests):
        raise BadRequest(
            f"{where}: session {session.session_id!r}: an answered request names a record that is no reply"
        )
    requests = tuple(Finished(r.request_id, r.fingerprint, r.reply_record) for r in head.requests)
    return Dossier(session, records, requests, head.due_at, tuple(result.encode() for result in head.late))


def _check_owner(head: _Head, records: Sequence[LogRecord], where: str) -> None:
    """A log under another session's name would be another customer's past."""
    name = head.session.session_id
    try:
        check_id(name, "session_id")
        owners = {parse_message(record.body).session_id for record in records}
        owners |= {parse_message(result).session_id for result in head.late}
    except BadRequest as error:
        raise BadRequest(f"{where}: {error}") from error
    if owners - {name}:
        raise BadRequest(f"{where}: the log of session {name!r} holds messages of another")
    asked = [request.request_id for request in head.requests]
    if len(set(asked)) < len(asked):
        raise BadRequest(f"{where}: session {name!r}: a request is there twice")


def _parsed(kind: type[T], line: str, where: str) -> T:
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        raise BadRequest(f"{where}: no line of a session file: {explain(error)}") from error
