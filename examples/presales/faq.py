"""Questions that customers ask on the side, with answers in both languages. Found by words; no model."""

import re
from collections.abc import Sequence

from ...protocol.texts import Lang

_FAQ: tuple[tuple[str, dict[Lang, str]], ...] = (
    (
        r"\btrial|try (?:it|them)\b|test (?:it|them)\b|试用|体验|试试看",
        {
            "en": "You can try every plan for 14 days with up to 5 seats.",
            "zh": "所有套餐均可免费试用 14 天，最多 5 席。",
        },
    ),
    (
        r"invoice|receipt|发票|开票",
        {
            "en": "An invoice is issued on the day of payment and sent by e-mail.",
            "zh": "付款当天开具电子发票并发送到邮箱。",
        },
    ),
    (
        r"payment (?:failed|problem)|could ?n'?t pay|link (?:does ?n'?t|is ?n'?t|not|broken)|付款失败|支付失败|付不了|打不开",
        {
            "en": "If the payment page fails, open the link again or choose another way to pay; nothing is charged twice.",
            "zh": "如果付款页面出错，请重新打开链接或换一种支付方式，不会重复扣款。",
        },
    ),
    (
        r"how (?:do|can|should) (?:i|we) pay|pay (?:by|with)|payment method|wechat|alipay|bank transfer|怎么付|如何付|付款方式|支付方式|微信|支付宝|对公",
        {
            "en": "You can pay by card, WeChat Pay, Alipay or bank transfer on the payment page.",
            "zh": "付款页面支持银行卡、微信、支付宝和对公转账。",
        },
    ),
    (
        r"refund|money back|退款|退钱|能退|可以退",
        {"en": "Unused months are refunded within 30 days of the order.", "zh": "下单 30 天内可退还未使用的月份费用。"},
    ),
    (
        r"(?:keep|port|transfer).{0,20}number|原.{0,4}号码|携号|保留号码",
        {
            "en": "You can bring your present numbers; porting takes 3 working days.",
            "zh": "可以保留原有号码，携号转入需要 3 个工作日。",
        },
    ),
    (
        r"contract|minimum term|shortest|合同|最短|最少签",
        {
            "en": "The shortest term is one month; the contract is signed online.",
            "zh": "最短签约一个月，合同在线签署。",
        },
    ),
    (
        r"discount|promotion|\bpromo\b|coupon|voucher|special offer|(?:any|a|good|special) deals?\b(?! with)|\boffers\b|better price|best price|lower price|cheaper|rebate|reduction|% off|percent off"
        r"|优惠|折扣|打[不几\d一二三四五六七八九]?.?折|活动|促销|便宜|返现|让利|少点|满减|团购价|最低价",
        {
            "en": "Discounts depend on the plan and the term; once a plan is on the table I look up the current promotion for you.",
            "zh": "优惠与套餐和签约时长有关；选出套餐后，我马上为您查询当前的优惠。",
        },
    ),
    (
        r"how much|price|cost|\bfees?\b|多少钱|价格|收费|报价|怎么卖",
        {
            "en": "The price depends on the plan, the seats and the term; you see it in full before you order anything.",
            "zh": "价格取决于套餐、席位数和签约时长，下单前会完整列出。",
        },
    ),
    (
        r"let me think|think (?:about|it over|on)|need (?:to|time to) think|thinking|consider|my boss|my team|get back to you|not sure|考虑|想想|商量|再看看|问问|请示",
        {
            "en": "Of course, take your time. I am here when you have decided.",
            "zh": "好的，您慢慢考虑，决定了随时告诉我。",
        },
    ),
)
_PATTERNS = tuple((re.compile(words, re.IGNORECASE), answer) for words, answer in _FAQ)


def faq(text: str, lang: Lang) -> Sequence[str]:
    """Answers whose words stand in the text."""
    return [answer[lang] for words, answer in _PATTERNS if words.search(text[:2000])]
