"""History tiers: the last turns whole, those before by key sentences, older ones by what was done.

Owns where the cuts are. A cut comes every `cut_every` turns and between two cuts the rendering only grows at its end, so a
provider's prefix cache holds. Past turns stand as they were sent: the customer's text without the block, and the reply as the
customer read it. Pure; called by `prompt.py`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

from ..protocol.decision import Exchange
from ..protocol.one_line import quoted
from .escaping import escape
from .key_sentences import figures_of, wishes_of
from .prompt_settings import PromptSettings
from .prompt_words import PromptWords

CUT = "…"
WORDLESS = "…"
"""Stands for a text that is empty: some servers refuse an empty message."""


class Message(TypedDict):
    """One chat message as OpenAI-compatible servers take it."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A past turn with all its words: those that answered outside events after it are part of it."""

    turn: int
    user: str
    reply: str
    actions: tuple[str, ...]


def user_content(text: str) -> str:
    """A customer's text in a message. Stripped, because some chat templates strip it and others do not."""
    return escape(text.strip()) or WORDLESS


def past_messages(history: Sequence[Exchange], words: PromptWords, settings: PromptSettings) -> list[Message]:
    """The past as messages of user and assistant in turn; the summary of older turns opens the first of them."""
    turns = past_turns(history)
    cut = turns_cut(turns[-1].turn, settings) if turns else 0
    whole = [turn for turn in turns if turn.turn > cut]
    messages: list[Message] = []
    for turn in whole:
        messages.append({"role": "user", "content": user_content(turn.user)})
        messages.append({"role": "assistant", "content": _reply(turn.reply, settings)})
    summary = _summary([turn for turn in turns if turn.turn <= cut], cut, words, settings)
    if summary and messages:
        messages[0]["content"] = f"{summary}\n\n{messages[0]['content']}"
    return messages


def turns_cut(turns: int, settings: PromptSettings) -> int:
    """How many of `turns` past turns are no longer whole."""
    return max(0, (turns - settings.keep) // settings.cut_every * settings.cut_every)


def past_turns(history: Iterable[Exchange]) -> list[PastTurn]:
    """Exchanges joined to turns, each with its number (counted here if the history does not say)."""
    turns: list[PastTurn] = []
    for exchange in history:
        last = turns[-1] if turns else None
        same = exchange.turn == last.turn if last and exchange.turn else not exchange.user
        if last and same:
            reply = "\n".join(part for part in (last.reply, exchange.reply) if part)
            turns[-1] = PastTurn(last.turn, last.user or exchange.user, reply, last.actions + exchange.actions)
        else:
            number = exchange.turn or (last.turn + 1 if last else 1)
            turns.append(PastTurn(number, exchange.user, exchange.reply, exchange.actions))
    return turns


def _reply(text: str, settings: PromptSettings) -> str:
    text, limit = text.strip(), settings.reply_chars
    return escape(text if len(text) <= limit else f"{text[: limit - 1]}{CUT}") or WORDLESS


def _summary(turns: Sequence[PastTurn], cut: int, words: PromptWords, settings: PromptSettings) -> str:
    """What was done, oldest first, then what was said: the first part keeps its beginning over cuts."""
    said_from, done_from = cut - settings.key_turns, cut - settings.key_turns - settings.action_turns
    done = [line for turn in turns if done_from < turn.turn <= said_from and (line := _done(turn, settings))]
    said = [line for turn in turns if turn.turn > said_from for line in _said(turn, words, settings)]
    parts = [words.done, *done] if done else []
    parts += [words.said, *said] if said else []
    return "\n".join(["<earlier>", *parts, "</earlier>"]) if parts else ""


def _done(turn: PastTurn, settings: PromptSettings) -> str:
    actions = " ".join("; ".join(turn.actions).split())
    if len(actions) > settings.action_chars:
        actions = f"{actions[: settings.action_chars - 1]}{CUT}"
    return f"- {escape(actions)}" if actions else ""


def _said(turn: PastTurn, words: PromptWords, settings: PromptSettings) -> list[str]:
    """Of what the customer said the strongest, of our own words the figures: names and questions are in the block."""
    limit = settings.key_chars
    sides = ((words.customer, wishes_of(turn.user, limit)), (words.we, figures_of(turn.reply, limit)))
    return [f"- {who}: {escape(quoted(text, 2 * limit))}" for who, text in sides if text]
