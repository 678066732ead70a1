"""The generated parts of docs/prompt.md: golden prompts of the example flow and their sizes. Called by `generate_docs.py`."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace

from maitred.decision.history import Message
from maitred.decision.prompt import messages_for
from maitred.decision.prompt_settings import PromptSettings
from maitred.decision.prompt_tokens import estimated_tokens
from maitred.examples.presales.conversation import CONVERSATION
from maitred.examples.presales.questions import asked
from maitred.protocol.decision import DecisionRequest, Exchange
from maitred.protocol.texts import LANGS, Lang

REQUESTS: dict[Lang, tuple[DecisionRequest, ...]] = {}


def requests(lang: Lang) -> tuple[DecisionRequest, ...]:
    """The questions of the demo's conversation; played once."""
    if lang not in REQUESTS:
        REQUESTS[lang] = asyncio.run(asked(lang))
    return REQUESTS[lang]


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def sizes() -> str:
    """Characters of each question of the demo, by part."""
    rows = []
    for lang in LANGS:
        whole = []
        for request in requests(lang):
            system, *history, last = (message["content"] for message in messages_for(request))
            whole.append(estimated_tokens([system, *history, last]))
            block = len(last) - len(request.text) - 2
            counts = (len(system), sum(map(len, history)), len(request.text), block)
            new = estimated_tokens([last, *history[-1:]])
            rows.append((lang, f"`{request.menu.state}`", *map(str, counts), f"{whole[-1]:.0f}", f"{new:.0f}"))
        asked_for, said = sum(whole) / len(whole), sum(whole) / len(CONVERSATION[lang])
        text = f"{len(whole)} questions for {len(CONVERSATION[lang])} messages: {asked_for:.0f} a question, {said:.0f} a message"
        rows.append((lang, f"**{text}**", "", "", "", "", "", ""))
    return _table(
        ("", "state", "system", "history", "text", "block", "tokens, estimated", "not seen before, estimated"), rows
    )


def english() -> str:
    """A whole prompt early in the conversation."""
    return _shown(messages_for(requests("en")[3]))


def chinese() -> str:
    return _shown(messages_for(next(r for r in requests("zh") if r.menu.state == "parameter_confirmation"))[-3:])


def reask() -> str:
    request = replace(
        requests("en")[6], last_error="action 'give_discount' is not allowed here; allowed: accept_plan, ..."
    )
    return _shown(messages_for(request)[-1:])


def words_only() -> str:
    return _shown(messages_for(replace(requests("en")[6], moved=True))[-1:])


def tiers() -> str:
    """The summary and the first whole turn, seen from the 23rd message."""
    doing = {
        3: ("provide company, seats", "info_complete -> demand_analysis"),
        5: ('query_promotion ok: found=true, code="YEAR10"',),
    }
    chatter = "The weather was lovely and we sat in the garden all day. Nobody called."
    history = tuple(
        Exchange(f"{chatter} I want {n} seats.", f"Noted, {n} seats. Anything else?", doing.get(n, ()), n)
        for n in range(1, 23)
    )
    messages = messages_for(replace(requests("en")[3], history=history))
    return _shown([*messages[1:4]])


def bounds() -> str:
    defaults = PromptSettings()
    return _table(
        ("setting", "default"), [(f"`{n}`", str(getattr(defaults, n))) for n in PromptSettings.__dataclass_fields__]
    )


def _shown(messages: Iterable[Message]) -> str:
    parts = [f"[{message['role']}]\n{message['content']}" for message in messages]
    return "```text\n" + "\n\n".join(parts) + "\n```\n"


PARTS = {
    "prompt_sizes": sizes,
    "prompt_en": english,
    "prompt_zh": chinese,
    "prompt_reask": reask,
    "prompt_words_only": words_only,
    "prompt_tiers": tiers,
    "prompt_settings": bounds,
}
