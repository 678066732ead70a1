"""BotWords: an existing bot gives the words, another decider picks the action.

The bot is asked only where nothing is to be done: for an answer, or when the session has come into a step without words of its
own. What it says goes the way of all words: a declared fact in it that the session does not hold is not shown. It never sees
the menu and cannot move the flow. Called by the turn as any decider; `wrap` makes it.
"""

import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from pydantic import JsonValue

from ..decision.history import Message, user_content
from ..decision.now_block import speaking_action
from ..protocol.decision import AgentDecision, Answered, DecisionRequest
from ..protocol.one_line import fields_line
from ..protocol.ports import Decider
from ..protocol.traces import trace_of
from ..protocol.usage import Attempt, Usage, tokens
from ..protocol.waiting import contained, within
from ..tools.waiting import asynchronous

logger = logging.getLogger("maitred.bot")

Reply = str | Mapping[str, object]
"""What a bot returns: the words, or a message with `content`."""

Bot = Callable[[list[Message]], Awaitable[Reply] | Reply]
"""A bot: chat messages in, the latest from the user; words out. Plain or async."""

DATA_CHARS = 1000
BOT_S = 20.0


class BotWords:
    """`decider` picks; `bot` speaks, within `bot_s` seconds. A plain function runs in a thread of its own. A bot that fails or is
    late costs its words, not the turn."""

    def __init__(self, bot: Bot, decider: Decider, bot_s: float = BOT_S) -> None:
        self._bot, self._decider, self._bot_s = asynchronous(bot), decider, bot_s
        self.name = decider.name
        self.timeout_s = (getattr(decider, "timeout_s", None) or 0.0) + bot_s  # the time of both
        self.reads_first = getattr(decider, "reads_first", False)

    async def decide(self, request: DecisionRequest) -> AgentDecision | Mapping[str, JsonValue] | Answered:
        """The decider's decision; words of the bot where it has none and words are all that is wanted."""
        if request.moved:
            spoken = await self._words(request)
            return replace(spoken, decision=_saying(AgentDecision(action=speaking_action(request)), spoken))
        answer = await self._decider.decide(request)
        decision, attempts = (answer.decision, answer.attempts) if isinstance(answer, Answered) else (answer, ())
        if not isinstance(decision, AgentDecision) or decision.action != "answer" or decision.reply_text:
            return answer
        spoken = await self._words(request)
        return Answered(_saying(decision, spoken), attempts + spoken.attempts)

    async def _words(self, request: DecisionRequest) -> Answered:
        """The bot's words as an answer, with what they cost if it says so (`usage`, as OpenAI's completions have it)."""
        began = time.perf_counter()
        try:
            reply = await within(self._bot_s, contained(self._bot(messages_for_bot(request))))
        except Exception as error:  # noqa: BLE001  # whatever it does, the flow has sentences of its own
            logger.warning("the bot failed in session %s: %s", request.session_id, type(error).__name__)
            if logger.isEnabledFor(logging.DEBUG):  # without its message, which may quote what it was told
                logger.debug("how it failed: %s", " | ".join(trace_of(error)))
            return Answered(AgentDecision(action="answer"))
        message = reply if isinstance(reply, Mapping) else {"content": getattr(reply, "content", reply)}
        content, usage = message.get("content"), usage_of(message.get("usage"))
        if not isinstance(content, str):
            kind = type(reply).__name__
            logger.warning("the bot gave a %s; it is to return words, or a message with `content` of words", kind)
        attempts = (Attempt(time.perf_counter() - began, usage=usage),) if usage else ()
        return Answered(
            AgentDecision(action="answer", reply_text=content if isinstance(content, str) else ""), attempts
        )


def usage_of(told: object) -> Usage | None:
    """Tokens as a completion tells them; None if it does not."""
    if not isinstance(told, Mapping):
        return None
    prompt, completion = tokens(told.get("prompt_tokens")), tokens(told.get("completion_tokens"))
    details = told.get("prompt_tokens_details")
    cached = tokens(details.get("cached_tokens")) if isinstance(details, Mapping) else None
    return Usage(prompt, cached or 0, completion) if prompt is not None and completion is not None else None


def _saying(decision: AgentDecision, spoken: Answered) -> AgentDecision:
    said = spoken.decision
    return decision.model_copy(update={"reply_text": said.reply_text if isinstance(said, AgentDecision) else ""})


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
