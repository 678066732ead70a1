"""Proxy: a bad line to a server, on the loopback. Each request has a fate: carried, cut, torn, doubled, late, or its answer lost.

Knows where a request begins (the first bytes after an answer), nothing of what it says. Used by `lost_replies.py`.
"""

import asyncio
from enum import Enum
from pathlib import Path
from random import Random
from typing import Self

_PIECE = 1 << 16
_GREETING = b"CLIENT"
_LATE_S = (0.25, 1.0)
_EXECUTED_WITHIN_S = 2.0


class Fate(Enum):
    """What becomes of one request."""

    CARRIED = "carried"
    CUT = "cut"  # the line breaks before the server reads any of it
    TORN = "torn"  # the server reads a part of it
    LOST = "lost"  # it is executed; the line breaks instead of bringing the answer
    HALF_ANSWERED = "half answered"  # the line breaks in the middle of the answer
    DOUBLED = "doubled"  # it is executed twice, as if the client sent it again; the second answer comes back
    LATE = "late"  # it is executed when the client has given up, perhaps when its lease is over
    ANSWERED_LATE = "answered late"  # it is executed; the answer comes when the client has given up


FAULTS = tuple(fate for fate in Fate if fate is not Fate.CARRIED)


class Proxy:
    """To the server at `socket`. `share`: of the requests that are hurt. `faults`: how many were, so far."""

    def __init__(self, socket: Path, rng: Random, share: float) -> None:
        self._socket, self._rng, self._share = str(socket), rng, share
        self._lines: set[asyncio.Task[None]] = set()
        self.faults = 0

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for line in self._lines:
            line.cancel()
        await asyncio.gather(*self._lines, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = asyncio.ensure_future(self._serve(reader, writer))
        self._lines.add(line)
        line.add_done_callback(self._lines.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            back = await asyncio.open_unix_connection(self._socket)
        except OSError:
            writer.close()
            return
        line = _Line(self, (reader, writer), back)
        answers = asyncio.ensure_future(line.answers())
        try:
            await line.requests()
        except OSError:
            pass  # one of the two has closed it
        finally:
            answers.cancel()
            for end in (writer, back[1]):
                end.close()

    def fate(self, request: bytes) -> Fate:
        """Not of what a client says of itself when it comes."""
        if self._rng.random() >= self._share or _GREETING in request[:20]:
            return Fate.CARRIED
        self.faults += 1
        return self._rng.choice(FAULTS)

    def part(self, piece: bytes) -> bytes:
        return piece[: self._rng.randrange(len(piece))]

    async def late(self) -> None:
        await asyncio.sleep(self._rng.uniform(*_LATE_S))

    async def execute(self, request: bytes) -> None:
        """On a line of its own, until the answer comes."""
        reader, writer = await asyncio.open_unix_connection(self._socket)
        writer.write(request)
        await reader.read(_PIECE)
        writer.close()


_Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class _Line:
    """One connection: both directions, and what is to become of the request under way."""

    def __init__(self, proxy: Proxy, client: _Ends, server: _Ends) -> None:
        self._proxy, self._client, self._server = proxy, client, server
        self._fate = Fate.CARRIED
        self._answered = asyncio.Event()
        self._answered.set()

    async def requests(self) -> None:
        """Returns when the line is to break. What a client has left behind is still executed."""
        while piece := await self._client[0].read(_PIECE):
            if self._answered.is_set():
                self._answered.clear()
                self._fate = self._proxy.fate(piece)
            match self._fate:
                case Fate.CUT:
                    return
                case Fate.TORN:
                    piece = self._proxy.part(piece)
                case Fate.DOUBLED:
                    await self._proxy.execute(piece)
                case Fate.LATE:
                    await self._proxy.late()
            self._server[1].write(piece)
            if self._fate is Fate.TORN:
                return
        async with asyncio.timeout(_EXECUTED_WITHIN_S):
            await self._answered.wait()

    async def answers(self) -> None:
        """The other direction, until the line is to break; then the client is cut off."""
        while piece := await self._server[0].read(_PIECE):
            self._answered.set()
            match self._fate:
                case Fate.LOST:
                    break
                case Fate.HALF_ANSWERED:
                    self._client[1].write(self._proxy.part(piece))
                    break
                case Fate.ANSWERED_LATE:
                    await self._proxy.late()
            self._client[1].write(piece)
        self._client[1].close()
