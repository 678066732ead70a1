"""Account: all that is known of one session when the dust has settled. What was sent, read and done, and what the store holds.

Shapes only. Collected by `site.py`, judged by `audit.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from ...protocol.log import LogRecord
from ...protocol.session import Session
from ...statemachine.flow import Flow
from .ledger import Effect, Reply


class Send(NamedTuple):
    """A message: its first word is a scene. `message` is `customer-n`: each customer sends one after the other."""

    session: str
    message: str
    text: str

    @property
    def scene(self) -> str:
        return self.text.split()[0]

    @property
    def customer(self) -> str:
        return self.message.rpartition("-")[0]


class Promise(Enum):
    """What must hold. ALL: the four promises. CALM: also that every call went well, for no worker died or slept.

    OLDER: power was lost while commits were not synced. What is left must be whole and go on; replies may be lost, and an
    intent may be, so a tool that is not idempotent may be called again for it.
    """

    ALL = "all"
    CALM = "calm"
    OLDER = "older"


@dataclass(frozen=True, slots=True)
class Account:
    """`sent`: in the order of sending, per customer, all of them answered in the end. `records`, `snapshot`: from the store."""

    flow: Flow
    session: str
    sent: Sequence[Send]
    replies: Sequence[Reply]
    effects: Sequence[Effect]
    records: Sequence[LogRecord]
    snapshot: Session | None
    promise: Promise = Promise.ALL
