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

PLAN_INSTRUCTION: Text = {
    "en": "Present the plan and find out whether it suits.",
    "zh": "介绍推荐套餐，确认客户是否接受。",
}
PLAN_SAY: Text = {
    "en": "I recommend {recommend_plan.plan_name}: it {recommend_plan.reason}. Shall we take this one, or would you like to see another?",
    "zh": "为您推荐{recommend_plan.plan_name}：{recommend_plan.reason}。就选这个吗？还是想看看别的？",
}
ACCEPT_LABEL: Text = {"en": "take the recommended plan", "zh": "接受推荐的套餐"}
ACCEPT_EXAMPLES: Examples = {
    "en": (
        "yes", "take it", "have it", "take this one...", "take that one...", "let's take this", "go with that", "go with this", "go with it", "go with the",
        "that plan works for us", "works for us", "works for me", "works well", "we want this plan", "want this one...", "want that one...",
        "what we need", "what I need", "happy with that", "happy with this", "satisfied with", "pleased with", "stick with", "good enough", "choose this", "have a deal", "go ahead", "go for it", "suits us", "suits me", "looks good",
        "sounds good", "sounds great", "sounds reasonable", "looks reasonable", "good choice", "have this one...", "accept",
        "agreed", "order it", "place the order", "buy it", "book it", "sign me up", "sign us up", "choose this one...", "pick this one...",
        "that's the one", "will do nicely", "settle on this", "fine by me", "fine with us", "follow your advice", "trust your recommendation",
        "follow your recommendation", "this one is fine", "cool works", "I'm in", "we're in", "count us in", "I'm sold", "convinced", "perfect for us",
        "like this one...", "let's proceed", "sign up for this", "ready to order",
    ),
    "zh": (
        "好的", "就这个", "选这个", "选这", "要这一款", "要这个", "用这个", "定这个", "买这个", "这个可以", "这个不错", "这个行", "这个好", "这个就行", "这款可以", "要这款",
        "这款", "就它", "选它", "要它", "用它", "就这样", "这么定", "定了", "要了", "接受", "同意", "采纳", "认可", "合适", "适合", "满意", "按这个", "按你说",
        "听你的", "听您的", "听你安排", "可以的", "没问题", "下单", "方案可以", "方案不错", "套餐可以", "套餐不错", "就要...套餐", "就用...方案", "确定", "成交",
        "拍板", "你推荐的", "您推荐的", "推荐的...可以", "推荐的...ok", "看着不错", "看起来不错", "听起来不错", "挺好", "蛮好", "符合...需求",
        "符合...要求",
    ),
}  # fmt: skip
OTHER_LABEL: Text = {"en": "see another plan", "zh": "看看别的套餐"}
OTHER_EXAMPLES: Examples = {
    "en": (
        "no", "another plan?", "another one?", "see another?", "next", "smaller?", "another option?", "different option?", "different plan?", "different one?", "cheaper?", "cheaper plan?",
        "less expensive?", "lower price?", "too expensive", "too much", "too pricey", "bit pricey", "bit steep", "over budget", "can't afford",
        "that's a lot", "other options?", "other plans?", "alternatives?", "what else do you have?", "what else?", "anything else?",
        "something different?", "something else?", "don't like it", "not this one", "not what we need", "the first one", "the previous one",
        "the one before", "the other one", "go back to the first", "smaller plan?", "bigger plan?", "better plan?", "something better?", "more features?",
        "keep looking", "pricier", "costly", "stretch that far", "can't stretch", "lighter version?", "lighter plan?", "not within our budget", "not in our budget", "another suggestion?", "bigger one?", "smaller one?", "bigger package?", "smaller package?", "lighter one?", "stronger one?", "more powerful?", "price hurts", "next one?", "pricey", "something cheaper?", "below that?", "below this?", "over what we can pay", "too rich", "rich for us...", "rich for me...", "too dear", "not cheap enough", "expected less", "lower bracket?", "bracket?", "steep",
        "much for us...", "much for me...", "price is too high", "price is high", "costs too much", "out of our price range", "price range", "out of our range", "beyond our budget",
        "something smaller?", "something more basic?", "more basic?", "simpler?", "something simpler?", "more affordable?", "affordable?", "lower tier?", "next tier?", "tier down?", "step down?", "step up?",
        "one step down?", "next one down?", "one down?", "the one above?", "the one below?", "one above?", "one below?", "level up?", "level down?", "not worth it", "not worth that", "cheaper one?", "cheaper ones?",
        "cheapest?", "cheapest plan?", "lower plan?", "higher plan?", "prefer a different", "rather not this", "too high", "way too high", "less costly?", "budget option?", "more features", "premium one?",
        "can't pay that", "more than we can", "more than I can", "more than we want", "more than I wanted", "costs a lot", "expensive", "show me others?", "see others?", "what others?", "what other?", "rest of the plans?",
    ),
    "zh": (
        "不要", "换一个?", "换个?", "再推荐?", "另外推荐?", "推荐...便宜?", "下一个", "换一款?", "便宜一点?", "便宜点?", "便宜些?", "更便宜?", "有便宜?", "实惠点?", "太贵", "有点贵", "好贵", "偏贵", "贵了",
        "超预算", "超出预算", "超了预算", "别的吗?", "看看别的?", "其他的?", "其他方案?", "其他套餐?", "别的套餐?", "别的方案?", "其他选择?", "别的选择?",
        "还有没有别的?", "另一个?", "另外的?", "不喜欢", "不太合适", "不合适", "不满意", "刚才那个", "之前那个", "上一个", "前一个", "第一个", "前面那个",
        "高级一点?", "更好的?", "好一点的?", "功能多?", "价格...高", "离谱", "实惠一些?", "实惠...的?", "低点", "再低?", "比这个低?", "比这个便宜?", "低的呢?", "这个贵", "是贵", "真贵", "嫌贵", "价格超", "更高级?", "功能...多?", "换一个", "下一个", "不是这个", "价钱...高", "价位...高", "费用...高", "价格...受不了", "太高", "贵死", "超支", "低价?", "低一档?", "高一档?", "下一档?", "上一档?", "降一档?", "升一档?", "换一档?", "换档?", "低一级?",
        "低一点的?", "低一点?", "低配?", "高配?", "再便宜", "便宜的?", "来个便宜?", "换便宜?", "什么更便宜?", "再看一个", "看看另", "别的呢?", "其他呢?", "别的套餐", "其他套餐", "预算不够", "预算有限", "吃不消", "承受不", "受不了", "不划算", "不值",
        "负担不起", "用不起", "买不起", "掏不起", "有点贵", "贵了", "贵啊", "贵呀", "小贵", "挺贵", "略贵", "价格不太合适", "价格不合适", "换个...的?", "有没有...便宜?", "性价比...高?", "简单点的?", "基础一点?", "最便宜?", "还有...套餐?", "还有...方案?",
    ),
}  # fmt: skip
PROMO_LABEL: Text = {"en": "ask for a promotion", "zh": "查询优惠"}
PROMO_EXAMPLES: Examples = {
    "en": (
        "discount?", "promotion?", "promo?", "special offer?", "can you do a better price?", "better price?", "any deals?", "any offers?", "coupon?",
        "voucher?", "price reduction?", "best price?", "save money?", "on sale?", "special deal?", "good deals?", "is there a deal?", "rebate?", "percent off?", "any sale?", "offers?",
    ),
    "zh": (
        "优惠?", "折扣?", "打折?", "打...折?", "什么活动?", "有活动吗?", "搞活动?", "可以便宜吗?", "能便宜?", "能不能便宜?", "便宜点吗?", "再便宜?", "最低多少?", "促销?", "返现?", "最低价?",
        "少点?", "让点?", "让利?",
    ),
}  # fmt: skip
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
        "Please check: {company}, phone {contact}; {make_quote.plan_name}, {seats} seats, {term_months} months: "
        "{make_quote.total} ({make_quote.discount} off). Shall I place the order? (yes / no)"
    ),
    "zh": (
        "请核对：{company}，电话 {contact}；{make_quote.plan_name}，{seats} 席，{term_months} 个月，"
        "合计 {make_quote.total}（已优惠 {make_quote.discount}）。确认下单吗？（是 / 否）"
    ),
}
CONFIRM_LABEL: Text = {"en": "place the order", "zh": "确认下单"}
CONFIRM_EXAMPLES: Examples = {
    "en": (
        "yes",
        "place the order",
        "order it",
        "confirm the order",
        "submit the order",
        "put the order through",
        "make the order",
        "process the order",
        "submit the order",
        "send the order",
        "complete the order",
        "finalize the order",
        "put the order through",
        "put the order in",
        "confirm",
    ),
    "zh": ("是", "确认下单", "下单", "提交订单", "确认"),
}
CHANGE_LABEL: Text = {"en": "choose another plan", "zh": "重新选套餐"}
CHANGE_EXAMPLES: Examples = {
    "en": (
        "choose another plan?", "change the plan?", "go back to the plans?", "a different plan?", "something cheaper?", "cheaper plan?",
        "too expensive", "other options?", "switch plans?",
    ),
    "zh": (
        "换套餐?", "重新选套餐?", "换个方案?", "再看看套餐?", "换一个套餐?", "别的套餐?", "其他套餐?", "改套餐?", "便宜一点的?", "太贵了",
    ),
}  # fmt: skip
ORDER_INSTRUCTION: Text = {"en": "The order is being placed by code.", "zh": "系统正在生成订单。"}

PAY_INSTRUCTION: Text = {
    "en": "Guide the customer to the payment; never claim it has arrived.",
    "zh": "引导客户付款；不得自行声称已到账。",
}
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
    "en": (
        "paid", "payed", "paid it", "payment is done", "payment made", "made the payment", "made payment", "payment sent", "payment complete",
        "payment completed", "completed the payment", "payment went through", "payment successful", "transferred", "transfer is done", "transfer sent",
        "transfer complete", "transfer made", "money sent", "sent the money", "sent it", "sent", "sent over", "money is on its way", "wired", "settled",
        "done", "all done", "it's done", "finished", "taken care of", "sorted", "check your account", "money's through", "went through",
        "put it through", "payment's in...", "payment is in...", "payment submitted", "transaction complete", "just did the transfer", "just did the bank transfer", "money left our", "money left my", "transaction done", "payment done", "transfer done", "should be with you", "took care of the payment", "took care of it", "took care of the bill", "payment is through...", "bill is paid", "it's paid", "paid up", "paid by", "wired it", "cleared",
        "sent the transfer", "in your account...", "on your account...", "dealt with the payment", "handled the payment", "sorted the payment", "made the transfer", "paid for", "covered it",
    ),
    "zh": (
        "付好", "付了", "刚付", "付的", "刚转", "刚打", "完成支付", "完成...付", "完成...转", "已...付", "已...转", "已...汇", "交费",  "已付", "付款了", "付完", "付过", "付清", "付...了", "付款完成", "付款成功", "付款ok", "支付了", "已支付", "支付完", "支付成功", "支付...了",
        "已经支付", "转了", "已转", "转账了", "转好", "转过去", "转过来", "转完", "转...了", "打过去", "打款了", "打...了", "已打", "款...打", "汇过去", "汇款了", "汇了",
        "汇...了", "钱...了", "款...了", "搞定", "弄好", "完成了", "交了", "交完", "交...钱", "缴费了", "缴...了", "扫码...了", "扫了", "查收", "查...账", "到账了", "账户打的", "账户转的", "公户打的", "公户转的", "对公...打的", "对公...转的", "对公...付的", "到你们账", "到...账上", "钱到", "款到", "微信付的", "支付宝付的", "我付的", "老公付的", "老婆付的", "打给你们了", "给你们转", "缴清", "结清", "付掉", "付讫", "付妥", "转妥", "转账成功", "转账完成", "汇款完成", "汇款成功",
    ),
}  # fmt: skip
PAID_REPLY: Text = {
    "en": "Thank you. I am waiting for the bank's confirmation of order {create_order.order_no}; it usually takes a moment.",
    "zh": "谢谢。订单 {create_order.order_no} 正在等待银行确认到账，通常很快。",
}
CANCEL_LABEL: Text = {"en": "cancel the unpaid order", "zh": "取消未付款订单"}
CANCEL_ASK: Text = {
    "en": "Shall I cancel order {create_order.order_no}? (yes / no)",
    "zh": "确定取消订单 {create_order.order_no} 吗？（是 / 否）",
}
CANCEL_EXAMPLES: Examples = {
    "en": ("cancel the order", "cancel my order", "cancel it", "don't want it any more", "changed my mind"),
    "zh": ("取消订单", "订单取消", "把订单取消", "取消", "不想要了", "不买了", "退单"),
}
AFTER_INSTRUCTION: Text = {
    "en": "Explain the set-up; close when the customer is done.",
    "zh": "说明开通安排；客户没有其他问题时结束。",
}
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
    "en": (
        "when will it be set up?", "when does it start?", "when can we start?", "when can ... start?", "when do ... start?", "when can ... use?",
        "how soon can we use it?", "how soon?", "how do I get support?", "get support?", "reach support?", "what happens next?", "what happens now?",
        "what now?", "next steps?", "next step?", "who do I call?", "how do I contact you?", "how long does it take?", "how long?", "when will it work?",
        "activation?", "activated?", "installation?", "install?", "up and running?", "get going?", "get started?", "service begin?", "hotline?",
        "manual?", "user guide?", "guide?", "instructions?", "training?", "engineer?", "how do I set it up?", "setup?", "when is it ready?", "be ready?", "go live?",
        "explain ... set up", "which number ... call?", "help ... problem?",
    ),
    "zh": (
        "开通?", "什么时候...用?", "啥时候...用?", "什么时候...好?", "什么时候...装?", "什么时候...打?", "啥时候...打?", "多久...用?", "多久...好?", "几天...用?",
        "几天...好?", "几天可以?", "何时...用?", "怎么联系售后?", "售后?", "接下来?", "后续?", "流程?", "然后呢?", "下一步?", "客服电话?", "联系电话?", "联系谁?", "找谁?",
        "什么时候生效?", "生效?", "怎么使用?", "怎么用?", "使用说明?", "教程?", "说明书?", "培训?", "工程师?", "安装?", "怎么装?", "上门?", "热线?",
    ),
}  # fmt: skip
SETUP_REPLY: Text = {
    "en": "Set-up on {after_sales_info.setup_date}: {after_sales_info.next_step}. Hotline {after_sales_info.hotline}, {after_sales_info.service_hours}; guide: {after_sales_info.guide_url}. Is there anything else?",
    "zh": "开通日期 {after_sales_info.setup_date}：{after_sales_info.next_step}。热线 {after_sales_info.hotline}，{after_sales_info.service_hours}；使用指南：{after_sales_info.guide_url}。还有其他问题吗？",
}
CLOSE_LABEL: Text = {"en": "the customer has no more questions", "zh": "客户没有其他问题"}
CLOSE_EXAMPLES: Examples = {
    "en": (
        "no!", "nothing else!", "nothing more!", "that's all!", "that's everything!", "that's it!", "that will be all!", "all good!", "we're good!", "I'm good!",
        "all set!", "we're set!", "no more questions!", "no further questions!", "no other questions!", "no questions!", "bye!", "goodbye!", "we're done!",
        "I'm done!", "that answers it!", "that is clear!", "all clear!", "see you!", "have a nice day!", "have a good one!", "thanks!", "thank you!", "perfect!",
        "great!", "understood!", "got it!", "nothing from my side!", "nothing from me!", "nothing from us!", "in touch!", "in touch if I need anything!", "call you if I need!", "be in touch!", "I'll call if something comes up!", "call if something!", "wait for the engineer!", "wait for your call!",
        "wait for it!", "look forward to it!", "looking forward to it!", "can't think of anything!", "anything comes up!", "take care!", "talk soon!", "speak soon!", "covers it!", "that covers!", "wait for the email!", "wait for your email!", "done here!", "that's me!", "appreciated!", "appreciate it!", "cheers!", "sorted!", "all clear now!",
        "that was quick!", "great service!", "very helpful!", "been helpful!", "been a great help!", "crystal clear!", "answers everything!", "good for now!", "enjoy your day!", "have a lovely!", "good night!", "ciao!", "ta!", "ttyl!",
    ),
    "zh": (
        "没有了!", "没了!", "没啦!", "没问题!", "没有问题!", "没别的!", "没有别的!", "没其他!", "没有其他!", "无其他!", "没有疑问!", "没疑问!", "就这些!", "就这样!", "谢谢!",
        "感谢!", "再见!", "拜拜!", "不用了!", "没事!", "没什么!", "没有什么!", "明白!", "清楚!", "知道了!", "了解了!", "懂了!", "好了!", "行了!", "可以了!", "好的!", "暂时没有!", "先这样!",
        "不需要了!", "不麻烦!", "辛苦了!", "88!", "等你们开通!", "等通知!", "等你们通知!", "等你们电话!", "等工程师!", "等着!", "有事再说!", "有事再找!", "有问题再找!", "有需要再联系!", "再联系!", "回头联系!", "谢了!", "再会!", "没有什么要问!", "完事了!", "完事!", "没啥了!", "没啥!", "到这!", "到此为止!", "回见!", "回头见!",
        "祝...好!", "祝...顺利!", "祝...兴隆!", "多谢!", "收到!", "麻烦了!", "麻烦你了!", "麻烦您了!", "打扰了!", "忙你的!", "忙您的!", "慢走!", "晚安!", "满意!", "挺好!", "很好!", "不错!", "放心了!", "ok了!", "妥了!", "齐活!", "结束!",
    ),
}  # fmt: skip
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
