"""The service as a real process on a real socket, and a proxy that loses replies."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from .served import LossyProxy, Service, Start, start


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Start]:
    """`serve("--flow", ...)`: a service of this test alone."""
    running: list[Service] = []

    def started(*options: str, env: dict[str, str] | None = None) -> Service:
        running.append(start(tmp_path, *options, env=env))
        return running[-1]

    yield started
    for service in running:
        service.stop(signal.SIGKILL)
        assert service.process.stderr is not None
        service.process.stderr.close()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The example, served for all tests of a file."""
    running = start(tmp_path_factory.mktemp("served"))
    yield running
    running.stop()
    assert running.process.stderr is not None
    running.process.stderr.close()


@pytest.fixture
def proxy(service: Service) -> Iterator[LossyProxy]:
    host, port = service.address.removeprefix("http://").split(":")
    lossy = LossyProxy((host, int(port)))
    yield lossy
    lossy.listening.close()
