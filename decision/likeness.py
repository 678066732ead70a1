"""How much is a message like a phrase? Word overlap for Latin text, two-character overlap for Chinese; between 0 and 1.

Owns what overlap cannot see: a clause that denies, puts off or only asks is not like a phrase that states. Each clause is
compared by itself. A phrase that is a question ("any discount?") also stands for statements, never the other way round; a
polite request ("can you cancel it?") is no question. A phrase with `...` ("付...了") is like what has its parts close
together in that order. A phrase with `!` at its end ("thanks!") counts only if the rest of the message goes no further:
no question, no "but", no denial ("thanks, one more thing" is no goodbye).
"""

import re
from functools import lru_cache
from typing import NamedTuple

from ..protocol.normalize import normalize, read_clauses
from ..protocol.spelling import one_edit

MAX_CHARS = 600
_TOKEN = re.compile(r"[a-z0-9']+|[\u4e00-\u9fff]+")
_COMMON = frozenset(
    "a an the i i'd i'll i'm i've me my you your it's we we'll we'd we've us it is are am be to of in on at for and or do does "
    "did can could would will please just that that's this there so have has with what's let's let now here ok okay yes".split()
)
_COMMON_WEIGHT = 0.2
_TYPO_LETTERS = 5
"""Words from this length on match with one letter wrong, missing, added or swapped."""

_QUESTION = re.compile(
    r"^(?:and |but |so |ok |okay |hi |well |hmm |by the way )*(?:what|what's|how|how's|when|where|who|which"
    r"|why(?! not)|is|are|do|does|did"
    r"|was|were|has|have (?:i|you|we)|will|would|should|may|any)\b|吗|[呢么]$|什么|怎么|怎样|多少|哪|几[个天时点]"
    r"|为什么|为啥|是不是|能不能"
    r"|有没有|可不可以|行不行|多久|是否|啥"
)
_REQUEST = re.compile(
    r"^(?:and |but |so |ok |okay |hi |well |please )*(?:can|could|may|shall|would|will) (?:you|i|we)\b|^(?:那|请"
    r"|麻烦)?(?:你|您|我|我们)?(?:能|可以|可不可以|能不能)"
)
_NOT = re.compile(
    r"(?<![a-z])(?:not|no(?! (?:problem|worries|doubt|objection))|never|don't|dont|doesn't|didn't|won't|can't|cannot"
    r"|haven't|hasn't|isn't|aren't"
    r"|wasn't|wouldn't|without|nor|neither|unable|fail(?:ed|s)?|rejected|declined|bounced"
    r"|refused)(?![a-z])|失败|不(?!错|好意思|贵|过|客气|用谢|管)"
    r"|没(?!问题|事|错|意见|毛病|关系|啥问题)|别(?!的|人)|未|无(?!误|异议|疑)"
)
_PUT_OFF = re.compile(
    r"(?<![a-z])(?:let (?:me|us) (?:think|check|see|ask|talk|discuss|consider|sleep|get back)|think (?:about|it over"
    r"|on it)|thinking"
    r"|need (?:to|some time to) (?:think|check|ask|talk|discuss|consider)|consider(?:ing)?|not sure|unsure|undecided"
    r"|maybe|perhaps|later|tomorrow"
    r"|tonight|next (?:week|month|time)|another (?:day|time)|not yet|not now|(?:a|one) (?:moment|second|sec|minute)"
    r"|if|unless|until|before|once|as soon as|wait|hold on|hang on|going to|about to|ask my"
    r"|check with|talk to my|discuss|compare|hesita\w+|probably)(?![a-z])|考虑|想想|想一想|想一下|再看看|看看再|再说"
    r"|商量|问问|问一下|请示|汇报"
    r"|等[我等一下会到]|稍等|稍后|待会|一会儿?|回头|改天|以后|下次|明天|明早|今晚|晚点|晚些|过两天|过几天|马上|准备"
    r"|先去|这就去|去付|去转|去打|正在|正要|打算|如果|要是|假如"
    r"|[款完付]后|也许|可能|说不定|犹豫|纠结|比较一下|对比|不确定|没想好|没决定|还没"
)

_NOTHING = re.compile(
    r"^no$|^no[ ,](?!w)|(?<![a-z])(?:nothing|no more|no further|no other|not now|not really|don't need"
    r"|nope)|没|无|不用|不需|不麻烦|不打扰|^不"
)
_AFTER_THAT = re.compile(r"^(?:and |so |ok |but )*(?:after|when|whenever)(?! all)\b")
_GOES_ON = re.compile(
    r"(?<![a-z])(?:but|though|although|one thing|only thing|however|except|another|one more|also|still"
    r"|by the way|btw|quick question|(?:a|one|last|quick|another|my|the|have|got) (?:[a-z]+ )?question"
    r"|one last|(?:my|the) (?:next |last |other )?question"
    r"|(?<!all )(?:i|we) (?:also |still )?needs?(?! any| you| help)|problem|issue|wondering|wonder|tell me"
    r"|show me|can you|could you|wait (?:a|one)|(?<!we )(?<!i )(?<!ll )(?<!just )wait(?! for))(?![a-z])"
    r"|还有(?=个|一|问题|件|点)|另外|再问|顺便|不过|但是?|可是|想问|问一下|请问|问题是|等等|等一下|还想"
    r"|还要|还得|帮我|麻烦.{0,3}[帮把发给查]|对了"
)

_SPOKEN = str.maketrans("啦咯喽", "了了了")
_TRAILS_OFF = re.compile(r"(?:\.{2,}|…|。{2,})\s*\Z")


class _Phrase(NamedTuple):
    """`tokens` with their weights; `asks`: it is a question; `denies`, `puts_off`: it has a word of these kinds.

    `gapped`: what to look for instead of tokens, for a phrase with `...`. `ends`: it has a `!`.
    `further`: it asks or leads to another matter; `objects`: it denies more than that there is anything else.
    """

    words: str
    tokens: dict[str, float]
    asks: bool
    denies: bool
    puts_off: bool
    gapped: re.Pattern[str] | None = None
    ends: bool = False
    further: bool = False
    objects: bool = False


def likeness(phrase: str, text: str) -> float:
    """The share of the phrase's weight that the likest clause of the text has; 1 for a phrase that stands in it as it is."""
    wanted = _phrase(phrase)
    total = sum(wanted.tokens.values())
    if not total:
        return 0.0
    clauses = _clauses(text[:MAX_CHARS])
    if any(clause.puts_off for clause in clauses) and not (wanted.asks or wanted.puts_off):
        return 0.0
    if wanted.ends and any(
        clause.further or (clause.objects and _shared(wanted, clause) < total) for clause in clauses
    ):
        return 0.0
    return max((_shared(wanted, clause) / total for clause in clauses if _may_match(wanted, clause)), default=0.0)


def is_question(text: str) -> bool:
    """Whether the message asks something, by its mark or its words."""
    return any(clause.asks for clause in _clauses(text[:MAX_CHARS]))


def goes_on(text: str) -> bool:
    """Whether some clause asks, denies or leads to a further matter."""
    return any(clause.further or clause.objects for clause in _clauses(text[:MAX_CHARS]))


def puts_off(text: str) -> bool:
    """Whether the message hesitates, waits or sets a condition."""
    return _TRAILS_OFF.search(text) is not None or any(clause.puts_off for clause in _clauses(text[:MAX_CHARS]))


def _may_match(wanted: _Phrase, clause: _Phrase) -> bool:
    return (wanted.asks or not clause.asks) and (wanted.denies or wanted.asks or not clause.denies)


def _shared(wanted: _Phrase, clause: _Phrase) -> float:
    if wanted.gapped:
        return sum(wanted.tokens.values()) if wanted.gapped.search(clause.words) else 0.0
    return sum(
        weight for token, weight in wanted.tokens.items() if token in clause.tokens or _mistyped(token, clause.tokens)
    )


def _mistyped(token: str, have: dict[str, float]) -> bool:
    return (
        len(token) >= _TYPO_LETTERS
        and token.isascii()
        and any(one_edit(token, other) for other, weight in have.items() if weight == 1)
    )


@lru_cache(maxsize=1024)
def _phrase(text: str) -> _Phrase:
    phrase = _read(" ".join(clause.text for clause in read_clauses(text)), "?" in text or "？" in text)
    phrase = phrase._replace(ends=text.endswith("!"))
    if "..." not in text:
        words = rf"(?<![a-z']){re.escape(phrase.words)}\Z"  # nothing but common words: only as they stand, at the end
        return phrase if sum(phrase.tokens.values()) >= 1 else phrase._replace(gapped=re.compile(words))
    parts = (re.escape(normalize(part)) for part in text.split("..."))
    return phrase._replace(gapped=re.compile(r".{0,8}?".join(parts)))


@lru_cache(maxsize=64)
def _clauses(text: str) -> tuple[_Phrase, ...]:
    return tuple(_read(clause.text, clause.question) for clause in read_clauses(text))


def _read(words: str, marked: bool) -> _Phrase:
    words = words.translate(_SPOKEN)
    asks = (marked or _QUESTION.search(words) is not None) and not _REQUEST.search(words)
    denies = _NOT.search(words) is not None
    puts_off = _PUT_OFF.search(words) is not None or _AFTER_THAT.search(words) is not None
    further = asks or _GOES_ON.search(words) is not None
    objects = denies and _NOTHING.search(words) is None
    return _Phrase(words, _tokens(words), asks, denies, puts_off, further=further, objects=objects)


def _tokens(words: str) -> dict[str, float]:
    tokens: dict[str, float] = {}
    for run in _TOKEN.findall(words):
        if run[0] >= "\u4e00":
            tokens |= {run[i : i + 2]: 1.0 for i in range(len(run) - 1)} or {run: 1.0}
        else:
            tokens[_stem(run)] = _COMMON_WEIGHT if run in _COMMON else 1.0
    return tokens


def _stem(word: str) -> str:
    """Plural and -ing forms meet; the past stays apart, for "I transfer" is not "I transferred"."""
    for ending in ("ing", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)]
    return word
