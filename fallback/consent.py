"""Consent: does a message tell us, in so many words, to do just what we asked about? "I read it twice, please place the order."

A bare yes is `protocol/polarity.py`. Here the customer names the action itself. It guards orders, so one part of the message must
be the order and nothing else: a phrase of the action between words of asking for it ("could you please ... now", 麻烦帮我...吧).
Every other part must be consent, a reason of a known kind (it was read, somebody agrees, nothing is to change), or talk in which
nothing holds back: no negation, condition, delay, change, doubt or displeasure. Whatever else is said, the question is asked
again. Called by the confirmation guard; pure.
"""

import re
from collections.abc import Iterable

from ..protocol.normalize import normalize, read_clauses
from ..protocol.polarity import about_cancelling, is_consent, trails_off

MAX_CHARS = 240
_MAX_PARTS = 12

_MAX_TALK = 80
_HOLDS_BACK = re.compile(
    r"\b(?:no|not|nor|none|never|nothing|neither|nobody|cannot|without|\w+n't|but|except|unless|if|whether|until|till|before|after"
    r"|once|when|while|maybe|perhaps|probably|possibly|might|may|could|would|should|later|tomorrow|tonight|soon|monday|next|wait"
    r"|hold|hang|stop|think|thinking|thought|consider\w*|decid\w*|unsure|wonder\w*|ask|asks|asking|discuss\w*|check with|talk to"
    r"|instead|change|changed|different|another|other|others|cheaper|more|less|fewer|wrong|mistake|incorrect|cancel\w*|first|only"
    r"|almost|nearly|however|although|though|rather|refuse|hate|jok\w*|kidding|test|testing|too|expensive|pricey|costs?|high|bad"
    r"|worse|worst|scam|fraud|rip|ridiculous|terrible|awful|sorry|problem|problems|issue|issues|doubt\w*|hesita\w*|reply|says?"
    r"|what|why|how|which|who|where|send|give|make it|make that|add|include|remove|drop|check the|yeah right|days?|weeks?)\b"
    r"|不(?!错|好意思)|没(?!错|问题|毛病|问提)|未|别(?!人)|等(?!等)|如果|要是|假如|万一|的话|但|可是|然而|除了|除非|改|换|再(?!次)|先"
    r"|考虑|想想|商量|讨论|犹豫|也许|可能|大概|暂|晚点|晚些|明天|后天|以后|之后|之前|回头|取消|退|(?<![没不无])错|(?<!没)问(?!题|提)"
    r"|多少|什么|怎么|为何|哪|吗|呢|谁|贵|便宜|太|骗|坑|差|烂|只|才|流程|优惠|风险|玩笑|测试|显示|回复|听说|据说|加|减|签|发(?!现)|送|呵呵"
    r"|\b(?:half|twice|double|triple|dozen|free|names?|told|said|typed|dare|monthly|weekly|yearly|instal+ments?|this time|of them"
    r"|plan|invoice)\b|抬头|开票|发票|月付|年付|按月|按年|分期|名义|一半|翻倍"
    r"|\d|号[是为]"  # a number may be of another order, a number of something wanted otherwise
)
_DISPLEASED = re.compile("[👎❌🚫⛔🛑✋😡😠🤬☹🙁😞😒🙄😤😭💔]|(?<![a-z0-9]):-?[(/]")

_AND = re.compile(r" (?:and so|so then|and then|and|so|then|hence|therefore) ")
_DETERMINER = re.compile(
    r"(?<![a-z])(?:my|our|this|that)(?= (?:[a-z]+ )?(?:order|booking|reservation|appointment)s?(?![a-z]))"
)

# What may stand before the action and behind it.
_BEFORE_EN = re.compile(
    r"(?:(?:please|do|kindly|now|just|then|so|and|ok|okay|yes|yep|yeah|sure|great|perfect|fine|well"
    r"|alright|right|good|thanks)\s)*"
    r"(?:(?:you (?:can|may|should)|(?:i|we)(?:'d| would) (?:like|love)(?: (?:you|for you))? to|(?:i"
    r"|we) want(?: you)? to"
    r"|(?:i|we)(?: can| do| now| hereby| fully)*|let's|let us|(?:can|could|would|will) you|feel free to"
    r"|(?:i'm|we're|i am|we are) (?:ready|happy)(?: for you)? to|time to)\s)?"
    r"(?:(?:please|now|just|kindly|simply|go ahead and|also)\s)*"
)
_MAY_ASK = re.compile(r"(?:can|could|would|will) you")
_PLEASE = re.compile(r"(?<![a-z])(?:please|kindly|now)(?![a-z])")
_AFTER_EN = re.compile(
    r"(?:\s(?:now|please|then|for (?:me|us)|right away|right now|immediately|straight away|asap|as (?:is"
    r"|it is|shown|quoted|listed)|today"
    r"|thanks|thank you|sir|madam|my friend|mate|dear|through))*"
)
_BEFORE_ZH = re.compile(
    r"(?:请|麻烦[你您]?了?|那就?|就|可以|现在|马上|立刻|立即|直接|尽快|赶紧|快|帮我们?|帮忙|给我们?"
    r"|替我们?|[你您](?=就|可以|直接|帮|给|请|现在)"
    r"|咱们?|我们?(?=确认|同意|要|决定|确定|下|订|现在|就)|(?<=[我们])(?:要|决定|确定|同意)|[好行]的?|嗯+"
    r"|按这个|照这个){0,6}"
)
_AFTER_ZH = re.compile(
    r"(?:了吧|吧|了|啦|哈|哦|呀|呗|即可|就行|就好|就可以了?|一下|好了|谢谢[你您]?|辛苦[你您]?了?){0,3}"
)
_GO = (
    "go ahead",
    "proceed",
    "place it",
    "submit it",
    "order it",
    "confirmed",
    "confirm it",
    "确认下单",
    "确认订单",
    "同意下单",
)

_KIN = (
    r"(?:boss|manager|director|wife|husband|partner|team|colleagues?|accountant|family|brother|sister|son"
    r"|daughter|father|mother"
    r"|dad|mum|mom|company|board|owner|finance|head office)"
)
_RIGHT = (
    r"(?:right|correct|fine|good|ok|okay|great|perfect|accurate|clear|in order|as (?:agreed|discussed|it should be))"
)
_DETAIL = (
    r"(?:(?:phone |total |company |order )?(?:number|name|price|amount|term|plan|quote)|details?|seats"
    r"|figures?|numbers|terms|address"
    r"|phone|total|information|data|rest|headcount|breakdown|summary)"
)
_REASON_EN = re.compile(
    r"(?:(?:ok|okay|yes|well|great|right|good|so) )*(?:(?:(?:i|we)(?:'ve| have)? )?(?:just |now |already "
    r"|also |carefully )*(?:double[- ]checked|checked|read|reviewed|verified|looked"
    r"|went|gone|been|discussed|talked|agreed)(?: (?:it|them|everything|all|all of it|that|this|the \w+|at"
    r"|on|about|over|through|with"
    r" \w+ \w+))*(?: (?:twice|again|carefully|now|already|two times|three times|internally|together))*"
    rf"|(?:my|our|the) {_KIN}(?: (?:has|have|also|already|just|now))* (?:agree[sd]?|approve[sd]?|confirmed"
    rf"|(?:says?|said) (?:yes|ok|okay)"
    r"|(?:is|are) (?:happy|fine|ok|okay)(?: with (?:it|that|this))?|signed (?:it )?off|gave (?:me "
    r"|us )?the (?:ok|go ahead|green light))"
    r"|(?:there(?:'s| is) )?(?:nothing|no need)(?: (?:left|more|else))? to (?:change|correct"
    r"|add)(?: (?:anything|it))?"
    r"|no (?:more |further )?(?:changes|corrections)(?: (?:from (?:me|us)|needed|please))?"
    rf"|(?:the|my|our|all the|all)(?: \w+ and(?: the| my)?)? {_DETAIL} (?:is|are|looks?|seems?)(?: all"
    rf"| also)* {_RIGHT}"
    r"|(?:(?:so )?(?:is|are) )?(?:the rest|everything else|all the rest)(?: too)?"
    rf"|(?:everything|all|it)(?:'s| is| looks?)(?: all)? {_RIGHT}(?: (?:here|from me|from us|with (?:me|us)"
    rf"|on (?:my|our) side))?"
    r"|(?:it's |we're )?all good (?:here|from me|from us|on (?:my|our) side)"
    r"|(?:i'm |i am |we're |we are )?(?:very |quite )?(?:happy|satisfied|pleased|convinced"
    r"|ready)(?: with (?:it|this|that|everything|all of it"
    r"|the (?:price|plan|quote|offer|details)))?"
    r"|(?:please )?send (?:me|us|over)(?: over)? (?:the |your )?(?:payment )?(?:link|details|invoice)(?: please)?"
    r"|(?:good|great|nice|fair|reasonable) (?:price|offer|deal|plan|quote|service)|you(?:'ve"
    r"| have) been (?:very |so )?helpful"
    r"|(?:it's|it is|that's|that is) (?:exactly |just )?what (?:i|we) (?:need|want)(?:ed)?|(?:dear"
    r"|my friend|sir|madam|mate|buddy|guys))"
)
_PERSON_ZH = (
    r"(?:我们?)?(?:老板|领导|经理|老总|总监|老婆|老公|媳妇|家里人?|财务|合伙人|同事|股东|爱人)们?(?:那边|这边)?"
)
_WHAT_ZH = (
    r"(?:电话|人数|价格|价钱|套餐|公司名?|内容|席位数?|信息|地址|金额|总价|期限|时长|号码"
    r"|名字|名称|资料|报价|明细|数量|合同|其他|别的|方案)"
)
_REASON_ZH = re.compile(
    r"(?:(?:(?:我们?|咱们?|内容|信息|上面|资料|这边)*(?:都|已经?|刚|又|再|仔细|认真|全部?|也)*"
    r"(?:看|核对|检查|核实|读|商量|讨论|沟通|校对|对)(?:过了?|好了|完了|清楚了|了(?:[一两二三几]遍|一下)?了?)"
    rf"|{_PERSON_ZH}(?:也|都|已经?|刚)*(?:同意|批准?|点头|答应|说(?:可以|行|好|没问题)|没意见|没问题)了?"
    r"|(?:什么|啥)?都?(?:不用|不需要|无需|没什么要|没有?要|没有?需要)(?:再)?(?:改|修改|变|调整"
    r"|改动)(?:的地方|的|什么|了)?|不改了|没有?(?:改动|变动)|没有?写?错|没毛病"
    rf"|(?:{_WHAT_ZH}[和跟、]?){{1,3}}(?:也|都|全)*(?:是)?(?:对|没错|没问题|正确|可以|合适|合理|满意|无误|行)[的了]?"
    r"|我?(?:很|挺|都)?(?:满意|放心|赶时间|急用|着急用?)了?"
    r"|(?:[好行]的?|嗯+)?(?:老板|亲|师傅|小姐姐|小哥哥|哥|姐|美女|帅哥|客服|同志|大哥|大姐))[的啊呀哦哈啦吧]?){1,2}"
)


def displeased(text: str) -> bool:
    """Whether a sign in the text takes back what its words say ("yes 👎")."""
    return _DISPLEASED.search(text) is not None


def orders_it(text: str, phrases: Iterable[str]) -> bool:
    """Whether the message orders the action that `phrases` name (its examples; bare yeses among them do not matter)."""
    if len(text) > MAX_CHARS or trails_off(text):
        return False
    clauses = read_clauses(text)
    if any(clause.question for clause in clauses):
        return False
    phrases = tuple(phrases)
    go = _GO[:2] if about_cancelling(" ".join(phrases)) else _GO
    named = [phrase for p in (*phrases, *go) if _long_enough(phrase := _plain(normalize(p)))]
    ordered = False
    parts = [part for clause in clauses for part in _AND.split(_plain(clause.text))]
    for part in parts[:_MAX_PARTS]:
        if any(_is_order(part, phrase) for phrase in named):
            ordered = True
        elif not (is_consent(part) or _REASON_EN.fullmatch(part) or _REASON_ZH.fullmatch(part) or _is_harmless(part)):
            return False
    return ordered and len(parts) <= _MAX_PARTS


def _is_harmless(part: str) -> bool:
    return len(part) <= _MAX_TALK and not _HOLDS_BACK.search(part)


def _plain(words: str) -> str:
    """ "my order", "this order" are "the order"."""
    return _DETERMINER.sub("the", words)


def _long_enough(phrase: str) -> bool:
    """Two words, or two Chinese characters: less could stand in any sentence. 确认 alone may ask us to check something."""
    if phrase.isascii():
        return " " in phrase or phrase in _GO
    return len(phrase) >= 2 and phrase != "确认"


def _is_order(part: str, phrase: str) -> bool:
    """Whether the part is the phrase with nothing around it but asking for it, once."""
    before, found, after = part.partition(phrase)
    if not found or phrase in after:
        return False
    if phrase.isascii():
        if _MAY_ASK.search(before) and not _PLEASE.search(part):
            return False  # "can you place the order" may ask what is possible
        return _BEFORE_EN.fullmatch(before) is not None and _AFTER_EN.fullmatch(after) is not None
    return (_BEFORE_ZH.fullmatch(before) is not None or is_consent(before)) and _AFTER_ZH.fullmatch(after) is not None
