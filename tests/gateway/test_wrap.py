"""A bot or a client that a program has already, with a flow around it: the same call, the flow's moves, the bot's words."""

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from openai import AsyncOpenAI, OpenAI

from maitred import Action, Flow, Slot, Step, Terminal, tool, wrap
from maitred.protocol.errors import BadRequest

Messages = list[dict[str, Any]]


@tool(effect="non_idempotent")
async def ship(tins: int) -> dict[str, object]:
    """Send them."""
    return {"parcel": "P000001"}


def flow() -> Flow:
    return Flow(
        name="tea",
        states=["order", "confirm"],
        initial="order",
        transitions={("order", "known"): "confirm", ("confirm", "shipped"): Terminal.COMPLETED},
        steps={
            "order": Step(
                instruction="Find out how many tins.",
                collects={
                    "tins": Slot(
                        int, read="number", cues=("tins", "罐"), ask={"en": "How many tins?", "zh": "要几罐？"}
                    )
                },
                complete="known",
            ),
            "confirm": Step(
                say={"en": "{tins} tins. Order them? (yes / no)", "zh": "{tins} 罐，下单吗？（是 / 否）"},
                confirms="buy",
                actions=(Action("buy", tool="ship", on={"ok": "shipped"}, confirm=True),),
            ),
        },
        tools=[ship],
        facts={"parcel": r"P\d{6}"},
        identity="You sell tea.",
    )


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


class Teller:
    """A bot of before: it knows nothing of flows."""

    def __init__(self) -> None:
        self.told: list[Messages] = []

    async def __call__(self, messages: Messages) -> str:
        self.told.append(messages)
        claim = " Your parcel P999999 is on its way!" if "parcel" in messages[-1]["content"] else ""
        return f"Green and black.{claim}"


async def test_an_async_bot_walks_the_flow_by_the_conversations_name() -> None:
    """Only the last message counts; the order needs the customer's yes; a claimed parcel is not shown."""
    teller = Teller()
    async with wrap(teller, flow()) as bot:
        said = [
            await bot([user(text)], conversation_id="c7")
            for text in ("what tea do you have?", "where is my parcel?", "3 tins", "ship it or not, who cares", "yes")
        ]
        state = (await bot.maitred.session("local:tea:c7")).state
    assert said[0] == "Green and black."
    assert "P999999" not in said[1]
    assert said[2] == "3 tins. Order them? (yes / no)"
    assert state == "completed"
    assert teller.told[0][0] == {"role": "system", "content": "You sell tea.\nFind out how many tins."}


async def test_without_a_name_the_transcript_is_the_conversation() -> None:
    """Two who begin alike stay apart, and what cannot be repeated does not run on a guess."""
    async with wrap(Teller(), flow()) as bot:
        first, second = [[user("hi")] for _ in range(2)]
        for talk in (first, second):
            talk.append({"role": "assistant", "content": await bot(talk)})
        assert first[-1] != second[-1]
        first.append(user("3 tins"))
        assert (await bot(first)).startswith("3 tins.")
        assert await bot(first) == await bot(first)  # a repeat is no second turn
        second.append(user("9 tins"))
        assert (await bot(second)).startswith("9 tins.")
        first += [{"role": "assistant", "content": await bot(first)}, user("yes")]
        refused = await bot(first)
        assert "P000001" not in refused


def test_a_plain_bot_stays_plain(tmp_path: Path) -> None:
    """Called from several threads at once; its sessions outlive it."""

    def teller(messages: Messages) -> dict[str, str]:
        return {"role": "assistant", "content": f"绿茶和红茶。{len(messages)}"}

    db = str(tmp_path / "tea.db")
    with wrap(teller, flow(), store=db) as bot:
        said: dict[int, str] = {}
        threads = [
            threading.Thread(target=lambda n=n: said.update({n: bot([user("有什么茶？")], conversation_id=f"c{n}")}))
            for n in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert set(said.values()) == {"绿茶和红茶。2"}
        assert bot([user("3罐")], conversation_id="c1") == "3 罐，下单吗？（是 / 否）"
    with wrap(teller, flow(), store=db) as bot:
        bot([user("是")], conversation_id="c1")
        assert bot.loop.call(bot.maitred.session("local:tea:c1")).state == "completed"


class Model(BaseHTTPRequestHandler):
    """A server that says how it was asked."""

    asked: ClassVar[list[Any]] = []

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        Model.asked.append(asked)
        message = {"role": "assistant", "content": f"{asked['model']} says: green and black."}
        body = {
            "id": "x", "object": "chat.completion", "created": 1, "model": asked["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 40, "completion_tokens": 7, "total_tokens": 47},
        }  # fmt: skip
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    Model.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


NAMED: Mapping[str, Any] = {"extra_headers": {"X-Conversation-Id": "c7"}}


async def test_an_async_client_with_one_line_changed(address: str) -> None:
    """The same objects come back; the words and their tokens are the model's, the moves the flow's."""
    async with wrap(AsyncOpenAI(base_url=address, api_key="none"), flow()) as client:
        create = client.chat.completions.create
        reply = await create(model="m1", messages=[user("what tea do you have?")], temperature=0.5, **NAMED)
        assert reply.choices[0].message.content == "m1 says: green and black."
        assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (40, 7)
        assert (Model.asked[0]["temperature"], "tools" in Model.asked[0]) == (0.5, False)
        stream = await create(
            model="m1", messages=[user("3 tins")], stream=True, stream_options={"include_usage": True}, **NAMED
        )
        chunks = [part async for part in stream]
        text = "".join(part.choices[0].delta.content or "" for part in chunks if part.choices)
        assert text == "3 tins. Order them? (yes / no)"
        assert [part.choices[0].finish_reason for part in chunks if part.choices][-1] == "stop"
        assert chunks[-1].usage.prompt_tokens == 0
        done = await create(model="m1", messages=[user("yes")], metadata={"conversation_id": "c7"})
        assert done.choices[0].finish_reason == "stop"
        assert (await client.maitred.session("local:tea:c7")).state == "completed"
        assert len(Model.asked) == 1
        assert client.base_url.port  # what is not chat is the client's own


async def test_each_call_speaks_by_its_own_model(address: str) -> None:
    """Also when they run at once."""
    async with wrap(AsyncOpenAI(base_url=address, api_key="none"), flow()) as client:

        async def ask(n: int) -> str:
            headers = {"X-Conversation-Id": f"c{n}"}
            reply = await client.chat.completions.create(model=f"m{n}", messages=[user("hm?")], extra_headers=headers)
            return str(reply.choices[0].message.content)

        assert await asyncio.gather(*map(ask, range(6))) == [f"m{n} says: green and black." for n in range(6)]


def test_a_client_that_blocks(address: str) -> None:
    """Stream and not."""
    with wrap(OpenAI(base_url=address, api_key="none"), flow()) as client:
        reply = client.chat.completions.create(model="m2", messages=[user("what tea do you have?")], **NAMED)
        assert reply.choices[0].message.content == "m2 says: green and black."
        with client.chat.completions.create(model="m2", messages=[user("4 tins")], stream=True, **NAMED) as stream:
            assert "".join(part.choices[0].delta.content or "" for part in stream).startswith("4 tins.")


@pytest.mark.parametrize("target", [7, object(), "bot"])
def test_what_cannot_be_wrapped_is_refused(target: Any) -> None:
    with pytest.raises(BadRequest, match="callable over chat messages or an openai client"):
        wrap(target, flow())


async def test_a_call_without_a_customers_message_is_refused() -> None:
    async with wrap(Teller(), flow()) as bot:
        for messages in ([], [{"role": "system", "content": "be kind"}]):
            with pytest.raises(BadRequest):
                await bot(messages, conversation_id="c")


@pytest.mark.parametrize("messages", ["Hello", None, {"role": "user", "content": "Hello"}])
async def test_what_is_no_list_of_messages_is_told_by_its_type(messages: Any) -> None:
    """A bare text is the mistake that is made."""
    async with wrap(Teller(), flow()) as bot:
        with pytest.raises(
            BadRequest, match=f"messages is a list of chat messages, .*; got a {type(messages).__name__}"
        ):
            await bot(messages, conversation_id="c1")


def test_a_program_that_closes_nothing_ends(tmp_path: Path) -> None:
    """No thread keeps it alive."""
    code = (
        "from maitred import Flow, Slot, Step, Terminal, wrap\n"
        "flow = Flow(name='t', states=['a'], initial='a', transitions={('a', 'k'): Terminal.COMPLETED}, "
        "steps={'a': Step(collects={'n': Slot(int, read='number', ask='How many?')}, complete='k')})\n"
        "print(wrap(lambda messages: 'Tea.', flow)([{'role': 'user', 'content': 'what is it?'}], conversation_id=7))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stdout) == (0, "Tea.\n"), ran.stderr


def test_after_it_is_closed_it_says_so() -> None:
    bot = wrap(lambda messages: "Tea.", flow())
    assert bot([user("what tea?")], conversation_id="c")
    bot.close()
    bot.close()
    with pytest.raises(BadRequest, match="closed"):
        bot([user("what tea?")], conversation_id="c")


async def test_a_slow_bot_costs_its_words_and_nobody_elses_turn() -> None:
    """The flow's own sentence answers; the decider is not frozen."""

    async def slow(messages: Messages) -> str:
        await asyncio.sleep(60)
        return "too late"

    def endless(messages: Messages) -> str:
        return next(iter(()))

    for target in (slow, endless):
        made = wrap(target, flow(), bot_s=0.05)
        loop = getattr(made, "loop", None)
        call = (lambda *a, made=made, **k: asyncio.to_thread(made, *a, **k)) if loop else made
        assert await call([user("what tea do you have?")], conversation_id="a") == "How many tins?"
        assert (await call([user("3 tins")], conversation_id="b")).startswith("3 tins.")


def test_what_would_go_past_the_flow_is_refused(address: str) -> None:
    """Copies of the client, raw and parsed completions, the other API."""
    with wrap(OpenAI(base_url=address, api_key="none"), flow()) as client:
        ways = [
            (client, "with_options"),
            (client, "copy"),
            (client, "responses"),
            (client.chat.completions, "parse"),
            (client.chat.completions, "with_raw_response"),
            (client.chat.completions, "stream"),
        ]
        for of, name in ways:
            with pytest.raises(BadRequest, match="past the flow"):
                getattr(of, name)
        reply = client.chat.completions.create(model="m", messages=[user("hm, what tea?")], **NAMED)
        more = [user("hm, what tea?"), reply.choices[0].message, user("3 tins")]
        assert (
            client.chat.completions.create(model="m", messages=more, **NAMED)
            .choices[0]
            .message.content.startswith("3 tins.")
        )
