"""uvicorn as `maitred serve` runs it: says where it listens once it does, and tells streams to end when it is told to stop."""

import socket
from collections.abc import Callable
from types import FrameType

import uvicorn
from fastapi import FastAPI

from ..protocol.errors import BadRequest


class Server(uvicorn.Server):
    """`ready` is called with the address once the service listens."""

    def __init__(self, app: FastAPI, host: str, port: int, close_s: float, ready: Callable[[str], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app, host=host, port=port, access_log=False, log_level="warning", timeout_graceful_shutdown=int(close_s)
            )
        )
        self._app, self._host, self._port, self._ready = app, host, port, ready

    async def serve_until_stopped(self) -> None:
        """Listen and serve until SIGINT or SIGTERM. Raises BadRequest if the address cannot be had."""
        listening = _listening(self._host, self._port)
        host, port = listening.getsockname()[:2]
        self._address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        await self.serve(sockets=[listening])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready(self._address)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._app.state.gateway.work.stopping.set()
        super().handle_exit(sig, frame)


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
    except OSError as error:
        raise BadRequest(f"cannot listen on {host} port {port}: {error.strerror or error}") from error
    return found
