"""Cluster: a Redis Cluster as one Server. Knows which node has which slot, and follows slots that move.

A node that says MOVED, ASK or TRYAGAIN has done nothing, so the command goes to the other node or is sent again. A line that
breaks is told to the caller, for nobody knows what was done; then the map of the slots is drawn anew. Called by `redis.py`.
"""

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from typing import Any

from redis import exceptions as theirs
from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot
from redis.exceptions import AskError, ClusterDownError, MovedError, TryAgainError

from ..protocol.per_loop import PerLoop
from .redis_server import Command, Node, Part, Word, no_refusal, replicated

LOOK_S = 2.0
"""How long one node may take to say where the slots are."""
LOOK_AGAIN_S = 0.2
FOLLOW_S = 5.0
"""How long a slot that moves is followed."""
_FIRST_PAUSE_S, _LAST_PAUSE_S = 0.005, 0.1
_REDIRECTED = (AskError, TryAgainError)  # MOVED is an AskError, too

Address = tuple[str, int]


class Cluster:
    """`at(address)` makes the node of an address; `seeds`: nodes that are asked first where the others are."""

    spread = True

    def __init__(self, seeds: Sequence[Address], at: Callable[[Address], Node]) -> None:
        self._at = at
        self._nodes = {address: at(address) for address in seeds}
        self._owners: list[Address | None] = [None] * REDIS_CLUSTER_HASH_SLOTS
        self._stale, self._looked_at = True, 0.0
        self._looking = PerLoop(asyncio.Lock)

    async def ask(self, key: str, *command: Word) -> Any:
        return no_refusal(await self._follow(_slot(key), [command]))[0]

    async def in_order(self, *parts: Part, replicas: int = 0) -> list[Any]:
        slot = _slot(parts[0].key)
        return await replicated(lambda sent: self._follow(slot, sent), [part.command for part in parts], replicas)

    async def at_once(self, parts: Sequence[Part]) -> list[Any]:
        """One write to each node."""
        numbers: dict[Address, list[int]] = {}
        for n, part in enumerate(parts):
            numbers.setdefault(await self._owner(_slot(part.key)), []).append(n)
        writes = [self._send(address, [parts[n].command for n in some]) for address, some in numbers.items()]
        answers: list[Any] = [None] * len(parts)
        for some, came in zip(numbers.values(), await asyncio.gather(*writes, return_exceptions=True), strict=True):
            if isinstance(came, BaseException):
                raise came
            for n, answer in zip(some, came, strict=True):
                answers[n] = answer
        for n, answer in enumerate(answers):
            if isinstance(answer, _REDIRECTED):
                answers[n] = (await self._follow(_slot(parts[n].key), [parts[n].command]))[0]
        return no_refusal(answers)

    async def close(self) -> None:
        for node in self._nodes.values():
            await node.close()

    async def _follow(self, slot: int, commands: Sequence[Command]) -> list[Any]:
        """The answers of whichever node has the slot. What stands behind a redirected command may be sent twice."""
        address, asking = await self._owner(slot), False
        answers: list[Any] = []
        until, turns, pause_s = time.monotonic() + FOLLOW_S, 0, _FIRST_PAUSE_S
        while True:
            came = await self._send(address, commands[len(answers) :], asking=asking)
            turned = next((n for n, answer in enumerate(came) if isinstance(answer, _REDIRECTED)), None)
            if turned is None:
                return answers + came
            answers += came[:turned]
            why, turns = came[turned], turns + 1
            if time.monotonic() > until:
                raise why
            if turns > 2 or isinstance(why, TryAgainError):
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, _LAST_PAUSE_S)
            address, asking = await self._turned(slot, why, address)

    async def _turned(self, slot: int, why: AskError | TryAgainError, asked: Address) -> tuple[Address, bool]:
        """Who is to be asked now, and whether as somebody who was sent."""
        if isinstance(why, TryAgainError):
            self._stale = True
            return await self._owner(slot), False
        address = (why.host or asked[0], int(why.port))
        if isinstance(why, MovedError):
            self._stale, self._owners[slot] = True, address
            return address, False
        return address, True

    async def _send(self, address: Address, commands: Sequence[Command], *, asking: bool = False) -> list[Any]:
        node = self._node(address)
        try:
            if not asking:
                answers = await node.send(commands)
            else:
                answers = (await node.send([word for command in commands for word in (("ASKING",), command)]))[1::2]
        except BaseException:
            self._stale, node.failed_at = True, time.monotonic()
            raise
        if any(isinstance(answer, ClusterDownError) for answer in answers):
            self._stale = True
        return answers

    async def _owner(self, slot: int) -> Address:
        if self._stale:
            await self._look()
        owner = self._owners[slot]
        if owner is None:
            self._stale = True
            raise ClusterDownError(f"slot {slot} is not served")
        return owner

    def _node(self, address: Address) -> Node:
        if address not in self._nodes:
            self._nodes[address] = self._at(address)
        return self._nodes[address]

    async def _look(self) -> None:
        """Draw the map of the slots anew, not more often than it can have changed. The node that failed last is asked last."""
        async with self._looking():
            if not self._stale or time.monotonic() < self._looked_at + LOOK_AGAIN_S:
                return
            nodes = sorted(self._nodes.items(), key=lambda item: (item[1].failed_at, random.random()))
            why: theirs.RedisError | OSError = theirs.ConnectionError("no node is known")
            for address, node in nodes:
                try:
                    async with asyncio.timeout(LOOK_S):
                        (ranges,) = no_refusal(await node.send((("CLUSTER", "SLOTS"),)))
                except (theirs.RedisError, OSError) as error:  # a TimeoutError is an OSError
                    why, node.failed_at = error, time.monotonic()
                else:
                    self._draw(address, ranges)
                    return
            raise why

    def _draw(self, asked: Address, ranges: Sequence[Sequence[Any]]) -> None:
        owners: list[Address | None] = [None] * REDIS_CLUSTER_HASH_SLOTS
        for first, last, *nodes in ranges:
            addresses = [((host or b"").decode() or asked[0], int(port)) for host, port, *_ in nodes]
            owners[first : last + 1] = [addresses[0]] * (last + 1 - first)
            for address in addresses:
                self._node(address)  # replicas, too: they know the map when their primary is gone
        self._owners, self._stale, self._looked_at = owners, False, time.monotonic()


def _slot(key: str) -> int:
    return int(key_slot(key.encode()))
