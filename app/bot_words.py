"""BotWords: an existing bot gives the words, another decider picks the action.

The bot is asked only where nothing is to be done: for an answer, or when the session has come into a step without words of its
own. What it says goes the way of all words: a declared fact in it that the session does not hold is not shown. It never sees
the menu and cannot move the flow. Called by the turn as any decider; `wrap` makes it.
"""

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from ..decision.history import Message, user_content
from ..decision.now_block import speaking_action
from ..protocol.decision import AgentDecision, Answered, DecisionRequest
from ..protocol.one_line import fields_line
from ..protocol.ports import Decider

logger = logging.getLogger("maitred.bot")

Reply = str | Mapping[str, object]
"""What a bot returns: the words, or a message with `content`."""

Bot = Callable[[list[Message]], Awaitable[Reply] | Reply]
"""A bot: chat messages in, the latest from the user; words out. Plain or async."""

DATA_CHARS = 1000


class BotWords:
    """`decider` picks; `bot` speaks. A plain function runs in a thread. A bot that fails costs its words, not the turn."""

    def __init__(self, bot: Bot, decider: Decider) -> None:
        self._bot, self._decider = bot, decider
        self.name = decider.name
        self.timeout_s = getattr(decider, "timeout_s", None)
        self.reads_first = getattr(decider, "reads_first", False)

    async def decide(self, request: DecisionRequest) -> AgentDecision | Mapping[str, object] | Answered:
        """The decider's decision; words of the bot where it has none and words are all that is wanted."""
        if request.moved:
            return AgentDecision(action=speaking_action(request), reply_text=await self._words(request))
        answer = await self._decider.decide(request)
        decision = answer.decision if isinstance(answer, Answered) else answer
        if not isinstance(decision, AgentDecision) or decision.action != "answer" or decision.reply_text:
            return answer
        spoken = decision.model_copy(update={"reply_text": await self._words(request)})
        return replace(answer, decision=spoken) if isinstance(answer, Answered) else spoken

    async def _words(self, request: DecisionRequest) -> str:
        try:
            reply = await _called(self._bot, messages_for_bot(request))
        except Exception as error:  # whatever it does, the flow has sentences of its own
            logger.warning("the bot failed in session %s: %s", request.session_id, type(error).__name__)
            logger.debug("how it failed", exc_info=error)
            return ""
        content = reply.get("content") if isinstance(reply, Mapping) else reply
        return content if isinstance(content, str) else ""


def messages_for_bot(request: DecisionRequest) -> list[Message]:
    """What the bot is told: where the talk is and what is known, then the talk itself as the customer read it."""
    data = {name: value for name, value in request.data.items() if not isinstance(value, (dict, list))}
    brief = "\n".join(part for part in (request.identity, request.instruction, fields_line(data, DATA_CHARS)) if part)
    messages: list[Message] = [{"role": "system", "content": brief}] if brief else []
    for past in request.history:
        if past.user:
            messages.append({"role": "user", "content": user_content(past.user)})
        if past.reply:
            messages.append({"role": "assistant", "content": past.reply})
    return [*messages, {"role": "user", "content": user_content(request.text)}]


async def _called(bot: Bot, messages: list[Message]) -> Reply:
    if inspect.iscoroutinefunction(bot) or inspect.iscoroutinefunction(getattr(bot, "__call__", None)):  # noqa: B004
        reply = bot(messages)
    else:
        reply = await asyncio.to_thread(bot, messages)
    return await reply if inspect.isawaitable(reply) else reply
