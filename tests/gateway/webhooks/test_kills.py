"""SIGKILL at the steps of a webhook's way: nothing is lost, nothing is read twice.

Every step is tried by `MAITRED_ALL_KILLS=1 pytest tests/gateway/webhooks/test_kills.py`; otherwise a few, another few each day.
"""

import datetime
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from ...free_port import free_port
from .desks import SECRET, TOKEN, WHSEC, Chatwoot, Shop, open_desk, until

STEPS = 78
"""So many steps the walk has; checked by the first test."""
SAMPLE = 4
REPLIES = ["How many?", "3 tins?", "Please pay.", "That is all done. Thank you!"]


class Served:
    """The service, started again whenever it is dead."""

    def __init__(self, folder: Path, **given: Any) -> None:
        self.port = free_port()
        self.names = folder / "steps.txt"
        self.given = {"port": self.port, "store": str(folder / "tea.db"), "names": str(self.names), **given}
        self.deaths = 0
        self.process: subprocess.Popen[bytes] | None = None
        self.start(given.get("die_at", 0))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, die_at: int = 0) -> None:
        command = [
            sys.executable,
            str(Path(__file__).with_name("dying.py")),
            json.dumps({**self.given, "die_at": die_at}),
        ]
        self.process = subprocess.Popen(command)

    def revive(self) -> None:
        assert self.process is not None
        if self.process.poll() is not None:
            assert self.process.returncode == -signal.SIGKILL
            self.deaths += 1
            self.start()

    def insist(self, send: Callable[[], httpx2.Response]) -> httpx2.Response:
        """As channels do: the same again until it is taken in."""

        def taken() -> httpx2.Response | None:
            self.revive()
            try:
                answer = send()
            except httpx2.HTTPError:
                return None
            return answer if answer.status_code == 200 else None

        return until(taken, "an answer", 40)  # type: ignore[no-any-return]

    def wait(self, found: Callable[[], Any], what: str) -> None:
        def seen() -> Any:
            self.revive()
            return found()

        until(seen, what, 40)

    def stop(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()


@pytest.fixture
def stopped() -> Iterator[list[Served]]:
    running: list[Served] = []
    yield running
    for service in running:
        service.stop()


def walk(desk: Shop, served: Served) -> None:
    """Three messages and a payment, each after the reply to the one before."""
    desk.bot = f"{served.url}/webhooks/desk"
    for n, text in enumerate(("hello", "3", "order them"), 1):
        served.insist(lambda n=n, text=text: desk.send({"conversation": "c1", "text": text}, f"m{n}"))  # type: ignore[misc]
        served.wait(lambda n=n: len(desk.got) >= n, REPLIES[n - 1])  # type: ignore[misc]
    event = {"event": "paid", "key": "pay-1"}
    served.insist(lambda: httpx2.post(f"{served.url}/v1/sessions/main~c1/events", json=event, timeout=20))
    served.wait(lambda: len(desk.got) >= len(REPLIES), "the last words")


def chosen() -> list[int]:
    if os.environ.get("MAITRED_ALL_KILLS"):
        return list(range(1, STEPS + 1))
    return sorted(random.Random(datetime.datetime.now(datetime.UTC).toordinal()).sample(range(1, STEPS + 1), SAMPLE))


def audit(desk: Shop, served: Served) -> None:
    """Each reply was read once, in order; each message is one turn; nothing waits."""
    assert desk.said("c1") == REPLIES
    session = served.insist(lambda: httpx2.get(f"{served.url}/v1/sessions/main~c1")).json()
    assert (session["state"], session["turn"]) == ("completed", 3)


def test_the_walk_has_so_many_steps(tmp_path: Path, stopped: list[Served]) -> None:
    """Else the steps below are not those of the walk."""
    with open_desk(Shop) as desk:
        served = Served(tmp_path, kind="standard", url=desk.api.url, secret=WHSEC)
        stopped.append(served)
        walk(desk, served)
        audit(desk, served)
        assert served.deaths == 0
        steps = served.names.read_text().splitlines()
    assert any("after channel.say" in step for step in steps)
    assert STEPS <= len(steps) < STEPS + 12  # empty looks come and go


@pytest.mark.parametrize("die_at", chosen())
def test_a_kill_at_any_step_loses_nothing_and_doubles_nothing(
    tmp_path: Path, stopped: list[Served], die_at: int
) -> None:
    """The sender insists, the receiver reads each key once, the service is started again."""
    with open_desk(Shop) as desk:
        served = Served(tmp_path, kind="standard", url=desk.api.url, secret=WHSEC, die_at=die_at)
        stopped.append(served)
        walk(desk, served)
        audit(desk, served)
        assert served.deaths == 1


@pytest.mark.parametrize("die_at", [16, 62])
def test_the_same_on_redis(tmp_path: Path, stopped: list[Served], redis_server: Any, die_at: int) -> None:
    with open_desk(Shop) as desk:
        more = {"store": f"{redis_server.url}/0", "die_at": die_at}
        served = Served(tmp_path, kind="standard", url=desk.api.url, secret=WHSEC, **more)
        stopped.append(served)
        walk(desk, served)
        audit(desk, served)
        assert served.deaths == 1


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_two_processes_on_one_store_answer_each_message_once(
    tmp_path: Path, stopped: list[Served], request: pytest.FixtureRequest, kind: str
) -> None:
    """Each message is sent to both, as by a sender that was not sure; each reply leaves once."""
    store = f"{request.getfixturevalue('redis_server').url}/0" if kind == "redis" else str(tmp_path / "tea.db")
    with open_desk(Shop) as desk:
        given = {"kind": "standard", "url": desk.api.url, "secret": WHSEC, "store": store}
        stopped += [Served(tmp_path, **given), Served(tmp_path, **given)]
        for n, text in enumerate(("hello", "3", "order them"), 1):
            for conversation in range(8):
                for served in stopped:
                    desk.bot = f"{served.url}/webhooks/desk"
                    data = {"conversation": f"c{conversation}", "text": text}
                    served.insist(lambda data=data, id_=f"{conversation}-{n}": desk.send(data, id_))  # type: ignore[misc]
            until(lambda n=n: len(desk.got) >= 8 * n, "the replies", 40)  # type: ignore[misc]
        for conversation in range(8):
            assert desk.said(f"c{conversation}") == REPLIES[:3]
        assert desk.calls == 24


def test_chatwoot_is_asked_whether_a_letter_has_come(tmp_path: Path, stopped: list[Served]) -> None:
    """It takes no key, but keeps ours beside the message: killed behind the sending, nothing is said twice."""
    with open_desk(Chatwoot) as desk:
        desk.echoes = False
        dry = Served(tmp_path, kind="chatwoot", url=desk.api.url, secret=SECRET, token=TOKEN)
        stopped.append(dry)
        desk.bot = f"{dry.url}/webhooks/desk"
        message = desk._written(1, "hello", "incoming", "contact")
        dry.insist(lambda: httpx2.get(f"{dry.url}/healthz"))
        desk.post(json.dumps(message).encode())
        until(lambda: desk.said(1), "a reply")
        behind = next(line for line in dry.names.read_text().splitlines() if "after channel.say" in line)
        dry.stop()
        (again := tmp_path / "again").mkdir()
        die_at = int(behind.split()[0])
        served = Served(again, kind="chatwoot", url=desk.api.url, secret=SECRET, token=TOKEN, die_at=die_at)
        stopped.append(served)
        desk.messages.clear()
        desk.bot = f"{served.url}/webhooks/desk"
        served.insist(lambda: httpx2.get(f"{served.url}/healthz"))
        desk.post(json.dumps(message).encode())
        served.wait(lambda: served.deaths, "the kill")
        asked = len(desk.api.got)
        until(lambda: any(got.path.endswith("/messages") for got in desk.api.got[asked:]), "the question")
        time.sleep(0.5)
        assert desk.said(1) == ["How many?"]
