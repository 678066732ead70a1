"""Several processes behind one socket: `maitred serve --workers N`. This one opens the socket, starts the others with it, starts
again one that dies, and on SIGTERM or Ctrl-C lets all of them finish. It serves nothing itself.

A worker is the same command again, with two file descriptors handed down: the socket, and a link on which it says its banner once
it serves. The link's end tells either side that the other is gone, so no worker outlives a killed parent.
"""

import asyncio
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from tempfile import TemporaryDirectory

from .serve_server import STOPS
from .serve_settings import LOG_KEY_ENV

logger = logging.getLogger("maitred.serve")

WORKER_ENV = "MAITRED_WORKER_FDS"
_METRICS_ENV = "PROMETHEUS_MULTIPROC_DIR"
_STEADY_S = 60.0
_LONGEST_WAIT_S = 30.0
_KILL_AFTER_S = 15.0
"""Behind `close_s`: a worker says last words then, and turns give their leases back."""


class Workers:
    """`tell` gets the banner, once, when all serve."""

    def __init__(self, count: int, listening: socket.socket, close_s: float, tell: Callable[[str], None]) -> None:
        self._count, self._listening, self._close_s, self._tell = count, listening, close_s, tell
        self._processes: set[asyncio.subprocess.Process] = set()
        self._links: dict[int, asyncio.StreamWriter] = {}
        self._stopping = asyncio.Event()
        self._all_serve = False

    async def run(self) -> int:
        """Until stopped; the exit code. The first worker begins alone: what is wrong with the options is then said once."""
        loop = asyncio.get_running_loop()
        for stop in STOPS:
            loop.add_signal_handler(stop, self._stop)
        with TemporaryDirectory(prefix="maitred-metrics-") as folder:
            environment = {**os.environ, _METRICS_ENV: folder}
            environment.setdefault(LOG_KEY_ENV, os.urandom(16).hex())  # all call a session the same
            first, banner = await self._start(environment)
            if banner is None:
                return await first.wait()
            rest = await asyncio.gather(*(self._start(environment) for _ in range(self._count - 1)))
            self._all_serve = True
            self._tell(banner)
            await asyncio.gather(*(self._keep(process, environment) for process, _ in [(first, banner), *rest]))
        return 0

    async def _start(self, environment: dict[str, str]) -> tuple[asyncio.subprocess.Process, str | None]:
        """A worker, and what it says when it serves: None if it ended before that."""
        ours, theirs = socket.socketpair()
        fds = (self._listening.fileno(), theirs.fileno())
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "maitred",
            *sys.argv[1:],
            env={**environment, WORKER_ENV: ",".join(map(str, fds))},
            pass_fds=fds,
            start_new_session=True,  # Ctrl-C is for this process; the workers are told once
        )
        theirs.close()
        self._processes.add(process)
        if self._stopping.is_set():
            process.terminate()
        reader, writer = await asyncio.open_connection(sock=ours)
        self._links[process.pid] = writer
        line = await reader.readline()
        return process, line.decode() or None

    async def _keep(self, process: asyncio.subprocess.Process, environment: dict[str, str]) -> None:
        """Wait for its end; start another one, unless it was to end. One that dies at once waits longer each time."""
        wait_s = 0.0
        began = time.monotonic()
        while True:
            code = await process.wait()
            self._forget(process, environment)
            if self._stopping.is_set():
                return
            lived_s = time.monotonic() - began
            wait_s = 0.0 if lived_s > _STEADY_S else min(_LONGEST_WAIT_S, 2 * wait_s or 0.5)
            logger.error(
                "worker %d ended with %s; another one is started in %.1f s", process.pid, _ending(code), wait_s
            )
            if await self._stopped_within(wait_s):
                return
            began = time.monotonic()
            process, _ = await self._start(environment)

    def _forget(self, process: asyncio.subprocess.Process, environment: dict[str, str]) -> None:
        from prometheus_client.multiprocess import mark_process_dead

        self._processes.discard(process)
        self._links.pop(process.pid).close()
        mark_process_dead(process.pid, environment[_METRICS_ENV])  # type: ignore[no-untyped-call]

    async def _stopped_within(self, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self._stopping.wait(), seconds)
        except TimeoutError:
            return False
        return True

    def _stop(self) -> None:
        """The first time they finish what they have; the second time, or too late, they do not."""
        self._stopping.set()
        if self._all_serve:
            self._listening.close()  # who connects now is refused, and not left waiting for somebody to take the call
        for process in self._processes:
            process.terminate()
        asyncio.get_running_loop().call_later(self._close_s + _KILL_AFTER_S, self._kill)

    def _kill(self) -> None:
        for process in self._processes:
            process.kill()


def _ending(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


class Link:
    """A worker's side: what it got from its parent."""

    def __init__(self, fds: str) -> None:
        listening, link = map(int, fds.split(","))
        self.listening = socket.socket(fileno=listening)
        self._link = socket.socket(fileno=link)

    def serving(self, banner: str, when_alone: Callable[[], None]) -> None:
        """Say so; from now on watch whether the parent is still there."""
        self._link.sendall(f"{banner}\n".encode())
        asyncio.get_running_loop().add_reader(self._link, self._heard, when_alone)

    def _heard(self, when_alone: Callable[[], None]) -> None:
        asyncio.get_running_loop().remove_reader(self._link)
        when_alone()
