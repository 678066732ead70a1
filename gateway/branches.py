"""Branches: an edited message of a derived session. Before any effect, the session is copied up to that point and goes on there
under a name of its own; after one, nothing is, for an effect cannot be taken back by editing.

The copy is a log like any other: records with the new session's id, chained anew and folded by the flow, so `maitred replay`
checks it. Called by `derived.py`; uses the store's port alone.
"""

import asyncio
from collections.abc import Sequence

from ..app.maitred import Maitred
from ..protocol.errors import SessionBusy, StoreUnavailable
from ..protocol.log import Message, chain
from ..protocol.messages import Actor, AgentResponse, StateEvent, ToolCall, ToolStatus
from ..protocol.ports import Append, Begun, Busy
from ..statemachine.deadlines import due_at
from ..statemachine.flow import Flow
from ..statemachine.fold import fold, read_record
from .transcripts import Place

_HARMLESS = (ToolStatus.PENDING, ToolStatus.ERROR, ToolStatus.FROZEN, ToolStatus.CANCELLED)
_TRIES, _POLL_S = 50, 0.1


async def effects_of(maitred: Maitred, session: str) -> tuple[str, ...]:
    """What has been done in a session that words cannot undo: calls with an effect, events from outside, a human's part."""
    done: dict[str, None] = {}
    for message in await _messages(maitred, session):
        done.update(dict.fromkeys(_effect(maitred.flow, message)))
    return tuple(done)


def _effect(flow: Flow, message: Message) -> tuple[str, ...]:
    if isinstance(message, ToolCall) and message.status not in _HARMLESS:
        spec = flow.specs.get(message.tool)
        return () if spec and spec.effect == "none" else (spec.summary or spec.name if spec else message.tool,)
    if isinstance(message, StateEvent) and message.actor in (Actor.OUTSIDE, Actor.HUMAN):
        return (message.event,)
    return ()


async def fork(maitred: Maitred, place: Place, copy: str) -> None:
    """Copy the session of `place` up to there, as session `copy`; nothing if that was done before."""
    kept = _through_reply(await _messages(maitred, place.session), place)
    lease = await _begin(maitred, copy, place)
    if lease is None:
        return
    records, _ = chain([message.model_copy(update={"session_id": copy}) for message in kept], 0, "")
    session = fold(maitred.flow, copy, records)
    write = Append(lease.lease, 0, session, records, final=True, due_at=due_at(maitred.flow, session))
    await maitred.store.append(write)


async def _begin(maitred: Maitred, copy: str, place: Place) -> Begun | None:
    """The lease of the new session; None if it was made before."""
    for _ in range(_TRIES):
        outcome = await maitred.store.begin(copy, "fork", f"{place.session}\n{place.message}", b"{}")
        if isinstance(outcome, Begun):
            return outcome
        if not isinstance(outcome, Busy):
            return None
        await asyncio.sleep(_POLL_S)
    raise SessionBusy(f"session {copy!r} is being made", _POLL_S)


async def _messages(maitred: Maitred, session: str) -> list[Message]:
    return [read_record(record) for record in await maitred.store.log(session)]


def _through_reply(messages: Sequence[Message], place: Place) -> Sequence[Message]:
    for n, message in enumerate(messages, start=1):
        if isinstance(message, AgentResponse) and message.reply_to == place.message:
            return messages[:n]
    raise StoreUnavailable(f"session {place.session!r} has no reply to {place.message!r}; it stands in the index")
