"""Killed with SIGKILL anywhere, the example conversation goes on: nothing answered is lost, nothing is ordered twice.

A child process plays the conversation and is killed; another one goes on with the same message ids until the session is
completed. First at every boundary of a write or a tool call, counted in a dry run; then at random moments. Databases are
opened only after a fork.
"""

import asyncio
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from maitred.app.maitred import Maitred
from maitred.benchmarks.faults.child import Child, Tell
from maitred.benchmarks.faults.fuse import CALLS, STEPS, Fuse, around, watched
from maitred.examples.presales.conversation import CONVERSATION
from maitred.examples.presales.world import World
from maitred.protocol.messages import ToolCall, UserRequest, parse_message
from maitred.store.redis import RedisStore
from maitred.store.sqlite import SqliteStore
from maitred.tools.runner import Runner

SESSION = "s1"
URL_FILE = "redis-url"
KILLS_AT_RANDOM = 130
KILLS_PER_TURN = 2  # a turn that fails a third time goes to a human, as it should


def opened(folder: Path, world: World, fuse: Fuse) -> Maitred:
    # Not durable against a power cut, which SIGKILL is not: the rest of the protocol is the same, and much faster.
    url = folder / URL_FILE
    store = RedisStore(url.read_text()) if url.exists() else SqliteStore(str(folder / "sessions.db"), durable=False)
    return Maitred(
        world.flow,
        store=watched(store, fuse.moment, STEPS, waits=False),
        runner=watched(Runner(), fuse.moment, CALLS, waits=False),
    )


async def play(folder: Path, lines: tuple[str, ...], start: int, fuse: Fuse, tell: Tell) -> None:
    """Messages from number `start` on. Tells each reply as soon as it is there, and when the message is dealt with."""
    world = World(folder / "shop.db")
    async with opened(folder, world, fuse) as maitred:
        for n, line in enumerate(lines[start:], start):
            before = await maitred.store.load(SESSION)
            reply = await maitred.say(SESSION, line, message_id=f"m{n}")
            tell(["reply", n, reply.model_dump_json()])
            await around(world.after_turn, fuse.moment)(maitred, reply, before.state if before else "")
            tell(["done", n])
    tell(["points", fuse.count])


class Played:
    """What children told before they ended."""

    def __init__(self) -> None:
        self.replies: list[tuple[int, str]] = []
        self.next = 0
        self.points = 0
        self.killed = False

    def hear(self, what: str, n: int, *body: str) -> None:
        if what == "reply":
            self.replies.append((n, *body))
        elif what == "done":
            self.next = n + 1
        else:
            self.points = n


def run_child(
    folder: Path, lines: tuple[str, ...], played: Played, at: int | None = None, after_s: float | None = None
) -> None:
    """Go on in a new process, which is killed at moment `at` or `after_s` seconds from now, if it still runs."""
    child = Child(lambda tell: play(folder, lines, played.next, Fuse(at), tell))
    if after_s is not None:
        time.sleep(after_s)
        os.kill(child.pid, signal.SIGKILL)
    for fact in child.end():
        played.hear(*fact)
    assert child.code in (0, -signal.SIGKILL), child.broke
    played.killed = child.code != 0


async def audit(folder: Path, lines: tuple[str, ...], played: Played) -> None:
    """Completed, one order, one payment, every reply that anybody read on record and given again, the log whole."""
    world = World(folder / "shop.db")
    async with opened(folder, world, Fuse()) as maitred:
        session = await maitred.session(SESSION)
        assert session.state == "completed"
        assert session.episode == 1
        (order,) = world.shop.orders()
        assert session.data["create_order"]["order_no"] == order["order_no"]
        assert world.shop.payment_status(order["order_no"], SESSION)["paid"]
        kept = {parse_message(record.body).model_dump_json() for record in await maitred.store.log(SESSION)}
        for n, body in played.replies:
            repeated = await maitred.say(SESSION, lines[n], message_id=f"m{n}")
            assert repeated.model_dump_json() == body
            assert body in kept
        checked = await maitred.replay(SESSION)
        assert (checked.equal, checked.problem) == (True, None)
        requests = [m.message_id for m in checked.messages if isinstance(m, UserRequest)]
        assert requests == [f"m{n}" for n in range(len(lines))]
        calls = [(m.call_id, m.status == "pending") for m in checked.messages if isinstance(m, ToolCall)]
        assert calls[::2] == [(call, True) for call, _ in calls[1::2]]
        assert not any(pending for _, pending in calls[1::2])


class NewFolder:
    """Makes the place of a conversation, with nothing in it, and nothing in Redis if that is the store.

    `one_in`: of so many kills one is done: the steps are the same for every store, and all of them take minutes.
    """

    def __init__(self, folder: Path, server: Any) -> None:
        self._folder, self._server = folder, server
        self.one_in = 5 if server else 1

    def __call__(self, name: object) -> Path:
        folder = self._folder / str(name)
        folder.mkdir()
        if self._server:
            (folder / URL_FILE).write_text(self._server.url)
            with self._server.client() as client:
                client.flushall()
        return folder


@pytest.fixture(params=["sqlite", "redis"])
def new_folder(request: pytest.FixtureRequest, tmp_path: Path) -> NewFolder:
    return NewFolder(tmp_path, request.getfixturevalue("redis_server") if request.param == "redis" else None)


def test_killed_at_every_boundary_it_goes_on(new_folder: NewFolder, record_property: Callable[[str, object], None]):
    """Before and after every begin, write, tool call and the bank's visit; once at each."""
    lines = CONVERSATION["en"]
    dry, place = Played(), new_folder("dry")
    run_child(place, lines, dry)
    asyncio.run(audit(place, lines, dry))
    assert dry.points > 100
    for at in range(1, dry.points + 1, new_folder.one_in):
        folder, played = new_folder(at), Played()
        run_child(folder, lines, played, at=at)
        assert played.killed, at
        run_child(folder, lines, played)
        assert not played.killed
        asyncio.run(audit(folder, lines, played))
    record_property("kills", len(range(1, dry.points + 1, new_folder.one_in)))
    print(f"{dry.points} boundaries")  # noqa: T201


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_killed_at_any_moment_it_goes_on(
    new_folder: NewFolder, lang: Any, record_property: Callable[[str, object], None]
):
    """Also in the middle of a write or a tool, several times in one conversation."""
    lines, moments = CONVERSATION[lang], random.Random(20261130)
    began, first = time.monotonic(), Played()
    run_child(new_folder("dry"), lines, first)
    takes_s = time.monotonic() - began
    kills, most = 0, KILLS_AT_RANDOM // 2 // new_folder.one_in
    for n in range(1000):
        if kills >= most:
            break
        folder, played, survived = new_folder(n), Played(), []
        for _ in range(5):
            before = played.next
            tries = survived.count(before)
            run_child(
                folder, lines, played, after_s=moments.uniform(0, takes_s / 2) if tries < KILLS_PER_TURN else None
            )
            if not played.killed:
                break
            kills += 1
            survived.append(played.next)
        run_child(folder, lines, played)
        asyncio.run(audit(folder, lines, played))
    assert kills >= most
    record_property("kills", kills)
    print(f"{kills} kills at random in {n} conversations of {takes_s:.2f} s")  # noqa: T201
