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


def _line(text: str, action: str, reply_text: str, agrees: str = "", **parameters: JsonValue) -> Line:
    return Line(text, AgentDecision(action=action, parameters=parameters, reply_text=reply_text), agrees)


CONVERSATIONS: Mapping[Lang, Sequence[Line]] = {
    "en": (
        _line("We are Leeds Dental, 25 people", "provide", "Thanks, noted.", company="Leeds Dental", seats=25),
        _line("You can reach me at 13800138000", "provide", 'I have noted "13800138000".', contact="13800138000"),
        _line("It's for customer support", "provide", "Good, support it is.", use="support"),
        _line("Can we keep our numbers?", "answer", "Yes:\nyou can keep all of them."),
        _line("About 3500 a month, for 12 months", "provide", "All right.", budget=3500, term_months=12),
        _line("No recording needed", "provide", "No recording, then.", recording=False),
        _line("Any discount?", "query_promotion", "Let me look."),
        _line("OK, let's take it", "accept_plan", "Here are the terms."),
        _line("Make it 31 seats", "provide", "Changed to 31.", seats=31),
        _line("How long is the term then?", "answer", 'It is "12 months".'),
        _line("Our boss has read it and has nothing against it", "confirm_order", "One moment.", "Yes"),
        _line("I've paid, 5 minutes ago", "check_payment", "Let me see."),
        _line("When will it be set up?", "explain_setup", "I shall look it up."),
        _line("And who do I call if it rings all day?", "answer", "The hotline, at any time."),
    ),
    "zh": (
        _line("我们公司叫蓝海牙科，大概25个人用", "provide", "好的，记下了。", company="蓝海牙科", seats=25),
        _line("电话13800138000", "provide", "“13800138000”记下了。", contact="13800138000"),
        _line("做客服用的", "provide", "好的，客服。", use="support"),
        _line("号码可以保留吗？", "answer", "可以：\n原来的号码都能保留。"),
        _line("预算三千五，签一年", "provide", "好的。", budget=3500, term_months=12),
        _line("不需要录音", "provide", "那就不录音。", recording=False),
        _line("有没有优惠", "query_promotion", "我查一下。"),
        _line("行，就这个", "accept_plan", "请看条款。"),
        _line("改成31个人", "provide", "改成31了。", seats=31),
        _line("合同是多长时间的？", "answer", '是"12个月"。'),
        _line("老板看过了，没有意见", "confirm_order", "请稍等。", "确认"),
        _line("五分钟前付好了", "check_payment", "我看一下。"),
        _line("什么时候能开通", "explain_setup", "我查一下开通时间。"),
        _line("那要是一直占线找谁？", "answer", "随时可以打热线。"),
    ),
}
