"""Voice: a reply's words on their way from the turn that speaks to the stream that sends. One turn, one stream, one loop.

`openai_turn.py` and `turns.py` put in, `streams.py` and `native_streams.py` take out.
"""

import asyncio
from collections.abc import AsyncIterator


class Voice:
    """`id`, `session`: which reply it is, as soon as that is known. `said`: all that was taken out."""

    def __init__(self) -> None:
        self.id, self.session = "", ""
        self.said = ""
        self._waiting = ""
        self._news = asyncio.Event()

    def say(self, words: str) -> None:
        """More words, ahead of the commit."""
        self._waiting += words
        self._news.set()

    async def news(self, task: "asyncio.Task[object]", timeout_s: float) -> None:
        """Until there are words, or the turn has ended, or the time is up."""
        task.add_done_callback(self._ended)
        try:
            async with asyncio.timeout(timeout_s):
                await self._news.wait()
        except TimeoutError:
            pass
        finally:
            task.remove_done_callback(self._ended)

    def _ended(self, _: "asyncio.Task[object]") -> None:
        self._news.set()

    async def heard(self, task: "asyncio.Task[object]", ping_s: float) -> AsyncIterator[str]:
        """The words as they come, until the turn has ended; nothing ("") when there were none for `ping_s` seconds."""
        while not task.done() or self._waiting:
            await self.news(task, ping_s)
            words, self._waiting = self._waiting, ""
            if not task.done():
                self._news.clear()
            if words or not task.done():
                self.said += words
                yield words
