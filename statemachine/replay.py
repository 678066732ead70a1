"""replay: walk a session's log again. Who moved it and why; whether the chain holds; whether the fold equals the snapshot."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..protocol.errors import LogBroken
from ..protocol.log import LogRecord, Message
from ..protocol.messages import StateEvent
from ..protocol.session import Session
from .flow import Flow
from .fold import fold, read_record


@dataclass(frozen=True, slots=True)
class Replay:
    """`messages`: the log up to the first damage. `problem`: what is wrong, None if all is well; `record`: where (from 1).

    `equal`: the fold of the log equals the stored snapshot byte for byte.
    """

    session_id: str
    messages: tuple[Message, ...]
    records: int
    equal: bool
    problem: str | None = None
    record: int | None = None

    @property
    def moves(self) -> tuple[StateEvent, ...]:
        return tuple(message for message in self.messages if isinstance(message, StateEvent))


def replay(flow: Flow, session_id: str, records: Sequence[LogRecord], snapshot: Session) -> Replay:
    """Check a log against the flow and the snapshot. Never raises for a damaged log: the damage is the finding."""
    if snapshot.fingerprint != flow.fingerprint:
        problem = (
            f"the session belongs to flow {snapshot.flow!r} version {snapshot.flow_version!r} ({snapshot.fingerprint[:8]}); "
            f"loaded is {flow.name!r} version {flow.version!r} ({flow.fingerprint[:8]})"
        )
        return Replay(session_id, (), len(records), equal=False, problem=problem)
    messages: list[Message] = []
    try:
        messages.extend(read_record(record) for record in records)
        folded = fold(flow, session_id, records, snapshot.head, snapshot.records)
    except LogBroken as error:
        sound = tuple(messages[: error.record - 1])
        return Replay(session_id, sound, len(records), equal=False, problem=str(error), record=error.record)
    if folded.model_dump_json() == snapshot.model_dump_json():
        return Replay(session_id, tuple(messages), len(records), equal=True)
    names = [name for name in Session.model_fields if getattr(folded, name) != getattr(snapshot, name)]
    problem = f"the snapshot differs from what the log says, in: {', '.join(names)}"
    return Replay(session_id, tuple(messages), len(records), equal=False, problem=problem)
