"""Normalising what a customer typed, so that rules see words and not their disguise (width, case, emoji,
zero-width, look-alikes).

Owns the folding of characters, the split into clauses and the guess of the script. Knows no phrase and
decides nothing. The result is for matching only, never shown or stored as what was said. Called by
`polarity`, the exits, slot readers and the keyword decider. Pure and linear; the rules that use it cap how
much of a message they look at.
"""

import re
import unicodedata
from typing import Literal, NamedTuple

# Traditional -> simplified, only characters that our rules use. A full converter (OpenCC) is a dictionary of megabytes.
_TRADITIONAL = dict(
    zip(
        map(
            ord,
            "謝沒問題對確認轉專員聯繫這樣幫訂單買電話機說麻煩還別見會點們個給請讓開關結為來後過時間錯誤實種價錢貴換選號碼應該覺識辦"
            "發進連線離嗎無與樂聽記試繼續處東準備經貨賣數嘗類從沖氣動麼啰囉棄擾條兒緊聲隨煩尋諮詢務裡裏頭當週祝決親傳遞統誰幾夠慮興趣變僅終閒談項內",
        ),
        "谢没问题对确认转专员联系这样帮订单买电话机说麻烦还别见会点们个给请让开关结为来后过时间错误实种价钱贵换选号码应该觉识办"
        "发进连线离吗无与乐听记试继续处东准备经货卖数尝类从冲气动么啰啰弃扰条儿紧声随烦寻咨询务里里头当周祝决亲传递统谁几够虑兴趣变仅终闲谈项内",
        strict=True,
    )
)
_QUOTES = dict.fromkeys(map(ord, "‘’‛`´ʼʹ′＇ꞌ"), "'")
_LINE_ENDS, _CLAUSE_ENDS = "\n\r\v\f\u0085\u2028\u2029", '!;。；！，、…｡､"“”„«»「」『』《》〈〉【】()[]{}~～|·—–'
_BREAKS = dict.fromkeys(map(ord, _LINE_ENDS + _CLAUSE_ENDS), "\n")
_KEPT = {ord(c): c for c in "?.,:'%@#&+"} | {ord("？"): "?", ord("؟"): "?", ord("¿"): "\n"}
_INVISIBLE = dict.fromkeys((0x115F, 0x1160, 0x3164, 0xFFA0, *range(0x180B, 0x1810)))
_MARKS = (  # combining marks and variation selectors
    *((0x300, 0x36F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF)),
    *((0xFE00, 0xFE0F), (0xFE20, 0xFE2F), (0xE0100, 0xE01EF)),
)


class _Table(dict[int, str | None]):
    """Code point -> replacement for `str.translate`, filled on first sight of a code point from its Unicode "
    "category."""

    def __missing__(self, point: int) -> str | None:
        replacement = self._classify(point)
        if point < 0x10000:  # bounded memory whatever is sent
            self[point] = replacement
        return replacement

    @staticmethod
    def _classify(point: int) -> str | None:
        category = unicodedata.category(chr(point))
        if category in ("Cf", "Cc", "Cs", "Co", "Cn") or any(low <= point <= high for low, high in _MARKS):
            return None
        if category[0] in "PZ" or category in ("So", "Sk"):
            return " "
        return chr(point)


_TABLE = _Table(_TRADITIONAL | _QUOTES | _BREAKS | _KEPT | _INVISIBLE | {ord("\t"): " "})

_LOOKALIKES = str.maketrans("авсеԁһіјкмнорԛѕтуѵԝхѐёαβεηικνορτυχγϲ", "abcedhijkmhopqstyvwxeeabenikvoptuxyc")
_MIXED = re.compile(r"(?=[a-z]*[\u0370-\u052f])(?=[\u0370-\u052f]*[a-z])[a-z\u0370-\u052f]+")
_FOREIGN = re.compile(r"[\u0370-\u052f]")

# Each begins with its own literal, so that the engine skips to it; each runs only on text that has that character.
_ABBREVIATION_DOT = re.compile(r"\.(?<=(?<![a-z])[a-z]\.)")  # a.m.  b.y.e
_FREE_DOT = re.compile(r"\.(?:(?<!\d\.)|(?!\d))")
_FREE_COLON = re.compile(r":(?:(?<!\d:)|(?!\d))")
_FREE_COMMA = re.compile(r",(?:(?<!\d,)|(?!\d{3}(?!\d)))")
_LOOSE_QUOTE = re.compile(r"'(?:(?<![^\W\d_]')|(?![^\W\d_]))")
_SPACED = re.compile(r"(?<![^ ])(?:[a-z](?: [a-z])+|[\u4e00-\u9fff](?: [\u4e00-\u9fff])+)(?![^ ])")
_STRETCH = re.compile(r"([a-z])\1\1")
_WORD = re.compile(r"[a-z]+")
_RUN = re.compile(r"([a-z])\1+")
_RUN_OF_3 = re.compile(r"([a-z])\1\1+")

# Words that people stretch or space out, by their squeezed form. Anything else keeps its spaces, and two letters
# of a run
# ("goood" may be good or god).
_WORDS = {
    _RUN.sub(r"\1", word): word
    for word in (
        "yes yeah yep yup no nope nah ok okay bye goodbye please thanks thank you so hi hey hello well all sure stop "
        "cancel human "
        "agent operator person nevermind never mind forget wait cool fine great later help quit exit"
    ).split()
}

_TYPED_APART = frozenset(_WORDS.values())

_CHUNK = 256
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002fa1f]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\uff21-\uff3a\uff41-\uff5a]")
_LATIN_LETTERS_PER_HAN = 4  # "我要2台 MacBook" is Chinese; a Han character says as much as a short word
_SCRIPT_WINDOW = 2000


class Clause(NamedTuple):
    """One normalised clause and whether a question mark ended it."""

    text: str
    question: bool


def normalize(text: str) -> str:
    """`text` folded to lower-case words parted by single spaces: no punctuation but `'` in words and `.,:` inside "
    "numbers."""
    return _clean(_marked(text).replace("\n", " ").replace("?", " "))


def clauses(text: str) -> tuple[str, ...]:
    """The normalised clauses of `text`: split at zh and en punctuation and line breaks, not inside numbers or words."""
    return tuple(clause.text for clause in read_clauses(text))


def read_clauses(text: str) -> tuple[Clause, ...]:
    """`clauses`, each with whether a question mark ended it; a lone `?` belongs to the clause before it."""
    found: list[Clause] = []
    for line in _marked(text).split("\n"):
        *asked, rest = line.split("?")
        for part in asked:
            if words := _clean(part):
                found.append(Clause(words, True))
            elif found:
                found[-1] = Clause(found[-1].text, True)
        if words := _clean(rest):
            found.append(Clause(words, False))
    return tuple(found)


def script_of(text: str) -> Literal["zh", "en"] | None:
    """Whether `text` is written in Han or Latin letters; None if in neither. Reads the first 2,000 characters."""
    text = text[:_SCRIPT_WINDOW]
    han, latin = len(_HAN.findall(text)), len(_LATIN.findall(text))
    if not han and not latin:
        return None
    return "zh" if han * _LATIN_LETTERS_PER_HAN >= latin else "en"


def _marked(text: str) -> str:
    """Folded text in which `\\n` and `?` are the only clause marks."""
    folded = _fold(text)
    if "." in folded:
        folded = _FREE_DOT.sub("\n", _ABBREVIATION_DOT.sub(" ", folded))
    if "," in folded:
        folded = _FREE_COMMA.sub("\n", folded)
    if ":" in folded:
        folded = _FREE_COLON.sub("\n", folded)
    if "'" in folded:
        folded = _LOOSE_QUOTE.sub(" ", folded)
    return folded


def _clean(part: str) -> str:
    """Single spaces; words that were typed letter by letter joined; stretched words as they are written."""
    words = part.split()
    cleaned = " ".join(words)
    if len(words) > 1 and min(map(len, words)) == 1:
        cleaned = _SPACED.sub(_unspace, cleaned)
    if _STRETCH.search(cleaned):
        cleaned = _WORD.sub(_unstretch, cleaned)
    return cleaned


def _fold(text: str) -> str:
    """Characters only: compatibility forms, case, invisible ones, look-alikes. Punctuation becomes `\\n`, space or "
    "itself."""
    if text.isascii():
        return text.lower().translate(_TABLE)
    if len(text) > _CHUNK:  # NFKC sorts a run of combining marks in quadratic time
        return "".join(_fold_chunk(text[at : at + _CHUNK]) for at in range(0, len(text), _CHUNK))
    return _fold_chunk(text)


def _fold_chunk(text: str) -> str:
    text = text.replace("，", "\n")  # NFKC would make it the comma of "1,000"
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).translate(_TABLE)
    if _FOREIGN.search(folded):
        folded = _MIXED.sub(lambda m: m[0].translate(_LOOKALIKES), folded)
    return folded


def _unspace(spaced: re.Match[str]) -> str:
    joined = spaced[0].replace(" ", "")
    return joined if not joined.isascii() or joined in _TYPED_APART else spaced[0]


def _unstretch(word: re.Match[str]) -> str:
    if not _STRETCH.search(word[0]):
        return word[0]
    return _WORDS.get(_RUN.sub(r"\1", word[0])) or _RUN_OF_3.sub(r"\1\1", word[0])
