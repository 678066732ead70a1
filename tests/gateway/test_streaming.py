"""Streams over a model that writes slowly: a model's server, the service and its client, each on a real socket."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
import uvicorn

from maitred.app.maitred import Maitred
from maitred.decision.client import InstructorDecider
from maitred.gateway.app import create_app
from maitred.gateway.settings import GatewaySettings
from maitred.gateway.streams import completion_chunks
from maitred.gateway.voice import Voice
from maitred.protocol.log import Message
from maitred.protocol.messages import AgentResponse, StateEvent, parse_message
from maitred.protocol.texts import SENTENCES
from maitred.statemachine.flow import Flow
from maitred.statemachine.parts import Action, Step, Terminal

from ..decision.client.conftest import USAGE, Do, ModelServer

OPENING = '{"action": "answer", "parameters": {}, "reply_text": "'
NAMED = {"x-conversation-id": "c1"}


def shoes(**how: Any) -> Flow:
    """An offer that may be accepted."""
    return Flow(
        name="shoes",
        states=("offer",),
        initial="offer",
        transitions={("offer", "accepted"): Terminal.COMPLETED},
        steps={"offer": Step(say="Size 43, 80 euros.", actions=(Action("accept", label="take it", event="accepted"),))},
        **how,
    )


class Site:
    """The service over a model's server, and a client for it."""

    def __init__(self, model: ModelServer, maitred: Maitred, client: httpx2.AsyncClient) -> None:
        self.model, self.maitred, self.client = model, maitred, client

    async def log(self) -> list[Message]:
        (row,) = await self.maitred.sessions()
        return [parse_message(record.body) for record in await self.maitred.store.log(row.session_id)]

    async def replies(self) -> list[str]:
        return [message.text for message in await self.log() if isinstance(message, AgentResponse)]

    async def events(self) -> list[str]:
        return [message.event for message in await self.log() if isinstance(message, StateEvent)]

    @asynccontextmanager
    async def chat(self, *texts: str, **headers: str) -> AsyncIterator["Stream"]:
        roles = ("user", "assistant")
        messages = [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]
        body = {"model": "shoes", "messages": messages, "stream": True, "stream_options": {"include_usage": True}}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.client.stream("POST", "/v1/chat/completions", json=body, headers=named) as response:
            assert response.status_code == 200, await response.aread()
            yield Stream(response)


class Stream:
    """What a client reads, line by line."""

    def __init__(self, response: httpx2.Response) -> None:
        self.headers = response.headers
        self._lines = response.aiter_lines()
        self.chunks: list[dict[str, Any]] = []
        self.pings = 0
        self.done = False

    async def until(self, enough: Callable[["Stream"], bool]) -> None:
        async for line in self._lines:
            if line.startswith(":"):
                self.pings += 1
            elif line == "data: [DONE]":
                self.done = True
            elif line.startswith("data: "):
                self.chunks.append(json.loads(line[6:]))
            if enough(self):
                return

    async def rest(self) -> str:
        await self.until(lambda _: False)
        return self.words

    @property
    def words(self) -> str:
        deltas = [chunk["choices"][0]["delta"] for chunk in self.chunks if chunk.get("choices")]
        return "".join(delta.get("content") or "" for delta in deltas)


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    made = ModelServer()
    listening = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = listening.sockets[0].getsockname()[1]
    yield made
    listening.close()
    tasks = [*made.open]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def served(model: ModelServer, flow: Flow, ping_s: float = 600) -> AsyncIterator[Site]:
    """On this test's own loop. Nothing is woken by a ping."""
    async with InstructorDecider("m", model.url, timeout_s=60, pause_s=0) as decider:
        maitred = Maitred(flow, decider=decider)
        app = create_app(maitred, settings=GatewaySettings(ping_s=ping_s))
        config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", timeout_graceful_shutdown=20)
        server = uvicorn.Server(config)
        listening = config.bind_socket()
        listening.listen(100)
        serving = asyncio.create_task(server.serve([listening]))
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        try:
            async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
                yield Site(model, maitred, client)
        finally:
            server.should_exit = True
            await serving
            listening.close()


@pytest.fixture
async def site(model: ModelServer) -> AsyncIterator[Site]:
    async with served(model, shoes()) as made:
        yield made


async def test_words_arrive_before_the_model_has_ended(site: Site) -> None:
    """And before anything is stored; in the end the log has just these words, and the usage is the model's."""
    gate = asyncio.Event()
    site.model.otherwise = Do.stream(OPENING + "They are", " blue.", gate, ' Truly."}')
    async with site.chat("what colour?", **NAMED) as stream:
        await stream.until(lambda s: s.words == "They are blue.")
        assert await site.maitred.sessions() == () or await site.replies() == []
        assert stream.headers["x-maitred-session"] == "c1"
        gate.set()
        assert await stream.rest() == "They are blue. Truly."
    assert await site.replies() == ["They are blue. Truly."]
    assert stream.done
    assert len({chunk["id"] for chunk in stream.chunks}) == 1
    *_, stop, usage = stream.chunks
    assert (stop["choices"][0]["finish_reason"], usage["choices"]) == ("stop", [])
    assert usage["usage"]["prompt_tokens"] == USAGE["prompt_tokens"]
    assert usage["usage"]["completion_tokens"] == USAGE["completion_tokens"]


async def test_a_repeat_replays_the_same_words(model: ModelServer) -> None:
    """Under the same id, without the model; also while the first is still being written."""
    gate = asyncio.Event()
    model.script.append(Do.stream(OPENING + "They are", gate, ' blue."}'))
    async with served(model, shoes(), ping_s=0.02) as site:
        async with site.chat("what colour?", **NAMED, x_message_id="m1") as first:
            await first.until(lambda s: s.words != "")
            async with site.chat("what colour?", **NAMED, x_message_id="m1") as joined:
                gate.set()
                assert await joined.rest() == await first.rest() == "They are blue."
        async with site.chat("what colour?", **NAMED, x_message_id="m1") as again:
            assert await again.rest() == "They are blue."
    assert again.chunks[0]["id"] == first.chunks[0]["id"] == joined.chunks[0]["id"]
    assert len(model.received) == 1


async def test_a_nameless_conversation_is_streamed_too_and_goes_on(site: Site) -> None:
    """The mark of its first reply follows the words; with it the next message finds the session."""
    gate = asyncio.Event()
    site.model.script.append(Do.stream(OPENING + "They are", gate, ' blue."}'))
    async with site.chat("what colour?") as stream:
        await stream.until(lambda s: s.words == "They are")
        gate.set()
        first = await stream.rest()
    assert first.startswith("They are blue.\n\n(Conversation #")
    site.model.script.append(Do.stream(OPENING + 'Leather."}'))
    async with site.chat("what colour?", first, "and what are they made of?") as stream:
        assert await stream.rest() == "Leather."
    assert await site.replies() == ["They are blue.", "Leather."]


async def test_nothing_of_an_action_arrives_before_it_is_done(model: ModelServer) -> None:
    """While the model still writes its words, the client gets signs of life and no more; then the step's own words."""
    gate = asyncio.Event()
    accepted = '{"action": "accept", "parameters": {}, "reply_text": "Sold to you, for certain.'
    model.otherwise = Do.stream(accepted, gate, '"}')
    async with served(model, shoes(), ping_s=0.02) as site:
        async with site.chat("I take them", **NAMED) as stream:
            await stream.until(lambda s: s.pings >= 3)
            assert stream.words == ""
            gate.set()
            words = await stream.rest()
        assert [words] == await site.replies()
        assert "Sold" not in words
        assert (await site.events())[-1] == "accepted"


async def test_an_illegal_action_closes_the_model_s_stream(site: Site) -> None:
    """While it goes on writing; the model is asked again and told why, the customer sees only the second answer."""
    site.model.script.append(Do.endlessly('{"action": "sell_the_shop", "parameters": {}, "reply_text": "Sold'))
    site.model.otherwise = Do.stream(OPENING + 'They are blue."}')
    async with site.chat("what colour?", **NAMED) as stream:
        assert await stream.rest() == "They are blue."
    assert await site.replies() == ["They are blue."]
    assert (await site.events()).count("decision_rejected") == 1
    assert "sell_the_shop" in site.model.prompts()[1]
    assert len(site.model.received) == 2
    if len(site.model.open) > 1:
        await asyncio.wait(site.model.open, timeout=20, return_when=asyncio.FIRST_COMPLETED)
    assert len(site.model.open) == 1  # the connection of the second answer is kept, that of the first is gone


async def test_a_fact_without_an_event_never_arrives(model: ModelServer) -> None:
    """Not by words ahead, not with the rest. What was said before it stays, in the stream and in the log alike."""
    gate = asyncio.Event()
    async with served(model, shoes(facts={"order_no": r"SO-?[0-9]{6}"})) as site:
        model.otherwise = Do.stream(OPENING + "They are blue. ", "Your order is S", gate, "O-00", '0123. Bye."}')
        async with site.chat("what colour?", **NAMED) as stream:
            await stream.until(lambda s: s.words == "They are blue.")
            gate.set()
            words = await stream.rest()
        assert words.startswith("They are blue.\n")
        assert "123" not in json.dumps([chunk["choices"] for chunk in stream.chunks])  # ids and times hold any digits
        assert await site.replies() == [words]
        assert "reply_replaced" in await site.events()


@pytest.mark.parametrize("cut", [True, False])
async def test_a_model_that_breaks_off_leaves_a_whole_reply(site: Site, cut: bool) -> None:
    """What arrived is what is stored, with a sentence that says so, and a proper end of the stream."""
    broken = b'data: {"error": {"message": "out of memory"}}\n\n'
    site.model.otherwise = Do.stream(OPENING + "They are", b"" if cut else broken, cut=cut)
    async with site.chat("what colour?", **NAMED) as stream:
        assert await stream.rest() == f"They are {SENTENCES['cut_off']['en']}"
    assert stream.done
    assert await site.replies() == [stream.words]
    assert len(site.model.received) == 1


async def test_a_plain_request_asks_the_model_without_a_stream(site: Site) -> None:
    """Nobody reads it token by token."""
    body = {"model": "shoes", "messages": [{"role": "user", "content": "what colour?"}]}
    reply = await site.client.post("/v1/chat/completions", json=body, headers=NAMED)
    assert reply.json()["choices"][0]["message"]["content"] == "Good."
    assert "stream" not in site.model.received[0]


async def test_natively_words_come_as_events_without_an_id(site: Site) -> None:
    """The durable events follow, the reply among them; taken up again, the stream has only these."""
    gate = asyncio.Event()
    site.model.otherwise = Do.stream(OPENING + "They are", gate, ' blue."}')
    posted = {"text": "what colour?", "message_id": "m1"}
    how = {"json": posted, "headers": {"accept": "text/event-stream"}}
    async with site.client.stream("POST", "/v1/sessions/c1/messages", **how) as response:
        blocks = response.aiter_text()
        came = ""
        while "They are" not in came:
            came += await anext(blocks)
        assert "sop.reply" not in came
        gate.set()
        came += "".join([block async for block in blocks])
    fields = [
        dict(line.split(": ", 1) for line in block.splitlines()) for block in came.split("\n\n") if "data" in block
    ]
    told = [one for one in fields if one.get("event") == "sop.words"]
    words = "".join(json.loads(one["data"])["delta"] for one in told)
    (reply,) = [json.loads(one["data"]) for one in fields if one.get("event") == "sop.reply"]
    assert words == reply["text"] == "They are blue."
    assert not any("id" in one for one in told)
    assert {json.loads(one["data"])["reply_to"] for one in told} == {reply["reply_to"]}
    again = await site.client.post("/v1/sessions/c1/messages", **how)
    assert "sop.words" not in again.text
    assert "They are blue." in again.text


async def test_a_reply_that_does_not_go_on_from_the_words_ends_the_stream_with_an_error() -> None:
    """Another worker finished the turn, with another reply: better a broken stream than two replies in one."""

    async def other() -> Any:
        return type("Answered", (), {"text": "They are red."})()

    voice = Voice()
    voice.say("They are blue.")
    task = asyncio.create_task(other())
    chunks = completion_chunks(task, voice, created=1, model="m", wants_usage=False, ping_s=1)
    came = b"".join([chunk async for chunk in chunks]).decode()
    assert "They are blue." in came
    assert "red" not in came
    assert '"code":"replied_otherwise"' in came
    assert "[DONE]" not in came
