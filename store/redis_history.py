"""RedisHistory: what a worker remembers of its sessions, so that BEGIN brings only what is new; reads what it brought.

It comes as lines of JSON, newest first. Snapshot and texts: `recent.py`; what was done in older turns: `past_actions.py`.
"""

from collections.abc import Callable, Iterable, Iterator

from ..protocol.decision import Exchange
from ..protocol.history import NO_ACTION_TURNS, Row, joined, text_exchanges
from ..protocol.ports import Append
from ..protocol.session import Session
from .past_actions import PastActions
from .recent import Known, Recent

_FROM_CUSTOMER = b'{"msg_type":"user_request"'


class Incomplete(Exception):
    """What is remembered does not join on to what came: all of it is needed."""


class RedisHistory:
    """Of each session that this worker serves."""

    def __init__(self) -> None:
        self._past = PastActions(self._action_rows)
        self._recent = Recent(self._text_exchanges)
        self._actions: tuple[bytes, bool] = (b"", True)
        self._texts = b""

    def known(self, session_id: str) -> tuple[int, Known | None]:
        """Actions are known up to this record; and what is known of the session itself."""
        return self._past.known_until(session_id), self._recent.known(session_id)

    def read(self, session_id: str, state: bytes, texts: bytes, parse: Callable[[bytes], Session]) -> Known:
        """A session as it came."""
        self._texts = texts
        session = parse(state)
        return self._recent.read(session_id, session.head, lambda: session)

    def of(self, known: Known, actions: bytes, before: int, *, whole: bool) -> tuple[Exchange, ...]:
        """The episode's last turns. `actions`: those of records before `before`; `whole`: all there are, not only what is new.

        Raises Incomplete if they must be whole and are not.
        """
        older = known.session.episode_turns - NO_ACTION_TURNS
        if older <= 0 or not before:
            return known.texts
        self._actions = (actions, whole)
        return joined(self._past.until(known.session, older, before), known.texts)

    def wrote(self, write: Append) -> None:
        """A write was made."""
        self._recent.wrote(write, write.session.head)

    def forget(self, session_id: str) -> None:
        """It was purged."""
        self._past.forget(session_id)
        self._recent.forget(session_id)

    def _text_exchanges(self, session: Session) -> tuple[Exchange, ...]:
        return tuple(text_exchanges(_text_rows(self._texts), session.episode_turns))

    def _action_rows(self, session_id: str, first: int, before: int) -> Iterable[Row]:
        actions, whole = self._actions
        if first == 1 and not whole:
            raise Incomplete
        return _action_rows(actions)


def _text_rows(lines: bytes) -> Iterator[Row]:
    for line in lines.split(b"\n") if lines else ():
        yield "user_request" if line.startswith(_FROM_CUSTOMER) else "agent_response", line


def _action_rows(lines: bytes) -> Iterator[Row]:
    for line in lines.split(b"\n") if lines else ():
        yield ("user_request", b"") if line == b"-" else ("state_event", line)
