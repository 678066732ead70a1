"""Every text of the example, in both languages: instructions for a model, words for the customer, examples for the keywords."""

from collections.abc import Mapping
from typing import Literal

from ...protocol.texts import Text

Examples = Mapping[Literal["zh", "en"], tuple[str, ...]]

IDENTITY: Text = {
    "en": "You are the sales assistant of a cloud phone company. Be brief and friendly; never state a price, number or promise of your own.",
    "zh": "你是云电话公司的售前顾问，简洁友好；不得自行编造价格、编号或承诺。",
}
GREETING: Text = {
    "en": "Hello! I can find you a cloud phone plan and set up the order. What is your company called, and how many people will use it?",
    "zh": "您好！我可以为您推荐云电话套餐并办理下单。请问贵公司怎么称呼，大概多少人使用？",
}

INFO_INSTRUCTION: Text = {
    "en": "Find out company, number of seats and a phone number.",
    "zh": "了解公司名称、席位数和联系电话。",
}
DEMAND_INSTRUCTION: Text = {
    "en": "Find out use, monthly budget, term and whether calls must be recorded.",
    "zh": "了解用途、每月预算、签约月数和是否需要录音。",
}
DEMAND_SAY: Text = {"en": "Thank you, {company} with {seats} seats. {ask}", "zh": "好的，{company}，{seats} 席。{ask}"}

PLAN_INSTRUCTION: Text = {"en": "Present the plan and find out whether it suits.", "zh": "介绍推荐套餐，确认客户是否接受。"}
PLAN_SAY: Text = {
    "en": "I recommend {recommend_plan.plan_name}: it {recommend_plan.reason}. Shall we take this one, or would you like to see another?",
    "zh": "为您推荐{recommend_plan.plan_name}：{recommend_plan.reason}。就选这个吗？还是想看看别的？",
}
ACCEPT_LABEL: Text = {"en": "take the recommended plan", "zh": "接受推荐的套餐"}
ACCEPT_EXAMPLES: Examples = {
    "en": (
        "yes",
        "take this one",
        "let's go with that",
        "that plan works for us",
        "I'll take it",
        "we want this plan",
        "sounds like what we need",
        "happy with that plan",
        "go ahead with this plan",
    ),
    "zh": ("好的", "就这个", "就选这个", "我要这个", "这个可以", "这个不错", "就要这款", "选它", "接受", "挺合适的", "就按这个来"),
}
OTHER_LABEL: Text = {"en": "see another plan", "zh": "看看别的套餐"}
OTHER_EXAMPLES: Examples = {
    "en": ("no", "another plan", "something cheaper", "too expensive", "other options", "what else do you have", "show me a different one"),
    "zh": ("不要", "换一个", "便宜一点的", "太贵了", "还有别的吗", "看看其他的", "其他方案", "别的套餐"),
}
PROMO_LABEL: Text = {"en": "ask for a promotion", "zh": "查询优惠"}
PROMO_EXAMPLES: Examples = {
    "en": ("any discount", "is there a promotion", "special offer", "can you do a better price", "any deals"),
    "zh": ("有优惠吗", "有没有折扣", "能打折吗", "有什么活动", "可以便宜吗", "优惠活动"),
}
PROMO_REPLY: Text = {
    "en": "For {recommend_plan.plan_name}: {query_promotion.description}. Shall we take this plan?",
    "zh": "{recommend_plan.plan_name}：{query_promotion.description}。就选这个套餐吗？",
}

PARAMS_INSTRUCTION: Text = {
    "en": "Show the parameters and the quote; take down corrections; the order needs a clear yes.",
    "zh": "展示参数和报价，记录更正；下单需要客户明确同意。",
}
PARAMS_SAY: Text = {
    "en": (
        "Please check: {company}, {make_quote.plan_name}, {seats} seats, {term_months} months, phone {contact}. "
        "Quote {make_quote.quote_no}: {make_quote.breakdown}; total {make_quote.total}. Shall I place the order? (yes / no)"
    ),
    "zh": (
        "请核对：{company}，{make_quote.plan_name}，{seats} 席，{term_months} 个月，电话 {contact}。"
        "报价单 {make_quote.quote_no}：{make_quote.breakdown}，合计 {make_quote.total}。确认下单吗？（是 / 否）"
    ),
}
CONFIRM_LABEL: Text = {"en": "place the order", "zh": "确认下单"}
CONFIRM_EXAMPLES: Examples = {"en": ("place the order", "order it", "confirm the order"), "zh": ("确认下单", "下单", "提交订单")}
CHANGE_LABEL: Text = {"en": "choose another plan", "zh": "重新选套餐"}
CHANGE_EXAMPLES: Examples = {
    "en": ("choose another plan", "change the plan", "go back to the plans", "a different plan"),
    "zh": ("换套餐", "重新选套餐", "换个方案", "再看看套餐"),
}
ORDER_INSTRUCTION: Text = {"en": "The order is being placed by code.", "zh": "系统正在生成订单。"}

PAY_INSTRUCTION: Text = {"en": "Guide the customer to the payment; never claim it has arrived.", "zh": "引导客户付款；不得自行声称已到账。"}
PAY_SAY: Text = {
    "en": (
        "Your order {create_order.order_no} is placed: {create_order.total}. Please pay within {create_order.due_minutes} minutes at "
        "{create_order.pay_url} and tell me when it is done."
    ),
    "zh": (
        "订单 {create_order.order_no} 已生成，金额 {create_order.total}。请在 {create_order.due_minutes} 分钟内通过 "
        "{create_order.pay_url} 完成付款，付好后告诉我一声。"
    ),
}
PAID_LABEL: Text = {"en": "the customer says it is paid", "zh": "客户表示已付款"}
PAID_EXAMPLES: Examples = {
    "en": ("yes", "I have paid", "paid", "just paid", "payment is done", "payment sent", "transferred the money", "payment went through"),
    "zh": ("好的", "付好了", "已付款", "付款了", "支付完成", "已经支付", "转账了", "钱付了", "付过了", "搞定了"),
}
PAID_REPLY: Text = {
    "en": "Thank you. I am waiting for the bank's confirmation of order {create_order.order_no}; it usually takes a moment.",
    "zh": "谢谢。订单 {create_order.order_no} 正在等待银行确认到账，通常很快。",
}
CANCEL_LABEL: Text = {"en": "cancel the unpaid order", "zh": "取消未付款订单"}
CANCEL_ASK: Text = {"en": "Shall I cancel order {create_order.order_no}? (yes / no)", "zh": "确定取消订单 {create_order.order_no} 吗？（是 / 否）"}
CANCEL_EXAMPLES: Examples = {"en": ("cancel the order", "cancel my order"), "zh": ("取消订单", "订单取消", "把订单取消")}

AFTER_INSTRUCTION: Text = {"en": "Explain the set-up; close when the customer is done.", "zh": "说明开通安排；客户没有其他问题时结束。"}
AFTER_SAY: Text = {
    "en": (
        "Your payment for order {create_order.order_no} has arrived. Set-up on {after_sales_info.setup_date}: {after_sales_info.next_step}. "
        "Hotline {after_sales_info.hotline}. Is there anything else?"
    ),
    "zh": (
        "订单 {create_order.order_no} 已到账。开通日期 {after_sales_info.setup_date}：{after_sales_info.next_step}。"
        "服务热线 {after_sales_info.hotline}。还有什么可以帮您？"
    ),
}
SETUP_LABEL: Text = {"en": "explain set-up and support", "zh": "说明开通与售后"}
SETUP_EXAMPLES: Examples = {
    "en": ("when will it be set up", "when does it start", "how do I get support", "what happens next", "who do I call"),
    "zh": ("什么时候开通", "多久能用", "怎么联系售后", "接下来怎么做", "客服电话", "什么时候能用"),
}
SETUP_REPLY: Text = {
    "en": "Set-up on {after_sales_info.setup_date}: {after_sales_info.next_step}. Hotline {after_sales_info.hotline}, {after_sales_info.service_hours}; guide: {after_sales_info.guide_url}. Is there anything else?",
    "zh": "开通日期 {after_sales_info.setup_date}：{after_sales_info.next_step}。热线 {after_sales_info.hotline}，{after_sales_info.service_hours}；使用指南：{after_sales_info.guide_url}。还有其他问题吗？",
}
CLOSE_LABEL: Text = {"en": "the customer has no more questions", "zh": "客户没有其他问题"}
CLOSE_EXAMPLES: Examples = {
    "en": ("no", "nothing else", "that's all", "all good thanks", "no more questions", "bye"),
    "zh": ("没有了", "没问题了", "就这些", "好的谢谢", "再见", "不用了", "没有其他问题"),
}
COMPLETED_SAY: Text = {
    "en": "Order {create_order.order_no} is all done. Thank you, and welcome aboard!",
    "zh": "订单 {create_order.order_no} 已全部办妥。感谢选择我们，祝使用愉快！",
}
OVERRIDES: Mapping[str, Text] = {
    "recommend_other.error": {
        "en": "There is no other plan that would do. Shall we take {recommend_plan.plan_name}?",
        "zh": "没有其他合适的套餐了，就选{recommend_plan.plan_name}吗？",
    },
}

