"""The index of transcripts: one contract, both forms; what two workers do at once; what a restart leaves."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from maitred.gateway.transcripts import MemoryTranscripts, Place, Sent, Transcripts
from maitred.gateway.transcripts_redis import RedisTranscripts
from maitred.gateway.transcripts_sqlite import SqliteTranscripts
from maitred.protocol.errors import StoreUnavailable
from maitred.store.redis import RedisStore

Make = Callable[[], Transcripts]


@pytest.fixture(params=["memory", "sqlite", "redis", "valkey", "redis cluster"])
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Transcripts]:
    if request.param in ("memory", "sqlite"):
        yield MemoryTranscripts() if request.param == "memory" else SqliteTranscripts(str(tmp_path / "x.db"))
        return
    store = RedisStore(request.getfixturevalue("redis_servers")(request.param).url)
    yield RedisTranscripts(store)
    await store.close()


async def test_a_place_is_the_first_ones(index: Transcripts):
    """Within its space."""
    await index.remember("t", "p", Place("s1", "m1"), 1.0)
    await index.remember("t", "p", Place("s2", "m2"), 2.0)
    assert await index.place("t", "p") == Place("s1", "m1")
    assert await index.place("u", "p") is None
    await index.close()


async def test_a_point_is_followed_by_one_message(index: Transcripts):
    """Whoever comes second is told who was first."""
    assert await index.claim("s", "p", "k1", 1.0) == "k1"
    assert await index.claim("s", "p", "k2", 1.0) == "k1"
    assert await index.claim("s", "q", "k2", 1.0) == "k2"
    await index.close()


async def test_what_was_sent_is_exchanged_only_against_what_was_seen(index: Transcripts):
    """Of two that saw the same, one wins."""
    first = Sent("p", "m1", 1, None)
    assert await index.note_sent("s", first, None, 1.0)
    assert not await index.note_sent("s", Sent("p", "m2", 1, None), None, 1.0)
    answered = replace(first, answered=2.5)
    assert await index.note_sent("s", answered, first, 2.5)
    assert not await index.note_sent("s", Sent("q", "m3", 2, None), first, 3.0)
    assert await index.last_sent("s") == answered
    await index.close()


@pytest.mark.parametrize("index", ["memory", "sqlite"], indirect=True)
async def test_the_old_is_forgotten(index: Transcripts):
    """And the young stays."""
    for name, at in (("old", 1.0), ("young", 3.0)):
        await index.remember(name, "p", Place("s", "m"), at)
        await index.claim(name, "p", "k", at)
        await index.note_sent(name, Sent("p", "m", 1, None), None, at)
    await index.forget(2.0)
    assert await index.place("old", "p") is None
    assert await index.last_sent("old") is None
    assert await index.claim("old", "p", "other", 3.0) == "other"
    assert await index.place("young", "p") is not None
    assert await index.last_sent("young") is not None
    assert await index.claim("young", "p", "other", 3.0) == "k"
    await index.close()


async def test_two_workers_share_the_file_and_a_restart_finds_it(tmp_path: Path):
    """Two connections are two workers."""
    one, two = (SqliteTranscripts(str(tmp_path / "x.db")) for _ in range(2))
    assert await one.claim("s", "p", "k1", 1.0) == "k1"
    assert await two.claim("s", "p", "k2", 1.0) == "k1"
    await one.remember("t", "p", Place("s", "m"), 1.0)
    await one.close()
    await two.close()
    again = SqliteTranscripts(str(tmp_path / "x.db"))
    assert await again.place("t", "p") == Place("s", "m")
    await again.close()


async def test_in_redis_every_entry_goes_by_itself(redis_server):
    """After the days that it is kept; an exchange keeps it as long again."""
    store = RedisStore(redis_server.url)
    index = RedisTranscripts(store, keep_days=2)
    await index.remember("t", "p", Place("s", "m"), 1.0)
    await index.claim("s", "p", "k", 1.0)
    first = Sent("p", "m", 1, None)
    await index.note_sent("s", first, None, 1.0)
    await index.note_sent("s", replace(first, answered=2.5), first, 1.0)
    with redis_server.client() as client:
        names = client.keys("*")
        assert len(names) == 3
        assert {client.ttl(name) > 2 * 86400 - 60 for name in names} == {True}
        assert {name.split(b":")[0] for name in names} == {b"agent_transcript"}  # which the ACL of docs/redis.md allows
    await store.close()


async def test_a_redis_that_is_gone_is_told_by_its_name(new_redis_server):
    """As the store tells it."""
    server = new_redis_server()
    store = RedisStore(server.url)
    server.kill()
    with pytest.raises(StoreUnavailable, match=str(server.port)):
        await RedisTranscripts(store).place("t", "p")
    await store.close()


def test_a_file_that_is_no_database_is_told(tmp_path: Path):
    """At the start, by its name."""
    (tmp_path / "x.db").write_text("no database" * 100)
    with pytest.raises(StoreUnavailable, match=r"x\.db"):
        SqliteTranscripts(str(tmp_path / "x.db"))
