"""The breaker that workers share: what one of them found dead is left alone by all, and one probe decides for all."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from maitred import Action, Flow, Maitred, Step, Terminal, tool
from maitred.store import redis_breaker
from maitred.store.redis import RedisStore
from maitred.store.redis_breaker import RedisBreaker

FREEZE_S = 0.6
Workers = Callable[[int], list[RedisBreaker]]


@pytest.fixture
def redis_url(redis_servers: Any) -> str:
    return str(redis_servers("redis").url)


@pytest.fixture
async def workers(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Workers]:
    monkeypatch.setattr(redis_breaker, "FRESH_S", 0.05)
    stores: list[RedisStore] = []

    def make(n: int) -> list[RedisBreaker]:
        stores.extend(RedisStore(redis_url) for _ in range(n))
        return [store.breaker("test", freeze_s=FREEZE_S) for store in stores[-n:]]

    yield make
    for store in stores:
        await store.close()


async def heard(*breakers: RedisBreaker) -> None:
    """Each has fetched what the others know."""
    await asyncio.sleep(0.1)
    for breaker in breakers:
        await breaker.may_call("something else")
    await asyncio.sleep(0.1)


async def test_what_one_found_dead_the_others_leave_alone(workers: Workers) -> None:
    """And nothing else."""
    one, two = workers(2)
    assert await one.may_call("pay")
    await one.timed_out("pay")
    assert not await one.may_call("pay")
    await heard(two)
    assert not await two.may_call("pay")
    assert await two.may_call("look")


async def test_one_probe_for_all_when_the_time_is_over(workers: Workers) -> None:
    """Six workers at once: one may; when its probe went well, all may."""
    six = workers(6)
    await six[0].timed_out("pay")
    await heard(*six)
    await asyncio.sleep(FREEZE_S)
    may = await asyncio.gather(*(breaker.may_call("pay") for breaker in six))
    assert sum(may) == 1
    await six[may.index(True)].succeeded("pay")
    await heard(*six)
    assert all(await asyncio.gather(*(breaker.may_call("pay") for breaker in six)))


async def test_a_probe_that_fails_or_is_never_heard_of_starts_the_time_anew(workers: Workers) -> None:
    """No worker's death leaves a tool frozen for ever."""
    one, two = workers(2)
    await one.timed_out("pay")
    await asyncio.sleep(FREEZE_S)
    assert await one.may_call("pay")
    await heard(two)
    assert not await two.may_call("pay")
    await asyncio.sleep(FREEZE_S)
    assert await two.may_call("pay")


async def test_a_dead_tool_freezes_for_the_other_worker_of_a_flow(redis_url: str) -> None:
    """Through two whole Maitreds: the second does not wait for what the first waited for."""
    asked = []

    @tool(effect="none", timeout_s=0.05)
    async def look() -> str:
        asked.append(1)
        await asyncio.sleep(1)
        return "never"

    flow = Flow(
        name="dead",
        states=["a"],
        initial="a",
        transitions={("a", "end"): Terminal.COMPLETED},
        steps={
            "a": Step(say="A.", actions=(Action("look", tool="look", examples=("look",)), Action("end", event="end")))
        },
        tools=[look],
    )
    async with Maitred(flow, store=redis_url) as one, Maitred(flow, store=redis_url) as two:
        await one.say("s1", "look")
        await two.say("s2", "hello")
        await asyncio.sleep(0.1)
        await two.say("s2", "look")
        assert len(asked) == 1
        statuses = [event.payload.get("status") for event in (await two.replay("s2")).moves]
        assert "frozen" in statuses


async def test_without_a_server_what_is_closed_stays_closed(redis_servers: Any) -> None:
    """The breaker is no second way to fail."""
    store = RedisStore("redis://127.0.0.1:1/0")
    breaker = store.breaker("test")
    assert await breaker.may_call("pay")
    await breaker.timed_out("pay")
    assert not await breaker.may_call("pay")
    await breaker.succeeded("pay")
    assert await breaker.may_call("pay")
    await asyncio.sleep(0.1)
    await store.close()
