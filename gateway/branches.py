"""Branches: another message behind a reply that has one already: edited, or sent behind an older response. Before any effect,
the session is copied up to that point and goes on there under a name of its own; after one, nothing is, for an effect cannot be
taken back by editing.

The copy is a log like any other: records with the new session's id, chained anew and folded by the flow, so `maitred replay`
checks it. Called by `derived.py`.
"""

import asyncio
import time
from collections.abc import Collection, Sequence

from ..app.maitred import Maitred
from ..protocol.errors import SessionBusy, StoreUnavailable
from ..protocol.log import Message, chain
from ..protocol.messages import Actor, AgentResponse, StateEvent, ToolCall, ToolStatus, UserRequest
from ..protocol.ports import Dossier
from ..statemachine.deadlines import due_at
from ..statemachine.flow import Flow
from ..statemachine.fold import fold, read_record
from .transcripts import Place

_NOT_DONE = (ToolStatus.ERROR, ToolStatus.FROZEN, ToolStatus.CANCELLED)
_WAIT_S, _POLL_S = 60.0, 0.1


async def effects_of(maitred: Maitred, session: str) -> tuple[str, ...]:
    """What has been done in a session that words cannot undo, or may have been: calls with an effect, events from outside, a
    human's part. Waits for the turn that runs there: it may be about to do something."""
    await _settle(maitred, session)
    flow = maitred.version_of(await maitred.session(session))
    done: dict[str, str] = {}
    for message in await messages_of(maitred, session):
        if isinstance(message, StateEvent) and message.actor in (Actor.OUTSIDE, Actor.HUMAN):
            done[message.message_id] = message.event
        elif isinstance(message, ToolCall) and message.status in _NOT_DONE:
            done.pop(message.call_id, None)
        elif isinstance(message, ToolCall) and (name := _effect(flow, message.tool)):
            done[message.call_id] = name
    return tuple(dict.fromkeys(done.values()))


def _effect(flow: Flow, tool: str) -> str:
    """What the tool does, in the flow's words; empty if it only reads."""
    spec = flow.specs.get(tool)
    if spec is None:
        return tool
    return "" if spec.effect == "none" else spec.summary.rstrip(".。") or spec.name


async def _settle(maitred: Maitred, session: str) -> None:
    """Until no turn runs there. One that was interrupted does not: what it has begun stands in the log."""
    until = time.monotonic() + _WAIT_S
    while True:
        try:
            await maitred.store.dossier(session)
        except SessionBusy as busy:
            if busy.retry_after_s <= 0:
                return
            if time.monotonic() > until:
                raise
            await asyncio.sleep(_POLL_S)
        else:
            return


async def fork(maitred: Maitred, place: Place, copy: str) -> None:
    """Copy the session of `place` up to there, as session `copy`; nothing if that was done before."""
    flow = maitred.version_of(await maitred.session(place.session))
    kept = _through_reply(await messages_of(maitred, place.session), place)
    records, _ = chain([message.model_copy(update={"session_id": copy}) for message in kept], 0, "")
    session = fold(flow, copy, records)
    await maitred.store.restore(Dossier(session, records, due_at=due_at(flow, session)))


async def is_followed_by(maitred: Maitred, place: Place, messages: Collection[str]) -> bool:
    """Whether the customer's next message behind `place` is one of these, or is still to come."""
    said = [m.message_id for m in await messages_of(maitred, place.session) if isinstance(m, UserRequest)]
    later = said[said.index(place.message) + 1 :] if place.message in said else []
    return not later or later[0] in messages


async def messages_of(maitred: Maitred, session: str) -> list[Message]:
    """The session's log."""
    return [read_record(record) for record in await maitred.store.log(session)]


def _through_reply(messages: Sequence[Message], place: Place) -> Sequence[Message]:
    for n, message in enumerate(messages, start=1):
        if isinstance(message, AgentResponse) and message.reply_to == place.message:
            return messages[:n]
    raise StoreUnavailable(f"session {place.session!r} has no reply to {place.message!r}; it stands in the index")
