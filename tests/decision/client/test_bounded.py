"""No body is read beyond its bound, however it is packed; an error's page is cut there, and its status counts."""

import asyncio
import gzip
import json
import zlib
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from maitred.decision.client import InstructorDecider
from maitred.decision.client.bounded import MAX_BODY_BYTES, bound
from maitred.protocol.decision import DecisionRequest
from maitred.protocol.errors import ModelAnswerUnusable, ModelDown, ModelError, ModelKeyRefused, ModelRequestRefused
from maitred.protocol.menu import Menu, MenuItem

Do = Any
Server = Any
Says = Any

REQUEST = DecisionRequest(session_id="s", lang="en", menu=Menu("offer", (MenuItem("accept", "x"),)), text="hello")
GOOD = json.dumps({"choices": [{"message": {"content": '{"action": "accept"}'}}]}).encode()
PACKINGS = {
    "identity": lambda body: body,
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "gzip, gzip": lambda body: gzip.compress(gzip.compress(body)),
    "deflate, gzip": lambda body: gzip.compress(zlib.compress(body)),
    "GZIP,  identity": gzip.compress,
}


def packed(how: str, body: bytes, status: int = 200) -> bytes:
    sent = PACKINGS[how](body)
    head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-encoding: {how}\r\n"
    return f"{head}content-length: {len(sent)}\r\n\r\n".encode() + sent


@pytest.mark.parametrize("how", PACKINGS)
async def test_a_body_is_measured_as_it_comes_out(server: Server, do: Do, how: str) -> None:
    """A bomb of any packing is not unpacked further than the bound; what fits is read, though we asked for plain."""
    bomb = b" " * 30_000_000 + GOOD
    room = MAX_BODY_BYTES - len(GOOD)
    server.script += [do.send(packed(how, body)) for body in (bomb, b" " * (room + 1) + GOOD, b" " * room + GOOD)]
    async with InstructorDecider("m", server.url) as decider:
        for _ in range(2):
            with pytest.raises(ModelAnswerUnusable, match="no decision: an answer of more than 1,000,000 bytes"):
                await decider.decide(REQUEST)
        assert (await decider.decide(REQUEST)).decision.action == "accept"  # type: ignore[union-attr]
    assert {headers["accept-encoding"] for headers in server.headers} == {"identity"}


@pytest.mark.parametrize("how", ["identity", "gzip, gzip"])
@pytest.mark.parametrize(
    ("status", "kind"),
    [(500, ModelDown), (401, ModelKeyRefused), (400, ModelRequestRefused), (304, ModelRequestRefused)],
)
async def test_a_large_error_page_is_not_the_model_s_fault(
    server: Server, do: Do, status: int, kind: type[ModelError], how: str
) -> None:
    """A proxy's page of two megabytes."""
    server.otherwise = do.send(packed(how, b"<html>" * 400_000, status), close=True)
    async with InstructorDecider("m", server.url, pause_s=0) as decider:
        for asking in (decider.probe, lambda: decider.decide(REQUEST)):
            with pytest.raises(ModelError) as failed:
                await asking()
            assert type(failed.value) is kind


async def test_what_is_not_read_to_its_end_is_hung_up(server: Server, do: Do) -> None:
    """No connection is left behind by answers that were too large."""
    server.otherwise = do.send(packed("identity", b" " * 3_000_000))
    async with InstructorDecider("m", server.url) as decider:
        for _ in range(3):
            with pytest.raises(ModelAnswerUnusable):
                await decider.decide(REQUEST)
        await asyncio.wait_for(asyncio.gather(*server.open), timeout=20)
        assert len(server.received) == 3


async def test_a_body_that_nobody_reads_can_be_closed() -> None:
    """The bound passes it on."""

    class Body(httpx2.AsyncByteStream):
        closed = False

        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield b"{}"

        async def aclose(self) -> None:
            self.closed = True

    body = Body()
    response = httpx2.Response(200, stream=body, request=httpx2.Request("POST", "http://h/v1"))
    await bound(response)
    await response.aclose()
    assert body.closed
