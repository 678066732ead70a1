"""`wait_replicas`: what a caller is told when fewer servers have a write than the URL wants."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from maitred.protocol.errors import StoreUnavailable
from maitred.protocol.ports import Begun, Replay
from maitred.store.redis import RedisStore

Server = Any
Writer = Any


async def test_reply_is_given_only_when_a_replica_has_it(new_redis_server: Callable[..., Server], writer: Writer):
    """Without one the commit is made and not answered; the repeat gets its reply when there is a replica, and not before."""
    primary = new_redis_server("--repl-diskless-sync-delay", "0")
    store = RedisStore(f"{primary.url}?wait_replicas=1")
    begun = await writer.begin(store, "m1", content="m1")
    write = writer.write(begun)
    with pytest.raises(StoreUnavailable, match="has not the replicas at hand that wait_replicas wants"):
        await store.append(write)
    with pytest.raises(StoreUnavailable, match="wait_replicas"):
        await writer.ask(store, "m1", content="m1")
    replica = new_redis_server("--replicaof", "127.0.0.1", str(primary.port))
    until = time.monotonic() + 20
    with primary.client() as client:  # as the primary sees it: it is told only once a second
        while client.info("replication").get("slave0", {}).get("state") != "online":
            assert time.monotonic() < until, "the replica does not follow"
            await asyncio.sleep(0.02)
    assert await writer.ask(store, "m1", content="m1") == Replay(write.records[-1].body)
    await writer.turn(store, "m2")
    with replica.client() as client:
        assert client.xlen("{agent_state:s1}:history") == 4
    assert isinstance(await writer.ask(store, "m3"), Begun)
    await store.close()
