"""Is a whole message an explicit yes or no to a yes-no question of the bot? By rules, zh and en.

Owns the words of consent and refusal. It guards orders: `yes` only if every part of the message is consent,
courtesy or an echo of "do it"; whatever it does not know, a question, a doubt, a condition or a change
makes it `other`, and the bot asks again. Sarcasm and facts are out of its reach. Called by the confirmation
guard and by the `yes_no` slot reader. Pure, linear.

How: each clause is read from the left; at each place the first phrase of the tables that fits is taken and
its kind noted; nothing may be left over. The order of the rows is therefore a rule: longer and more special
ones first ("no problem" before "no", 不好意思 before 不好). Kinds: `yes`; `act` (order it: a yes, unless a `neg`
stands before it in its clause); `no`; `neg` (a no that may take an act: "don't", 别); `halt` (a no that a
neg turns round: "don't stop"); `cancel` (cancel it: what it means depends on the question); `pad`
(courtesy, weightless); `doubt` (spoils everything).
"""

import re
from typing import Literal

from .normalize import read_clauses

Polarity = Literal["yes", "no", "other"]
Rows = tuple[tuple[str, tuple[str, ...]], ...]
_MAX_CHARS = 240

_NOUN = (
    r"(?:order|booking|reservation|appointment|payment|purchase|request|transaction|transfer|tickets?|table|room|"
    r"flight|ride|meeting|quote|changes?)"
)
_IT = (
    r"(?:(?:all (?:of )?)?(?:it|this|that|them|these|those)|"
    rf"everything|(?:(?:the|my|this|that|our) (?:[a-z]+ )?)?{_NOUN})"
)
_DETAILS = r"(?:(?:all (?:of )?)?(?:the )?(?:(?:above )?details?|above|information))"  # to be ordered they are not: "order details"
_DO = (
    r"(?:go ahead|go for it|go on|do (?:it|that|this|so)|make it so|proceed|continue|carry on|book|reserve|order|"
    r"submit|confirm|buy|"
    rf"purchase(?! order)|approve|pay|check ?out(?! [a-z])|sign me up|lock it in|get it done|(?:place|finali[sz]e|complete|process|"
    rf"schedule|send|ship|pay for) {_IT}|put {_IT} (?:through|in))"
)
_GOOD = (
    r"(?:right|correct|good|great|fine|perfect|ok|okay|accurate|true|in order|all ?right|alright|excellent|lovely|"
    r"awesome|wonderful|fantastic)"
    r"(?: to go)?(?: (?:to|by|with|for) (?:me|us))?"
)
_HOW = (
    r"(?:(?:all|just|both|very|perfectly|really|absolutely|totally|pretty|quite|exactly|completely|entirely|indeed) )*"
)
_THAT = (
    r"(?:(?:yes )?(?:that|this|it|everything|all(?: of)? (?:it|that|this)|those|these|they)(?: all)?|"
    r"(?:all )?(?:of )?(?:the (?:[a-z]+ )?)?"
    r"(?:order|details?|info(?:rmation)?|summary|booking|above)(?: all)?)"
)
_PART = (
    r"(?:(?:the |my |our )?(?:[a-z]+ )?(?:address|total|price|time|date|numbers?|quantity|amount|items?|seats|term|plan|"
    r"name|phone|company)(?: and )?){1,3}"
)
_IS = r"(?:'?s| is|'?re| are)?(?: all)?(?: (?:looks?|looking|sounds?|sounding|seems?))?"
_WRONG = r"(?:wrong|incorrect|false|a mistake|not (?:right|correct|it|true|ok|okay|good|fine|accurate|what i [a-z]+))"
_MOMENT = r"(?: (?:a|one|just a) (?:sec|second|minute|min|moment|bit))"

_EN: Rows = (
    (
        "doubt",
        (
            r"(?:that|it)(?:'?s| is) (?:all )?(?:ok|okay|fine|all ?right|alright)(?= thanks| thank you|"
            r" for now)",  # this declines an offer
            r"that(?:'?s| is) (?:all right|alright|ok|okay)",
            r"right now",
            r"i see|got it|yeah right(?= *$)",
        ),
    ),
    (
        "yes",
        (
            r"no (?:problems?(?: at all)?|objections?|doubt(?: about it)?)",
            r"(?:sure )?why not",
            r"yes+|yea?h|yah?|yea|ye[ps]|yup|yap|y|aye|yessir|uh huh|uhhuh|mhm|mm ?hmm|affirmative|roger(?: that)?|"
            r"indeed",
            r"ok(?:ay|ey|ie|i)?(?: dok(?:ie|ey|e|y))?|k|kk|okk+",
            r"(?:for )?sure(?: thing)?(?! not)|(?:certainly|definitely|absolutely|of course|totally|please do)(?! not)|"
            r"by all means|ofc",
            r"you (?:can|may|should)(?: (?:do (?:it|that|so)|go ahead))?(?! not)|be my guest|you bet|you got it|gladly|"
            r"with pleasure",
            r"all good|good to go|we(?:'?re| are) good to go|i(?:'?m| am) (?:sure|certain|positive|happy(?: with (?:it|"
            r"that|this))?|ready)",
            r"(?:i|we) (?:understand and |hereby |can |do |fully )*(?:confirm|agree|accept|approve|consent)(?: (?:to |"
            r"with )?(?:" + _IT + "|" + _DETAILS + r"))?(?: that)?(?= |$)",
            r"(?:i|we) (?:do|would|am|are)(?! not|n'?t)(?= *$)",
            r"(?:consider it )?confirm(?:ed|ing)|agreed?|approved|accept(?:ed)?|deal|granted|permission granted",
            r"exactly(?: right)?|precisely|correct|right|true|perfect(?:ly)?|all ?right|alright|fine(?: (?:by|"
            r"with) me)?|"
            r"spot on",
            r"(?:sounds?|looks?|seems?|looking|works?)(?: like a plan| for (?:me|us)| " + _HOW + _GOOD + ")",
            _THAT + r"(?:'?ll| will| would)? (?:works?|do|suits me)(?: (?:for (?:me|us)|great|fine|well|"
            r"perfectly))*",
            _THAT + r"(?:'?s| is) (?:exactly |just )?(?:what i (?:want(?:ed)?|need(?:ed)?|meant|asked for|said)|"
            r"the (?:one|plan))",
            _THAT + r"(?:'?ll| will| would| is going to) be " + _HOW + _GOOD,
            _THAT + _IS + " " + _HOW + _GOOD,
            r"(?:it|they|that|this) (?:is|are|does|do)(?! not|n'?t)(?= *$)",
            r"all (?:is |looks? |sounds? )?" + _GOOD,
        ),
    ),
    ("pad", (_PART + _IS + " " + _HOW + _GOOD,)),  # one part is right: that is not all of it
    (
        "no",
        (
            _THAT + r"(?:'?s| is| are| looks?| seems?| sounds?)? (?:all |still |just |completely |totally )?" + _WRONG,
            _THAT
            + r" (?:is|are|does|do)(?:n'?t| not)(?: (?:look |seem |sound )?(?:right|correct|true|ok|okay|good|fine|"
            r"accurate|it|what i [a-z]+))?",
            r"the (?:[a-z]+ ){1,2}(?:is|are|looks?) " + _WRONG,
            r"(?:oh |hell |heck )?no+(?: (?:way|sir|ma'?am|need|can do|thank you|thanks|chance|never(?! ?mind)))?|nope|"
            r"nah+|naw|nay|never(?! ?mind)|negative|n|uh uh",
            r"(?:absolutely |definitely |certainly |of course |probably |just |still |please )?not(?: (?:yet|now|today|"
            r"really|at all|at the moment|right now|"
            r"interested|for me|this time|so fast|correct|right|ok|okay|good|true|what i [a-z]+))+",
            r"(?:absolutely|definitely|certainly|of course|(?:i(?:'?d| would) )?rather|not) not",
            r"i(?:'?m| am) not (?:interested|ready|happy(?: with (?:it|that))?)(?: yet)?",
            r"i (?:don'?t|do not) (?:think so|agree|accept|consent|approve)(?: (?:to|with) (?:it|that|this))?",
            r"i (?:decline|refuse|reject|disagree|object)|declined?|rejected?|denied|disagree",
            r"never ?mind|forget (?:about )?(?:it|that)|maybe later|some other time|another time",
        ),
    ),
    (
        "halt",
        (
            _WRONG,
            r"(?:wait|hold on|hang on|hold it|hold off|hold up|stop|not so fast)" + _MOMENT + "?",
            r"(?:give me|just) (?:a|one) (?:sec|second|minute|min|moment)|one (?:sec|second|minute|moment)",
        ),
    ),
    (
        "neg",
        (
            r"don'?t(?: you dare)?|do not|not (?=to )|i (?:don'?t|do not|didn'?t|did not|won'?t|will not|can'?t|cannot)"
            r"(?: (?:want|need|like|wish)(?: (?:to|it|that|this|you to))?)?|i(?:'?d| would) rather(?: you)? (?:not|"
            r"didn'?t)",
        ),
    ),
    ("cancel", (r"(?:cancel|delete|remove|refund|return|abort|close|undo|terminate)(?: " + _IT + ")?",)),
    (
        "pad",
        (r"(?:please|kindly|pls|plz) (?:re)?confirm(?: it)?(?= *$)",),  # may ask us to: alone it orders nothing
    ),
    (
        "act",
        (
            r"(?:(?:i(?:'?d| would) (?:like|love)|i want|i(?:'?m| am) (?:ready|happy)|ready|happy|"
            r"feel free) (?:you )?to |i want to |let'?s |let us |you (?:can|may) )?"
            r"(?:now |just |please )*" + _DO + r"(?: (?:and|then|to) " + _DO + r")*(?: with)?(?: " + _IT + r")?(?: "
            r"(?:through|in|up|for me|for us|as is))?",
            r"(?:let'?s(?: (?:go|roll))?|go)(?= *$)|confirm(?: (?:that )?" + _IT + ")?",
        ),
    ),
    (
        "pad",
        (
            r"(?:many )?thank(?:s| you| u)?(?: (?:so|very) much| a lot| a bunch| again| in advance"
            r")*(?: for (?:your|the|all your) (?:help|time|patience))?"
            r"|thx|ty|cheers|much appreciated|(?:i )?appreciate it|please|pls|plz|kindly|sorry",
            r"oh|ah|well|um+|hm+|hey|hi|hello|now|then|(?:just|and)(?= )|great|cool|nice|awesome|excellent|wonderful|"
            r"lovely|good|super|fantastic|brilliant|amazing|"
            r"sweet|very well|already(?= *$)|to (?:all|everything)(?: of (?:it|that))?|for (?:me|us)|right away"
            r"|immediately|asap|straight away|my friend|sir|madam|"
            r"ma'?am|man|"
            r"mate|buddy|dude|actually|with (?:it|that|this)|yet|i think (?=(?:that|it|everything)(?:'?s| is| looks))",
        ),
    ),
)

_P = r"[的啊呀哦噢哈啦滴哒嘞喽呐嗷]*"
_WHAT = (
    r"(?:(?:信息|内容|地址|数量|价格|时间|电话|订单|金额|规格|型号|日期|方案|套餐|报价|资料|号码|姓名|名字|配置|颜色|尺寸|"
    r"人数|合同)[和跟]?){1,4}"
)
_ALL = r"(?:(?:信息|内容|订单|资料|配置)[和跟]?){1,2}"
# What is said of a noun. Without that, one behind a verb of ordering asks for it: 确认价格, 发货时间.
_WRONG_ZH = r"(?:也|都|全部?|均|是|已经?)*(?:不|错|有误|没写)"
_RIGHT_ZH = (
    r"(?:也|都|全部?|均|是|已经?)*(?:(?:没有?|木有|无)(?:什么|任何|啥)?(?:问题|毛病|错|误)|[对好行妥]|正确|准确|属实|可以|合适|满意|不错|"
    r"确[认定](?:了|好|无误))"
)
_ORDER = (
    r"(?:下订?单|下(?=吧|$)|提交|预[订定约]|订购|购买|付款|支付|确[认定]|安排|办理|执行|继续|开始|发货|发送|生成|成交|"
    r"出单|报名|登记|同意|接受|"
    r"认可|赞成|订|定|买|办|付|要|需要|想要|想买|走起|搞起)"
)
_ZH: Rows = (
    (
        "doubt",
        (
            r"(?:付款?|支付)[了啦过]|[好行要对是]不[好行要对是]|可不可以|能不能|需不需要|是否|[对好行]了|不是不|不得不|不能不|"
            r"没有?不(?!用|要)|没说不|不要紧|不客气|要是|要么|可是|(?:可以|好|行|是)是[好行可]|好看|不确定|"
            r"确[认定]一下|[嗯恩]{2,}啊{2,}|(?:还|再|先|得|需要?|要|等|想)+确[认定]",
        ),
    ),
    (
        "pad",
        (
            r"不好意思|抱歉|对不起|[你您]好|(?:不用|不必|多|太|非常|谢|感)?(?:感?谢谢?|多谢)[你您啦了哈啊哦]*|(?:就|"
            r"那就)?(?:再)?(?:麻烦|辛苦|拜托)[你您]*[了啦]?",
        ),
    ),
    (
        "no",
        (
            r"(?:还|还是)?(?:没有?|未)(?:想好|决定|考虑好|确定|准备好|呢|了|啊)*(?![\u4e00-\u9fff])",
            r"不是(?:的|啊|呀|"
            r"哦|这个|这样|这样的)*",
            r"(?:还是|暂时|现在|目前|先)*不(?:行|可以|好|对|正确|准确|合适|满意|感兴趣|认可|赞成|太好|太行|太对|"
            r"太合适)[的了啊呀哦吧呢哈啦]*",
            r"算了(?:算了)*吧?|免了吧?|拒绝|否|拉倒吧?|没必要[了吧]?|(?:以后|改天|下次)(?:再说)?吧?|再说吧",
        ),
    ),
    (
        "halt",
        (
            r"[搞弄写填]?(?:错|有误|错误)[了的啊啦]*",
            r"(?:先|请|再|[你您])*(?:等等|等一?下|等一?会儿?|稍等|慢着|且慢|等一等|暂停|停|打住|缓一?缓)(?:一下|片刻|"
            r"再说|[吧啊哈哦先])*",
        ),
    ),
    ("pad", (f"{_ALL}(?={_RIGHT_ZH})", f"{_WHAT}{_RIGHT_ZH}{_P}")),  # one part is right: that is not all of it
    (
        "yes",
        (
            r"没错误?" + _P + r"|(?:完全|绝对)?(?:没有?|木有|无)(?:什么|任何|啥)?(?:问题|毛病|意见|异议|错|误|"
            r"疑问)(?:了)?" + _P,
            r"一点儿?问题[都也]?没有|(?:当然|肯定|绝对)不会有(?:什么|任何)?问题" + _P + r"|[真挺很]?不错" + _P,
            r"[嗯恩]+[呐呢]?" + _P,
            r"(?:好的?|行|成)吧|(?:好|可以)的呢|可以了|[好得]嘞|妥妥的|[挺很都]好的?|成交",
            r"(?:可以|好|行|对|是|正确|准确|属实|没毛病|成|妥|当然|必须|肯定|愿意|满意|合适|完美|"
            r"可(?![\u4e00-\u9fff]))" + _P,
            r"(?:就|那就|就是|就按|按)(?:这样|这么|按这个|照这个|它|这个|这款|这份)(?:价格|方案|套餐|报价|配置)?(?:办|定|来|着|下单|订|买|"
            r"执行)?(?:就?[好行]|"
            r"可以|[吧啦了的])*",
            r"[按照](?:这个|上面|以上|[你您]说)的?(?:来|办|执行)?(?:就?[好行]|吧|了)*|来吧|冲",
        ),
    ),
    (
        "neg",
        (
            r"(?:还是|暂时|现在|目前|先|请|千万)*(?:不(?:用|要|需要|必|了|想要?|愿意|能|会|再)?|[别甭勿莫](?:急|"
            r"着急|忙)?)[了的啊呀哦吧呢]*|没有?",
        ),
    ),
    (
        "cancel",
        (
            r"(?:把它|帮我|给我)?(?:取消|撤销|退[订款货]|删除|注销|作废)(?:掉|订单|预订|预约|它|这个|这单|一下|"
            r"了)*(?:[吧了啊哈的])*",
        ),
    ),
    ("pad", (r"请[你您]?确[认定]$",)),  # may ask us to: alone it orders nothing
    ("act", (r"(?:同意|接受|认可|赞成|满意)(?:这个|该|以上|上面的?|[你您]们?的)?" + _WHAT,)),
    (
        "act",
        (
            r"(?:[你您]?(?:可以)?(?:帮我|帮忙|给我|替我|请|直接|马上|立即|赶紧|尽快|现在就?|快|先)*)"
            + _ORDER
            + r"(?:订单|这个|这些|这单|它|一个|一单)?(?:(?:信息|内容)?无误)?"
            r"(?:一下|即可|就[好行])?(?:了吧|[了吧啦哈的哦啊呗])?",
        ),
    ),
    (
        "pad",
        (
            r"那就?|就|都|也|全部?|我[看觉]得?(?=可以|行|没)|(?:我们?|这边)(?!$)|这样的?|这个|这些?|以上|上面|还是(?=[算取])|"
            r"确实|"
            r"完全|绝对|真的|一切|"
            r"检查过?了?|核对过?了?|哦+|噢|啊|哎|诶|哈+|呀|[和跟]|的|" + _WHAT + f"(?={_WRONG_ZH})",
        ),
    ),
)


def _alternation(rows: Rows, end: str) -> str:
    """A group per row. Repeats are bounded, so that no text makes overlapping alternatives backtrack for long."""
    pattern = "|".join(f"(?P<{kind}_{n}>{'|'.join(phrases)}){end}" for n, (kind, phrases) in enumerate(rows))
    return pattern.replace(")*", "){0,8}")


_TRAILS_OFF = re.compile(r"(?:\.{2,}|…|。{2,}|～{2,})\s*\Z")
_ENGLISH = re.compile(_alternation(_EN, "(?![a-z0-9'])"))
_CHINESE = re.compile(_alternation(_ZH, ""))
_ABOUT_CANCELLING = re.compile(
    r"\b(?:cancel|delete|remove|refund|return|abort|close|undo|terminate)|取消|撤销|退[订款货]|删除|注销|作废"
)


def polarity(text: str, *, asked: str = "") -> Polarity:
    """What `text` says to a yes-no question: an explicit yes, an explicit no, or anything else.

    `asked` is the question. It matters only for "cancel it": yes if the question was about cancelling, else no.
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
    return "yes" if kinds == {"yes"} else "no" if kinds == {"no"} else "other"


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
