"""A real Redis Cluster for the tests: six processes on loopback, three primaries with a replica each. Slots can be moved."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import redis
from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot

Server = Any
SHARDS = 3
_UP_S = 30.0


class SixServers:
    """`start(*options)`: a server process. `timeout_s`: after so long a node that says nothing is taken for dead."""

    def __init__(self, start: Callable[..., Server], ports: Callable[[], int], timeout_s: float = 5.0) -> None:
        self._buses = [ports() for _ in range(2 * SHARDS)]
        self.servers = [
            start(
                "--cluster-enabled", "yes", "--cluster-node-timeout", str(round(timeout_s * 1000)),
                "--cluster-port", str(bus), "--repl-diskless-sync-delay", "0",
            )
            for bus in self._buses
        ]  # fmt: skip
        self._make()

    @property
    def url(self) -> str:
        return f"redis+cluster://127.0.0.1:{self.servers[0].port}"

    def flush(self) -> None:
        with self._clients() as clients:
            for client in clients:
                if client.role()[0] == b"master":
                    client.flushall()

    def primary_of(self, key: str) -> Server:
        """The server that has the key now."""
        return self.servers[self._owner(key_slot(key.encode()))]

    def move(self, slot: int, between: Callable[[], None] = lambda: None) -> int:
        """Give a slot to another primary, as resharding does; `between` is called while keys lie on both sides. Keys moved."""
        with self.moving(slot, between) as moved:
            return moved

    @contextmanager
    def moving(self, slot: int, between: Callable[[], None] = lambda: None) -> Iterator[int]:
        """The same; inside, all keys are on the other side, and nobody has been told. Yields how many."""
        with self._clients() as clients:
            source = self._owner(slot)
            target = next(n for n in self._primaries(clients) if n != source)
            ids = [client.execute_command("CLUSTER MYID") for client in clients]
            clients[target].execute_command("CLUSTER SETSLOT", slot, "IMPORTING", ids[source])
            clients[source].execute_command("CLUSTER SETSLOT", slot, "MIGRATING", ids[target])
            between()
            moved = 0
            while keys := clients[source].execute_command("CLUSTER GETKEYSINSLOT", slot, 2):
                for key in keys:
                    to = ("127.0.0.1", self.servers[target].port, key, 0, 5000)
                    moved += clients[source].execute_command("MIGRATE", *to) == b"OK"
                between()
            yield moved
            for n in (target, source, *self._primaries(clients)):
                clients[n].execute_command("CLUSTER SETSLOT", slot, "NODE", ids[target])

    def wait_for_failover(self, dead: Server) -> None:
        """Until the dead server's replica has its slots and all agree."""
        left = [server for server in self.servers if server is not dead]
        self._wait(left, lambda info: info["cluster_state"] == "ok", "no replica was promoted")

    def wait_for_replicas(self) -> None:
        """Until every replica has what its primary has."""
        until = time.monotonic() + _UP_S
        with self._clients() as clients:
            while sum(client.info("replication").get("master_link_status") == "up" for client in clients) < SHARDS:
                assert time.monotonic() < until, "replicas do not follow"
                time.sleep(0.05)

    def _make(self) -> None:
        with self._clients() as clients:
            share = REDIS_CLUSTER_HASH_SLOTS // SHARDS + 1
            for n in range(SHARDS):
                last = min((n + 1) * share, REDIS_CLUSTER_HASH_SLOTS) - 1
                clients[n].execute_command("CLUSTER ADDSLOTSRANGE", n * share, last)
            for n, client in enumerate(clients):
                client.execute_command("CLUSTER SET-CONFIG-EPOCH", n + 1)
            for server, bus in zip(self.servers[1:], self._buses[1:], strict=True):
                clients[0].execute_command("CLUSTER MEET", "127.0.0.1", server.port, bus)
            for n in range(SHARDS):
                self._follow(clients[n + SHARDS], clients[n].execute_command("CLUSTER MYID"))
        self._wait(self.servers, lambda info: info["cluster_state"] == "ok", "the cluster does not come up")
        self.wait_for_replicas()

    def _follow(self, replica: "redis.Redis", primary: bytes) -> None:
        until = time.monotonic() + _UP_S
        while True:
            try:
                replica.execute_command("CLUSTER REPLICATE", primary)
                return
            except redis.ResponseError:  # they have not met yet
                assert time.monotonic() < until, "the servers do not meet"
                time.sleep(0.02)

    def _wait(self, servers: list[Server], is_so: Callable[[dict[str, str]], bool], otherwise: str) -> None:
        until = time.monotonic() + _UP_S
        for server in servers:
            with server.client() as client:
                while not is_so(client.execute_command("CLUSTER INFO")):
                    assert time.monotonic() < until, otherwise
                    time.sleep(0.02)

    def _owner(self, slot: int) -> int:
        ports = [server.port for server in self.servers]
        for server in self.servers:
            try:
                with server.client() as client:
                    for first, last, primary, *_ in client.execute_command("CLUSTER SLOTS"):
                        if first <= slot <= last:
                            return ports.index(primary[1])
            except redis.ConnectionError:
                continue
        raise AssertionError(f"nobody has slot {slot}")

    def _primaries(self, clients: "list[redis.Redis]") -> list[int]:
        return [n for n, client in enumerate(clients) if client.role()[0] == b"master"]

    @contextmanager
    def _clients(self) -> "Iterator[list[redis.Redis]]":
        with ExitStack() as stack:
            yield [stack.enter_context(server.client()) for server in self.servers]
