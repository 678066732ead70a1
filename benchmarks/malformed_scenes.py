"""What customers write to the example flow in this bench, and the decision that a model with sense takes on it.

Owns words and decisions only. Each message is one that goes to the model: no guard answers it. Called by `malformed.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from ..protocol.decision import AgentDecision
from ..protocol.texts import Lang

DAMAGED_TURNS = 3
"""So many lines are played from a place in a conversation: damage that is understood takes one line each."""


@dataclass(frozen=True, slots=True)
class Line:
    """A customer's message and the decision on it. `agrees`: the answer to the question that code asks then, if it asks."""

    text: str
    meant: AgentDecision
    agrees: str = ""


_LANGS: tuple[Lang, Lang] = ("en", "zh")


def _said(
    action: str, *words: tuple[str, str], agrees: tuple[str, str] = ("", ""), **parameters: JsonValue | tuple[str, str]
) -> Mapping[Lang, Line]:
    """One decision, and the `words` of customer and model about it in each language. A tuple holds one value for each, too."""
    lines = {}
    for n, (lang, (text, reply_text)) in enumerate(zip(_LANGS, words, strict=True)):
        given = {name: value[n] if isinstance(value, tuple) else value for name, value in parameters.items()}
        lines[lang] = Line(text, AgentDecision(action=action, parameters=given, reply_text=reply_text), agrees[n])
    return lines


_LINES: Sequence[Mapping[Lang, Line]] = (
    _said(
        "provide",
        ("We are Leeds Dental, 25 people", "Thanks, noted."),
        ("我们公司叫蓝海牙科，大概25个人用", "好的，记下了。"),
        company=("Leeds Dental", "蓝海牙科"),
        seats=25,
    ),
    _said(
        "provide",
        ("You can reach me at 13800138000", 'I have noted "13800138000".'),
        ("电话13800138000", "“13800138000”记下了。"),
        contact="13800138000",
    ),
    _said(
        "provide", ("It's for customer support", "Good, support it is."), ("做客服用的", "好的，客服。"), use="support"
    ),
    _said(
        "answer",
        ("Can we keep our numbers?", "Yes:\nyou can keep all of them."),
        ("号码可以保留吗？", "可以：\n原来的号码都能保留。"),
    ),
    _said(
        "provide",
        ("About 3500 a month, for 12 months", "All right."),
        ("预算三千五，签一年", "好的。"),
        budget=3500,
        term_months=12,
    ),
    _said("provide", ("No recording needed", "No recording, then."), ("不需要录音", "那就不录音。"), recording=False),
    _said("query_promotion", ("Any discount?", "Let me look."), ("有没有优惠", "我查一下。")),
    _said("accept_plan", ("OK, let's take it", "Here are the terms."), ("行，就这个", "请看条款。")),
    _said("provide", ("Make it 31 seats", "Changed to 31."), ("改成31个人", "改成31了。"), seats=31),
    _said("answer", ("How long is the term then?", 'It is "12 months".'), ("合同是多长时间的？", '是"12个月"。')),
    _said(
        "confirm_order",
        ("Our boss has read it and has nothing against it", "One moment."),
        ("老板看过了，没有意见", "请稍等。"),
        agrees=("Yes", "确认"),
    ),
    _said("check_payment", ("I've paid, 5 minutes ago", "Let me see."), ("五分钟前付好了", "我看一下。")),
    _said(
        "explain_setup", ("When will it be set up?", "I shall look it up."), ("什么时候能开通", "我查一下开通时间。")
    ),
    _said(
        "answer",
        ("And who do I call if it rings all day?", "The hotline, at any time."),
        ("那要是一直占线找谁？", "随时可以打热线。"),
    ),
)

CONVERSATIONS: Mapping[Lang, Sequence[Line]] = {lang: tuple(line[lang] for line in _LINES) for lang in _LANGS}
