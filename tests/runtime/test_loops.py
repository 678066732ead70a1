"""What turns in the caller's task must not cost: another loop's renewals, everybody's turn of the loop, a runner's own task."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from maitred import Action, Flow, Maitred, Slot, Step, Terminal, tool
from maitred.decision.scripted import ScriptedDecider
from maitred.protocol.decision import AgentDecision, DecisionRequest
from maitred.protocol.ports import Begun, Lease
from maitred.runtime.turns import Times
from maitred.store.memory import MemoryStore
from maitred.store.sqlite import SqliteStore
from maitred.tools.runner import Runner


@tool(effect="none")
async def look() -> dict[str, Any]:
    """Look it up."""
    return {"found": True}


def flow() -> Flow:
    return Flow(
        name="tea",
        states=["order"],
        initial="order",
        transitions={("order", "known"): Terminal.COMPLETED, ("order", "seen"): "order"},
        steps={
            "order": Step(
                collects={"tins": Slot(int, read="number", ask="How many tins?")},
                complete="known",
                actions=(Action("look", tool="look", on={"ok": "seen"}, examples=("look it up",)),),
            )
        },
        tools=[look],
    )


class Renewed(MemoryStore):
    """Counts renewals."""

    renewals = 0

    async def renew(self, lease: Lease) -> None:
        self.renewals += 1
        await super().renew(lease)


class Slow(ScriptedDecider):
    """Takes its time."""

    async def decide(self, request: DecisionRequest) -> AgentDecision:
        await asyncio.sleep(0.2)
        return AgentDecision(action="answer", reply_text="at last")


def test_leases_are_renewed_in_every_loop() -> None:
    """A timer of a loop that is over fires no more: the second `asyncio.run` needs one of its own."""
    store = Renewed()
    maitred = Maitred(flow(), store=store, decider=Slow([]), times=Times(renew_s=0.02))
    for n in range(2):
        before = store.renewals
        asyncio.run(maitred.say("s", f"hm {n}?"))
        assert store.renewals > before


async def test_a_caller_with_many_turns_lets_the_loop_turn() -> None:
    """Its own time limit fires, for one thing."""
    async with Maitred(flow()) as maitred:

        async def many() -> None:
            async with asyncio.timeout(0.05):
                for n in range(50_000):
                    await maitred.say(f"s{n}", "hm?")

        with pytest.raises(TimeoutError):
            await many()


async def test_a_runner_may_ask_for_its_task() -> None:
    """Its time limit ends the call and nothing of the caller's."""

    class Strict(Runner):
        async def run(self, *args: Any) -> Any:
            try:
                async with asyncio.timeout(0.01):
                    await asyncio.sleep(60)
            except TimeoutError:
                return await super().run(*args)

    async with Maitred(flow(), runner=Strict()) as maitred:
        reply = await maitred.say("s", "look it up")
        assert reply.text
        task = asyncio.current_task()
        assert task
        assert task.cancelling() == 0


async def test_history_with_a_human_is_what_a_fresh_store_says(tmp_path: Path) -> None:
    """Messages to a human are no turns; what is remembered between turns must not take them for some."""
    path = str(tmp_path / "tea.db")
    store = SqliteStore(path)
    async with Maitred(flow(), store=store) as maitred:
        for n, text in enumerate(
            ["what tea?", "hm", "I want to talk to a human", "hello?", "anybody?", "still there?"]
        ):
            await maitred.say("s", text)
            fresh = SqliteStore(path)
            seen = []
            for one in (store, fresh):
                begun = await one.begin("s", f"look-{n}", "print", b"{}")
                assert isinstance(begun, Begun)
                seen.append(begun.history)
                await one.release(begun.lease, untried=True)
            await fresh.close()
            assert seen[0] == seen[1]
