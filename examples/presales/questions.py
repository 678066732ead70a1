"""What the example conversation asks of a decider: the requests behind `maitred demo`, for documents and tests."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from ...app.maitred import Maitred
from ...decision.keyword import KeywordDecider
from ...protocol.decision import AgentDecision, DecisionRequest
from ...protocol.texts import Lang
from .conversation import CONVERSATION
from .world import World

START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


class _Listener(KeywordDecider):
    """The keyword decider, which remembers what it was asked."""

    def __init__(self) -> None:
        self.requests: list[DecisionRequest] = []

    async def decide(self, request: DecisionRequest) -> AgentDecision:
        self.requests.append(request)
        return await super().decide(request)


async def asked(lang: Lang) -> tuple[DecisionRequest, ...]:
    """The requests of the whole conversation in `lang`, on a day that never changes."""
    now = START
    listener = _Listener()
    with TemporaryDirectory(prefix="maitred-") as folder:
        world = World(Path(folder) / "shop.db", clock=lambda: now)
        async with Maitred(world.flow, decider=listener, clock=lambda: now) as maitred:
            for text in CONVERSATION[lang]:
                now += timedelta(seconds=30)
                before = await maitred.store.load("demo")
                reply = await maitred.say("demo", text, meta={"lang": lang})
                await world.after_turn(maitred, reply, before.state if before else "")
    return tuple(listener.requests)
