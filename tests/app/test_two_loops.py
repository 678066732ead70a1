"""A bot that is not asynchronous calls `asyncio.run` for each message: what keeps connections has to serve loop after loop."""

import asyncio
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from maitred import Flow, InstructorDecider, Maitred, Step, Terminal
from maitred.protocol.errors import BadRequest
from maitred.protocol.per_loop import PerLoop

ANSWER = (
    b'{"id":"1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"stop","message":'
    b'{"role":"assistant","content":"{\\"action\\":\\"answer\\",\\"parameters\\":{},\\"reply_text\\":\\"Of course.\\"}"}}]}'
)


def flow() -> Flow:
    return Flow(
        name="talk",
        states=["talk"],
        initial="talk",
        transitions={("talk", "done"): Terminal.COMPLETED},
        steps={"talk": Step(say="Hello.")},
        outside=("done",),
    )


@pytest.fixture(params=["file", "redis", "redis cluster"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "file":
        return str(tmp_path / "talk.db")
    return str(request.getfixturevalue("redis_servers")(request.param).url)


@pytest.fixture
def model() -> Iterator[str]:
    """The address of a model's server that keeps its connections open."""

    class Model(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(ANSWER)))
            self.end_headers()
            self.wfile.write(ANSWER)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

    server = Server(("127.0.0.1", 0), Model)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


def test_one_maitred_serves_loop_after_loop(place: str, model: str) -> None:
    decider = InstructorDecider("m", base_url=model)
    maitred = Maitred(flow(), store=place, decider=decider)
    for n in range(3):
        assert "Of course." in asyncio.run(maitred.say("s", f"is it {n} o'clock?")).text

    async def many() -> None:
        replies = await asyncio.gather(*(maitred.say(f"s{n}", "is it late?") for n in range(60)))
        assert all("Of course." in reply.text for reply in replies)

    for _ in range(2):  # more at once than there are connections: some wait, and what they wait for has a loop
        asyncio.run(many())

    async def end() -> None:
        await maitred.close()
        await decider.close()

    asyncio.run(end())


async def test_two_loops_at_once_are_refused() -> None:
    """Their connections would get into each other's way in ways that nobody understands."""
    made = PerLoop(list)
    made().append(1)

    async def other() -> list[int]:
        return made()

    with pytest.raises(BadRequest, match="another's"):
        await asyncio.to_thread(lambda: asyncio.run(other()))
    assert made() == [1]
