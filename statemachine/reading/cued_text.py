"""Free text after a cue: "my name is Ann", "we are Acme Dental", "公司叫蓝海".

Owns where such a value begins and ends. Two kinds of cue:
- a label ("company", 公司) needs a link ("is", "called", ":", 叫); "our company needs 20 seats" names nothing;
- a cue that leads on by itself ("my name is", 我叫, "from"). Those that lead on to anything ("we are", "I'm",
  "from", 我是) count, unless this slot was asked about, only before what looks like a name: a capital, a Chinese
  surname, an organisation.
"""

import re

from ...protocol.slots import Slot
from .cues import Cue, find_cues
from .message import Hit, Message, Span, Used, is_question, lower
from .names import (
    EDGES,
    GERUND,
    LONGEST_VALUE,
    NOT_A_NAME,
    VALUE_END,
    clean_value,
    like_a_name,
    names_houses,
    of_its_kind,
)
from .refusals import is_refusal

_MOST_PLACES = 10

LEADS_ON = re.compile(
    r"(?:\b(?:is|are|am|was|called|named|represent|representing|from|by|at|in|with|for|to|of|call us)|'s|'m|'re|\bim"
    r"|[叫是为在自找表们]|[:=])\Z"
)
_WEAK = re.compile(
    r"\A(?:i am|i'm|im|we are|we're|this is|it's|it is|from|at|in|with|for|to|of|我是|我们是|这里是|这边是|来自|在"
    r"|是)\Z"
)
_STRONG_LEAD = re.compile(r"(?:\b(?:i'm|i am|we're|we are|this is|calling|here))\W*\Z")
_ONLY_NAMES = frozenset(
    {"at", "of", "for", "call us", "我们", "我在"}
)  # lead on to anything: count only when asked, before what looks like a name
_MENDED = (
    r"(?:(?:\s*name)?\s+(?:is|was)\s+(?:wrong|misspelled|mistaken)\W+(?:it\s+)?(?:should be|is|it's)"
    r"|(?:\s*name)?\s+(?:to|should be)(?![a-z])"
    r"|(?:名字?|名称)?(?:写|打|搞|说|弄|填)?错了?\W*(?:应该|其实|正确的?)?(?:是|叫|改成)|(?:名字?|名称)?(?:改[成为]"
    r"|换成|应该是))"
)
_LINK = re.compile(
    rf"\s*{_MENDED}\s*|\s*(?:'s\s+)?(?:\(?\s*name\s*\)?|名称|名字|全称|的名字|的名称|的全称|名)?\s*(?:(?:is|are|was"
    rf"|would be"
    r"|will be)(?:\s+(?:called|named))?(?![a-z])|called(?![a-z])|named(?![a-z])|'s(?=\s)|[:=]|是|叫做?"
    r"|名?为)\s*[:=]?\s*(?:叫做?)?"
)
_NAME_LABEL = re.compile(
    r"(?:name(?: of (?:the |my |our )?[a-z]+)?|名|名称|名字|全称)\Z"
)  # needs no link: "company name Acme"
_BESIDE = re.compile(r"\s+(?=[A-Z])|\s*(?=[\u4e00-\u9fff])(?![是叫写打搞弄填错改应不字称])")
_AFTER_LEAD = re.compile(r"\s*(?:这[边里儿](?=叫))?(?:(?:known as|called|named)(?![a-z])|叫做?)?\s*[:=]?\s*")
_JOURNEY = re.compile(r"\s(?:to|at|by|on|until)\s")
_HANDS_ON = re.compile(r"\W*(?:from|at|of|on behalf of|with|代表|来自)")


def read_cued_text(
    name: str, slot: Slot, message: Message, used: Used, *, asked: bool, others: tuple[str, ...] = ()
) -> list[Hit[str]]:
    """Values after this slot's cues; `others` are the cues of other text slots, where a value ends."""
    own = {cue.lower() for cue in slot.cues}
    places = find_cues(message.lower, {name: slot.cues, "": tuple(o for o in others if o.lower() not in own)}, units=())
    hits = (
        _after_cue(slot, message, used, place, places, asked)
        for place in [p for p in places if p.names == (name,)][:_MOST_PLACES]
    )
    found = [hit for hit in hits if hit is not None]
    if names_houses(slot):  # "Anna from Acme", "李雷，代表蓝海": the later one is the house
        found = [hit for n, hit in enumerate(found) if n == 0 or hit.start >= found[n - 1].end]  # Bank of China
        found = [hit for hit in found if hit is found[-1] or not _HANDS_ON.match(message.lower, hit.end)]
    return found


def _after_cue(slot: Slot, message: Message, used: Used, cue: Cue, places: list[Cue], asked: bool) -> Hit[str] | None:
    leads_on = LEADS_ON.search(cue.word) is not None
    link = (_AFTER_LEAD if leads_on else _LINK).match(message.lower, cue.end)
    if link is None and _NAME_LABEL.search(cue.word):
        link = _BESIDE.match(message.text, cue.end)
    if link is None or used.overlaps(cue.start, cue.end):
        return None
    if not leads_on and is_question(message.lower[slice(*message.sentence_at(cue.start))]):
        return None
    stop = next(
        (place.start for place in places if place.start >= link.end() and place.names != cue.names),
        len(message.text),
    )
    if cue.word == "from":
        stop = next((found.start() for found in [_JOURNEY.search(message.lower, link.end(), stop)] if found), stop)
    start, end = _bounds(message, used, link.end(), stop)
    value = of_its_kind(slot, clean_value(message.text[start:end]))
    weak = _WEAK.match(cue.word) is not None
    if weak and GERUND.match(value):
        return None
    if cue.word in _ONLY_NAMES and not (asked and value and like_a_name(value)):
        return None
    if is_refusal(lower(value)) or (names_houses(slot) and not any(char.isalpha() for char in value)):
        return None
    if not value or len(value) > LONGEST_VALUE or NOT_A_NAME.match(lower(value)) or is_question(lower(value)):
        return None
    if (
        weak
        and not asked
        and not like_a_name(value)
        and not (_STRONG_LEAD.search(message.lower[: cue.start]) and cue.word.isascii())
    ):
        return None
    return Hit(value, cue.start, end)


def _bounds(message: Message, used: Used, start: int, stop: int) -> Span:
    while start < stop and message.text[start] in EDGES:
        start += 1
    end = VALUE_END.search(message.text, start, stop)
    stop = end.start() if end else stop
    taken = used.first_in(start, stop)
    return start, stop if taken is None else taken
