"""Words that no message caused: what may say them is written down before it is done, so a process that dies in it loses none."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from maitred.app.maitred import Maitred
from maitred.gateway.webhooks.boxes import MemoryBoxes
from maitred.gateway.webhooks.conversation import Conversation
from maitred.gateway.webhooks.inbox import Inbox
from maitred.gateway.webhooks.webhooks import Webhook, Webhooks
from maitred.protocol.messages import AgentResponse

from .late import late_flow
from .test_boxes import PLACE
from .test_failures import Desk, Time

SESSION = "local:tea:1~7"


class Watched(Maitred):
    """Remembers what was written down when the timer came."""

    boxes: MemoryBoxes
    seen: list[float | None]

    async def tick(self, now: datetime | None = None) -> tuple[AgentResponse, ...]:
        held = await self.boxes.read(SESSION)
        self.seen.append(held.look_at if held else None)
        return await super().tick(now)


@pytest.fixture
async def watched() -> AsyncIterator[Watched]:
    """A conversation whose deadline is over."""
    times = [datetime.now(UTC) - timedelta(seconds=100)]
    async with Watched(late_flow(), clock=lambda: times[0]) as maitred:
        maitred.boxes, maitred.seen = MemoryBoxes(Time()), []
        await maitred.say(SESSION, "tea please")
        await maitred.boxes.change(SESSION, lambda c, now: Conversation(place=PLACE, cursor=0))
        times[0] = datetime.now(UTC)
        yield maitred


async def _letters(maitred: Watched) -> list[str]:
    await Inbox(maitred, maitred.boxes, {}, None, 30).serve(SESSION)
    held = await maitred.boxes.read(SESSION)
    assert held
    return [letter.text for letter in held.letters]


async def test_the_timer_is_written_down_before_and_looked_for_at_once_behind_it(watched: Watched) -> None:
    """The clock of the boxes stands at 1000; five minutes later another worker would look."""
    webhooks = Webhooks(watched, [Webhook(Desk(name="desk"), "local")], boxes=watched.boxes)
    await webhooks.tick()
    assert watched.seen == [1300.0]
    assert await watched.boxes.waiting() == (SESSION,)
    assert await _letters(watched) == ["Are you still there?"]
    await webhooks.tick()
    assert await _letters(watched) == ["Are you still there?"]  # still only once


async def test_an_event_is_written_down_before_and_looked_for_at_once_behind_it(watched: Watched) -> None:
    webhooks = Webhooks(watched, [Webhook(Desk(name="desk"), "local")], boxes=watched.boxes)

    async def event() -> float | None:
        held = await watched.boxes.read(SESSION)
        return held.look_at if held else None

    assert await webhooks.carried(SESSION, event) == 1300.0
    assert await watched.boxes.waiting() == (SESSION,)
    assert await webhooks.carried("another", event) == 1000.0
    assert await watched.boxes.read("another") is None


async def test_without_webhooks_nothing_is_written(watched: Watched) -> None:
    webhooks = Webhooks(watched, [], boxes=watched.boxes)
    await webhooks.tick()
    assert watched.seen == [None]
    assert await watched.boxes.waiting() == ()
