"""What a turn costs on the line to Redis, counted: two round trips, one more for a tool, one more if it cannot be repeated."""

from typing import Any

import pytest

from maitred.protocol.limits import Limits
from maitred.store import redis_breaker
from maitred.store.redis import RedisStore
from maitred.store.redis_server import Node


@pytest.fixture(autouse=True)
def no_fetch_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once a second a call has the breaker's state fetched beside it: not by chance in the middle of a count."""
    monkeypatch.setattr(redis_breaker, "FRESH_S", 3600.0)


@pytest.mark.parametrize(
    ("text", "effect", "trips"),
    [
        ("hello there", "none", 2),
        ("probe_it", "none", 3),
        ("probe_it", "idempotent", 3),
        ("probe_it", "non_idempotent", 4),
    ],
)
async def test_round_trips_of_a_turn(desk_: Any, redis_server: Any, loopback: Any, text: str, effect: str, trips: int):
    """BEGIN with history and COMMIT with index; INTEND; RESULT."""
    async with loopback(redis_server.port) as line:
        maitred = desk_.open(effect=effect, store=RedisStore(line.url))
        await desk_.lead(maitred, "hello", "name Ann")
        before = line.round_trips
        await desk_.lead(maitred, text)
        assert line.round_trips - before == trips
        await desk_.sound()
        await maitred.close()


async def test_long_session_and_a_repeat_cost_no_more(desk_: Any, redis_server: Any, loopback: Any):
    """History of forty turns comes with BEGIN, also to a worker that is new to the session; a repeat is one trip."""
    async with loopback(redis_server.port) as line:
        how = {"limits": Limits(stuck_offer=90, stuck_escalate=91, turns_per_session=100)}
        maitred = desk_.open(store=RedisStore(line.url), **how)
        await desk_.lead(maitred, "hello", "name Ann", *(f"text {n}" for n in range(45)))
        before = line.round_trips
        await desk_.lead(maitred, "one more")
        assert line.round_trips - before == 2
        other = desk_.open(store=RedisStore(line.url), **how)
        await other.say("s2", "hello")  # the first call of a process asks what the others leave alone
        await other.session("s1")
        before = line.round_trips
        reply = await other.say("s1", "and more", message_id="more")
        assert line.round_trips - before == 2
        assert await maitred.say("s1", "and more", message_id="more") == reply
        assert line.round_trips - before == 3
        for opened in (maitred, other):
            await opened.close()


@pytest.mark.parametrize(("text", "effect", "trips"), [("hello there", "none", 3), ("probe_it", "non_idempotent", 7)])
async def test_round_trips_of_a_turn_on_a_cluster(
    desk_: Any, redis_servers: Any, monkeypatch: pytest.MonkeyPatch, text: str, effect: str, trips: int
):
    """Each write is one more: the index of what is due lies in another slot, and is written first."""
    sent, send = [], Node.send

    async def counted(node: Node, commands: Any) -> list[Any]:
        sent.append(commands)
        return await send(node, commands)

    maitred = desk_.open(effect=effect, store=RedisStore(redis_servers("redis cluster").url))
    await desk_.lead(maitred, "hello", "name Ann")
    monkeypatch.setattr(Node, "send", counted)
    await desk_.lead(maitred, text)
    assert len(sent) == trips
    await maitred.close()
