"""Native streams: a turn, or a session for as long as one likes, as events read from the log. What has an id is durable, so an
id means the same for ever, and `Last-Event-ID` takes a stream up where it broke. Words ahead of the commit come without one.
"""

import asyncio
from collections.abc import AsyncIterator

from ..app.maitred import Maitred
from ..protocol.errors import MaitredError
from ..protocol.log import Message
from ..protocol.messages import AgentResponse, UserRequest
from .errors import described
from .native_shapes import Told, place_of, state_of, told
from .service import Gateway
from .streams import PING, event, left_of
from .voice import Voice

_POLL_S = 0.25


async def turn_events(
    gateway: Gateway, task: "asyncio.Task[AgentResponse]", voice: Voice, request: UserRequest, last_id: str
) -> AsyncIterator[bytes]:
    """One turn, and at the end where it led. The same for a turn that was answered before, but for `sop.words`."""
    reply_to = request.message_id
    async for words in voice.heard(task, gateway.settings.ping_s):
        yield event({"delta": words, "reply_to": reply_to}, "sop.words") if words else PING
    try:
        left_of(task.result().text, voice.said)
        for one, _ in await _of_turn(gateway.maitred, request.session_id, reply_to):
            if one.place > place_of(last_id):
                yield event(one.data, one.name, one.id)
        yield await _state(gateway, request.session_id)
    except Exception as error:  # noqa: BLE001  # the status is sent: whatever it is, it is told here
        yield event(described(error, openai=False)[1], "error")


async def session_events(gateway: Gateway, session: str, last_id: str) -> AsyncIterator[bytes]:
    """All that happens in a session, from behind `last_id` on, until the client goes or the service stops."""
    last, records, quiet_s = place_of(last_id), 0, 0.0
    try:
        while not gateway.work.stopping.is_set():
            stored = await gateway.maitred.session(session)
            if stored.records > records:
                for one, _ in told(await gateway.maitred.store.log(session)):
                    if one.place > last:
                        last = one.place
                        yield event(one.data, one.name, one.id)
                yield await _state(gateway, session)
                records, quiet_s = stored.records, 0.0
            await asyncio.sleep(_POLL_S)
            quiet_s += _POLL_S
            if quiet_s >= gateway.settings.ping_s:
                quiet_s = 0.0
                yield PING
    except MaitredError as error:  # the session was purged, the store is away
        yield event(described(error, openai=False)[1], "error")


async def _state(gateway: Gateway, session: str) -> bytes:
    stored = await gateway.maitred.session(session)
    return event(state_of(stored, gateway.maitred.version_of(stored)), "sop.state")


async def _of_turn(maitred: Maitred, session: str, message_id: str) -> list[tuple[Told, Message]]:
    """What stands in the log from the customer's message to the reply to it."""
    kept: list[tuple[Told, Message]] = []
    for one, message in told(await maitred.store.log(session)):
        began = isinstance(message, UserRequest) and message.message_id == message_id
        if kept or began:
            kept.append((one, message))
        if kept and isinstance(message, AgentResponse) and message.reply_to == message_id:
            break
    return kept
