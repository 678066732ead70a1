"""Resends: the id of a message that the channel gave none, in a conversation that it named.

With history in the body, the transcript's hash is the id. Without (only the customer's own words), the same text may be a resend
or a second "yes": it is taken for a resend while the first is not answered, shortly after, where the client says so, or as long
as it is all that was ever said. Called by `openai_turn.py`.
"""

from dataclasses import replace

from ..protocol.errors import SessionBusy
from .identity import Chain
from .transcripts import Sent, Transcripts

_TRIES = 10


async def message_of(
    transcripts: Transcripts, session: str, chain: Chain, *, resent: bool, resend_s: float, now: float
) -> str:
    """The message's id: that of before if it is a resend. `resent`: the client says that it is one."""
    if chain.before:
        return f"h-{chain.key}"
    for _ in range(_TRIES):
        last = await transcripts.last_sent(session)
        if last and last.print == chain.key and (resent or _is_near(last, now - resend_s)):
            return last.message
        count = last.count + 1 if last else 1
        sent = Sent(chain.key, f"s{count}-{chain.key[:24]}", count, None)
        if await transcripts.note_sent(session, sent, last, now):
            return sent.message
    raise SessionBusy(f"session {session!r} gets too many messages at once", 1.0)


def _is_near(last: Sent, since: float) -> bool:
    return last.count == 1 or last.answered is None or last.answered >= since


async def note_answered(transcripts: Transcripts, session: str, message: str, now: float) -> None:
    """The message has its reply; from now on the time counts."""
    last = await transcripts.last_sent(session)
    if last and last.message == message and last.answered is None:
        await transcripts.note_sent(session, replace(last, answered=now), last, now)
