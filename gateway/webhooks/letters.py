"""Letters: what stands in a session's log for its customer and has not been sent. The log is the truth, so whoever said it (a
turn, a payment's callback, a deadline, a human who hands back) and whichever process died behind it, the words go out, once.
"""

from collections.abc import Iterator, Sequence

from ...protocol.log import LogRecord
from ...protocol.messages import AgentResponse, UserRequest, parse_message
from ...statemachine.parts import Terminal
from .words import MESSAGE_PREFIX, Letter, digest


def letters_behind(log: Sequence[LogRecord], cursor: int, max_bytes: int) -> tuple[Letter, ...]:
    """Letters for the records behind `cursor`. Replies to messages that came another way have gone that way."""
    found: list[Letter] = []
    for index in range(cursor, len(log)):
        if log[index].kind != "agent_response":
            continue
        response = parse_message(log[index].body)
        if isinstance(response, AgentResponse) and not _is_elsewhere(log[:index], response):
            found += _letters_of(response, max_bytes)
    return tuple(found)


def _is_elsewhere(before: Sequence[LogRecord], response: AgentResponse) -> bool:
    if response.reply_to.startswith(MESSAGE_PREFIX):
        return False
    asked = next((record for record in reversed(before) if record.kind == "user_request"), None)
    request = parse_message(asked.body) if asked else None
    return isinstance(request, UserRequest) and request.message_id == response.reply_to


def _letters_of(response: AgentResponse, max_bytes: int) -> Iterator[Letter]:
    made_at = response.timestamp.timestamp()
    for n, text in enumerate(pieces(response.text, max_bytes)):
        yield Letter(key=digest(response.session_id, response.message_id, str(n)), text=text, made_at=made_at)
    if response.state == Terminal.ESCALATED:
        key = digest(response.session_id, response.message_id, "hand_off")
        yield Letter(key=key, kind="hand_off", made_at=made_at)


def pieces(text: str, max_bytes: int) -> Iterator[str]:
    """The text in parts that a channel takes, cut behind a line or a word where there is one."""
    while len(raw := text.encode("utf-8", "replace")) > max_bytes:
        head = raw[:max_bytes].decode("utf-8", "ignore")
        cut = max(head.rfind("\n"), head.rfind(" "), 0) or len(head)
        yield text[:cut]
        text = text[cut:].lstrip()
    if text.strip():
        yield text
