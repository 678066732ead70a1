"""How much is a message like a phrase? Word overlap for Latin text, two-character overlap for Chinese; between 0 and 1."""

import re
from functools import lru_cache

from ..protocol.normalize import normalize

_TOKEN = re.compile(r"[a-z0-9']+|[\u4e00-\u9fff]+")
_COMMON = frozenset(
    "a an the i i'd i'll i'm me my you your we it is are am be to of in on at for and or do does did can could would will "
    "please just that this there so have has with what's".split()
)
_COMMON_WEIGHT = 0.2
MAX_CHARS = 600
_QUESTION = re.compile(
    r"[?？]|^(what|how|when|where|who|which|why|is|are|do|does|did|can|could|will|would|should|may)\b|吗|呢$|什么|怎么|多少|哪|几个|为什么|是不是|能不能|有没有|多久"
)


def likeness(phrase: str, text: str) -> float:
    """The share of the phrase's weight that the text has; a phrase that stands in the text as it is counts 1."""
    wanted = _tokens(phrase)
    if not wanted:
        return 0.0
    have = _tokens(text[:MAX_CHARS])
    total = sum(wanted.values())
    shared = sum(weight for token, weight in wanted.items() if token in have)
    return shared / total


def is_question(text: str) -> bool:
    """Whether the message asks something, by its mark or its words."""
    return bool(_QUESTION.search(text.strip().lower()[:MAX_CHARS]))


@lru_cache(maxsize=4096)
def _tokens(text: str) -> dict[str, float]:
    tokens: dict[str, float] = {}
    for run in _TOKEN.findall(normalize(text)):
        if run[0] >= "\u4e00":
            tokens |= {run[i : i + 2]: 1.0 for i in range(len(run) - 1)} or {run: 1.0}
        else:
            tokens[_stem(run)] = _COMMON_WEIGHT if run in _COMMON else 1.0
    return tokens


def _stem(word: str) -> str:
    """Plural, -ing and -ed forms meet; enough for overlap, no linguistics."""
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
