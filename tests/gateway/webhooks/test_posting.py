"""Calls to a channel's API go to the address of the settings and nowhere else, and an answer takes no more than it may."""

import asyncio
import gzip
from collections.abc import AsyncIterator

import pytest

from maitred.gateway.webhooks.posting import Posting, Unsent


class Api:
    """Answers all that comes with `head` and `body`; counts the calls."""

    def __init__(self) -> None:
        self.head, self.body, self.calls = "200 OK", b"{}", 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        self.calls += 1
        writer.write(f"HTTP/1.1 {self.head}\r\nContent-Length: {len(self.body)}\r\n\r\n".encode() + self.body)
        writer.close()


@pytest.fixture
async def two_apis() -> AsyncIterator[tuple[tuple[Api, str], tuple[Api, str]]]:
    """Each with its address."""
    apis = (Api(), Api())
    servers = [await asyncio.start_server(api.serve, "127.0.0.1", 0) for api in apis]
    first, second = (f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}" for server in servers)
    yield (apis[0], first), (apis[1], second)
    for server in servers:
        server.close()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_redirect_is_followed(two_apis: tuple[tuple[Api, str], tuple[Api, str]], status: int) -> None:
    """It could lead to a service of our own network. That is told; the letter waits until the address is put right."""
    (api, url), (trap, elsewhere) = two_apis
    api.head = f"{status} Elsewhere\r\nLocation: {elsewhere}/secret"
    async with Posting() as posting:
        with pytest.raises(Unsent, match=f"{status} .no redirect is followed") as unsent:
            await posting.call("POST", f"{url}/messages", content=b"{}")
    assert (unsent.value.again, api.calls, trap.calls) == (True, 1, 0)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 410, 413, 422, 429, 500, 503])
async def test_only_what_is_about_this_letter_is_final(
    two_apis: tuple[tuple[Api, str], tuple[Api, str]], status: int
) -> None:
    """A token that was rotated, or a page that is away while it is deployed, costs no answers."""
    (api, url), _ = two_apis
    api.head = f"{status} No"
    async with Posting() as posting:
        with pytest.raises(Unsent) as unsent:
            await posting.call("POST", url, content=b"{}")
    assert unsent.value.again == (status not in (400, 410, 413, 422))


async def test_an_answer_that_unpacks_without_end_is_not_read_to_its_end(
    two_apis: tuple[tuple[Api, str], tuple[Api, str]],
) -> None:
    (api, url), _ = two_apis
    api.head, api.body = "200 OK\r\nContent-Encoding: gzip", gzip.compress(b"[" + b"1," * 50_000_000 + b"1]", 1)
    async with Posting() as posting:
        assert await posting.call("POST", url, content=b"{}") is None
