"""Stopping: a customer who writes "stop, I want to leave" or "get me a human" while their last message is still being served.

What that message was about to do must not be done any more. Their own turn follows, as any other. Called by `turns.py` when a
message finds the session busy; what a stop means is the turn's matter, and the store keeps it, whichever worker has the turn.
"""

import logging

from ..fallback.exits import detect_exit
from ..protocol.errors import MaitredError
from ..protocol.messages import AgentResponse, UserRequest, parse_message
from ..protocol.ports import Store
from ..statemachine.flow import Flow

logger = logging.getLogger("maitred.service")


async def stop_if_asked(flow: Flow, store: Store, message: UserRequest, request_id: str) -> None:
    """Ask the turn that is running to stop, if that is what the message wants. Never raises: it waits its turn anyway."""
    if not _wants_out(flow, message.text, ""):
        return
    try:
        if _wants_out(flow, message.text, await _last_reply(store, message.session_id)):
            logger.info("session %s: a stop was asked for", message.session_id)
            await store.stop(message.session_id, request_id)
    except MaitredError as error:
        logger.warning("session %s: no stop could be asked for: %r", message.session_id, error)


def _wants_out(flow: Flow, text: str, asked: str) -> bool:
    exit_ = detect_exit(text, asked=asked, own=flow.own_words)
    return exit_ is not None and exit_.kind != "closing"


async def _last_reply(store: Store, session_id: str) -> str:
    """What the customer read last: "no more" means one thing after "anything else?" and another elsewhere."""
    for record in reversed(await store.log(session_id)):
        if record.kind == "agent_response":
            message = parse_message(record.body)
            return message.text if isinstance(message, AgentResponse) else ""
    return ""
