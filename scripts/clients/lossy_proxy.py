"""LossyProxy: an HTTP proxy on this machine that treats replies as a bad network does; what befalls which is drawn from a seed.

A lost reply was given in full and never delivered; a cut one breaks off within its body; a late one waits. Connections are
kept open between requests, as real ones are.
"""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

_HEAD_END = b"\r\n\r\n"


@dataclass
class LossyProxy:
    """`target`: host and port. The shares are of replies; the rest comes as it is. `heads`: of the requests that came."""

    target: tuple[str, int]
    seed: int
    lost: float = 0.1
    cut: float = 0.1
    late: float = 0.1
    late_s: float = 0.5
    done: Counter[str] = field(default_factory=Counter)
    heads: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    async def start(self) -> int:
        """Returns the port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return int(self._server.sockets[0].getsockname()[1])

    def _fate(self) -> str:
        draw = self._random.random()
        for name in ("lost", "cut", "late"):
            if draw < getattr(self, name):
                return name
            draw -= getattr(self, name)
        return "whole"

    async def _serve(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        try:
            while await self._pass_one(client, to_client):
                pass
        except (OSError, asyncio.IncompleteReadError):
            pass  # the client is gone
        finally:
            to_client.close()

    async def _pass_one(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> bool:
        """One request and its reply; whether the connection is still good."""
        request = b"".join([part async for part in _message(client)])
        self.heads.append(request.partition(_HEAD_END)[0])
        fate = self._fate()
        self.done[fate] += 1
        server, to_server = await asyncio.open_connection(*self.target)
        try:
            to_server.write(request)
            if fate == "late":
                await asyncio.sleep(self._random.uniform(0, self.late_s))
            if fate in ("lost", "cut"):
                reply = b"".join([part async for part in _message(server)])
                self._break_off(to_client, b"" if fate == "lost" else reply, cut_after=reply.index(_HEAD_END) + 4)
                return False
            async for part in _message(server):
                to_client.write(part)
                await to_client.drain()
            return True
        finally:
            to_server.close()

    def _break_off(self, to_client: asyncio.StreamWriter, reply: bytes, cut_after: int) -> None:
        if reply:
            to_client.write(reply[: self._random.randrange(cut_after, len(reply))])
            to_client.close()
        elif self._random.random() < 0.5:
            to_client.close()
        else:
            to_client.transport.abort()


async def _message(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """Head and body of one HTTP message, in the parts in which it comes."""
    head = await reader.readuntil(_HEAD_END)
    yield head
    fields = dict(line.lower().split(b":", 1) for line in head.split(b"\r\n")[1:] if b":" in line)
    if b"chunked" in fields.get(b"transfer-encoding", b""):
        size = -1
        while size:
            line = await reader.readuntil(b"\r\n")
            size = int(line.split(b";")[0], 16)
            yield line + await reader.readexactly(size + 2)
    elif length := int(fields.get(b"content-length", b"0")):
        yield await reader.readexactly(length)
