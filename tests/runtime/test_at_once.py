"""A turn that never waits gets no task; one that waits goes on in a task of its own, whatever becomes of its caller."""

import asyncio

import pytest

from maitred import Flow, Maitred, Slot, Step, Terminal
from maitred.decision.keyword import KeywordDecider
from maitred.decision.scripted import ScriptedDecider
from maitred.protocol.decision import AgentDecision, DecisionRequest
from maitred.protocol.waiting import is_immediate
from maitred.runtime.at_once import at_once


async def test_what_never_waits_runs_in_the_callers_task() -> None:
    """No task is made, results and errors come as they are."""

    async def work(fails: bool) -> object:
        if fails:
            raise KeyError("x")
        return asyncio.current_task()

    assert await at_once(work(False), asyncio.shield) is asyncio.current_task()
    with pytest.raises(KeyError):
        await at_once(work(True), asyncio.shield)


async def test_what_waits_goes_on_in_its_own_task() -> None:
    """Bare yields, futures that are done meanwhile, errors and cancellations arrive where the work waits."""
    here, seen = asyncio.current_task(), []

    async def work() -> str:
        await asyncio.sleep(0)
        seen.append(asyncio.current_task() is not here)
        future = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(future.set_exception, KeyError("late"))
        try:
            await future
        except KeyError:
            await asyncio.sleep(0.001)
        return "done"

    assert (await at_once(work(), asyncio.shield), seen) == ("done", [True])


async def test_the_first_wait_may_be_cancelled() -> None:
    """The work sees it there and may go on waiting for something else."""
    reached = asyncio.Event()

    async def work() -> str:
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            reached.set()
            return "tidied"
        return "never"

    def cancelled(task: "asyncio.Task[str]") -> "asyncio.Task[str]":
        asyncio.get_running_loop().call_later(0.001, task.cancel)
        return task

    assert await at_once(work(), cancelled) == "tidied"
    assert reached.is_set()


def flow() -> Flow:
    return Flow(
        name="tea",
        states=["order"],
        initial="order",
        transitions={("order", "known"): Terminal.COMPLETED},
        steps={"order": Step(collects={"tins": Slot(int, ask="How many?")}, complete="known")},
    )


class Slow(ScriptedDecider):
    """Waits before it answers."""

    async def decide(self, request: DecisionRequest) -> AgentDecision:
        await asyncio.sleep(0.02)
        return AgentDecision(action="answer", reply_text="at last")


async def test_a_turn_goes_on_though_its_caller_left() -> None:
    """With a store that never waits, too."""
    async with Maitred(flow(), decider=Slow([])) as maitred:
        task = asyncio.ensure_future(maitred.say("s", "hello there", message_id="m1"))
        await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        again = await maitred.say("s", "hello there", message_id="m1")
        assert again.text == "at last"
        assert (await maitred.session("s")).turn == 1


async def test_who_overrides_a_method_that_never_waits_may_wait() -> None:
    """It is bounded like every other, unless it says of itself that it never waits."""

    class Asks(KeywordDecider):
        async def decide(self, request: DecisionRequest) -> AgentDecision:
            async with asyncio.timeout(5):  # needs a task of its own
                await asyncio.sleep(0.001)
            return await super().decide(request)

    class Counts(KeywordDecider):
        immediate = True

        async def decide(self, request: DecisionRequest) -> AgentDecision:
            return await super().decide(request)

    found = [is_immediate(decider, "decide") for decider in (KeywordDecider(), Asks(), Counts(), object())]
    assert found == [True, False, True, False]
    async with Maitred(flow(), decider=Asks()) as maitred:
        assert (await maitred.say("s", "3")).text
