"""A customer who wants out while their last message is still being served: what it was about to do is not done."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from maitred import Action, Call, Flow, Maitred, Step, Terminal, tool
from maitred.protocol.decision import DecisionRequest
from maitred.protocol.messages import ToolCall, parse_message
from maitred.runtime.turns import Times
from maitred.store.sqlite import SqliteStore

Desk = Any


class SlowDecider:
    """Answers as the desk's decider does, once it is let go. `asked`: somebody waits for it."""

    name = "slow"

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.asked, self.let_go = asyncio.Event(), asyncio.Event()

    async def decide(self, request: DecisionRequest) -> Any:
        self.asked.set()
        await self.let_go.wait()
        return await self._desk.decider.decide(request)


async def served_slowly(desk: Desk, text: str, meanwhile: str, *, by: Any = None, **how: Any) -> tuple[str, str]:
    """The replies to a message and to one that comes while it is being decided."""
    maitred = desk.open(**how)
    await maitred.say("s1", "name Ann")
    slow = SlowDecider(desk)
    first = desk.open(decider=slow, **how)
    turn = asyncio.ensure_future(first.say("s1", text, message_id="m1"))
    await slow.asked.wait()
    second = asyncio.ensure_future((by or first).say("s1", meanwhile, message_id="m2"))
    await asyncio.sleep(0.1)
    slow.let_go.set()
    return (await turn).text, (await second).text


@pytest.mark.parametrize("text", ["order", "probe_it", "move_on_result"])
@pytest.mark.parametrize("meanwhile", ["I want to speak to a human", "转人工"])
async def test_neither_a_move_nor_a_call_is_made_any_more(desk_: Desk, text: str, meanwhile: str) -> None:
    """And then the human is asked for."""
    first, second = await served_slowly(desk_, text, meanwhile)
    assert first == "All right, I have stopped, and nothing was done."
    assert "colleague" in second or "人工" in second
    assert not desk_.outcomes.calls
    assert "ordered" not in await desk_.names()
    await desk_.sound()


async def test_it_reaches_a_turn_of_another_process(desk_: Desk) -> None:
    """By the store: the workers share nothing else."""
    other = desk_.open(times=Times(wait_s=10.0))
    first, _ = await served_slowly(desk_, "order", "forget it, I am leaving, bye", by=other)
    assert first == "All right, I have stopped, and nothing was done."
    await desk_.sound()


@pytest.mark.parametrize("meanwhile", ["and what does it cost?", "name Bob", "thanks, bye"])
async def test_other_messages_wait_their_turn(desk_: Desk, meanwhile: str) -> None:
    """Also one that only says goodbye: it does not take back what was asked for."""
    first, _ = await served_slowly(desk_, "order", meanwhile)
    assert first == "Please pay."
    await desk_.sound()


async def test_words_alone_need_no_stop(desk_: Desk) -> None:
    """An answer that changes nothing is read to its end."""
    first, _ = await served_slowly(desk_, "how are you", "I want to speak to a human")
    assert first == "you said how are you"


async def test_behind_an_effect_it_is_too_late(desk_: Desk) -> None:
    """What was done is told, not hidden behind "nothing was done"."""
    maitred = desk_.open()
    await maitred.say("s1", "name Ann")
    desk_.outcomes.let_go.clear()
    turn = asyncio.ensure_future(maitred.say("s1", "move_on_result", message_id="m1"))
    await desk_.outcomes.reached.wait()
    out = asyncio.ensure_future(maitred.say("s1", "get me a human please", message_id="m2"))
    await asyncio.sleep(0.1)
    desk_.outcomes.let_go.set()
    assert (await turn).text == "Please pay."
    assert (await out).state == "escalated"
    await desk_.sound()


async def test_a_repeat_does_not_stop_its_own_turn(desk_: Desk) -> None:
    """The same message again, while it is served."""
    slow = SlowDecider(desk_)
    maitred = desk_.open(decider=slow)
    first = asyncio.ensure_future(maitred.say("s1", "name Ann", message_id="m1"))
    await slow.asked.wait()
    slow.let_go.set()
    await first
    both = await asyncio.gather(*(maitred.say("s1", "talk to a human", message_id="m2") for _ in range(2)))
    assert both[0] == both[1]
    assert both[0].state == "escalated"
    await desk_.sound()


@pytest.mark.parametrize("effect", ["none", "idempotent", "non_idempotent"])
async def test_a_stop_before_the_call_of_the_very_first_step(tmp_path: Path, effect: Any) -> None:
    """The call was ordered with the start, which stays: a reading one is made, one with an effect is not; each has an end."""
    made: list[str] = []

    @tool(effect=effect)
    async def open_file() -> str:
        made.append("call")
        return "F-1"

    flow = Flow(
        name="desk",
        version="1",
        states=["hall"],
        initial="hall",
        transitions={("hall", "done"): Terminal.COMPLETED},
        steps={"hall": Step(say="Hello.", on_enter=Call("open_file"), actions=(Action("go", event="done"),))},
        tools=[open_file],
    )

    class Asked(SqliteStore):
        """The stop comes right before the intent."""

        async def append(self, write: Any) -> None:
            await super().stop("s1", "message:m2")
            await super().append(write)

    path = str(tmp_path / "desk.db")
    first, second = Maitred(flow, store=Asked(path)), Maitred(flow, store=SqliteStore(path))
    await first.say("s1", "how are you", message_id="m1")
    assert len(made) == (effect == "none")
    session = await second.session("s1")
    assert session.pending is None
    reply = await second.say("s1", "get me a human", message_id="m2")
    assert (reply.state, "colleague" in reply.text) == ("escalated", True)
    assert (await second.replay("s1")).equal
    for maitred in (first, second):
        await maitred.store.close()


async def test_what_a_fenced_worker_found_out_is_kept_as_evidence(desk_: Desk) -> None:
    """Its call came back after another worker had taken the turn: the log does not know it, whoever looks does."""
    store = SqliteStore(desk_.path, lease_s=0.2)
    worker = desk_.open(effect="non_idempotent", store=store, times=Times(renew_s=60.0))
    await worker.say("s1", "name Ann")
    desk_.outcomes.let_go.clear()
    turn = asyncio.ensure_future(worker.say("s1", "move_on_result", message_id="m1"))
    await desk_.outcomes.reached.wait()
    await asyncio.sleep(0.3)
    other = desk_.open(effect="non_idempotent")
    assert (await other.say("s1", "move_on_result", message_id="m1")).state == "escalated"
    desk_.outcomes.let_go.set()
    assert (await turn).state == "escalated"
    late = [parse_message(result) for result in await store.late("s1")]
    assert [(m.status.value, m.result) for m in late if isinstance(m, ToolCall)] == [("ok", {"price": 7})]
    assert [status for _, status in await desk_.calls()] == ["pending", "unknown"]
    await desk_.sound()


async def test_a_worker_that_was_away_before_its_call_does_not_make_it(desk_: Desk) -> None:
    """Stopped between intent and call for longer than its lease: another has recovered the call."""

    class Sleepy(SqliteStore):
        """Its whole process is stopped right behind the intent of a call, so its leases are not renewed either."""

        async def append(self, write: Any) -> None:
            await super().append(write)
            if not write.final and not self.slept:
                self.slept = True
                time.sleep(0.3)  # noqa: ASYNC251  # the whole process stands still
                other = desk_.open(effect="non_idempotent")
                assert (await other.say("s1", "move_on_result", message_id="m1")).state == "escalated"

        slept = False

    await desk_.open(effect="non_idempotent").say("s1", "name Ann")
    sleepy = Sleepy(desk_.path, lease_s=0.2)
    worker = desk_.open(effect="non_idempotent", store=sleepy, times=Times(renew_s=0.25))
    assert (await worker.say("s1", "move_on_result", message_id="m1")).state == "escalated"
    assert not desk_.outcomes.calls
