"""`maitred serve --workers 2`: several processes, one address, one conversation; one that dies is replaced."""

import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from maitred.examples.presales.conversation import CONVERSATION

from .served import Chat, Service, Start
from .test_serve import SLOW, refused


def until(true: Callable[[], Any]) -> Any:
    end = time.monotonic() + 30
    while not (found := true()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def workers_of(service: Service) -> set[int]:
    """Process ids of its children."""
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(service.process.pid)], capture_output=True, text=True, check=False
    ).stdout
    return {int(pid) for pid in listed.split() if _is_alive(int(pid))}


def _is_alive(pid: int) -> bool:
    try:
        return "zombie" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.fixture(params=["sqlite", "redis"])
def store(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return () if request.param == "sqlite" else ("--store", request.getfixturevalue("redis_server").url)


def test_two_workers_answer_duplicates_once(serve: Start, store: tuple[str, ...]):
    """Every message is sent three times at once, over connections of their own; it is one turn, and every reply is the same."""
    service = serve("--workers", "2", *store)
    copies = [Chat(service.openai(), headers={"X-Conversation-Id": "1"}) for _ in range(3)]
    chat = copies[0]
    for copy in copies:
        copy.messages = chat.messages
    for text in CONVERSATION["en"]:
        chat.messages.append({"role": "user", "content": text})
        with ThreadPoolExecutor(len(copies)) as pool:
            replies = list(pool.map(Chat.ask, copies))
        assert len(set(replies)) == 1
        chat.messages.append({"role": "assistant", "content": replies[0]})
    for copy in copies:
        copy.client.close()
    assert chat.state == "completed"
    with service.http() as http:
        session = http.get(f"/v1/sessions/{chat.session}").json()
        assert (session["turn"], session["state"]) == (len(CONVERSATION["en"]), "completed")
        counted = http.get("/metrics").text
    messages = re.findall(r'maitred_turns_total{flow="presales",kind="message",outcome="(\w+)"} (\d+)', counted)
    assert dict(messages) == {"replied": str(len(CONVERSATION["en"])), "replayed": str(2 * len(CONVERSATION["en"]))}
    assert service.orders() == 1


def test_a_worker_that_dies_is_replaced_and_none_outlives_its_parent(serve: Start):
    """There is one banner however many serve; while one is dead the other serves; they see that a killed parent is gone."""
    service = serve("--workers", "2")
    first = until(lambda: len(found := workers_of(service)) == 2 and found)
    os.kill(min(first), signal.SIGKILL)
    with service.http() as http:
        assert http.get("/v1/models").status_code == 200
    now = until(lambda: len(found := workers_of(service)) == 2 and found != first and found)
    assert max(first) in now
    assert any(f"worker {min(first)} ended with signal SIGKILL" in line for line in service.said)
    assert sum("listens on" in line for line in service.said) == 1
    assert any(re.match(r"\s+workers\s+2", line) for line in service.said)
    service.process.kill()
    until(lambda: not any(map(_is_alive, now)))


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_finishes_the_turns_of_all(serve: Start, tmp_path: Path, how: int):
    """The customer gets the reply; no process stays behind."""
    (tmp_path / "slow.py").write_text(SLOW)
    service = serve("--flow", "slow.py:flow", "--workers", "2")
    processes = until(lambda: len(found := workers_of(service)) == 2 and found)
    chat = Chat(service.openai(), headers={"X-Conversation-Id": "1"})
    chat.say("5")
    replies: list[str] = []
    turn = threading.Thread(target=lambda: replies.append(chat.say("order them")))
    turn.start()
    until((tmp_path / "entered").exists)
    service.process.send_signal(how)
    until(lambda: len(workers_of(service)) == 1)  # the idle one has gone, the other one has a turn to finish
    until(lambda: _refuses(service.address))
    (tmp_path / "go").touch()
    turn.join(30)
    assert replies == ["That is all done. Thank you!"]
    assert service.process.wait(30) == 0
    assert not any(map(_is_alive, processes))


def _refuses(address: str) -> bool:
    """A connection is refused; it is not taken and left without an answer."""
    try:
        with socket.create_connection((address.rpartition("//")[2].partition(":")[0], int(address.rpartition(":")[2]))):
            return False
    except ConnectionRefusedError:
        return True


def test_a_store_in_memory_is_refused(tmp_path: Path):
    """Each process would have one of its own."""
    assert "--workers" in refused(tmp_path, "--workers", "2", "--store", ":memory:")


def test_what_is_wrong_is_said_once(tmp_path: Path):
    """By the first worker; no other is started."""
    said = refused(tmp_path, "--workers", "3", "--flow", "nowhere.yaml")
    assert said.count("nowhere.yaml") == 1
