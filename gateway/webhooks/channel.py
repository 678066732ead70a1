"""Channel: the port to a customer-service inbox or messenger. One class each; docs/webhooks.md shows how to write one.

A channel verifies and reads what comes, and sends what goes. It keeps nothing: order, repeats, retries and who may speak are
the business of `boxes.py`, `inbox.py` and `outbox.py`. Where it sends to comes from its settings, never from a message.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...protocol.errors import CallerError
from .posting import Posting
from .words import Control, Entry, Letter, Place


class Refused(CallerError):
    """A call that is not answered with 2xx. `status`: 401 if it is not from the channel, 400 if it cannot be read."""

    code = "webhook_refused"

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Call:
    """A request as it came. `headers`: names in small letters. `now`: seconds since the epoch."""

    method: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    now: float


@dataclass(frozen=True, slots=True)
class Heard:
    """What a verified call says. `answer`: what the channel wants to read, as plain text."""

    entries: tuple[tuple[Place, Entry], ...] = ()
    answer: str = ""


@dataclass(frozen=True)
class Channel(ABC):
    """`name`: its webhook's. The fields of a subclass are its settings. `max_bytes`: of one message; longer words are parted."""

    name: str
    max_bytes: ClassVar[int] = 100_000

    @abstractmethod
    def hear(self, call: Call) -> Heard:
        """Verify the raw bytes, then read them. Raises Refused, or pydantic's error where something does not fit."""

    @abstractmethod
    async def say(self, posting: Posting, place: Place, letter: Letter, *, again: bool) -> None:
        """Send words. `letter.key`: hand it over if the channel can know a repeat by it. `again`: an earlier attempt may have
        arrived. Raises Unsent."""

    async def hand_off(self, posting: Posting, place: Place, letter: Letter) -> None:
        """Let humans know that the conversation is theirs. Raises Unsent. May be called again."""
        return

    async def control(self, posting: Posting, place: Place) -> Control | None:
        """Who has the conversation now, just before words are sent; None if the channel cannot be asked."""
        return None
