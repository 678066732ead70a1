"""Roughly how many tokens a prompt costs, without a tokenizer. For documents and tests; no decision depends on it.

Fitted to Qwen2.5's tokenizer on 432 prompts of the example, half in Chinese: of a whole prompt never below the true number, 6 %
above it on average, 12 % at most. A single line may be off by 20 %. Pure.
"""

import re
from collections.abc import Iterable

_MESSAGE = 5
"""The frame of one message in a chat template: role and two special tokens."""
_COSTS = (
    (re.compile(r"\d"), 1.3),  # a token each, and often one for the space before
    (re.compile(r"[\u2e80-\uffef]"), 0.72),
    (re.compile(r"[A-Za-z]+"), 1.1),
    (re.compile(r"[!-/:-@\[-`{-~\n]"), 0.75),
)


def estimated_tokens(texts: Iterable[str]) -> float:
    """Tokens of messages with these texts, about: for each digit, Chinese character, word, mark and message."""
    return sum(_MESSAGE + sum(cost * len(kind.findall(text)) for kind, cost in _COSTS) for text in texts)
