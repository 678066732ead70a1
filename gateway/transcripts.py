"""Transcripts: the index by which a conversation without a name is found again, and the marks that tell a resend from a message.

`Transcripts` is the port: one small database per store, shared by all workers. Points and keys are the hashes of `identity.py`;
no text is kept. `MemoryTranscripts` is its form for `:memory:`; `transcripts_sqlite.py` the durable one.
"""

from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Place:
    """A point of a transcript in a session: behind the reply to `message`."""

    session: str
    message: str


@dataclass(frozen=True, slots=True)
class Sent:
    """The last message that a named conversation sent without history: its text's hash, its id, how many came, and when the last
    was answered (None while it is not)."""

    print: str
    message: str
    count: int
    answered: float | None


class Transcripts(Protocol):
    """Raises StoreUnavailable when it cannot. `space` is (tenant, flow) in one word."""

    async def place(self, space: str, point: str) -> Place | None:
        """Where a transcript leads."""

    async def remember(self, space: str, point: str, place: Place, now: float) -> None:
        """The transcript through `point` leads there; whoever was first stays."""

    async def claim(self, session: str, point: str, key: str, now: float) -> str:
        """`key` wants to be the message that follows `point`; the one that is, which is another if that came first."""

    async def last_sent(self, session: str) -> Sent | None: ...

    async def note_sent(self, session: str, sent: Sent, before: Sent | None, now: float) -> bool:
        """Put `sent` in the place of `before`; False if something else stands there by now."""

    async def forget(self, before: float) -> None:
        """Drop what is older."""

    async def close(self) -> None: ...


@dataclass
class MemoryTranscripts:
    """The port in plain dictionaries."""

    _places: dict[tuple[str, str], tuple[Place, float]] = field(default_factory=dict)
    _claims: dict[tuple[str, str], tuple[str, float]] = field(default_factory=dict)
    _sent: dict[str, tuple[Sent, float]] = field(default_factory=dict)

    async def place(self, space: str, point: str) -> Place | None:
        found = self._places.get((space, point))
        return found[0] if found else None

    async def remember(self, space: str, point: str, place: Place, now: float) -> None:
        self._places.setdefault((space, point), (place, now))

    async def claim(self, session: str, point: str, key: str, now: float) -> str:
        return self._claims.setdefault((session, point), (key, now))[0]

    async def last_sent(self, session: str) -> Sent | None:
        found = self._sent.get(session)
        return found[0] if found else None

    async def note_sent(self, session: str, sent: Sent, before: Sent | None, now: float) -> bool:
        if await self.last_sent(session) != before:
            return False
        self._sent[session] = (sent, now)
        return True

    async def forget(self, before: float) -> None:
        self._places = {key: held for key, held in self._places.items() if held[1] >= before}
        self._claims = {key: held for key, held in self._claims.items() if held[1] >= before}
        self._sent = {key: held for key, held in self._sent.items() if held[1] >= before}

    async def close(self) -> None:
        pass
