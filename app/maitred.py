"""Maitred: the one place that puts the parts together. What a Python program uses."""

import os
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import datetime, tzinfo
from types import TracebackType
from typing import Self
from uuid import uuid4

from pydantic import JsonValue, ValidationError

from ..decision.keyword import KeywordDecider
from ..protocol.errors import BadRequest, UnknownSession
from ..protocol.ids import check_id
from ..protocol.messages import AgentResponse, UserRequest, explain
from ..protocol.ports import Clock, Decider, FreezingRunner, SessionRow, SharesBreaker, Store, ToolRunner
from ..protocol.session import Session
from ..protocol.turn_events import TurnEvent, Watcher
from ..runtime.asking import Asker
from ..runtime.service import Service
from ..runtime.turn import Parts
from ..runtime.turns import Times, unheard
from ..statemachine.flow import Flow
from ..statemachine.replay import Replay, replay
from ..store.memory import MemoryStore
from ..store.places import place_of
from ..store.sqlite import SqliteStore
from ..tools.runner import Runner


def real_clock(zone: tzinfo | None) -> Clock:
    """The real time, in `zone` or in this machine's: what is "tomorrow" depends on where the customer is."""
    return (lambda: datetime.now(zone)) if zone else _MachineClock()


class _MachineClock:
    """The time in this machine's zone. Which offset that is gets looked up once a minute: it changes only with a full one."""

    def __init__(self) -> None:
        self._zone: tzinfo | None = None
        self._until = 0.0

    def __call__(self) -> datetime:
        now = time.time()
        if now >= self._until or self._zone is None:
            self._zone, self._until = datetime.fromtimestamp(now).astimezone().tzinfo, (now // 60 + 1) * 60
        return datetime.fromtimestamp(now, self._zone)


def _versions(flow: Flow | None, flows: Sequence[Flow]) -> Sequence[Flow]:
    """What is served, the current one last."""
    if (flow is None) == (not flows):
        raise BadRequest("Maitred takes a flow, or flows=[older, ..., newest]")
    versions = (flow,) if flow else tuple(flows)
    for version in versions:
        if not isinstance(version, Flow):
            raise BadRequest(
                f"a flow is a Flow, such as maitred.app.flow_loading.load_flow('shop') gives; got a {type(version).__name__}"
            )
    names = {version.name for version in versions}
    if len(names) > 1:
        raise BadRequest(f"flows are versions of one flow; these have the names {', '.join(sorted(names))}")
    if len({version.fingerprint for version in versions}) < len(versions):
        raise BadRequest(f"two versions of flow {names.pop()!r} have the same structure; keep the newer")
    return versions


def _store(given: Store) -> Store:
    if isinstance(given, type) or not callable(getattr(given, "begin", None)):
        shown = f"the class {given.__name__}" if isinstance(given, type) else f"a {type(given).__name__}"
        raise BadRequest(f"a store is a file, a Redis URL, ':memory:' or a Store; got {shown}")
    return given


def _decider(given: Decider) -> Decider:
    named, decides = isinstance(getattr(given, "name", None), str), callable(getattr(given, "decide", None))
    if isinstance(given, type) or not (named and decides):
        shown = f"the class {given.__name__}" if isinstance(given, type) else f"a {type(given).__name__}"
        lacks = "" if isinstance(given, type) or not decides else " without a name"
        raise BadRequest(
            f"a decider is an object with a `name` and `async def decide(self, request)`; got {shown}{lacks}"
        )
    return given


def open_store(place: str) -> Store:
    """`place`: a path to a SQLite file or sqlite:///FILE, ":memory:", or a Redis URL. Raises BadRequest."""
    named = place_of(place)
    if named.kind == "redis":
        from ..store.redis import RedisStore  # redis costs a tenth of a second: only who uses it pays

        return RedisStore(named.where)
    return MemoryStore() if named.kind == "memory" else SqliteStore(named.where)


class Maitred:
    """A flow at work.

    `flows`: instead of one flow its versions, the newest last: new sessions begin under that, one in the middle stays with its
    own. `store`: a Store, a path to a SQLite file, ":memory:", or a Redis URL. `decider`: who picks from the menu; the
    KeywordDecider if none is given. `zone`: time zone in which dates are read (`ZoneInfo("Asia/Shanghai")`), this machine's if
    none is given. `clock`: aware current time, for tests. `tenant`: keeps tool keys of several tenants apart.

        async with Maitred(flow, store="shop.db") as maitred:
            reply = await maitred.say("customer-7", "Hello, I need phones for 20 people")
            print(reply.text)
    """

    def __init__(
        self,
        flow: Flow | None = None,
        *,
        flows: Sequence[Flow] = (),
        store: Store | str | os.PathLike[str] = ":memory:",
        decider: Decider | None = None,
        runner: ToolRunner | None = None,
        zone: tzinfo | None = None,
        clock: Clock | None = None,
        times: Times | None = None,
        tenant: str = "",
    ) -> None:
        *self._older, self.flow = _versions(flow, flows)
        self.store: Store = open_store(os.fspath(store)) if isinstance(store, (str, os.PathLike)) else _store(store)
        self._clock = clock or real_clock(zone)
        decider, times = _decider(decider) if decider is not None else KeywordDecider(), times or Times()
        breaker = self.store.breaker(self.flow.name) if isinstance(self.store, SharesBreaker) else None
        asker = Asker(decider, times.decide_s, breaker)
        self.runner: ToolRunner = runner or Runner(breaker)
        self._freezing = (
            self.runner if isinstance(self.runner, FreezingRunner) else None
        )  # to ask each time costs 40 us
        parts = Parts(self.flow, self.store, asker, self.runner, self._clock, tenant, times.renew_s)
        self._service = Service(parts, times, self._older)

    async def say(
        self,
        session_id: str,
        text: str,
        *,
        message_id: str | None = None,
        meta: Mapping[str, str | int | float | bool] | None = None,
    ) -> AgentResponse:
        """A customer's text and the reply to it. Give a `message_id` if the channel has one: a repeat is then no second turn."""
        return await self.handle(self.request(session_id, text, message_id=message_id, meta=meta))

    def request(
        self,
        session_id: str,
        text: str,
        *,
        message_id: str | None = None,
        meta: Mapping[str, str | int | float | bool] | None = None,
    ) -> UserRequest:
        """A user_request of now. Raises BadRequest if something does not fit."""
        try:
            return UserRequest(
                session_id=session_id,
                timestamp=self._clock(),
                message_id=message_id or f"m-{uuid4().hex}",
                text=text,
                meta=meta or None,  # type: ignore[arg-type]  # judged by the message's own type
            )
        except ValidationError as error:
            raise BadRequest(f"not a user_request: {explain(error)}") from error

    async def handle(
        self, request: UserRequest, emit: Callable[[TurnEvent], None] = unheard, *, aloud: bool = False
    ) -> AgentResponse:
        """One turn: the reply, durable when it is returned.

        `emit` is called with what happens in it, when it happens; of a repeat there is nothing. `aloud`: with words that change
        nothing (Spoken), as the model writes them, ahead of the commit.
        """
        if not isinstance(request, UserRequest):
            raise BadRequest(f"handle takes a UserRequest; got a {type(request).__name__}")
        return await self._service.handle(request, emit, aloud=aloud)

    def stream(self, request: UserRequest, *, aloud: bool = False) -> AsyncIterator[TurnEvent]:
        """The same, event by event; the last is Replied."""
        return self._service.stream(request, aloud=aloud)

    async def post(
        self, session_id: str, event: str, payload: Mapping[str, JsonValue] | None = None, *, key: str
    ) -> AgentResponse | None:
        """An outside event such as a payment callback; `key` makes it one event however often it is delivered."""
        return await self._service.post(session_id, event, {} if payload is None else payload, key)

    async def tick(self, now: datetime | None = None) -> tuple[AgentResponse, ...]:
        """Fire deadlines and expire idle sessions; call it now and then. Returns words for customers."""
        return await self._service.tick(now)

    async def resume(self, session_id: str, *, key: str) -> AgentResponse | None:
        """A human hands an escalated session back to the flow."""
        return await self._service.resume(session_id, key)

    def watched_by(self, watcher: Watcher) -> None:
        """Show every message and event to this watcher, and to no other: for counting, as `maitred serve` does."""
        self._service.watched_by(watcher)

    @property
    def frozen(self) -> frozenset[str]:
        """What is left alone after a time-out: names of tools, and `decider`."""
        tools = self._freezing.frozen if self._freezing else frozenset()
        return tools | {"decider"} if self._service.decider_is_frozen else tools

    async def session(self, session_id: str) -> Session:
        """The snapshot. Raises UnknownSession."""
        session = await self.store.load(check_id(session_id, "session_id"))
        if session is None:
            raise UnknownSession(f"no session {session_id!r}")
        return session

    async def sessions(self, limit: int = 100) -> tuple[SessionRow, ...]:
        """The sessions last touched."""
        return await self.store.sessions(limit)

    async def replay(self, session_id: str) -> Replay:
        """Check a session's log: chain, legality of every move, equality with the snapshot."""
        session = await self.session(session_id)
        return replay(self.version_of(session), session_id, await self.store.log(session_id), session)

    @property
    def versions(self) -> tuple[Flow, ...]:
        """The versions of the flow that are served, the current one last."""
        return (*self._older, self.flow)

    def version_of(self, session: Session) -> Flow:
        """The version of the flow that the session belongs to; the current one if none of those served."""
        return next((older for older in self._older if older.fingerprint == session.fingerprint), self.flow)

    async def close(self) -> None:
        """Let running turns end, then close the store."""
        await self._service.close()
        await self.store.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
