"""PastActions: what was done in older turns, kept in memory so that each turn reads only what is new.

A log only grows, so what was read of it stays true, whoever wrote it. Owns which sessions are kept (the last used) and when what
is kept does not fit any more. Wording: `protocol/history.py`. Called by stores at BEGIN.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..protocol.decision import Exchange
from ..protocol.history import NO_ACTION_TURNS, TURNS, Row, action_exchanges
from ..protocol.session import Session

KEPT_SESSIONS = 1000

Rows = Callable[[str, int, int], Iterable[Row]]


@dataclass(frozen=True, slots=True)
class _Known:
    """`exchanges` end with turn `turn` of `episode`; the record that follows has the number `before`."""

    episode: int
    turn: int
    before: int
    exchanges: tuple[Exchange, ...]


class PastActions:
    """`rows(session_id, first, before)`: user_requests and state_events with `first <= n < before`, newest first."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._kept: OrderedDict[str, _Known] = OrderedDict()

    def known_until(self, session_id: str) -> int:
        """Number of the record up to which the session's actions are kept; 0 if nothing is."""
        known = self._kept.get(session_id)
        return known.before if known else 0

    def forget(self, session_id: str) -> None:
        """Nothing is known of it any more."""
        self._kept.pop(session_id, None)

    def until(self, session: Session, turn: int, before: int) -> tuple[Exchange, ...]:
        """The last turns of the session's episode up to `turn`, which ends before record `before`."""
        known = self._kept.pop(session.session_id, None)
        exchanges = self._continued(known, session, turn, before) if known else None
        if exchanges is None:
            exchanges = tuple(action_exchanges(self._rows(session.session_id, 1, before), turn))
        self._kept[session.session_id] = _Known(session.episode, turn, before, exchanges)
        if len(self._kept) > KEPT_SESSIONS:
            self._kept.popitem(last=False)
        return exchanges

    def _continued(self, known: _Known, session: Session, turn: int, before: int) -> tuple[Exchange, ...] | None:
        """What is known and what came since; None if the two do not join (another episode, turns that were not counted)."""
        if known.episode != session.episode or known.before > before:
            return None
        fresh = action_exchanges(self._rows(session.session_id, known.before, before), turn)
        if len(fresh) != turn - known.turn:
            return None
        return (*known.exchanges, *fresh)[NO_ACTION_TURNS - TURNS :]
