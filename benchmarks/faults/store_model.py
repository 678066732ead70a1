"""StoreModel: what a store promises, over a plain dict. Every step says what must come of it; nothing is read from a store.

Pure: the time comes in. Asked by `store_machine.py` beside a real store. Histories are the contract tests' matter.
"""

from dataclasses import dataclass, field, replace

from ...protocol.log import LogRecord
from ...protocol.ports import Append, BeginOutcome, Begun, Busy, Conflict, Lease, Replay, Stage
from ...protocol.session import Session
from ...store.fences import first_fence


@dataclass
class _Turn:
    fingerprint: str
    body: bytes
    attempts: int = 1
    stage: Stage = Stage.NEW
    reply: bytes | None = None


@dataclass
class Held:
    """One session."""

    fence: int = 0
    until: float = 0.0
    running: str | None = None
    session: Session | None = None
    log: tuple[LogRecord, ...] = ()
    turns: dict[str, _Turn] = field(default_factory=dict)


class StoreModel:
    """`lease_s`: as the store's."""

    def __init__(self, lease_s: float) -> None:
        self._lease_s = lease_s
        self.held: dict[str, Held] = {}

    def begin(self, session: str, request: str, fingerprint: str, body: bytes, now: float) -> BeginOutcome:
        held = self.held.setdefault(session, Held())
        turn = held.turns.get(request)
        if turn and turn.fingerprint != fingerprint:
            return Conflict()
        if turn and turn.reply is not None:
            return Replay(turn.reply)
        if held.until > now:
            return Busy(held.until - now)
        held.fence = held.fence + 1 if held.fence else first_fence(now)
        held.until = now + self._lease_s
        held.running = held.running or request
        if held.running in held.turns:
            held.turns[held.running].attempts += 1
        else:
            held.turns[request] = _Turn(fingerprint, body)
        turn = held.turns[held.running]
        lease = Lease(session, held.running, held.fence)
        return Begun(lease, turn.body, held.session, attempt=turn.attempts, stage=turn.stage)

    def owns(self, lease: Lease) -> bool:
        """Whether a lease is the one that counts, run out or not."""
        held = self.held[lease.session_id]
        return (held.fence, held.running) == (lease.fence, lease.request_id)

    def append(self, write: Append, now: float) -> bool:
        """Whether it is taken; if not nothing of it is."""
        held = self.held[write.lease.session_id]
        if not self.owns(write.lease) or write.after_event_seq != (held.session.event_seq if held.session else 0):
            return False
        held.session, held.log = write.session, held.log + write.records
        turn = held.turns[write.lease.request_id]
        if write.final:
            held.running, held.until = None, 0.0
            turn.reply = held.log[write.reply_record - 1].body if write.reply_record else b""
        else:
            held.until, turn.stage = now + self._lease_s, write.stage
        return True

    def renew(self, lease: Lease, now: float) -> bool:
        if not self.owns(lease):
            return False
        self.held[lease.session_id].until = now + self._lease_s
        return True

    def release(self, lease: Lease, *, untried: bool) -> None:
        if not self.owns(lease):
            return
        held = self.held[lease.session_id]
        held.until = 0.0
        turn = held.turns[lease.request_id]
        turn.attempts -= untried
        if not turn.attempts:
            del held.turns[lease.request_id]
            held.running = None


def without_history(outcome: BeginOutcome) -> BeginOutcome:
    return replace(outcome, history=()) if isinstance(outcome, Begun) else outcome
