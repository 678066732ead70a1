"""Several processes on one store: one turn per message, whoever serves it; a worker that slept too long does no harm."""

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from maitred.app.maitred import Maitred
from maitred.benchmarks.faults.child import Child, Tell, Work
from maitred.protocol.limits import Limits
from maitred.protocol.messages import AgentResponse, ToolCall, UserRequest
from maitred.runtime.turns import Times
from maitred.store.redis import RedisStore
from maitred.store.redis_url import is_redis_url
from maitred.store.sqlite import SqliteStore

PATIENT = Limits(stuck_offer=90, stuck_escalate=91, turns_per_session=100)


def ended(child: Child) -> list[Any]:
    """All that it still tells, when it has ended well."""
    told = child.end()
    assert child.code == 0, child.broke
    return told


@pytest.fixture(params=["sqlite", "redis"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return request.getfixturevalue("redis_server").url if request.param == "redis" else str(tmp_path / "desk.db")


def open_desk(path: str, flow_of: Any, outcomes: Any, *, lease_s: float = 15.0, **how: Any) -> Maitred:
    from maitred.decision.scripted import ScriptedDecider

    flow = flow_of(outcomes, limits=PATIENT, **how)
    store = (
        RedisStore(path, lease_s=lease_s) if is_redis_url(path) else SqliteStore(path, lease_s=lease_s, durable=False)
    )
    return Maitred(flow, store=store, decider=ScriptedDecider(echo), times=Times(renew_s=3600))


def echo(request: Any) -> Any:
    if request.text in request.menu.names:
        return {"action": request.text}
    if request.menu.state == "ask":
        return {"action": "provide", "parameters": {"name": "Ann"}}
    return {"action": "answer", "reply_text": f"{request.text}, after {len(request.history)}"}


async def look(path: str, flow_of: Any) -> tuple[list[Any], bool]:
    async with open_desk(path, flow_of, None) as maitred:
        checked = await maitred.replay("s1")
        return list(checked.messages), checked.equal and checked.problem is None


def test_same_messages_from_six_processes_are_one_turn_each(path: str, flow_of: Any):
    """All of them read the same replies, byte for byte."""

    async def talk(tell: Tell) -> None:
        async with open_desk(path, flow_of, None) as maitred:
            for n in range(8):
                tell((await maitred.say("s1", f"text {n}", message_id=f"m{n}")).model_dump_json())

    told = [ended(child) for child in [Child(talk) for _ in range(6)]]
    assert all(replies == told[0] for replies in told)
    messages, whole = asyncio.run(look(path, flow_of))
    assert whole
    assert [m.message_id for m in messages if isinstance(m, UserRequest)] == [f"m{n}" for n in range(8)]
    assert [m.model_dump_json() for m in messages if isinstance(m, AgentResponse)] == told[0]


def test_different_messages_from_six_processes_are_all_served(path: str, flow_of: Any):
    """One after the other: the log has no gap and no branch, and each process's own come in its order."""

    def talk(me: int) -> Work:
        async def talking(tell: Tell) -> None:
            async with open_desk(path, flow_of, None) as maitred:
                for n in range(6):
                    tell((await maitred.say("s1", f"text {n} of {me}", message_id=f"m{me}-{n}")).reply_to)

        return talking

    told = [ended(child) for child in [Child(talk(me)) for me in range(6)]]
    assert told == [[f"m{me}-{n}" for n in range(6)] for me in range(6)]
    messages, whole = asyncio.run(look(path, flow_of))
    assert whole
    served = [m.message_id for m in messages if isinstance(m, UserRequest)]
    assert len(served) == 36
    for me in range(6):
        assert [m for m in served if m.startswith(f"m{me}-")] == told[me]


class Slept:
    """A tool that tells when it was called and waits for a byte."""

    def __init__(self, tell: Tell, gate: int | None) -> None:
        self._tell, self._gate = tell, gate

    async def run(self, key: str) -> Any:
        self._tell(key)
        if self._gate is not None:
            await asyncio.get_running_loop().run_in_executor(None, os.read, self._gate, 1)
        return {"price": 7}


@pytest.mark.parametrize("effect", ["none", "idempotent", "non_idempotent"])
def test_worker_stopped_past_its_lease_is_fenced_and_its_caller_reads_the_reply_of_the_heir(
    path: str, flow_of: Any, effect: str
):
    """SIGSTOP in the middle of a tool, another process takes over, SIGCONT: one end of the call, one reply, one key."""
    gate, opening = os.pipe()

    async def sleep(tell: Tell) -> None:
        async with open_desk(path, flow_of, Slept(tell, gate), effect=effect, lease_s=0.3) as maitred:
            await maitred.say("s1", "hello", message_id="m0")
            tell((await maitred.say("s1", "probe_it", message_id="m1")).model_dump_json())

    async def inherit(tell: Tell) -> None:
        async with open_desk(path, flow_of, Slept(tell, None), effect=effect) as maitred:
            tell((await maitred.say("s1", "probe_it", message_id="m1")).model_dump_json())

    sleeper = Child(sleep)
    key = sleeper.hear()
    os.kill(sleeper.pid, signal.SIGSTOP)
    told = ended(Child(inherit))  # waits until the lease is over
    os.write(opening, b"!")
    os.kill(sleeper.pid, signal.SIGCONT)
    assert ended(sleeper) == told[-1:]
    assert told[:-1] == ([] if effect == "non_idempotent" else [key])
    for end in (gate, opening):
        os.close(end)
    messages, whole = asyncio.run(look_at(path, flow_of, effect))
    assert whole
    ends = [m.status.value for m in messages if isinstance(m, ToolCall)]
    assert ends == ["pending", "unknown" if effect == "non_idempotent" else "ok"]
    assert [m.model_dump_json() for m in messages if isinstance(m, AgentResponse)][1:] == told[-1:]


async def look_at(path: str, flow_of: Any, effect: str) -> tuple[list[Any], bool]:
    async with open_desk(path, flow_of, None, effect=effect) as maitred:
        checked = await maitred.replay("s1")
        return list(checked.messages), checked.equal and checked.problem is None
