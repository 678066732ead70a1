"""A cluster under load: slots move with live keys, a primary dies and its replica takes over; nothing is doubled, nothing torn.

Customers who are told `store_unavailable` send the same message again. With `wait_replicas=1` nothing that was answered may be
lost; without it, exactly what docs/redis.md says: answers of the moment before the primary died, on the slots that it had.
"""

import asyncio
import random
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import redis
from redis.crc import key_slot

from maitred import Maitred
from maitred.benchmarks.turn import Straight, ring_flow
from maitred.protocol.errors import SessionBusy, StoreUnavailable
from maitred.protocol.messages import AgentResponse, StateEvent, UserRequest, parse_message
from maitred.runtime.turns import Times
from maitred.store.redis import RedisStore
from maitred.store.redis_cluster import Address, Cluster
from maitred.store.redis_keys import keys_of
from maitred.store.redis_server import Node

from ..redis_cluster import SixServers

NAMES = [f"s{n}" for n in range(40)]
AT_ONCE = 12
LEASE_S = 2.0
LOST_S = 1.0
"""docs/redis.md: what was answered so shortly before a failover may be lost."""
DOCS = Path(__file__).resolve().parents[2] / "docs"
Writer = Any


@pytest.fixture(scope="module")
def six(new_redis_cluster: Callable[[float], SixServers]) -> SixServers:
    """Of this file alone, for it is hurt."""
    return new_redis_cluster(2.0)


class Customers:
    """Each sends message after message, one at a time, by any of the workers, until it has been read a reply to each."""

    def __init__(self, workers: list[Maitred], seed: int) -> None:
        self._workers, self._chance = workers, random.Random(seed)
        self._turn = asyncio.Semaphore(AT_ONCE)
        self.replies: dict[str, dict[str, tuple[str, float]]] = {name: {} for name in NAMES}
        self.stopping = False
        self.refused = 0

    @property
    def read(self) -> int:
        return sum(map(len, self.replies.values()))

    async def come(self, name: str) -> None:
        while not self.stopping:
            async with self._turn:
                message = f"m{len(self.replies[name])}"
                self.replies[name][message] = (await self._ask(name, message), time.monotonic())

    async def _ask(self, name: str, message: str) -> str:
        until = time.monotonic() + 30
        while True:
            with suppress(StoreUnavailable, SessionBusy):
                worker = self._chance.choice(self._workers)
                return (await worker.say(name, "please go on", message_id=message)).message_id
            assert time.monotonic() < until, "the customer is refused for ever"
            self.refused += 1
            await asyncio.sleep(0.05)

    async def until(self, more: int) -> None:
        """Wait for so many more replies."""
        wanted, until = self.read + more, time.monotonic() + 30
        while self.read < wanted:
            assert time.monotonic() < until, "the customers are not served"
            await asyncio.sleep(0.01)


@asynccontextmanager
async def at_work(url: str, seed: int) -> AsyncIterator[tuple[list[Maitred], Customers]]:
    """Customers at two workers; when left, each has its last reply."""
    times = Times(renew_s=LEASE_S / 3, wait_s=1.0)
    workers = [
        Maitred(ring_flow(100_000), store=RedisStore(url, lease_s=LEASE_S), decider=Straight(), times=times)
        for _ in range(2)
    ]
    customers = Customers(workers, seed)
    coming = asyncio.gather(*map(customers.come, NAMES))
    try:
        yield workers, customers
        customers.stopping = True
        await coming
    finally:
        coming.cancel()
        for worker in workers:
            await worker.close()


async def audit(worker: Maitred, customers: Customers, *, may_be_lost: Callable[[str, float], bool]) -> None:
    """Each log is one chain that folds to its session, and holds each message once, with the reply that was read."""
    assert {row.session_id for row in await worker.sessions(1000)} == set(NAMES)
    for name in NAMES:
        assert (await worker.replay(name)).problem is None, name
        messages = [parse_message(record.body) for record in await worker.store.log(name)]
        asked = [m.message_id for m in messages if isinstance(m, UserRequest)]
        said = {m.reply_to: m.message_id for m in messages if isinstance(m, AgentResponse)}
        assert len(asked) == len(set(asked)) == len(said), name
        assert sum(isinstance(m, StateEvent) and m.event.startswith("to_") for m in messages) == len(asked), name
        for message, (reply, read_at) in customers.replies[name].items():
            lost = said.get(message) != reply
            assert not lost or may_be_lost(name, read_at), (name, message)


class TestRouting:
    async def test_session_whose_slot_is_half_moved_is_served_by_the_other_side(self, six: SixServers, writer: Writer):
        """By turns at once, so over many connections: who was sent there must say so on the very one that asks."""
        store = RedisStore(six.url)
        name = "moving"
        await asyncio.gather(*(writer.turn(store, "m", session=f"{name}{n}") for n in range(10)))
        await writer.turn(store, "m0", session=name)
        slot = key_slot(keys_of(name)[0].encode())
        with six.moving(slot) as moved:
            assert moved == len(keys_of(name))
            await asyncio.gather(*(store.load(name) for _ in range(10)))
            for n in range(1, 6):
                await writer.turn(store, f"m{n}", session=name)
        assert len(await store.log(name)) == 6 * 3
        await writer.turn(store, "m6", session=name)
        await store.close()

    async def test_answer_that_is_lost_makes_nobody_send_again(self, six: SixServers, loopback: Any):
        """The command was done once; the caller is told that nobody knows."""
        key = "agent_state:lost"
        port = six.primary_of(key).port
        async with loopback(port) as line:

            def node(place: Address) -> Node:
                return Node(line.url if place[1] == port else f"redis://{place[0]}:{place[1]}", "the node")

            cluster = Cluster([("127.0.0.1", six.servers[0].port)], node)
            assert await cluster.ask(key, "INCR", key) == 1
            line.swallow = 1
            with pytest.raises(redis.ConnectionError):
                await cluster.ask(key, "INCR", key)
            assert await cluster.ask(key, "GET", key) == b"2"
            await cluster.close()

    async def test_first_node_may_be_gone_if_the_url_names_another(
        self, six: SixServers, free_port: int, writer: Writer
    ):
        """As long as one of them is there, all are found."""
        store = RedisStore(f"redis+cluster://127.0.0.1:{free_port},127.0.0.1:{six.servers[4].port}")
        await asyncio.gather(*(writer.turn(store, "m", session=f"first{n}") for n in range(6)))
        await store.close()

    async def test_user_of_the_documentation_may_do_what_a_cluster_needs(self, six: SixServers, writer: Writer):
        """Find the slots, follow one that moves, wait for replicas."""
        found = re.search(r"^ACL SETUSER (\S+) (.+)$", (DOCS / "redis.md").read_text(encoding="utf-8"), re.MULTILINE)
        assert found
        name, rules = found[1], found[2].split()
        for server in six.servers:
            with server.client() as client:
                client.execute_command("ACL SETUSER", name, *rules)
        login = f"{name}:{next(rule[1:] for rule in rules if rule.startswith('>'))}"
        store = RedisStore(six.url.replace("://", f"://{login}@") + "?wait_replicas=1")
        await writer.turn(store, "m1", session="acl")
        with six.moving(key_slot(keys_of("acl")[0].encode())):
            await writer.turn(store, "m2", session="acl")
        assert "acl" in {row.session_id for row in await store.sessions()}
        await store.close()

    async def test_one_server_is_no_cluster(self, redis_server: Any, six: SixServers):
        """And one node is not the whole: both sentences say what to write instead."""
        wrong = RedisStore(redis_server.url.replace("redis://", "redis+cluster://"))
        with pytest.raises(StoreUnavailable, match="is one server, no cluster; name it by redis://"):
            await wrong.load("s1")
        node = RedisStore(six.servers[0].url)
        with pytest.raises(StoreUnavailable, match=r"name the cluster by redis\+cluster://"):
            await asyncio.gather(*(node.load(name) for name in NAMES))
        for store in (wrong, node):
            await store.close()


class TestLoad:
    @pytest.mark.parametrize("replicas", [1, 0])
    async def test_slots_move_and_a_primary_dies_under_load(self, six: SixServers, replicas: int):
        """Two slots with live sessions move, a primary is killed, its replica is promoted, and it comes back as a replica."""
        await asyncio.to_thread(six.flush)
        async with at_work(f"{six.url}?wait_replicas={replicas}", seed=replicas) as (workers, customers):
            await customers.until(200)
            for name in NAMES[:2]:
                moved = await asyncio.to_thread(six.move, key_slot(keys_of(name)[0].encode()), lambda: time.sleep(0.1))
                assert moved >= len(keys_of(name))
            await customers.until(200)
            dead = await asyncio.to_thread(six.primary_of, keys_of(NAMES[0])[0])
            orphans = {name for name in NAMES if await asyncio.to_thread(six.primary_of, keys_of(name)[0]) is dead}
            refused, killed_at = customers.refused, time.monotonic()
            await asyncio.to_thread(dead.kill)
            await asyncio.to_thread(six.wait_for_failover, dead)
            dead.start()  # by no other thread: the server ends with the one that started it
            await asyncio.to_thread(six.wait_for_replicas)
            assert customers.refused > refused, "nobody noticed"
            await customers.until(400)
            customers.stopping = True
        async with at_work(six.url, seed=0) as (workers, idle):
            idle.stopping = True

            def may_be_lost(name: str, read_at: float) -> bool:
                return not replicas and name in orphans and killed_at - LOST_S < read_at < killed_at + LOST_S

            await audit(workers[0], customers, may_be_lost=may_be_lost)
