"""A model's server on loopback that speaks chat completions over HTTP/1.1 and behaves as badly as a test wants.

`server.script` holds what to do with the next requests; once it is used up, `server.otherwise` is done. A behaviour writes raw
bytes to the connection. Everything that came in is kept in `server.received`.
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from maitred.app.maitred import Maitred
from maitred.decision.client import InstructorDecider
from maitred.protocol.messages import StateEvent, parse_message
from maitred.protocol.slots import Slot
from maitred.runtime.turns import Times
from maitred.statemachine.flow import Flow
from maitred.statemachine.parts import Action, Step, Terminal

Behaviour = Callable[[asyncio.StreamWriter], Awaitable[None]]
USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 7,
    "total_tokens": 107,
    "prompt_tokens_details": {"cached_tokens": 60},
}


def decision(action: str, reply_text: str = "", **parameters: Any) -> str:
    return json.dumps({"action": action, "parameters": parameters, "reply_text": reply_text}, ensure_ascii=False)


def http(status: int, body: bytes, **headers: str) -> bytes:
    named = {"content-type": "application/json", "content-length": str(len(body)), **headers}
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in named.items())
    return f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode() + body


STREAM_HEAD = b"HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def chunked(part: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(part), part)


def data(value: Any) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def said(content: str | None, finish: str | None = None) -> bytes:
    delta = {} if content is None else {"content": content}
    return data({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": None})


class Do:
    """Behaviours."""

    @staticmethod
    def send(data: bytes, *, close: bool = False) -> Behaviour:
        async def behave(writer: asyncio.StreamWriter) -> None:
            writer.write(data)
            await writer.drain()
            if close:
                writer.close()

        return behave

    @classmethod
    def answer(cls, content: str | None, finish: str | None = "stop", usage: Any = USAGE, **message: Any) -> Behaviour:
        choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}
        body = {
            "id": "c1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [choice],
            "usage": usage,
        }
        return cls.send(http(200, json.dumps(body).encode()))

    @classmethod
    def fail(cls, status: int, message: str = "no", **headers: str) -> Behaviour:
        return cls.send(http(status, json.dumps({"error": {"message": message}}).encode(), **headers))

    @classmethod
    def stream(
        cls, *parts: str | asyncio.Event | bytes, finish: str | None = "stop", usage: Any = USAGE, cut: bool = False
    ) -> Behaviour:
        """A completion piece by piece. At an event it waits for the test; bytes go as they are; `cut`: then it breaks off."""

        async def behave(writer: asyncio.StreamWriter) -> None:
            writer.write(STREAM_HEAD)
            for part in parts:
                if isinstance(part, asyncio.Event):
                    await part.wait()
                    continue
                writer.write(chunked(part if isinstance(part, bytes) else said(part)))
                await writer.drain()
            if cut:
                writer.close()
                return
            if finish:
                writer.write(chunked(said(None, finish)))
            if usage:
                writer.write(chunked(data({"choices": [], "usage": usage})))
            writer.write(chunked(b"data: [DONE]\n\n") + b"0\r\n\r\n")
            await writer.drain()

        return behave

    @staticmethod
    def endlessly(beginning: str) -> Behaviour:
        """A stream that never ends by itself: a model that has much to say behind its `beginning`."""

        async def behave(writer: asyncio.StreamWriter) -> None:
            writer.write(STREAM_HEAD + chunked(said(beginning)))
            while not writer.is_closing():
                writer.write(chunked(said(" and")))
                await writer.drain()
                await asyncio.sleep(0.005)

        return behave

    @staticmethod
    def drip(data: bytes, every_s: float = 0.01) -> Behaviour:
        """A byte now and then, so that no read ever times out."""

        async def behave(writer: asyncio.StreamWriter) -> None:
            for n in range(len(data)):
                writer.write(data[n : n + 1])
                await writer.drain()
                await asyncio.sleep(every_s)

        return behave

    @staticmethod
    async def hang(writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()


@dataclass
class ModelServer:
    port: int = 0
    received: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    script: deque[Behaviour] = field(default_factory=deque)
    otherwise: Behaviour = field(default_factory=lambda: Do.answer(decision("answer", "Good.")))
    open: set["asyncio.Task[Any]"] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def prompts(self) -> list[str]:
        return [json.dumps(body["messages"], ensure_ascii=False) for body in self.received]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self.open.add(task)
        try:
            while not writer.is_closing():
                await self._one(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # the client has gone, or the test is over
        finally:
            self.open.discard(task)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        assert head.startswith("POST /v1/chat/completions ")
        self.headers.append(headers)
        self.received.append(json.loads(body))
        await (self.script.popleft() if self.script else self.otherwise)(writer)


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    made = ModelServer()
    listening = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = listening.sockets[0].getsockname()[1]
    yield made
    listening.close()
    tasks = [*made.open]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.fixture
def do() -> type[Do]:
    return Do


@pytest.fixture
def says() -> Callable[..., str]:
    return decision


def shop() -> Flow:
    """ask -> offer -> completed: a size, then yes or another colour."""
    return Flow(
        name="shoes",
        version="1",
        states=("ask", "offer"),
        initial="ask",
        transitions={("ask", "known"): "offer", ("offer", "accepted"): Terminal.COMPLETED},
        steps={
            "ask": Step(collects={"size": Slot(int, ask="Which size?")}, complete="known", say="{ask}"),
            "offer": Step(
                say="Size {size}, 80 euros.",
                actions=(
                    Action("accept", label="take the offer", event="accepted"),
                    Action("paint", label="another colour", parameters={"colour": Slot(str)}, reply="Painted."),
                ),
            ),
        },
    )


@dataclass
class Shop:
    """A Maitred that asks the server, and what its log says."""

    maitred: Maitred
    decider: InstructorDecider

    async def say(self, text: str) -> str:
        reply = await self.maitred.say("s1", text)
        assert reply.text.strip()
        return reply.text

    async def events(self) -> list[StateEvent]:
        messages = [parse_message(record.body) for record in await self.maitred.store.log("s1")]
        return [message for message in messages if isinstance(message, StateEvent)]

    async def reasons(self) -> list[str]:
        """Why decisions were refused, in the log's words."""
        found = [
            str(event.payload.get("why") or event.reason)
            for event in await self.events()
            if event.event in ("decision_rejected", "rolled_back", "escalated")
        ]
        checked = await self.maitred.replay("s1")
        assert (checked.equal, checked.problem) == (True, None)
        return found


Open = Callable[..., Shop]


@pytest.fixture
async def open_shop(server: ModelServer) -> AsyncIterator[Open]:
    opened: list[Shop] = []

    def make(times: Times | None = None, **how: Any) -> Shop:
        settings = {"base_url": server.url, "api_key": "sk-secret", "timeout_s": 20.0, "pause_s": 0.001, **how}
        decider = InstructorDecider("m", **settings)
        opened.append(Shop(Maitred(shop(), decider=decider, times=times), decider))
        return opened[-1]

    yield make
    for each in opened:
        await each.maitred.close()
        await each.decider.close()
