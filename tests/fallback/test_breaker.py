"""After a time-out a tool is left alone for a while, then one probe decides for everyone."""

from typing import Any

import pytest

from maitred.fallback.breaker import LocalBreaker

Monotonic = Any


@pytest.fixture
def breaker(monotonic: Monotonic) -> LocalBreaker:
    return LocalBreaker(monotonic, freeze_s=30.0)


async def test_tool_is_frozen_for_its_time_and_others_are_not(breaker: LocalBreaker, monotonic: Monotonic):
    """Up to the last moment, whoever asks."""
    assert await breaker.may_call("pay")
    await breaker.timed_out("pay")
    for _ in range(3):
        assert not await breaker.may_call("pay")
    assert await breaker.may_call("look")
    monotonic.now += 29.9
    assert not await breaker.may_call("pay")


async def test_one_probe_goes_out_when_the_time_is_over(breaker: LocalBreaker, monotonic: Monotonic):
    """Everybody else waits for what it finds."""
    await breaker.timed_out("pay")
    monotonic.now += 30
    assert [await breaker.may_call("pay") for _ in range(5)] == [True, False, False, False, False]


async def test_probe_that_succeeds_opens_the_way_for_all(breaker: LocalBreaker, monotonic: Monotonic):
    """Closed again."""
    await breaker.timed_out("pay")
    monotonic.now += 30
    assert await breaker.may_call("pay")
    await breaker.succeeded("pay")
    assert [await breaker.may_call("pay") for _ in range(3)] == [True, True, True]


async def test_probe_that_times_out_freezes_anew(breaker: LocalBreaker, monotonic: Monotonic):
    """For the whole time, counted from its end."""
    await breaker.timed_out("pay")
    monotonic.now += 30
    assert await breaker.may_call("pay")
    monotonic.now += 5
    await breaker.timed_out("pay")
    monotonic.now += 29
    assert not await breaker.may_call("pay")
    monotonic.now += 1
    assert await breaker.may_call("pay")


async def test_probe_that_is_never_heard_of_again_does_not_freeze_for_ever(breaker: LocalBreaker, monotonic: Monotonic):
    """Its turn was cancelled: the next probe goes out after the same time."""
    await breaker.timed_out("pay")
    monotonic.now += 30
    assert await breaker.may_call("pay")
    monotonic.now += 30
    assert [await breaker.may_call("pay"), await breaker.may_call("pay")] == [True, False]
