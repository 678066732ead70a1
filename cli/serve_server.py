"""uvicorn as `maitred serve` runs it: says where it listens once it does, lets streams end when it is told to stop, and then
returns like any function, so that whatever was opened around it is closed.
"""

import asyncio
import signal
import socket
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from fastapi import FastAPI

from ..protocol.errors import BadRequest

_STOPS = (signal.SIGINT, signal.SIGTERM)


def run(main: Coroutine[object, object, None]) -> None:
    """`asyncio.run` on uvloop, where there is one."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(main)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        from uvloop import new_event_loop
    except ImportError:
        return None
    return new_event_loop


class Server(uvicorn.Server):
    """`ready` is called with the address once the service listens. `close_s`: how long a stop waits for requests in flight."""

    def __init__(self, app: FastAPI, host: str, port: int, close_s: float, ready: Callable[[str], None]) -> None:
        wait_s = max(1, round(close_s))
        config = uvicorn.Config(app, access_log=False, log_config=None, timeout_graceful_shutdown=wait_s)
        super().__init__(config)
        self._app, self._ready = app, ready
        self._listening = _listening(host, port)

    @property
    def address(self) -> str:
        """Where it listens."""
        host, port = self._listening.getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    async def serve_until_stopped(self) -> None:
        """Serve until SIGINT or SIGTERM; a second one does not wait."""
        with self._listening:
            await self.serve(sockets=[self._listening])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready(self.address)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """uvicorn's own raises the signal again behind it, which ends the process before anything is closed."""
        loop = asyncio.get_running_loop()
        for stop in _STOPS:
            loop.add_signal_handler(stop, self.handle_exit, stop, None)
        try:
            yield
        finally:
            for stop in _STOPS:
                loop.remove_signal_handler(stop)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._app.state.gateway.work.stopping.set()
        self.force_exit = self.should_exit
        self.should_exit = True


def _listening(host: str, port: int) -> socket.socket:
    """A socket of our own, so that the port is known before anything else is said. Raises BadRequest if it cannot be had."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
    except OSError as error:
        raise BadRequest(f"cannot listen on {host} port {port}: {error.strerror or error}") from error
    return found
