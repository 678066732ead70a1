"""`/readyz` tries what a turn needs, in every place it is written to, and costs little however often it is asked."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import httpx2
import pytest

from maitred.app.maitred import Maitred
from maitred.gateway.app import create_app
from maitred.gateway.readiness import FRESH_S, Readiness
from maitred.gateway.webhooks.standard import StandardWebhooks
from maitred.gateway.webhooks.webhooks import Webhook
from maitred.protocol.errors import StoreUnavailable
from maitred.store.sqlite import SqliteStore

from .in_process import app_of, running, tea_flow
from .webhooks.desks import WHSEC

HOOK = Webhook(StandardWebhooks(name="shop", secret=WHSEC, callback_url="http://127.0.0.1:1"), tenant="local")


def told(client: httpx2.Client) -> tuple[int, str]:
    answer = client.get("/readyz")
    return answer.status_code, answer.json()["status"]


@pytest.mark.parametrize("name", ["tea.db", "tea.gateway.db", "tea.webhooks.db"])
def test_a_file_that_was_moved_away_is_not_ready(tmp_path: Path, name: str) -> None:
    """The process would write on into a file that nobody finds again."""
    with running(app_of(tea_flow(), str(tmp_path / "tea.db"), webhooks=[HOOK])) as client:
        (tmp_path / name).rename(tmp_path / "elsewhere")
        assert told(client) == (503, "store_unavailable")
        (tmp_path / "elsewhere").rename(tmp_path / name)
        assert client.get("/healthz").status_code == 200


@pytest.mark.parametrize("locked", [True, False])
def test_a_file_that_is_locked_is_not_ready(tmp_path: Path, locked: bool) -> None:
    """It can be read all the while."""
    with (
        running(app_of(tea_flow(), str(tmp_path / "tea.db"))) as client,
        closing(apsw.Connection(str(tmp_path / "tea.db"))) as other,
    ):
        other.execute("BEGIN IMMEDIATE" if locked else "SELECT 1")
        assert told(client)[0] == (503 if locked else 200)


def test_a_redis_that_takes_no_writes_is_not_ready(new_redis_server: Callable[..., Any]) -> None:
    """Full here; a replica that was promoted away reads on as well."""
    server = new_redis_server("--maxmemory", "1")
    with running(create_app(Maitred(tea_flow(), store=server.url))) as client:
        assert told(client) == (503, "store_unavailable")


def test_a_redis_that_does_is(redis_server: Any) -> None:
    with running(create_app(Maitred(tea_flow(), store=redis_server.url))) as client:
        assert told(client) == (200, "ok")


@pytest.mark.parametrize("store", [SqliteStore(), ":memory:"])
def test_a_store_in_memory_is_ready(store: Any) -> None:
    with running(create_app(Maitred(tea_flow(), store=store))) as client:
        assert told(client) == (200, "ok")


class Place:
    """Counts how often it is tried."""

    def __init__(self) -> None:
        self.tried, self.works = 0, True

    async def ready(self) -> None:
        self.tried += 1
        if not self.works:
            raise StoreUnavailable("down")


async def test_it_is_tried_once_a_second_at_most() -> None:
    """Whoever asks needs no key."""
    now, place = [0.0], Place()
    readiness = Readiness((place, object()), lambda: now[0])
    assert [await readiness.error() for _ in range(100)] == [None] * 100
    place.works = False
    assert (await readiness.error(), place.tried) == (None, 1)
    now[0] += FRESH_S
    assert isinstance(await readiness.error(), StoreUnavailable)
