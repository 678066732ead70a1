"""Coverage: does a message hold nothing but the values that were read in it? Every word must be accounted for.

A word is accounted for if it is part of a value (a number, a phone, an e-mail, a choice's own words), a cue of its slot, or one
of a short list of words that carry a value and change nothing about it ("about", "make it", 大概, 改成). Whatever else stands
there (a denial, a comparison, somebody else, a condition, a second matter) may mean that the value is not meant: no list of such
words could ever be whole, so there is none. Called by `runtime/plain_values.py`. Pure.
"""

import re
from collections.abc import Iterable, Mapping

from ...protocol.slots import Scalar, Slot
from .contacts import find_emails, find_phones
from .message import lower, prepare
from .numbers import find_numbers

_CARRY_EN = frozenset(
    "a an the i i'd i'm we we're we'd we've it it's its that's this is are am be will would should say about around roughly "
    "approximately just only make made change to for our my have has need want like get got total altogether there please so "
    "then well um uh hmm ok okay and at on number use used using reach me you can mainly mostly best let's".split()
)
_PHRASES_EN = ("of us", "in all", "in total", "call me", "i think", "i guess", "or so", "text or call")
_CORRECT_EN = (
    "no",
    "sorry",
    "oops",
    "wait",
    "actually",
    "i mean",
    "i meant",
    "correction",
    "instead",
    "not right",
    "wrong",
)
_CARRY_ZH = tuple(
    "我们 咱们 我 是 有 要 大概 大约 差不多 左右 上下 吧 的 就 一共 总共 共 需要 想要 用来 用 做 主要是 主要 改成 改为 改到 "
    "换成 变成 应该是 就是 号码 联系 可以打 打 这个 好的 嗯 哦 那 个 位 名 呀 哈 啊 了 只有 先 签 请".split()
)
_CORRECT_ZH = ("不对", "说错了", "错了", "不是", "抱歉", "更正", "不")
_YES_NO = {
    True: ("yes", "yeah", "yep", "sure", "please", "we do", "do", "definitely", "needed", "mandatory", "required", "must",
           "要的", "要", "需要", "必须", "得", "是的", "是", "对", "好的", "好", "可以", "录"),
    False: ("no", "nope", "not needed", "not required", "don't need", "do not need", "no need", "thanks", "thank you", "without",
            "不用了", "不用", "不要", "不需要", "不必", "没必要", "否", "不录", "谢谢"),
}  # fmt: skip
_WORD = re.compile(r"[a-z']+")
_RANGE = re.compile(r"\d\s*(?:[a-z]+|[-~到至或])\s*\d")
_HAN = re.compile(r"[\u3400-\u9fff]")


def is_nothing_else(
    text: str, slots: Mapping[str, Slot], found: Mapping[str, Scalar], *, corrects: bool = False
) -> bool:
    """Whether `text` gives the values `found` of `slots` and no more. `corrects`: words that set something right carry, too."""
    rest = _without_values(lower(prepare(text).text), sum(not isinstance(v, bool) for v in found.values()))
    if rest is None:
        return False
    own = [word for name, value in found.items() for word in _own_words(slots[name], value)]
    carry_zh: tuple[str, ...] = _CARRY_ZH
    carry_en: tuple[str, ...] = _PHRASES_EN
    if corrects and not any(isinstance(value, bool) for value in found.values()):
        carry_zh, carry_en = carry_zh + _CORRECT_ZH, carry_en + _CORRECT_EN
    rest = _struck_out(rest, (*own, *carry_en, *carry_zh))
    return (
        not _HAN.search(rest) and all(word in _CARRY_EN for word in _WORD.findall(rest)) and not re.search(r"\d", rest)
    )


def _without_values(low: str, most: int) -> str | None:
    """The text without numbers, phones and addresses; None if there are more numbers than values, or a range."""
    message = prepare(low)
    contacts = [(hit.start, hit.end) for hit in (*find_phones(message, bare=True), *find_emails(message))]
    numbers = [(n.start, n.end) for n in find_numbers(low) if not any(a < n.end and n.start < b for a, b in contacts)]
    if len(numbers) + len(contacts) > most or any(_RANGE.search(low, *span) for span in numbers):
        return None
    for start, end in sorted((*contacts, *numbers), reverse=True):
        low = f"{low[:start]} {low[end:]}"
    return low


def _own_words(slot: Slot, value: Scalar) -> Iterable[str]:
    """How this value of the slot is said, and what it is called."""
    yield from slot.cues
    if isinstance(value, bool):
        yield from _YES_NO[value]
    else:
        yield from slot.choices.get(str(value), ()) if slot.choices else ()
        yield str(value)


def _struck_out(text: str, words: Iterable[str]) -> str:
    """The text without these words, the longest first; Latin ones only as whole words."""
    for word in sorted({lower(word) for word in words if word.strip()}, key=len, reverse=True):
        text = (
            re.sub(rf"(?<![a-z']){re.escape(word)}(?![a-z'])", " ", text) if word.isascii() else text.replace(word, " ")
        )
    return text
