"""Which of a slot's choices a message chooses: values and synonyms, aware of negation.

Owns negation of a choice: a marker before it in the clause ("not the basic one", 不要基础版) with no word of
wanting in between, or a refusal right after it ("基础版不要", "pro is too expensive"). Two choices that both stand
choose nothing. A question about a choice ("how much is pro?") is no choice.
"""

import re
from collections.abc import Mapping
from itertools import pairwise

from ...protocol.slots import Slot
from .cues import find_cues
from .message import Hit, Message, Used, corrects

_NOT_BEFORE = re.compile(
    r"(?<![a-z])(?:(?<!why )not(?! only)(?: really)?(?: want| need| like| think| take)?|no(?! problem| worries"
    r"| doubt| need to)|nor|neither|without|instead of|rather than|except|hardly(?: ever)?|rarely|seldom"
    r"|barely|no longer|any(?:thing| day| time)?"
    r" but|other than|never"
    r"|(?:do|does|did|is|are|was|wo|would|ca|could|should)n'?t(?: really)?(?: want| need| like| think| take"
    r"| choose)?|dont(?: want| need| like)?)(?![a-z'])"
    r"|不想要|不想用|不要|不是|不用|不选|不需要|不考虑|不买|并非|别选|别要|除了|没有|没选|不喜欢|不做|不搞"
    r"|不是用来|很少|几乎不|基本不|从不|从来不|不怎么|不太|不往|不对|不负责|不跑|没人"
    r"|(?<![\u4e00-\u9fff])不"
    r"|[不别没]\Z"
)
_BUT = re.compile(
    r"(?<![a-z])(?:but|want|prefer|take|choose|go with|going with|i'll|give me|yes)(?![a-z])|(?<![不想])要|(?<!不)是"
    r"|(?<!不)选|换成|改成|改为|就用|还是"
)
_NOT_AFTER_EN = re.compile(
    r"\s(?:\w+\s){0,1}(?:(?:is|are|was|does|do|wo|did)(?:n't| not)(?! bad)|is too|seems too|too expensive|is out"
    r"|won't)(?![a-z])"
)
_NOT_AFTER_ZH = re.compile(
    r"[^，,。;!?、\n]{0,3}?(?:不要|不行|不合适|不考虑|不用|不够|不需要|太贵|太小|太大|就算了|算了)"
)
_ASKS = re.compile(
    r"(?<![a-z])(?:what|what's|how|why(?! not)|which|difference|compare|tell me about|is there|do you have|does"
    r"|is the|are the)(?![a-z])|多少|什么|怎么|区别|哪|如何|介绍|有没有|几钱"
)
_MAINLY = re.compile(
    r"(?:(?<![a-z])(?:main(?:ly)?|mostly|primar(?:y|ily)|chiefly|especially|more|above all|first)(?![a-z])|主要"
    r"|大部分|多半|基本上?"
    r"|更多|重点|首先|算)[^,，。;.!?]{0,8}\Z"
)
_MAINLY_AFTER = re.compile(
    r"[^a-z,，。;.!?]{0,6}?(?:为主|居多|比较多|更多)|\s(?:mainly|mostly|primarily|first)(?=\W*(?:\Z|[,.;]))"
)
_OR = re.compile(r"(?<![a-z])or(?![a-z])|或|还是")
_ORDINAL = re.compile(
    r"(?:the |option |number |no\.? ?)?(?P<en>first|1st|second|2nd|third|3rd|fourth|4th|last|[1-4])(?: one| option"
    r"| choice)?(?: please)?\W*"
    r"|(?:就|那|选|是|应该|属于)*第?(?P<zh>[一二三四]|最后一)(?:个|种|项|条)(?:吧|的|啊|呢)*\W*"
)
_NTH = {
    word: n
    for n, words in enumerate(("first 1st 1 一", "second 2nd 2 二", "third 3rd 3 三", "fourth 4th 4 四"))
    for word in words.split()
}
_HOUSE_AFTER = re.compile(r"\s?(?:agency|company|firm|ltd|inc|corp|group|公司|有限|集团|中心|机构|学校)")
_CALLED = re.compile(
    r"(?:[Cc]alling )?[Ff]rom\s[A-Z]|.{0,20}(?<![a-z])[Cc]all us\s[A-Z]"
)  # "from Acme", "people call us Acme"
_COUNTED_EN = re.compile(r"(?:[0-9]|[a-z](?:ne|wo|ree|our|ive|ix|en|ght|elve|een|nty|rty|fty|ety|dozen|hundred))\s\Z")
_PEOPLE_AFTER = re.compile(
    r"\s(?:reps?|representatives?|people|persons?|staff|agents?|guys|folks|members|assistants?|managers?)(?![a-z])"
)
_COUNTED_ZH = re.compile(r"[0-9一二两三四五六七八九十百几]\s?[个名位]\Z")
_ASKS_ZH = re.compile(r"吗|呢\s*\Z")
_MAY_I = re.compile(r"可以|能不能|能否|可否|我要|我想要|就要|就选")


def read_choices_of(
    slots: Mapping[str, Slot], message: Message, used: Used, *, asked: str | None
) -> dict[str, list[Hit[str]]]:
    """Candidates for the choice slots; a word that two slots know goes to the one asked, else to the first.

    "the second one" is the second of the slot's choices, which questions name in that order.
    """
    terms = {
        f"{name}\0{value}": (value, *synonyms)
        for name, slot in slots.items()
        for value, synonyms in slot.choices.items()
    }
    found: dict[str, list[Hit[str]]] = {}
    for place in find_cues(message.lower, terms, units=(), inflected=True):
        if used.overlaps(place.start, place.end) or _torn(message.lower, place.start, place.end):
            continue
        if is_negated(message, place.start, place.end) or _asked_about(message, place.start):
            continue
        owners = [label.split("\0", 1) for label in place.names]
        chosen = next((owner for owner in owners if owner[0] == asked), owners[0])
        if chosen[0] != asked and _in_a_name(message, place.start, place.end):
            continue
        found.setdefault(chosen[0], []).append(Hit(chosen[1], place.start, place.end))
    ordinal = _ORDINAL.fullmatch(message.lower.strip())
    if ordinal and asked is not None and asked in slots and asked not in found:
        values, nth = list(slots[asked].choices), _NTH.get(ordinal["en"] or ordinal["zh"], -1)
        if nth < len(values):
            found[asked] = [Hit(values[nth], 0, len(message.text))]
    return {name: _main_ones(slots[name], hits, message, asked=name == asked) for name, hits in found.items()}


def _plain_ones(slot: Slot, hits: list[Hit[str]], message: Message) -> list[Hit[str]]:
    """A choice called by its name goes before one that is only described ("customer support" before "phones ... customers")."""
    names = {word for value, synonyms in slot.choices.items() for word in (value, *synonyms) if "..." not in word}
    plain = [hit for hit in hits if _spelt(message.lower[hit.start : hit.end]) & names]
    return plain or hits


def _spelt(words: str) -> set[str]:
    """The words as they stand, and as one of them."""
    return {words, words.removesuffix("s"), words.removesuffix("es")}


def _main_ones(slot: Slot, hits: list[Hit[str]], message: Message, *, asked: bool) -> list[Hit[str]]:
    """Of several choices those said to be the main ones ("mainly sales"); of several in an answer
    that are neither corrected nor left open ("sales or support") the first."""
    if len({hit.value for hit in hits}) < 2:
        return hits
    low = message.lower
    main = [
        hit
        for hit in hits
        if _MAINLY.search(low, max(0, hit.start - 14), hit.start) or _MAINLY_AFTER.match(low, hit.end)
    ]
    if main:
        return main
    hits = _plain_ones(slot, hits, message)
    if not asked or any(
        corrects(message, one.end, two.start) or _OR.search(low, one.end, two.start) for one, two in pairwise(hits)
    ):
        return hits
    return hits[:1]


_CAPITAL_BEFORE = re.compile(
    r"(?<![A-Za-z])(?!(?:The|Your|A|An|Our|My|That|This|With|On|For|Want|Take|Choose|And|Or|I|No|Yes|Ok|OK|Is|Go|Let's|Please)\s)"
    r"[A-Z][\w'&.-]*\s\Z"
)


def _in_a_name(message: Message, start: int, end: int) -> bool:
    """ "Rocket Sales Inc", "calling from Acme", 蓝海营销公司: the word belongs to a name; or to people: "four sales reps"."""
    text = message.text
    inside = text[start].isupper() and _CAPITAL_BEFORE.search(text, 0, start) is not None
    before_a_name = _CALLED.match(text, start, end + 8) is not None
    low = message.lower
    counted = _COUNTED_ZH.search(low, 0, start) or (_COUNTED_EN.search(low, 0, start) and _PEOPLE_AFTER.match(low, end))
    return inside or before_a_name or counted is not None or _HOUSE_AFTER.match(message.lower, end) is not None


def is_negated(message: Message, start: int, end: int) -> bool:
    """Whether the words around this place, within its clause, refuse it."""
    clause_start, clause_end = message.clause_at(start)
    before = message.lower[clause_start:start]
    markers = list(_NOT_BEFORE.finditer(before))
    if markers and not _BUT.search(before, markers[-1].end()):
        return True
    after = message.lower[end:clause_end]
    return bool(_NOT_AFTER_EN.match(after) or _NOT_AFTER_ZH.match(after))


def _torn(low: str, start: int, end: int) -> bool:
    """A digit right beside a choice that ends in a letter or digit makes it another word (pro2, 130 for 30)."""
    before, after = low[start - 1 : start] if start else "", low[end : end + 1]
    return (before.isdecimal() and low[start].isdecimal()) or (
        after.isdecimal() and low[end - 1].isascii() and low[end - 1].isalnum()
    )


def _asked_about(message: Message, position: int) -> bool:
    start, end = message.clause_at(position)
    clause = message.lower[start:end]
    return bool(_ASKS.search(clause)) or bool(_ASKS_ZH.search(clause) and not _MAY_I.search(clause))
