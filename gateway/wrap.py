"""wrap: put a flow around what a program has already, a bot over chat messages or an openai client, by changing one line.

The bot, or the client's model, writes words; the flow decides what happens. What is claimed in words as a fact
(`Flow(facts=...)`) goes out only if this conversation's events hold it.
"""

import inspect
import os
from collections.abc import Callable
from typing import Any

from ..app.bot_words import BOT_S, Bot, BotWords
from ..app.maitred import Maitred
from ..decision.keyword import KeywordDecider
from ..protocol.errors import BadRequest
from ..protocol.ports import Decider, Store, ToolRunner
from ..statemachine.flow import Flow
from .derived_effects import DerivedEffects
from .settings import GatewaySettings
from .wrapped_bot import WrappedBot, WrappedSyncBot
from .wrapping import Conversations


def wrap(
    target: Any,
    flow: Flow,
    *,
    decider: Decider | None = None,
    store: Store | str | os.PathLike[str] = ":memory:",
    runner: ToolRunner | None = None,
    settings: GatewaySettings | None = None,
    bot_s: float = BOT_S,
    **options: Any,
) -> Any:
    """`target` with `flow` around it. Close it when the program ends (it is a context manager, too).

    An async or plain callable over chat messages that returns words (or a message with `content`) becomes one of the same kind,
    see `WrappedBot`. An `OpenAI` or `AsyncOpenAI` client becomes an object with the same `chat.completions.create`.
    `decider`: who picks the action, the KeywordDecider if none is given. `settings`: what names a conversation and a message.
    `bot_s`: how long the bot may take; then the flow's own sentences answer.
    `options`: others of `Maitred` (`zone`, `clock`, `times`, `tenant`). Raises BadRequest for anything else.
    """

    def around(bot: Bot) -> Conversations:
        words = BotWords(bot, decider or KeywordDecider(), bot_s)
        maitred = Maitred(flow, store=store, decider=words, runner=DerivedEffects(runner), **options)
        return Conversations(maitred, settings)

    create = _create_of(target)
    if create is not None:
        return _client(target, create, around)
    if not callable(target):
        raise BadRequest(f"wrap takes a callable over chat messages or an openai client; got a {type(target).__name__}")
    return WrappedBot(around(target)) if _is_async(target) else WrappedSyncBot(around(target))


def _create_of(target: Any) -> Callable[..., Any] | None:
    completions = getattr(getattr(target, "chat", None), "completions", None)
    return getattr(completions, "create", None)


def _client(target: Any, create: Callable[..., Any], around: Callable[[Bot], Conversations]) -> Any:
    from .wrapped_client import (  # whoever has a client has openai
        WrappedAsyncClient,
        WrappedClient,
        async_bot,
        sync_bot,
    )

    if _is_async(create):
        return WrappedAsyncClient(target, around(async_bot(create)))
    return WrappedClient(target, around(sync_bot(create)))


def _is_async(target: Callable[..., Any]) -> bool:
    call = getattr(target, "__call__", None)  # noqa: B004  # of an object with an async __call__
    return any(inspect.iscoroutinefunction(inspect.unwrap(found)) for found in (target, call) if found)
