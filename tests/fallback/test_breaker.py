"""After a time-out a tool is left alone for a while, then one probe decides for everyone."""

from typing import Any

import pytest

from maitred.fallback.breaker import Breaker

Monotonic = Any


@pytest.fixture
def breaker(monotonic: Monotonic) -> Breaker:
    return Breaker(monotonic, freeze_s=30.0)


def test_tool_is_frozen_for_its_time_and_others_are_not(breaker: Breaker, monotonic: Monotonic):
    """Up to the last moment, whoever asks."""
    assert breaker.may_call("pay")
    breaker.timed_out("pay")
    for _ in range(3):
        assert not breaker.may_call("pay")
    assert breaker.may_call("look")
    monotonic.now += 29.9
    assert not breaker.may_call("pay")


def test_one_probe_goes_out_when_the_time_is_over(breaker: Breaker, monotonic: Monotonic):
    """Everybody else waits for what it finds."""
    breaker.timed_out("pay")
    monotonic.now += 30
    assert [breaker.may_call("pay") for _ in range(5)] == [True, False, False, False, False]


def test_probe_that_succeeds_opens_the_way_for_all(breaker: Breaker, monotonic: Monotonic):
    """Closed again."""
    breaker.timed_out("pay")
    monotonic.now += 30
    assert breaker.may_call("pay")
    breaker.succeeded("pay")
    assert [breaker.may_call("pay") for _ in range(3)] == [True, True, True]


def test_probe_that_times_out_freezes_anew(breaker: Breaker, monotonic: Monotonic):
    """For the whole time, counted from its end."""
    breaker.timed_out("pay")
    monotonic.now += 30
    assert breaker.may_call("pay")
    monotonic.now += 5
    breaker.timed_out("pay")
    monotonic.now += 29
    assert not breaker.may_call("pay")
    monotonic.now += 1
    assert breaker.may_call("pay")


def test_probe_that_is_never_heard_of_again_does_not_freeze_for_ever(breaker: Breaker, monotonic: Monotonic):
    """Its turn was cancelled: the next probe goes out after the same time."""
    breaker.timed_out("pay")
    monotonic.now += 30
    assert breaker.may_call("pay")
    monotonic.now += 30
    assert [breaker.may_call("pay"), breaker.may_call("pay")] == [True, False]
