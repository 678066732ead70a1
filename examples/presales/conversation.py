"""The conversation that `maitred demo` plays: one customer, from the first hello to the goodbye after payment."""

from collections.abc import Mapping

from ...protocol.texts import Lang

CONVERSATION: Mapping[Lang, tuple[str, ...]] = {
    "en": (
        "Hello!",
        "We are Leeds Dental, 20 people",
        "You can reach me at 13800138000",
        "It's for customer support",
        "About 2000 a month. Can we keep our numbers?",
        "12 months",
        "Yes please",
        "Any discount?",
        "OK, let's take it",
        "Make it 25 seats",
        "Yes, place the order",
        "I've paid",
        "When will it be set up?",
        "No, that's all, thanks",
    ),
    "zh": (
        "你好",
        "我们公司叫蓝海牙科，大概20个人用",
        "电话13800138000",
        "做客服用的",
        "预算三千",
        "签一年",
        "需要",
        "有没有优惠",
        "行，就这个",
        "改成25个人",
        "确认下单",
        "付好了",
        "什么时候能开通",
        "没有了，谢谢",
    ),
}
