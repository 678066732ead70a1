"""Recent: what a store last read or wrote of a session, so that the next turn need not read and parse it again.

Of each session the snapshot, as stored and parsed, and the texts of its last turns. Valid as long as the stored snapshot is the
very same: it holds the head hash of the log, so the log is the same, too, whoever wrote it. Owns which sessions are kept (the
last used). Called by stores at BEGIN and after an append.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from ..protocol.decision import Exchange
from ..protocol.history import TEXT_KINDS, TEXT_TURNS, text_exchanges
from ..protocol.ports import Append
from ..protocol.session import Session

KEPT_SESSIONS = 1000


@dataclass(frozen=True, slots=True)
class Known:
    """A session as stored and parsed, and the exchanges of its last turns (see `protocol/history.py`)."""

    stored: object
    session: Session
    texts: tuple[Exchange, ...]


class Recent:
    """`texts(session)`: the exchanges out of the log, for a session that is not known."""

    def __init__(self, texts: Callable[[Session], tuple[Exchange, ...]]) -> None:
        self._texts = texts
        self._kept: OrderedDict[str, Known] = OrderedDict()

    def known(self, session_id: str) -> Known | None:
        """What is known, be it of now or not."""
        return self._kept.get(session_id)

    def read(self, session_id: str, stored: object, parse: Callable[[], Session]) -> Known:
        """What is known of the session whose snapshot is `stored`; parsed and read if it is not known so."""
        known = self._kept.get(session_id)
        if known is None or known.stored != stored:
            session = parse()
            known = self._keep(session_id, Known(stored, session, self._texts(session)))
        return known

    def wrote(self, write: Append, stored: object) -> None:
        """A write was made. One that is a whole turn is added to what is known; after another the next turn reads again."""
        session, before = write.session, self._kept.get(write.session.session_id)
        whole = write.final and write.records and write.records[0].kind == "user_request"
        if before and before.session.event_seq != write.after_event_seq:
            before = None
        if not whole or (before is None and session.episode_turns > 1):
            self.forget(session.session_id)
            return
        rows = [(r.kind, r.body) for r in reversed(write.records) if r.kind in TEXT_KINDS]
        fresh = text_exchanges(rows, session.episode_turns)
        goes_on = before is not None and before.session.episode_turns == session.episode_turns - 1
        if not goes_on and session.episode_turns != 1:  # not every message is a turn: with a human, none is
            self.forget(session.session_id)
            return
        past = before.texts if before and goes_on else ()
        oldest = max(session.episode_turns - TEXT_TURNS, 0)
        texts = tuple(exchange for exchange in (*past, *fresh) if exchange.turn > oldest)
        self._keep(session.session_id, Known(stored, session, texts))

    def forget(self, session_id: str) -> None:
        """Nothing is known of it any more."""
        self._kept.pop(session_id, None)

    def _keep(self, session_id: str, known: Known) -> Known:
        self._kept[session_id] = known
        self._kept.move_to_end(session_id)
        if len(self._kept) > KEPT_SESSIONS:
            self._kept.popitem(last=False)
        return known
