"""The timer of the service while its store is away: one line, not one at every look."""

import logging
import time
from collections.abc import Callable
from typing import Any

import pytest

from maitred.gateway.settings import GatewaySettings

from .in_process import app_of, running, tea_flow

Server = Any


def said(caplog: pytest.LogCaptureFixture, words: str) -> list[logging.LogRecord]:
    return [record for record in caplog.records if record.name == "maitred.gateway" and words in record.getMessage()]


def wait_for(is_so: Callable[[], object]) -> None:
    until = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_store_that_is_away_is_said_once_and_so_is_its_return(
    new_redis_server: Callable[..., Server], caplog: pytest.LogCaptureFixture
):
    """No traceback; the server is named."""
    caplog.set_level(logging.INFO, "maitred.gateway")
    server = new_redis_server()
    app = app_of(tea_flow(), server.url, settings=GatewaySettings(tick_s=0.02))
    with running(app) as client:
        wait_for(lambda: client.get("/readyz").status_code == 200)
        server.kill()
        wait_for(lambda: said(caplog, "waits for the store"))
        time.sleep(0.3)  # some fifteen looks
        server.start()
        wait_for(lambda: said(caplog, "the store answers"))
    (waits,) = said(caplog, "waits for the store")
    assert f"127.0.0.1:{server.port} cannot be reached" in waits.getMessage()
    assert not [record for record in caplog.records if record.exc_info]
