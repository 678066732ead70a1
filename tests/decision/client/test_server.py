"""When a call is tried again and when it is not, what is left behind, what the books say. Nothing here is timed.

Where a pause must be kept, the time for the decision is shorter than the pause: only if it is kept does the time run out.
"""

import asyncio
import socket
import sys
from typing import Any

import pytest

from maitred.decision.client import InstructorDecider
from maitred.protocol.decision import DecisionRequest
from maitred.protocol.errors import ModelAnswerUnusable, ModelBusy, ModelError, ModelTimeout, ModelUnreachable
from maitred.protocol.menu import Menu, MenuItem

Do = Any
Server = Any
Says = Any

REQUEST = DecisionRequest(session_id="s", lang="en", menu=Menu("offer", (MenuItem("accept", "x"),)), text="hello")


async def test_the_pause_that_a_server_asks_for_is_kept(server: Server, do: Do) -> None:
    """Before the second try."""
    server.script.append(do.fail(429, retry_after="2"))
    async with InstructorDecider("m", server.url, timeout_s=1.0, pause_s=0) as decider:
        with pytest.raises(ModelTimeout):
            await decider.decide(REQUEST)
    assert len(server.received) <= 1  # on a busy machine the time may be up before a request is out


async def test_a_short_pause_is_waited_for(server: Server, do: Do, says: Says) -> None:
    """Then the answer counts."""
    server.otherwise = do.answer(says("accept"))
    server.script.append(do.fail(429, retry_after="0.01"))
    async with InstructorDecider("m", server.url, pause_s=0) as decider:
        assert [attempt.outcome for attempt in (await decider.decide(REQUEST)).attempts] == ["model_busy", "ok"]


async def test_a_pause_that_no_customer_would_wait_for_is_not_kept(server: Server, do: Do) -> None:
    """More than two seconds."""
    server.script.append(do.fail(429, retry_after="2.1"))
    async with InstructorDecider("m", server.url, pause_s=0) as decider:
        with pytest.raises(ModelBusy):
            await decider.decide(REQUEST)
    assert len(server.received) == 1


async def test_the_second_try_does_not_come_at_once(server: Server, do: Do) -> None:
    """Many clients of a server that has failed come back at different times."""
    server.otherwise = do.fail(500)
    async with InstructorDecider("m", server.url, timeout_s=2.0, pause_s=60) as decider:
        with pytest.raises(ModelTimeout) as failed:
            await decider.decide(REQUEST)
    # The call was over when the time was up, so it keeps its own ending.
    assert [attempt.outcome for attempt in failed.value.attempts] == ["model_down"]


async def test_a_server_that_waited_too_long_for_us_is_asked_again(server: Server, do: Do, says: Says) -> None:
    """408 is not about the request."""
    server.otherwise = do.answer(says("accept"))
    server.script.append(do.fail(408))
    async with InstructorDecider("m", server.url, pause_s=0) as decider:
        assert [attempt.outcome for attempt in (await decider.decide(REQUEST)).attempts] == ["model_down", "ok"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems count a line of waiting connections otherwise")
async def test_a_host_that_takes_no_connection_leaves_time_for_the_second_try() -> None:
    """Its line of waiting connections is full, so a new one hangs."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as deaf:
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(deaf.getsockname())
        async with InstructorDecider(
            "m", f"http://127.0.0.1:{deaf.getsockname()[1]}/v1", timeout_s=3, pause_s=0
        ) as decider:
            with pytest.raises(ModelUnreachable, match="ConnectTimeout") as failed:
                await decider.decide(REQUEST)
        for each in waiting:
            each.close()
    assert len(failed.value.attempts) == 2


async def test_a_decision_that_is_given_up_leaves_no_connection(server: Server, do: Do) -> None:
    """Cancelled from outside while the answer comes in."""
    began = asyncio.Event()

    async def drip(writer: asyncio.StreamWriter) -> None:
        began.set()
        await do.drip(b"HTTP/1.1 200 X\r\ncontent-length: 100000\r\n\r\n" + b" " * 100_000)(writer)

    server.otherwise = drip
    async with InstructorDecider("m", server.url) as decider:
        asking = asyncio.create_task(decider.decide(REQUEST))
        await began.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await asyncio.wait_for(asyncio.gather(*server.open), timeout=20)


async def test_closing_closes_what_was_kept(server: Server, do: Do, says: Says) -> None:
    """A connection is kept for the next decision, and not longer than the decider."""
    server.otherwise = do.answer(says("accept"))
    decider = InstructorDecider("m", server.url)
    await decider.decide(REQUEST)
    await decider.decide(REQUEST)
    (kept,) = server.open
    await decider.close()
    await asyncio.wait_for(kept, timeout=20)


async def test_what_nobody_foresaw_is_not_booked_as_a_timeout(server: Server) -> None:
    """A message that is no JSON never leaves."""
    messages: Any = [{"role": "user", "content": "hello", "name": object()}]
    async with InstructorDecider("m", server.url, messages=lambda request: messages) as decider:
        with pytest.raises(ModelError, match="the model client failed: TypeError") as failed:
            await decider.decide(REQUEST)
    assert [attempt.outcome for attempt in failed.value.attempts] == ["model_error"]
    assert server.received == []


async def test_the_probe_is_tried_twice_too(server: Server, do: Do) -> None:
    """As a decision is."""
    server.script.append(do.fail(503))
    async with InstructorDecider("m", server.url, pause_s=0) as decider:
        await decider.probe()
    assert len(server.received) == 2


async def test_an_answer_that_is_no_decision_is_not_tried_again(server: Server, do: Do) -> None:
    """That is the ladder's."""
    server.otherwise = do.answer("prose")
    async with InstructorDecider("m", server.url) as decider:
        with pytest.raises(ModelAnswerUnusable):
            await decider.decide(REQUEST)
    assert len(server.received) == 1
