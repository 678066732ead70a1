"""Branches: an edited message of a derived session. Before any effect, the session is copied up to that point and goes on there
under a name of its own; after one, nothing is, for an effect cannot be taken back by editing.

The copy is a log like any other: records with the new session's id, chained anew and folded by the flow, so `maitred replay`
checks it. Called by `derived.py`.
"""

from collections.abc import Sequence

from ..app.maitred import Maitred
from ..protocol.errors import StoreUnavailable
from ..protocol.log import Message, chain
from ..protocol.messages import Actor, AgentResponse, StateEvent, ToolCall, ToolStatus
from ..protocol.ports import Dossier
from ..statemachine.deadlines import due_at
from ..statemachine.flow import Flow
from ..statemachine.fold import fold, read_record
from .transcripts import Place

_HARMLESS = (ToolStatus.PENDING, ToolStatus.ERROR, ToolStatus.FROZEN, ToolStatus.CANCELLED)


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
    flow = maitred.version_of(await maitred.session(place.session))
    kept = _through_reply(await _messages(maitred, place.session), place)
    records, _ = chain([message.model_copy(update={"session_id": copy}) for message in kept], 0, "")
    session = fold(flow, copy, records)
    await maitred.store.restore(Dossier(session, records, due_at=due_at(flow, session)))


async def _messages(maitred: Maitred, session: str) -> list[Message]:
    return [read_record(record) for record in await maitred.store.log(session)]


def _through_reply(messages: Sequence[Message], place: Place) -> Sequence[Message]:
    for n, message in enumerate(messages, start=1):
        if isinstance(message, AgentResponse) and message.reply_to == place.message:
            return messages[:n]
    raise StoreUnavailable(f"session {place.session!r} has no reply to {place.message!r}; it stands in the index")
