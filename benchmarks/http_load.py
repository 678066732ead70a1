"""A client for `bench http` that costs little: one kept connection, requests made beforehand, replies read as they come."""

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from ..protocol.errors import InternalError


def request_of(body: Mapping[str, object], **headers: str) -> bytes:
    """A chat completion as it goes over the wire."""
    content = json.dumps(body).encode()
    named = {"host": "127.0.0.1", "content-type": "application/json", "content-length": str(len(content)), **headers}
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in named.items())
    return f"POST /v1/chat/completions HTTP/1.1\r\n{lines}\r\n".encode() + content


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes of a body, and when they were here (`time.monotonic_ns`, the same clock in every process of a machine)."""

    data: bytes
    at_ns: int


class Line:
    """A connection to a service on this machine."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def to(cls, port: int) -> Self:
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def ask(self, request: bytes) -> list[Part]:
        """The body of the reply. Raises InternalError for one that is not 200: it would measure something else."""
        self._writer.write(request)
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        body = await self._chunks() if b"transfer-encoding: chunked" in head else [await self._whole(head)]
        if b" 200 " not in head.split(b"\r\n", 1)[0]:
            raise InternalError(f"the reply was {head[:40]!r} {body[0].data[:300]!r}")
        return body

    async def _whole(self, head: bytes) -> Part:
        length = head.split(b"content-length: ", 1)[1].split(b"\r\n", 1)[0]
        return Part(await self._reader.readexactly(int(length)), time.monotonic_ns())

    async def _chunks(self) -> list[Part]:
        parts = []
        while size := int(await self._reader.readline(), 16):
            data = await self._reader.readexactly(size + 2)
            parts.append(Part(data[:-2], time.monotonic_ns()))
        await self._reader.readline()
        return parts

    def close(self) -> None:
        self._writer.close()
