"""Does the customer leave, close or ask for a person? Rules over the whole message, so no model is asked.

Owns how the phrases of `exit_words` combine. An exit is a message in which every clause is explained: by a
leaving or closing phrase, by courtesy, by a reason, or (beside a farewell) by a plain statement. A
question, a request or an answer beside it makes it a turn like any other: "never mind, book the blue one"
goes to the decider. What the bot asked last decides what "no" means. Never substrings. Called by the guards
before the decider; changes nothing itself.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from ..protocol.normalize import Clause, normalize, read_clauses
from .exit_words import CHINESE, ENGLISH
from .handoff import asks_for_person

ExitKind = Literal["human", "leave", "closing"]
_KINDS: tuple[ExitKind, ...] = ("human", "leave", "closing")
_MAX_CHARS = 280  # of a message that may be an exit
_WINDOW = 600  # read at both ends of a longer one for a hand-off request
_ASKED_WINDOW = 300


@dataclass(frozen=True, slots=True)
class Exit:
    """`kind`, and `matched`: the normalised words that decided it (user text: not for error messages)."""

    kind: ExitKind
    matched: str


class _Piece(NamedTuple):
    kind: str  # a kind of `exit_words`, "rest", or "own_leave", "own_closing", "own_human"
    words: str


class _Asked(NamedTuple):
    """What the bot's last turn was."""

    anything_else: bool
    confirmation: bool
    question: bool
    why: bool
    departure: bool


_ELSE = re.compile(
    r"\b(?:any ?(?:thing|one|body)|some ?thing|what) else\b(?!.{0,40}\b(?:add|order|change|include|should know|"
    r"we should|i should|need to know|tell|note|mention|modify|update|buy|items?|try))|"
    r"\b(?:any|more|other|further|additional) (?:(?:more|other|further|additional) )?(?:questions?|help|assistance|"
    r"requests?|queries|concerns?)\b|else (?:i|we) (?:can|could|may|might) (?:help|do|assist)|"
    r"\b(?:continue|keep|go on|carry on) (?:playing|chatting|talking|the (?:game|chat|conversation))|play (?:again|"
    r"another|more)|"
    r"(?:还有|有没有|还需要?|需要|还要|要)(?:没有)?(?:什么|其[他它]|别的|哪些|啥|任何|更多|"
    r"另外)+(?:的)?(?!.{0,6}(?:产品|商品|加|补充|备注|型号|规格|修改))|还有(?:问题|疑问|需要|事|要求)|"
    r"其[他它](?:的)?(?:问题|需要|需求|要求|信息|帮助|疑问|事)|"
    r"还(?:能|可以)(?:为|帮)[你您]|还想(?:问|了解|咨询|知道|聊)|继续(?:玩|聊|答题|游戏)"
)
_CONFIRMATION = re.compile(
    r"\b(?:confirm|(?:place|submit|book|reserve|process) (?:the|this|your|it|that)|go ahead|proceed|(?:is|are|does|"
    r"do) (?:that|this|it|everything|all|the \w+|these)(?: \w+){0,3} (?:right|correct|good|ok|okay)|(?:shall|"
    r"should) i)\b|"
    r"确认|下单|提交|核对|是否(?:正确|无误)|(?:对|正确|无误)(?:吗|么)"
)
_ASKS = re.compile(
    r"[?？]\s*$|[吗呢么]\s*[。.!！]?\s*$|^\s*(?:please|请)|请(?:提供|告诉|问|输入|选择)|\bplease (?:provide|tell|"
    r"enter|give|choose|select)\b"
)
_WHY = re.compile(r"\b(?:why|reason)\b|为什么|原因|为何|理由")
_DEPARTURE = re.compile(
    r"\b(?:leav\w*|depart\w*|travel\w*|when|what time|check(?:ing)? ?out)\b|什么时候|几点|出发|离开|何时"
)

# What beside an exit makes the message a turn like any other.
_REQUEST_EN = re.compile(
    r"\b(?:can|could|would|will) (?:you|u|i|we)\b|\bplease\b|\bhow (?:about|do|can|much|many|to)\b|\bwhat about\b|"
    r"\blet'?s\b|\blets\b|\b(?:help|show|give|send|tell|remind|call|email|text) me\b|"
    r"\bi(?:'?d| would) (?:like|love|prefer)\b|\bi want\b|\bi(?:'?m| am) (?:looking|interested|trying|expecting)\b|"
    r"\bgo (?:with|for|ahead)\b|\bi(?:'?ll| will) (?:take|have(?! to)|be needing)\b|"
    r"\d{3}|\b(?:my|the) (?:\w+ )?(?:number|name|email|address|code|phone|id|pin|password) (?:is|are)\b|\b(?:say|"
    r"said|saying|tell|told)\b.{0,20}$"
)
_ASIDE_EN = re.compile(
    r"^(?:and |but |so |then |also |ok |well |just |now |actually )*(?:(?:how(?! (?:nice|great|lovely|sweet|kind))|"
    r"when(?! i)|where|which|who|whom|whose|why|what(?! a))\b|"
    r"(?:can|could|would|will|do|does|did|is|are|am|was|were|have|has|may|shall|should|might) (?:i|you|u|we|it|this|"
    r"that|there|they|he|she|the|my|your|any|some|someone)\b|"
    r"(?:cancel|book|order|send|show|find|change|add|check|reserve|get|give|make|set|turn|play|remind|search|look up|"
    r"transfer|pay|buy|schedule|update|continue|try|proceed|confirm|"
    r"remove|delete|refund|return|put|use|do|block|freeze|close|stop|tell|ask|keep|move|switch|open|start|read|say)\b)|"
    r"\bi(?:'?ve)? (?:need|still|also)\b|\bmy \w+ (?:does|did|won'?t|doesn'?t|isn'?t|didn'?t)\b|"
    r"(?<!in )(?<!at )\d(?! ?(?:pm|am))|\b(?:number|account) is\b"
)
_REQUEST_ZH = re.compile(
    r"[吗么]$|怎么|怎样|如何|哪|多少|几[个点家号天]|是谁|是否|能不能|可不可以|有没有|行不行|[帮请让](?:我|你|您|忙|"
    r"再|把)|给我(?!的)|麻烦[你您]?(?:帮|把|给|再|发|查|告|推|在)|(?:我|还)(?:还)?(?:想要?|要|需要|打算|准备)(?!走|"
    r"去忙)|"
    r"推荐(?:一|个|几|家|些|点|我|下)|(?:查|找|订|定|换|改|选|退|发|加|开|送|买|来)(?:一|个|下|给|到|成|为|张|间|台|"
    r"份|[两三四五六七八九十])|下单|取消|换成|改成|看看?(?:别的|其[他它])(?!家|地方|店|平台)|告诉|介绍|另外|就(?:要|"
    r"选|买)|\d"
)
# Where an unexplained clause may still turn into an exit: a farewell at its end.
_TAIL = re.compile(
    r"(?<![a-z])(?:(?:good ?)?bye|see (?:you|ya)|(?:and|so|but|well|then|or|,) (?:that'?s|that is|i(?:'?m|"
    r" am) (?:done|leaving)|thanks?|thank you|good ?bye|never ?mind)|that'?s (?:all|it|everything)|it was|it'?s been|"
    r"thanks?|thank you|have a|take care|talk to you|(?:lets|let's) (?:just )?call it|"
    r"i(?:'?ve)? (?:have to|got to|gotta) go|(?:i )?(?:think|guess|believe) that'?s)(?![a-z])|"
    r"(?<=[\u4e00-\u9fff])(?:谢谢|感谢|再见|拜拜|886?(?!\d)|(?:那)?我?(?:这边|暂时|就|也)?(?:没有?|没啥|"
    r"没什么)(?:其[他它]|别的|什么)?(?:问题|疑问|需要|事)|没有了)"
)
_UNDECIDED = frozenset(("pad", "rest", "turn", "reason", "yes"))
_THANKS = re.compile(r"thank|thx|cheers|appreciat|谢|感激|辛苦")
_GOING = re.compile(r"leav|\bgo\b|going|走")
_COMPLETED = re.compile(r"all|everything|need|want|ask|^88")


def detect_exit(text: str, *, asked: str = "", own: Mapping[str, tuple[str, ...]] | None = None) -> Exit | None:
    """How `text` leaves the conversation, or None.

    Kinds: `human` asks for a person, `leave` gives up, `closing` is done. `asked` is the bot's last turn. `own` adds
    phrases per kind, as literal words: one counts if it stands in the message as said, beside nothing but courtesy.
    """
    text = text.strip()
    if len(text) > 2 * _WINDOW:
        text = f"{text[:_WINDOW]}\n{text[-_WINDOW:]}"
    said = read_clauses(text)
    if not said:
        return None
    phrases = _own_phrases(own) if own else ()
    if phrases:
        whole = normalize(text)
        for kind, phrase in phrases:
            if whole == phrase:
                return Exit(_kind_of(kind), phrase)
    if wanted := asks_for_person(said):
        return Exit("human", wanted)
    if len(text) > _MAX_CHARS or any(clause.question for clause in said):
        return None
    pieces = _read(said, phrases)
    return _judge(pieces, _read_asked(asked)) if pieces else None


def _own_phrases(own: Mapping[str, tuple[str, ...]]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (f"own_{kind}", _normalized(phrase)) for kind in _KINDS for phrase in own.get(kind, ()) if _normalized(phrase)
    )


def _kind_of(own_kind: str) -> ExitKind:
    return next(kind for kind in _KINDS if own_kind == f"own_{kind}")


@lru_cache(maxsize=512)
def _normalized(phrase: str) -> str:
    return normalize(phrase)


@lru_cache(maxsize=256)
def _read_asked(asked: str) -> _Asked:
    asked = asked[-_ASKED_WINDOW:].casefold()
    return _Asked(
        anything_else=bool(_ELSE.search(asked)),
        confirmation=bool(_CONFIRMATION.search(asked)) and not _ELSE.search(asked),
        question=bool(_ASKS.search(asked)),
        why=bool(_WHY.search(asked)),
        departure=bool(_DEPARTURE.search(asked)),
    )


def _read(said: tuple[Clause, ...], own: tuple[tuple[str, str], ...]) -> list[_Piece]:
    """The message as pieces; none if nothing in it could decide, or if a piece asks for or answers something."""
    pieces = [piece for clause in said for piece in _read_clause(clause.text, own)]
    if all(piece.kind in _UNDECIDED for piece in pieces) or any(map(_is_a_turn, pieces)):
        return []
    return pieces


def _read_clause(words: str, own: tuple[tuple[str, str], ...]) -> list[_Piece]:
    pieces: list[_Piece] = []
    at, end = 0, len(words)
    skipped = False
    while at < end:
        if words[at] == " ":
            at += 1
            continue
        piece = next((_Piece(kind, phrase) for kind, phrase in own if _stands_at(phrase, words, at)), None)
        if piece is None:
            match = (ENGLISH if words[at].isascii() else CHINESE).match(words, at)
            if match and match.end() > at:
                piece = _Piece(match.lastgroup or "pad", match[0])
        if piece is None:
            piece = _Piece("rest", words[at:])
            if not skipped and (tail := _TAIL.search(words, at + 1)):
                piece = _Piece("rest", words[at : tail.start()].strip())
            if skipped or (pieces and pieces[-1].kind == "bye" and " " in piece.words):
                piece = _Piece("turn", piece.words)  # "bye bye data plan"; one word may be a name
            skipped = True
        pieces.append(piece)
        at += len(piece.words)
    return pieces


def _stands_at(phrase: str, words: str, at: int) -> bool:
    after = words[at + len(phrase) : at + len(phrase) + 1]
    goes_on = phrase[-1].isascii() and after.isascii() and (after.isalnum() or after == "'")
    return words.startswith(phrase, at) and not goes_on


def _is_a_turn(piece: _Piece) -> bool:
    if piece.kind == "turn":
        return True
    if piece.kind == "rest":
        return _requests(piece.words) or bool(_ASIDE_EN.search(piece.words))
    if piece.kind == "reason":
        return _requests(piece.words)
    return piece.kind == "pad" and len(piece.words) > 12 and bool(_REQUEST_EN.search(piece.words))


def _requests(words: str) -> bool:
    return bool(_REQUEST_EN.search(words) or (not words.isascii() and _REQUEST_ZH.search(words)))


def _judge(pieces: list[_Piece], asked: _Asked) -> Exit | None:
    """The rules, strongest first. What a phrase needs beside it to count stands here and only here."""
    kinds = {piece.kind for piece in pieces}
    first = {kind: next(piece.words for piece in pieces if piece.kind == kind) for kind in kinds}
    for kind in kinds:
        if kind.startswith("own_"):
            return None if "rest" in kinds else Exit(_kind_of(kind), first[kind])
    if "yes" in kinds and (asked.confirmation or not kinds & {"bye", "done", "weak"}):
        return None
    if "bye" in kinds:
        on_the_way = _GOING.search(first["bye"]) and ("yes" in kinds or (asked.departure and asked.question))
        no_name = [piece.kind for piece in pieces].count("rest") > 1 and ("bye", "rest") in _neighbours(pieces)
        return None if on_the_way or no_name else Exit("leave" if kinds & {"quit", "drop"} else "closing", first["bye"])
    unexplained = "rest" in kinds and "reason" not in kinds
    for kind in ("quit", "drop"):
        if kind in kinds:
            if unexplained or (kind == "quit" and asked.why):
                return None
            answered = asked.anything_else and (kind == "drop" or first[kind].startswith("不要"))
            return Exit("closing" if answered else "leave", first[kind])
    if "done" in kinds and not asked.confirmation:
        return Exit("closing", first["done"])
    if kinds & {"rest", "reason"}:
        return None
    return _judge_answer(kinds, first, pieces, asked)


def _neighbours(pieces: list[_Piece]) -> set[tuple[str, str]]:
    return {(before.kind, after.kind) for before, after in pairwise(pieces)}


def _judge_answer(kinds: set[str], first: dict[str, str], pieces: list[_Piece], asked: _Asked) -> Exit | None:
    """Phrases that are an exit only as the answer to the right question."""
    for kind in ("weak", "decline", "no"):
        if kind in kinds and asked.anything_else:
            return Exit("closing", first[kind])
    if asked.confirmation or asked.question:
        return None
    thanked = any(piece.kind in ("pad", "decline") and _THANKS.search(piece.words) for piece in pieces)
    if "weak" in kinds:
        complete = first["weak"].isascii() and _COMPLETED.search(first["weak"])
        return Exit("closing", first["weak"]) if thanked or complete else None
    if "decline" in kinds and ("interested" in first["decline"] or "了" in first["decline"]):
        return Exit("leave", first["decline"])
    return None
