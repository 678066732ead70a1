"""Gold writes played through the real engine: as they should be, on a record in the wrong status, and without a yes.

Owns how a play goes and how it is judged: by what the shop received, and by the session's log. Called by `tau.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count

from ..app.maitred import Maitred
from ..protocol.decision import AgentDecision, DecisionRequest
from ..protocol.messages import Actor, StateEvent
from ..protocol.session import PendingConfirmation
from ..store.sqlite import SqliteStore
from .conversations_play import illegal_moves
from .tau_flow import CHANGED, UNOPENED, Policy, as_said, done, flow_of
from .tau_rows import Schema, Write
from .tau_shop import Shop

YES = "Yes."
WORDS = AgentDecision(action="answer", reply_text="Let me see.")
_OPEN = "Could you look something up for me?"
_WANT = "I would like you to change something."
_THINK_S = 30


@dataclass(frozen=True, slots=True)
class Answer:
    """What the customer says where a yes is wanted, and what the decider then does; `text` None: the customer says nothing.

    `decides`: words only, the same write once more, or an action of a name that is on no menu.
    """

    name: str
    text: str | None
    decides: str = "words"


ANSWERS: Sequence[Answer] = (
    Answer("silence", None),
    Answer("no", "No, leave it as it is."),
    Answer("question", "How long would that take?", "write"),
    Answer("condition", "Yes, but only if it is free.", "write"),
    Answer("later", "Yes, but please wait until tomorrow.", "write"),
    Answer("other", "What else do you sell?", "write"),
    Answer("thinks", "Hm, let me think about it.", "confirm"),
    Answer("event", "One moment, please.", "event"),
)


@dataclass
class Played:
    """What came of a session. `writes`: made, as far as shop or log know. `illegal`: moves that no row allows, writes called
    without a yes, a log that does not give the session back. `reached`: the play came to its point: the record stood in
    its status, and the customer was asked for a yes where that is what the play is about."""

    writes: int
    illegal: int
    reached: bool


class Hand:
    """The decider of the bench: it decides what it is told. `stubborn`: it says a refused decision again."""

    name = "bench"

    def __init__(self) -> None:
        self.meant, self.stubborn = WORDS, False

    async def decide(self, request: DecisionRequest) -> AgentDecision:
        gives_way = request.moved or (request.last_error is not None and not self.stubborn)
        return WORDS if gives_way else self.meant


class Stage:
    """One domain: its flow, shop and engine, a session for every play."""

    def __init__(self, domain: str, policy: Policy, schemas: Mapping[str, Schema]) -> None:
        self.policy, self._schemas = policy, schemas
        self.shop = Shop(policy, schemas)
        self._flow = flow_of(domain, policy, schemas, self.shop.tools)
        self._hand, self._now, self._numbers = Hand(), datetime(2026, 11, 30, 9, tzinfo=UTC), count(1)
        self.maitred = Maitred(self._flow, store=SqliteStore(":memory:"), decider=self._hand, clock=lambda: self._now)

    async def gold(self, writes: Sequence[Write]) -> tuple[list[bool], Played]:
        """All writes of a case in one session, each confirmed; whether the shop received each as it is meant, and it led where
        the policy says. A record's status is at first the one that its first write needs; what follows is the flow's doing."""
        session, accepted = self._session(), []
        books, opened = self.shop.books(session), None
        for write in writes:
            record = self._record(write)
            if record is not None and record != opened:
                books.status.setdefault(record, self.policy.needs(write.tool))
                await self._open(session, record)
                opened = record
            before = len(books.received)
            await self._say(session, _WANT, self._decision(write))
            await self._say(session, YES, WORDS)
            led = record is None or (await self.maitred.session(session)).state == self.policy.moves[write.tool][1]
            accepted.append(books.received[before:] == [write] and led)
        return accepted, await self._judged(session, reached=True)

    def wrong_statuses(self, write: Write) -> Sequence[str]:
        """Where a write is wrong: no record open, or one in another status than it needs. Nowhere, if it concerns no record."""
        needs = self.policy.needs(write.tool)
        return () if needs == UNOPENED else [status for status in (UNOPENED, *self.policy.statuses) if status != needs]

    async def in_status(self, write: Write, status: str) -> Played:
        """The write proposed there, again and again; and the customer says yes."""
        session = self._session()
        reached = await self._put(session, write, status)
        await self._say(session, _WANT, self._decision(write), stubborn=True)
        await self._say(session, YES, self._decision(write), stubborn=True)
        return await self._judged(session, reached)

    async def overtaken(self, write: Write) -> Played:
        """The record changes between the question and the yes."""
        session, asked = await self._asked(write)
        await self.maitred.post(session, CHANGED, key="changed")
        await self._say(session, YES, self._decision(write), stubborn=True)
        return await self._judged(session, asked)

    async def answered(self, write: Write, answer: Answer) -> Played:
        """The question for a yes is asked, and gets another answer."""
        session, asked = await self._asked(write)
        if answer.text is not None:
            await self._say(session, answer.text, self._answer_decision(write, answer), stubborn=True)
        return await self._judged(session, asked)

    # --- the steps of a play ---

    def _session(self) -> str:
        return f"s{next(self._numbers)}"

    def _record(self, write: Write) -> str | None:
        return str(write.arguments[self.policy.key]) if write.tool in self.policy.moves else None

    async def _put(self, session: str, write: Write, status: str) -> bool:
        """A record that is open in this status, if the write has one and it is to be open; whether the session stands there."""
        record = self._record(write)
        if record is None or status == UNOPENED:
            return True
        self.shop.books(session).status[record] = status
        await self._open(session, record)
        return (await self.maitred.session(session)).state == status

    async def _asked(self, write: Write) -> tuple[str, bool]:
        """A session in which the write was proposed where it is right; whether the customer was asked for a yes to it."""
        session = self._session()
        await self._put(session, write, self.policy.needs(write.tool))
        await self._say(session, _WANT, self._decision(write))
        pending = (await self.maitred.session(session)).pending
        return session, isinstance(pending, PendingConfirmation) and pending.action == write.tool

    async def _open(self, session: str, record: str) -> None:
        await self._say(session, _OPEN, AgentDecision(action=self.policy.look_up, parameters={self.policy.key: record}))

    def _decision(self, write: Write) -> AgentDecision:
        """The write as an action: the record is not named, for code binds it to the one that is open."""
        bound = self.policy.key if write.tool in self.policy.moves else ""
        given = {name: value for name, value in write.arguments.items() if name != bound}
        return AgentDecision(action=write.tool, parameters=as_said(self._schemas[write.tool], given))

    def _answer_decision(self, write: Write, answer: Answer) -> AgentDecision:
        if answer.decides == "write":
            return self._decision(write)
        names = {"confirm": "confirm", "event": done(write.tool)}
        return AgentDecision(action=names[answer.decides]) if answer.decides in names else WORDS

    async def _say(self, session: str, text: str, meant: AgentDecision, *, stubborn: bool = False) -> None:
        self._hand.meant, self._hand.stubborn = meant, stubborn
        self._now += timedelta(seconds=_THINK_S)
        await self.maitred.say(session, text, meta={"lang": "en"})

    async def _judged(self, session: str, reached: bool) -> Played:
        replay = await self.maitred.replay(session)
        called = [event for event in replay.moves if self._calls_write(event)]
        received = len(self.shop.books(session).received)
        return Played(
            writes=max(received, len(called)),
            illegal=illegal_moves(self._flow, replay)
            + sum(event.actor is not Actor.HUMAN for event in called)
            + (not replay.equal),
            reached=reached,
        )

    def _calls_write(self, event: StateEvent) -> bool:
        return event.event == "tool_called" and event.payload.get("tool") in self.policy.writes
