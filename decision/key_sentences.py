"""Key sentences: the parts of a message that say what somebody wants, refuses, asks or fixes. Rules over words, zh and en.

Owns the words of strong intent. Returns pieces of the text as they stand, never a paraphrase. No model; pure and linear.
Called by `history.py` for turns too old to be kept whole.
"""

import re
from functools import lru_cache

CUT = "…"
MAX_CHARS = 2000
"""Read of a longer text: three quarters from its beginning, one from its end."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；;])\s*|[\r\n\u0085\u2028\u2029]+")

_WORD = re.compile(r"[A-Za-z'’-]+")
_WORDS = frozenset(
    "want wants wanted need needs must require requires required like prefer instead rather no not don't doesn't didn't won't "
    "can't cannot couldn't never nothing without stop buy pay paid payment asap immediately today tomorrow deadline broken wrong "
    "error yes address phone email e-mail number how when what which where why who can could may".split()
)
_STEMS = tuple(
    "cancel chang switch correct order book refund return pric cost budget discount cheap expensiv quote invoice urgent "
    "problem fail complain agree accept confirm promis guarantee deliver".split()
)
_CHINESE = re.compile(
    r"想要?|需要|要求|必须|一定|务必|希望|打算|准备|最好|不要|不用|不行|不能|不想|不会|不是|没有|没法|别|取消|改成?|换|退|更正"
    r"|下单|订|买|付款?|支付|转账|价格|多少|预算|优惠|折扣|便宜|贵|报价|发票|合同|急|尽快|马上|今天|明天|坏|问题|错|失败|再加|加"
    r"|投诉|同意|确认|接受|可以|好的|就这|承诺|保证|送|地址|电话|邮箱|编号|怎么|如何|什么|哪|为什么|几|吗|呢|谁|能不能|是否"
)
_FIGURE = re.compile(r"\d|[¥$€£%@]|(?!一个)[一二三四五六七八九十百千万两]+[个人元块台年月天席位件]")
_ASKS = re.compile(r"[?？]\s*$")


@lru_cache(maxsize=512)  # a text is looked at in each of the ten turns before its key sentences go
def key_sentences(text: str, limit: int) -> str:
    """The strongest sentences of `text` in their order, in at most `limit` characters; all of it if it fits."""
    text = text.strip()
    return text if len(text) <= limit else _strongest(_sentences(text), limit)


@lru_cache(maxsize=512)
def wishes_of(text: str, limit: int) -> str:
    """The same of those sentences that ask or have a word of intent; empty if none does."""
    return _within([s for s in _sentences(text) if _strong(s) or _ASKS.search(s)], limit)


@lru_cache(maxsize=512)
def figures_of(text: str, limit: int) -> str:
    """The same of those sentences that state a figure; empty if none does."""
    return _within([s for s in _sentences(text) if _FIGURE.search(s)], limit)


def _sentences(text: str) -> list[str]:
    if len(text) > MAX_CHARS:
        text = f"{text[: MAX_CHARS * 3 // 4]}\n{text[-MAX_CHARS // 4 :]}"
    return [sentence for part in _SENTENCE_END.split(text) if (sentence := part.strip())]


def _within(sentences: list[str], limit: int) -> str:
    whole = " ".join(sentences)
    return whole if len(whole) <= limit else _strongest(sentences, limit)


def _strongest(sentences: list[str], limit: int) -> str:
    strength = [_strength(sentence) for sentence in sentences]
    order = sorted(range(len(sentences)), key=lambda i: -strength[i])  # stable: of equals the first
    chosen: list[int] = []
    left = limit
    for i in order:
        if chosen and not strength[i]:
            break
        if len(sentences[i]) + 1 <= left:
            chosen.append(i)
            left -= len(sentences[i]) + 1
    if not chosen:
        return _around_its_word(sentences[order[0]], limit)
    return " ".join(sentences[i] for i in sorted(chosen))


def _strength(sentence: str) -> int:
    """Different words of intent, at most four; a figure and a question count as one each."""
    words = {sentence[start:end].lower() for start, end in _strong(sentence)}
    return min(len(words), 4) + bool(_FIGURE.search(sentence)) + bool(_ASKS.search(sentence))


def _strong(sentence: str) -> list[tuple[int, int]]:
    """Where its words of intent are, English ones first."""
    found = [word.span() for word in _WORD.finditer(sentence) if _is_strong(word[0].lower().replace("’", "'"))]
    return found if sentence.isascii() else found + [word.span() for word in _CHINESE.finditer(sentence)]


def _is_strong(word: str) -> bool:
    return word in _WORDS or word.startswith(_STEMS)


def _around_its_word(sentence: str, limit: int) -> str:
    """The part of a sentence that is too long, around its first strong word."""
    if len(sentence) <= limit:
        return sentence
    found, room = _strong(sentence), max(limit - 2, 1)
    start = min(max(0, found[0][0] - room // 4), len(sentence) - room) if found else 0
    piece = sentence[start : start + room].strip()
    return f"{CUT if start else ''}{piece}{CUT if start + room < len(sentence) else ''}"[:limit]
