"""RedisHistory: the past as a decider sees it, out of what `begin.lua` hands back: lines of JSON, newest first.

What was done in older turns is kept in memory (`past_actions.py`), so that BEGIN brings only what is new of it. Called by `redis.py`.
"""

from collections.abc import Iterable, Iterator

from ..protocol.decision import Exchange
from ..protocol.history import NO_ACTION_TURNS, Row, joined, text_exchanges
from ..protocol.session import Session
from .past_actions import PastActions

_FROM_CUSTOMER = b'{"msg_type":"user_request"'


class Incomplete(Exception):
    """What is kept in memory does not join on to what came: all of it is needed."""


class RedisHistory:
    """Histories of the sessions that this worker serves."""

    def __init__(self) -> None:
        self._past = PastActions(self._rows)
        self._came: tuple[bytes, bool] = (b"", True)

    def known(self, session_id: str) -> int:
        """Actions are known up to this record."""
        return self._past.known_until(session_id)

    def of(self, session: Session, texts: bytes, actions: bytes, before: int, *, whole: bool) -> tuple[Exchange, ...]:
        """The episode's last turns. `actions`: those of records before `before`; `whole`: all there are, not only what is new.

        Raises Incomplete if they must be whole and are not.
        """
        recent = text_exchanges(_texts(texts), session.episode_turns)
        older = session.episode_turns - NO_ACTION_TURNS
        if older <= 0 or not before:
            return tuple(recent)
        self._came = (actions, whole)
        return joined(self._past.until(session, older, before), recent)

    def _rows(self, session_id: str, first: int, before: int) -> Iterable[Row]:
        actions, whole = self._came
        if first == 1 and not whole:
            raise Incomplete
        return _actions(actions)


def _texts(lines: bytes) -> Iterator[Row]:
    for line in lines.split(b"\n") if lines else ():
        yield "user_request" if line.startswith(_FROM_CUSTOMER) else "agent_response", line


def _actions(lines: bytes) -> Iterator[Row]:
    for line in lines.split(b"\n") if lines else ():
        yield ("user_request", b"") if line == b"-" else ("state_event", line)
