"""Fixtures of the store's tests: stores of every kind behind one port, their lease clock, and writes to put into them.

To put another store under the contract, add how it is opened to `OPEN`. Redis and Valkey come from `tests/conftest.py`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from maitred.protocol.log import chain
from maitred.protocol.messages import Actor, AgentResponse, StateEvent, UserRequest
from maitred.protocol.ports import Append, Begun, Stage, Store
from maitred.protocol.session import Session
from maitred.store.memory import MemoryStore
from maitred.store.redis import RedisStore
from maitred.store.sqlite import SqliteStore

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
LEASE_S = 15.0


class LeaseClock:
    """Seconds since the epoch, moved by hand."""

    def __init__(self) -> None:
        self.now = NOW.timestamp()

    def __call__(self) -> float:
        return self.now


class Writer:
    """Makes the writes of turns: each with a state_event, the last with words."""

    async def begin(self, store: Store, request: str = "m1", *, session: str = "s1", content: str = "hello") -> Begun:
        outcome = await self.ask(store, request, session=session, content=content)
        assert isinstance(outcome, Begun), outcome
        return outcome

    async def ask(self, store: Store, request: str = "m1", *, session: str = "s1", content: str = "hello") -> object:
        return await store.begin(session, request, f"print of {content}", content.encode())

    def write(
        self,
        begun: Begun,
        *,
        final: bool = True,
        stage: Stage = Stage.DECIDED,
        text: str = "yes?",
        due: datetime | None = None,
        new_episode: bool = False,
    ) -> Append:
        """The next write of a turn: what the customer wrote if it is the first, one event, and the reply if it is the last."""
        base = begun.session or self.new(begun.lease.session_id)
        about = {"session_id": base.session_id, "timestamp": NOW}
        messages: list[UserRequest | StateEvent | AgentResponse] = []
        if begun.stage is Stage.NEW:
            messages.append(UserRequest(**about, message_id=begun.lease.request_id, text=begun.body.decode()))
        seq = base.event_seq + 1
        messages.append(
            StateEvent(
                **about, message_id=f"e{seq}", event="waved", event_seq=seq, source_state="open", target_state="open",
                actor=Actor.MODEL, turn=1,
            )
        )  # fmt: skip
        if final:
            messages.append(
                AgentResponse(**about, message_id=f"r{seq}", reply_to=begun.lease.request_id, text=text, state="open")
            )
        records, head = chain(messages, base.records, base.head)
        session = base.model_copy(
            update={
                "event_seq": seq,
                "records": base.records + len(records),
                "head": head,
                "updated_at": NOW,
                "episode_turns": (0 if new_episode else base.episode_turns) + (begun.stage is Stage.NEW),
            }
        )
        return Append(
            lease=begun.lease, after_event_seq=base.event_seq, session=session, records=records, stage=stage, final=final,
            reply_record=session.records if final else None, due_at=due,
        )  # fmt: skip

    def new(self, session_id: str) -> Session:
        return Session(session_id=session_id, flow="f", flow_version="1", fingerprint="ff", state="open")

    async def turn(
        self,
        store: Store,
        request: str,
        *,
        session: str = "s1",
        text: str = "yes?",
        due: datetime | None = None,
        new_episode: bool = False,
    ) -> Append:
        """A whole turn."""
        begun = await self.begin(store, request, session=session, content=request)
        write = self.write(begun, text=text, due=due, new_episode=new_episode)
        await store.append(write)
        return write


Opener = Callable[[], Awaitable[Store]]


def _file(path: Path, clock: LeaseClock) -> Store:
    return SqliteStore(str(path / "sessions.db"), lease_s=LEASE_S, clock=clock)


def _sqlite_in_memory(path: Path, clock: LeaseClock) -> Store:
    return SqliteStore(":memory:", lease_s=LEASE_S, clock=clock)


def _memory(path: Path, clock: LeaseClock) -> Store:
    return MemoryStore(lease_s=LEASE_S, clock=clock)


OPEN = {"file": _file, "sqlite in memory": _sqlite_in_memory, "memory": _memory}
SERVERS = ("redis", "redis cluster", "valkey")


@pytest.fixture
def clock() -> LeaseClock:
    return LeaseClock()


@pytest.fixture
def writer() -> Writer:
    return Writer()


@pytest.fixture(params=[*sorted(OPEN), *SERVERS])
async def store(request: pytest.FixtureRequest, tmp_path: Path, clock: LeaseClock) -> AsyncIterator[Store]:
    if request.param in SERVERS:
        url = request.getfixturevalue("redis_servers")(request.param).url
        opened: Store = RedisStore(url, lease_s=LEASE_S, clock=clock)
    else:
        opened = OPEN[request.param](tmp_path, clock)
    yield opened
    await opened.close()


@pytest.fixture
async def another(
    request: pytest.FixtureRequest, tmp_path: Path, clock: LeaseClock, store: Store
) -> AsyncIterator[Store]:
    """A second worker's way to the same sessions; the same object where there is only one."""
    if store.path == ":memory:":
        yield store
        return
    if isinstance(store, RedisStore):
        opened: Store = RedisStore(store.path, lease_s=LEASE_S, clock=clock)
    else:
        opened = _file(tmp_path, clock)
    yield opened
    await opened.close()
