"""uvicorn as `maitred serve` runs it: on a socket that is open before anything is said, with an end to its patience, letting
streams end when it is told to stop; it then returns like any function, so that whatever was opened around it is closed.
"""

import asyncio
import math
import signal
import socket
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from types import FrameType

import uvicorn
from fastapi import FastAPI

from ..gateway.settings import GatewaySettings
from ..protocol.errors import BadRequest
from .serve_protocol import patient_protocol

STOPS = (signal.SIGINT, signal.SIGTERM)
_BACKLOG = 2048
_LAST_WORDS_S = 2
"""For what the gateway gave up after `close_s` to be said; then connections are closed."""


def run(main: Coroutine[object, object, int]) -> int:
    """`asyncio.run` on uvloop, where there is one."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(main)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        from uvloop import new_event_loop
    except ImportError:
        return None
    return new_event_loop


class Server(uvicorn.Server):
    """`ready` is called once the service answers on `listening`."""

    def __init__(
        self, app: FastAPI, listening: socket.socket, settings: GatewaySettings, ready: Callable[[], None]
    ) -> None:
        config = uvicorn.Config(
            app,
            access_log=False,
            log_config=None,
            http=patient_protocol(settings.headers_s),
            ws="none",
            server_header=False,
            proxy_headers=False,  # who called is who connected; nothing here believes a header about it
            timeout_graceful_shutdown=math.ceil(settings.close_s) + _LAST_WORDS_S,
        )
        super().__init__(config)
        self._app, self._ready, self._listening = app, ready, listening

    async def serve_until_stopped(self) -> None:
        """Serve until SIGINT or SIGTERM; a second one does not wait."""
        with self._listening:
            await self.serve(sockets=[self._listening])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """uvicorn's own raises the signal again behind it, which ends the process before anything is closed."""
        loop = asyncio.get_running_loop()
        for stop in STOPS:
            loop.add_signal_handler(stop, self.handle_exit, stop, None)
        try:
            yield
        finally:
            for stop in STOPS:
                loop.remove_signal_handler(stop)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._app.state.gateway.work.stop()
        self.force_exit = self.should_exit
        self.should_exit = True


def listen(host: str, port: int) -> socket.socket:
    """A socket of our own, so that the port is known before anything else is said. Raises BadRequest if it cannot be had."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(_BACKLOG)
    except OSError as error:
        raise BadRequest(f"cannot listen on {host} port {port}: {error.strerror or error}") from error
    return found


def address_of(listening: socket.socket) -> str:
    """An address that works from this machine: nobody can call 0.0.0.0."""
    host, port = listening.getsockname()[:2]
    if ip_address(host).is_unspecified:
        host = "127.0.0.1" if listening.family == socket.AF_INET or not _is_v6_only(listening) else "::1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_everywhere(listening: socket.socket) -> bool:
    """Whether it listens on every address of this machine."""
    return ip_address(listening.getsockname()[0]).is_unspecified


def _is_v6_only(listening: socket.socket) -> bool:
    return bool(listening.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY))
