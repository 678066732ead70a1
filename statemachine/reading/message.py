"""The customer's message as the readers see it: cleaned once, cut once, with clauses and a record of what was used.

Owns cleaning (NFKC, width, invisible characters), clause bounds, and the rule for several candidates. Never holds a
rule about one kind of value. Used by all files beside this one. Cost: linear in `LOOKED_AT`, not in the message.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

LOOKED_AT = 2_000
"""Characters of one message that are looked at; a longer one is cut before its last, perhaps torn, word."""

Span = tuple[int, int]
Num = int | float
T = TypeVar("T")

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_WIDE_THOUSANDS = re.compile("(?<=[０-９])，(?=[０-９]{3}(?![０-９]))")
_THIN_THOUSANDS = re.compile("(?<=[0-9])[\u2009\u202f](?=[0-9]{3}(?![0-9]))")
_TORN_WORD = re.compile(r"[\w@.+,-]{1,64}\Z")
_FRACTIONS = {"½": ".5", "¼": ".25", "¾": ".75"}
_APOSTROPHES = str.maketrans("\u2018\u2019\u02bc\u00b4`", "'''''")

_SHORT = r"(?<!\b[Ss]t)(?<!\b[DMdm]r)(?<!\b[Mm]rs)(?<!\b[Mm]s)(?<!\b[Nn]o)"
_HOUSE = r"(?!\s?(?:inc|ltd|llc|co|corp)\b)"  # "Acme, Inc."
_CLAUSE_END = re.compile(
    rf"(?<![0-9])[,，]{_HOUSE}|[,，](?![0-9]){_HOUSE}|，|[。;!?、\n]|{_SHORT}\.(?=\s|\Z)", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[。!?\n]|\.(?=\s|\Z)")

_QUESTION = re.compile(
    r"\?|吗|呢\s*\Z|多少|多久|多长|干嘛|干吗|干什么|什么|怎么|怎样|如何|为何|为啥|区别|哪|能不能|可不可以|是不是|有没有|行不行|好不好|几(?:个|种|天)"
    r"|\A\W*(?:so\s+|and\s+|but\s+|ok(?:ay)?\s+)?(?:what|how|why|who|whose|where|when|which|is there|are there"
    r"|do you|does|did you|can you|could you|would you|will you)\b"
)
_CORRECTION = re.compile(
    r"(?<![a-z])(?:no|nope|sorry|actually|i mean|wait|make (?:it|that)|change (?:it|that) to|scratch that|oops|should be|i meant"
    r"|correction|instead)(?![a-z])"
    r"|不对|不是|(?<![\u4e00-\u9fff])不(?![\u4e00-\u9fff])|说错|算了|应该是|才对|更正|改成|改为|换成|哦不|噢不|抱歉"
)


@dataclass(frozen=True)
class Message:
    """Cleaned text; `lower` has the same length, so spans fit both."""

    text: str

    @cached_property
    def lower(self) -> str:
        return lower(self.text)

    @cached_property
    def _clauses(self) -> list[Span]:
        return _cut(self.text, _CLAUSE_END)

    @cached_property
    def sentences(self) -> list[Span]:
        return _cut(self.text, _SENTENCE_END)

    @cached_property
    def clauses(self) -> list[Span]:
        return [(a, b) for a, b in self._clauses if self.text[a:b].strip()]

    def clause_at(self, position: int) -> Span:
        return _holding(self._clauses, position)

    def sentence_at(self, position: int) -> Span:
        return _holding(self.sentences, position)

    def asks_at(self, position: int) -> bool:
        """Whether the clause there, or the mark that ends it, makes it a question."""
        start, end = self.clause_at(position)
        return is_question(self.lower[start:end] + self.text[end : end + 1])


@dataclass(frozen=True, slots=True)
class Hit(Generic[T]):
    """A value and where it stood."""

    value: T
    start: int
    end: int


class Used:
    """The pieces of the message that some slot has taken."""

    def __init__(self) -> None:
        self.spans: list[Span] = []

    def take(self, start: int, end: int) -> None:
        self.spans.append((start, end))

    def overlaps(self, start: int, end: int) -> bool:
        return any(start < b and a < end for a, b in self.spans)

    def first_in(self, start: int, end: int) -> int | None:
        """Where the first taken piece inside this span begins."""
        return min((max(a, start) for a, b in self.spans if start < b and a < end), default=None)


def prepare(text: str) -> Message:
    """Clean and cut. The wide comma stays itself, so that "10，200" is two numbers."""
    cut = text[:LOOKED_AT]
    if len(text) > LOOKED_AT:
        cut = _TORN_WORD.sub("", cut)
    cut = (
        _INVISIBLE.sub("", _THIN_THOUSANDS.sub(",", _WIDE_THOUSANDS.sub(",", cut)))
        .replace("\r", "\n")
        .translate(_APOSTROPHES)
    )
    parts = (unicodedata.normalize("NFKC", _spell_out(part)) for part in cut.split("，"))
    return Message(_CONTROL.sub(" ", "，".join(parts))[:LOOKED_AT])


def lower(text: str) -> str:
    """Lower case of the same length ("İ".lower() is two characters)."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def is_question(text: str) -> bool:
    return _QUESTION.search(text) is not None


def pick(hits: Sequence[Hit[T]], message: Message) -> Hit[T] | None:
    """The one value meant: all agree, or the last one corrects the others ("20, sorry, 25"); else None."""
    ordered = sorted(hits, key=lambda hit: hit.start)
    if not ordered:
        return None
    last = ordered[-1]
    others = [hit for hit in ordered if hit.value != last.value]
    if not others or corrects(message, others[-1].end, last.start):
        return last
    return last if re.match(r"\W*(?:actually|instead)\b", message.lower[last.end : last.end + 16]) else None


def corrects(message: Message, start: int, end: int) -> bool:
    """Whether the words between two values say that the second replaces the first."""
    return _CORRECTION.search(message.lower, start, end) is not None


def tidy(value: float) -> Num:
    """42.0 is 42; floating dust from 1.1 * 1000 is removed."""
    near = round(value, 6)
    return int(near) if near == int(near) else near


def squeeze(text: str) -> str:
    return " ".join(text.split())


def free(hits: Iterable[Hit[T]], used: Used) -> list[Hit[T]]:
    return [hit for hit in hits if not used.overlaps(hit.start, hit.end)]


def _spell_out(text: str) -> str:
    """Keep NFKC from joining digits: "2½" is 2.5 and "10²" is not 102."""
    if text.isascii() or not any(unicodedata.category(c) == "No" for c in text):
        return text
    out: list[str] = []
    for char in text:
        if char in _FRACTIONS:
            out.append(_FRACTIONS[char] if out and out[-1].isdecimal() else "0" + _FRACTIONS[char])
        else:
            out.append(f" {char} " if unicodedata.category(char) == "No" else char)
    return "".join(out).replace("\u2044", " ")


def _cut(text: str, ends: re.Pattern[str]) -> list[Span]:
    spans: list[Span] = []
    start = 0
    for match in ends.finditer(text):
        spans.append((start, match.start()))
        start = match.end()
    return [*spans, (start, len(text))]


def _holding(spans: list[Span], position: int) -> Span:
    return spans[max(0, bisect_right(spans, (position, len(spans) + 10**9)) - 1)]
