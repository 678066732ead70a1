"""Questions that customers ask on the side, with answers in both languages. Found by words; no model."""

import re
from collections.abc import Sequence

from ...protocol.texts import Lang

_FAQ: tuple[tuple[str, dict[Lang, str]], ...] = (
    (
        r"trial|try it|test it|试用|体验",
        {"en": "You can try every plan for 14 days with up to 5 seats.", "zh": "所有套餐均可免费试用 14 天，最多 5 席。"},
    ),
    (
        r"invoice|receipt|发票|开票",
        {"en": "An invoice is issued on the day of payment and sent by e-mail.", "zh": "付款当天开具电子发票并发送到邮箱。"},
    ),
    (
        r"how (do|can|should) (i|we) pay|payment method|wechat|alipay|bank transfer|怎么付|如何付|付款方式|支付方式|微信|支付宝|对公",
        {
            "en": "You can pay by card, WeChat Pay, Alipay or bank transfer on the payment page.",
            "zh": "付款页面支持银行卡、微信、支付宝和对公转账。",
        },
    ),
    (
        r"refund|money back|退款|退钱",
        {"en": "Unused months are refunded within 30 days of the order.", "zh": "下单 30 天内可退还未使用的月份费用。"},
    ),
    (
        r"(keep|port|transfer).{0,20}number|原.{0,4}号码|携号|保留号码",
        {"en": "You can bring your present numbers; porting takes 3 working days.", "zh": "可以保留原有号码，携号转入需要 3 个工作日。"},
    ),
    (
        r"contract|minimum term|合同|最短",
        {"en": "The shortest term is one month; the contract is signed online.", "zh": "最短签约一个月，合同在线签署。"},
    ),
)
_PATTERNS = tuple((re.compile(words, re.IGNORECASE), answer) for words, answer in _FAQ)


def faq(text: str, lang: Lang) -> Sequence[str]:
    """Answers whose words stand in the text."""
    return [answer[lang] for words, answer in _PATTERNS if words.search(text[:2000])]
