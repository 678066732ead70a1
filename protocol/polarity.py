"""Is a whole message an explicit yes or no to a yes-no question of the bot? By rules, zh and en.

It guards orders: `yes` only if every part of the message is consent, courtesy or an echo of "do it"; whatever it does not know,
a question, a doubt, a condition, a change or agreement to one part of what was asked makes it `other`, and the bot asks again.
Sarcasm and facts are out of its reach. Called by the confirmation guard and by the `yes_no` slot reader. Pure, linear.

The words are in `polarity_en.py` and `polarity_zh.py`. Each clause is read from the left; at each place the first phrase of the
tables that fits is taken and its kind noted; nothing may be left over. The order of the rows is therefore a rule: longer and
more special ones first ("no problem" before "no", 不好意思 before 不好). Kinds: `yes`; `act` (order it: a yes, unless a `neg`
stands before it in its clause); `no`; `neg` (a no that may take an act: "don't", 别); `halt` (a no that a neg turns round: "don't
stop"); `cancel` (cancel it: what it means depends on the question); `pad` (courtesy, weightless); `doubt` (spoils everything).
"""

import re
from typing import Literal

from .normalize import read_clauses
from .polarity_en import EN, Rows
from .polarity_zh import ZH

Polarity = Literal["yes", "no", "other"]
_MAX_CHARS = 240


def _alternation(rows: Rows, end: str) -> str:
    """A group per row. Repeats are bounded, so that no text makes overlapping alternatives backtrack for long."""
    pattern = "|".join(f"(?P<{kind}_{n}>{'|'.join(phrases)}){end}" for n, (kind, phrases) in enumerate(rows))
    return pattern.replace(")*", "){0,8}")


_TRAILS_OFF = re.compile(r"(?:\.{2,}|…|。{2,}|～{2,})\s*\Z")
_ENGLISH = re.compile(_alternation(EN, "(?![a-z0-9'])"))
_CHINESE = re.compile(_alternation(ZH, ""))
_GOES_ON = re.compile(
    r"\b(?:continue|carry on|keep going|go on|order|book|reserve|buy|purchase|pay|check ?out|submit|send|ship|sign me up)\b"
    r"|继续|下订?单|提交|预[订定约]|订购|购买|付款|支付|成交|[订买付要]|发货|安排|办"
)
_ABOUT_CANCELLING = re.compile(
    r"\b(?:cancel|delete|remove|refund|return|abort|close|undo|terminate)|取消|撤销|退[订款货]|删除|注销|作废"
)


def polarity(text: str, *, asked: str = "", ends: bool = False) -> Polarity:
    """What `text` says to a yes-no question: an explicit yes, an explicit no, or anything else.

    `asked`: the question, or names of what it is about. "Cancel it" is a yes if that is cancelling, else a no. `ends`: a yes
    would cancel something or end the conversation, so "continue" and "order it" are none.
    """
    if len(text) > _MAX_CHARS and len(text := text.strip()) > _MAX_CHARS:
        return "other"
    if trails_off(text):
        return "other"
    kinds: set[str] = set()
    for words, question in read_clauses(text):
        said = None if question else _kinds(words)
        if said is None:
            return "other"
        kinds |= said
    if "cancel" in kinds:
        kinds.remove("cancel")
        kinds.add("yes" if _ABOUT_CANCELLING.search(asked.casefold()) else "no")
    if kinds == {"yes"}:
        goes_on = ends and _GOES_ON.search(text.casefold()) and not _ABOUT_CANCELLING.search(text.casefold())
        return "other" if goes_on else "yes"
    return "no" if kinds == {"no"} else "other"


def about_cancelling(words: str) -> bool:
    """Whether the words name the cancelling of something."""
    return _ABOUT_CANCELLING.search(words.casefold()) is not None


def is_consent(clause: str) -> bool:
    """Whether a normalised clause holds nothing but consent and courtesy, perhaps only courtesy."""
    said = _kinds(clause)
    return said is not None and said <= {"yes"}


def trails_off(text: str) -> bool:
    """ "yes..." still thinks."""
    return _TRAILS_OFF.search(text) is not None


def _kinds(clause: str) -> set[str] | None:
    """The kinds in one clause, of yes, no and cancel; None if part of it is unexplained, doubtful or asks."""
    found: set[str] = set()
    negated = False
    at, end = 0, len(clause)
    while at < end:
        if clause[at] == " ":
            at += 1
            continue
        match = (_ENGLISH if clause[at].isascii() else _CHINESE).match(clause, at)
        if not match or match.end() == at:
            return None
        kind = (match.lastgroup or "").partition("_")[0]
        if kind == "doubt":
            return None
        negated = negated or kind == "neg"
        if kind == "act":
            kind = "no" if negated else "yes"
        elif kind in ("cancel", "halt") and negated:
            return None  # "don't cancel it", "not wrong"
        elif kind in ("neg", "halt"):
            kind = "no"
        if kind != "pad":
            found.add(kind)
        at = match.end()
    return found
