"""uvicorn's HTTP protocol with an end to its patience: whoever sends the head of a request a byte at a time, or goes on sending a
body that was refused, is hung up on. uvicorn itself only ends connections that say nothing at all between two requests.

Made for `serve_server.py`. Bodies that are wanted are `gateway/bodies.py`'s.
"""

from asyncio import BaseTransport, TimerHandle
from typing import cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES = 65_536


class PatientProtocol(HttpToolsProtocol):
    """`headers_s`: seconds from the first byte (or the connection) to the end of a head."""

    headers_s = 10.0
    _timer: TimerHandle | None = None
    _head_bytes = 0
    _draining = False

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)  # type: ignore[arg-type]  # uvicorn's own signature is narrower than asyncio's
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        if self._awaits_head() and not self._draining:
            if self._head_bytes > HEAD_BYTES:
                self._hang_up()
                return
            self._head_bytes += len(data)
        super().data_received(data)
        if self._awaits_head():
            self._wait_for_head()

    def on_headers_complete(self) -> None:
        self._head_is_here()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._draining = self.cycle.more_body
        if self._draining:  # refused before it was all here; the client gets a moment to read why
            self._wait_for_head()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._draining = False

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_is_here()
        super().connection_lost(exc)

    def _awaits_head(self) -> bool:
        cycle = cast("object | None", self.cycle)
        return cycle is None or self.cycle.response_complete

    def _wait_for_head(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self.headers_s, self._hang_up)

    def _head_is_here(self) -> None:
        self._head_bytes = 0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _hang_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()


def patient_protocol(headers_s: float) -> type[PatientProtocol]:
    """The protocol class with its seconds: uvicorn takes a class."""
    return type("PatientProtocol", (PatientProtocol,), {"headers_s": headers_s})
