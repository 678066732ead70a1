"""Mistakes: the protocol with one deliberate mistake each, as wrappers of the ports, so that they fit every kind of store.

Owns the mistakes only; those about writes without an answer are in `mistakes_unanswered.py`. Which experiment must find
which is in `mutants.py`.
"""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any
from uuid import uuid4

from pydantic import JsonValue

from ...protocol.errors import Fenced
from ...protocol.ports import Append, BeginOutcome, Begun, Busy, CallContext, Lease, Stage, Store, Tool, ToolRunner
from ...protocol.tool_spec import ToolResult


class StoreAsItIs:
    """A store as it is; a mistake overrides a step."""

    def __init__(self, inner: Store) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class _Runner:
    """A runner as it is; a mistake overrides a call."""

    def __init__(self, inner: ToolRunner) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class NoFence(StoreAsItIs):
    """Whoever writes is taken for the one who holds the lease."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self._latest: dict[str, Lease] = {}

    async def begin(self, session_id: str, *request: Any) -> BeginOutcome:
        outcome = await self.inner.begin(session_id, *request)
        if isinstance(outcome, Begun):
            self._latest[session_id] = outcome.lease
        return outcome

    async def append(self, write: Append) -> None:
        await self.inner.append(replace(write, lease=self._latest[write.lease.session_id]))


class NoEventSeqCheck(StoreAsItIs):
    """A write is taken on top of whatever the session has become."""

    async def append(self, write: Append) -> None:
        stored = await self.inner.load(write.lease.session_id)
        await self.inner.append(replace(write, after_event_seq=stored.event_seq if stored else 0))


class LeaseIgnored(NoFence):
    """A lease that runs keeps nobody out. What it inherits is to know the latest lease, which it takes away."""

    async def begin(self, session_id: str, *request: Any) -> BeginOutcome:
        outcome = await super().begin(session_id, *request)
        if isinstance(outcome, Busy) and session_id in self._latest:
            await self.inner.release(self._latest[session_id])
            outcome = await super().begin(session_id, *request)
        return outcome

    async def append(self, write: Append) -> None:
        await self.inner.append(write)


class RenewalIgnored(StoreAsItIs):
    """A renewal is taken and does nothing."""

    async def renew(self, lease: Lease) -> None:
        """Nothing."""


class ReplayNotStored(StoreAsItIs):
    """The reply goes on record, but not as the one to repeat."""

    async def append(self, write: Append) -> None:
        await self.inner.append(replace(write, reply_record=None))


class ReplyBeforeCommit(StoreAsItIs):
    """The end of a turn is written when the next step comes; the reply is gone by then."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self._late: list[Append] = []

    async def append(self, write: Append) -> None:
        await self._catch_up()
        if write.final:
            self._late.append(write)
        else:
            await self.inner.append(write)

    async def begin(self, *request: Any) -> BeginOutcome:
        await self._catch_up()
        return await self.inner.begin(*request)

    async def close(self) -> None:
        await self._catch_up()
        await self.inner.close()

    async def _catch_up(self) -> None:
        while self._late:
            await self.inner.append(self._late.pop(0))


class CommitInTwo(StoreAsItIs):
    """What happened is written first, the end of the turn after it."""

    async def append(self, write: Append) -> None:
        if not write.final:
            await self.inner.append(write)
            return
        await self.inner.append(replace(write, final=False))
        await self.inner.append(replace(write, records=(), after_event_seq=write.session.event_seq))


class RequestForgotten(StoreAsItIs):
    """A message that was answered is taken for a new one: kept under another id each time."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self._kept: dict[Lease, Lease] = {}

    async def begin(self, session_id: str, request_id: str, *rest: Any) -> BeginOutcome:
        outcome = await self.inner.begin(session_id, f"{request_id}.{uuid4().hex}", *rest)
        if not isinstance(outcome, Begun):
            return outcome
        shown = replace(outcome.lease, request_id=outcome.lease.request_id.rpartition(".")[0])
        self._kept[shown] = outcome.lease
        return replace(outcome, lease=shown)

    async def append(self, write: Append) -> None:
        await self.inner.append(replace(write, lease=self._kept[write.lease]))

    async def release(self, lease: Lease, *, untried: bool = False) -> None:
        await self.inner.release(self._kept[lease], untried=untried)


class FingerprintIgnored(StoreAsItIs):
    """Another text under a known id is taken for a repeat."""

    async def begin(self, session_id: str, request_id: str, fingerprint: str, body: bytes) -> BeginOutcome:
        return await self.inner.begin(session_id, request_id, "", body)


class StageForgotten(StoreAsItIs):
    """Whoever takes over starts from the beginning, whatever is on record."""

    async def begin(self, *request: Any) -> BeginOutcome:
        outcome = await self.inner.begin(*request)
        return replace(outcome, stage=Stage.NEW) if isinstance(outcome, Begun) else outcome


class RefusalIgnored(StoreAsItIs):
    """A worker whose lease is void goes on as if its write had been taken."""

    async def append(self, write: Append) -> None:
        try:
            await self.inner.append(write)
        except Fenced:
            return


class StopLeavesNoTrace(StoreAsItIs):
    """A turn that was stopped is taken for one that nobody tried."""

    async def release(self, lease: Lease, *, untried: bool = False) -> None:
        await self.inner.release(lease, untried=True)


class LateIntent(StoreAsItIs):
    """The intent is written when the call is over."""

    def __init__(self, inner: Store, runner: ToolRunner) -> None:
        super().__init__(inner)
        self.runner = _Unannounced(runner, self)
        self._late: list[Append] = []

    async def append(self, write: Append) -> None:
        await self.catch_up()
        if write.session.pending and not write.final:
            self._late.append(write)
        else:
            await self.inner.append(write)

    async def catch_up(self) -> None:
        while self._late:
            await self.inner.append(self._late.pop())


class _Unannounced(_Runner):
    def __init__(self, inner: ToolRunner, store: LateIntent) -> None:
        super().__init__(inner)
        self._store = store

    async def run(self, tool: Tool, arguments: Mapping[str, JsonValue], context: CallContext) -> ToolResult:
        result = await self.inner.run(tool, arguments, context)
        await self._store.catch_up()
        return result


class ArgumentsInKey(_Runner):
    """The key holds the arguments, which a model that is asked again words differently."""

    async def run(self, tool: Tool, arguments: Mapping[str, JsonValue], context: CallContext) -> ToolResult:
        return await self.inner.run(tool, arguments, _with_arguments(context, arguments))

    async def recover(self, tool: Tool, arguments: Mapping[str, JsonValue], context: CallContext) -> ToolResult:
        return await self.inner.recover(tool, arguments, _with_arguments(context, arguments))


def _with_arguments(context: CallContext, arguments: Mapping[str, JsonValue]) -> CallContext:
    return replace(context, key=sha256(f"{context.key}{arguments}".encode()).hexdigest()[:32])


class RecoveryCallsAgain(_Runner):
    """A call whose worker died is made again, whatever its effect."""

    async def recover(self, tool: Tool, arguments: Mapping[str, JsonValue], context: CallContext) -> ToolResult:
        return await self.inner.run(tool, arguments, context)
