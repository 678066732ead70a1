"""Free text: names, companies, addresses. "my name is Ann", "we are Acme Dental", "我叫李雷", or the bare answer to
the question asked.

Owns where such a value begins and ends and what is no value (a question, a greeting, a wish, a yes). Two kinds of
cue:
- a label ("company", 公司) needs a link ("is", "called", ":", 叫); "our company needs 20 seats" names nothing;
- a cue that leads on by itself ("my name is", 我叫, "from"). Those that lead on to anything ("we are", "I'm",
  "from", 我是) count, unless this slot was asked about, only before what looks like a name: a capital, a Chinese
  surname, an organisation.
"""

import re

from ...protocol.polarity import polarity
from ...protocol.slots import Slot
from .cues import Cue, find_cues
from .message import Hit, Message, Span, Used, is_question, lower, squeeze

LONGEST_ANSWER = 60
_LONGEST_VALUE = 500
_MOST_PLACES = 10

_LEADS_ON = re.compile(
    r"(?:\b(?:is|are|am|was|called|named|from|at|in|with|for|to|of)|'s|'m|'re|\bim|[叫是为在自找]|[:=])\Z"
)
_WEAK = re.compile(
    r"\A(?:i am|i'm|im|we are|we're|this is|it's|it is|from|at|in|with|for|to|of|我是|我们是|这里是|这边是|来自|在"
    r"|是)\Z"
)
_STRONG_LEAD = re.compile(r"(?:\b(?:i'm|i am|we're|we are|this is|calling|here))\W*\Z")
_LINK = re.compile(
    r"\s*(?:'s\s+)?(?:\(?\s*name\s*\)?|名称|名字|全称|的名字|的名称|的全称|名)?\s*(?:(?:is|are|was|would be"
    r"|will be)(?:\s+(?:called|named))?(?![a-z])|called(?![a-z])|named(?![a-z])|'s(?=\s)|[:=]|是|叫做?"
    r"|名?为)\s*[:=]?\s*(?:叫做?)?"
)
_AFTER_LEAD = re.compile(r"\s*(?:(?:called|named)(?![a-z])|叫做?|做)?\s*[:=]?\s*")

_VALUE_END = re.compile(
    r"(?<![0-9]),|,(?![0-9])|[，。;!?、\n|]|(?<!\bst)(?<!\bdr)(?<!\bmr)(?<!\bms)(?<!\bmrs)\.(?=\s+[A-Z]|\s*\Z)"
    r"|\s+(?:and|but|so|because|who|which|where|for"
    r"|from|with|looking|we|i)(?=\s+(?:i|we|you|my|our|it|need|want|would|looking|[0-9])|'|\s*\Z)"
    r"|\s+(?:from|at)\s+(?=[A-Z\u4e00-\u9fff])|\s+(?:need|needs|want|wants|looking|calling|writing|speaking"
    r"|here)\b|\s+-\s|(?<=[\u4e00-\u9fff])(?:，|的[，。]|想|需要|要|有(?=[0-9一二两三四五六七八九十])|我|请问)",
    re.IGNORECASE,
)
_JOURNEY = re.compile(r"\s(?:to|at|by|on|until)\s")
_FILLER_FRONT = re.compile(
    r"\A(?:(?:uh+|um+|er+|well|like|just|actually|basically|the name|一家|一个|一間|那个|这个|嗯+"
    r"|呃+)(?![a-z])[\s,]*)+",
    re.IGNORECASE,
)
_FILLER_BACK = re.compile(
    r"(?:[\s,，]*(?:please|pls|thanks|thank you|thx|btw|by the way|though|actually|cheers|here|speaking|谢谢您?"
    r"|哈|啊|哦|呀|吧|呢|啦|哒)(?![a-z]))+\W*\Z",
    re.IGNORECASE,
)
_EDGES = " \t\n\"'“”‘’「」『』《》【】[]<>,，.。;；:：!！?？-–—*_~～…|/\\"

_NOT_A_NAME = re.compile(
    r"\A[0-9]{1,2}\s?(?:am|pm)(?![a-z])|\A(?:not|no|yes|interested|looking|trying|going|calling|writing|having"
    r"|thinking|wondering|asking|here|there"
    r"|sorry|sure|afraid|fine|good|ok|okay|ready|happy|glad|new|"
    r"a|an|the|in|on|at|from|about|just|still|also|very|so|only|really|done|back|using|based|out|now|busy|with|to"
    r"|for|your|my|our|this|that|it|scratch|today|tomorrow|"
    r"what|which|how|why|who|when|where|unable|able|getting|planning|considering|open|around|all|both|currently"
    r"|already|having|unhappy|confused|curious|it's|working|hoping|needing|wanting|buying)(?![a-z])"
    r"|\A(?:想|要|来|不|在|说|问|做|搞|个|一|从|给|你|您|他|她|谁|什么|怎么|哪|老|新|第|为|因|这|那|有|没|可|能"
    r"|需|打|买|看|用|需要|学生|客户)"
)
_SURNAMES = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方俞任袁柳唐罗薛伍余米贝姚孟顾尹江钟徐"
    "邱骆高夏蔡田樊胡凌霍虞万支柯管卢莫房裘缪解应宗丁宣邓郁单杭洪包诸左石崔吉龚程邢裴陆荣翁段雷侯宁祝武刘景龙叶黎白赖卓池乔阮温欧曾文熊关游肖梁宋董杜戴贺毛汪林郭"
)
_ORGANISATION = re.compile(
    r"(?:公司|集团|科技|诊所|医院|学校|大学|学院|工作室|店|厂|中心|银行|事务所|餐厅|酒店|牙科|齿科|传媒|教育|物流"
    r"|贸易|咨询|基金|协会|律所|研究院|研究所|超市|部|网络|软件|制药|汽车|电器)\Z"
)
_PERSON = re.compile(
    rf"[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}\Z|欧阳[\u4e00-\u9fff]{{1,2}}\Z|[{_SURNAMES}](?:先生|女士|小姐|经理|总|老师"
    rf"|医生)\Z"
)

_LEAD_IN = re.compile(
    r"\W*(?P<hi>(?:(?:sure|ok|okay|yes|yeah|yea|yep|of course|hi|hello|hey|well|um+|uh+|so|oh|ah|right|great|thanks"
    r"|好的?|可以|当然|嗯+|哦|你好|您好|行|是的)(?:\s*[,，。.!:~、]+\s*|\s+there\b\s*[,，.!]*\s*|\s+(?=it's|its"
    r"|i'm|i am|i|we're|we are|we|my|our|the|this|that|can|could|please)|(?=我|是|叫|我们))\s*)*)"
    r"(?P<lead>(?:it's|its|it is|that's|that is|that would be|we're|we are|i'm|i am|im|this is|you can call me"
    r"|call me|the answer is|(?:my|our|the)(?: company| business| firm| organi[sz]ation| team| shop| store"
    r"| clinic| employer)?(?:'s)?(?: name| address| answer)? is|they call me|name's"
    r"|(?:(?:我们?的?|咱们)?(?:公司|单位|名字|姓名|地址|邮箱)?(?:名称|名字)?(?:是|叫做?|就是)|(?:就|应该|这)(?:是"
    r"|叫))(?:叫)?)(?![a-z])\s*[:,]?\s*)?",
    re.IGNORECASE,
)
_NO_ANSWER = re.compile(
    r"\A(?:hi|hello|hey|hiya|yo|good (?:morning|afternoon|evening)|thanks?|thank you|bye|goodbye|ok|okay|k|sure"
    r"|fine|good|great|cool|nice|wait|hold on|one moment|skip|later|never ?mind|forget it|"
    r"none|nothing|nope|no clue|good bye|no idea|idk|dunno|not sure|i don't know.*|don't know|no thanks"
    r"|no thank you|cancel|stop"
    r"|quit|exit|help|test|human|agent|whatever|anything|maybe|hmm+|um+|uh+|lol|pass|"
    r"你好|您好|在吗|在么|早上好|上午好|下午好|晚上好|谢谢|多谢|再见|拜拜|好|好的|好吧|好啊|行|可以|嗯+|哦+|啊+"
    r"|算了|不用了?|不要了?|等等|等一下|稍等|跳过|不知道|不清楚|不方便|没有|无|随便|都行|都可以|人工|转人工|取消"
    r"|退出|帮助|哈+|以后再说|再说|不告诉你|不想说)(?: there| you)?\Z",
    re.IGNORECASE,
)
_GERUND = re.compile("[a-z]+ing(?![a-z])")
_SENTENCE = re.compile(
    r"(?<!\w)(?:I|me|you|your|is|was|were|has|have|had|will|would|can|could|should|do|does|did|don't|won't|can't"
    r"|isn't)(?!\w)"
    r"|我(?:想|要|的|在|是|有|没|不|刚|就|已)|了\Z"
)
_WISH = re.compile(
    r"\A(?:oh|wait|whatever|sorry|thanks|thank you|goodbye|bye)(?![a-z])|\A(?:(?:i|we)(?:'d| would)? (?:want|need"
    r"|like|have|had|don't|do not|can't|cannot|didn't|will|just|already"
    r"|think|was|were|am not|haven't|got|bought|ordered|prefer|guess|hope|wish|mean|said|told|see|understand)"
    r"|(?:i|we)'(?:ve|d|ll)"
    r"|can|could|would|will|please|let me|let's|show|tell|give|help|send|cancel|return|change|talk|speak|connect"
    r"|transfer|why|what|how|when|who|where|which|do|does|is|are|there|if|you|your|stop|it doesn't|that's not"
    r"|this is (?:a|not|the)|not)(?![a-z])"
    r"|\A(?:我们?(?:想|要|需要|不|没|有|买|在|已|刚|就想|可以|觉得|用)|帮我|请|给我|能|可以|麻烦|要|需要|想"
    r"|为什么|为啥|怎么|什么|多少|不|没|先|你们?|您|转|查|退|改|换)"
)
_EXPLAINED = re.compile(
    r"(?:(?<![a-z])(?:we|i|you|need|want|have|has|about|around|for|the|a|an|our|my|is|are|be|of|in|on|at|by|to"
    r"|and|or|would|like|please|it|it's|that|there|will|with|from|just|only|plan|version|budget|number|phone"
    r"|mobile|email|date|start|starting|yes|ok|okay|sure|thanks|i'm|we're|i'd|us|me|get|take|go|total|maybe"
    r"|roughly|hi|hello|not|but)(?![a-z])"
    r"|我们?|咱们|需要|想要|大概|大约|预算|电话|手机|邮箱|日期|一共|总共|左右|开始|谢谢|你好|您好"
    r"|[有要的是个在约共号了吧和用就选买人版款就从到])"
)


def read_cued_text(
    name: str, slot: Slot, message: Message, used: Used, *, asked: bool, others: tuple[str, ...] = ()
) -> list[Hit[str]]:
    """Values after this slot's cues; `others` are the cues of other text slots, where a value ends."""
    own = {cue.lower() for cue in slot.cues}
    places = find_cues(message.lower, {name: slot.cues, "": tuple(o for o in others if o.lower() not in own)}, units=())
    hits = (
        _after_cue(message, used, place, places, asked)
        for place in [p for p in places if p.names == (name,)][:_MOST_PLACES]
    )
    return [hit for hit in hits if hit is not None]


def _after_cue(message: Message, used: Used, cue: Cue, places: list[Cue], asked: bool) -> Hit[str] | None:
    leads_on = _LEADS_ON.search(cue.word) is not None
    link = (_AFTER_LEAD if leads_on else _LINK).match(message.lower, cue.end)
    if link is None or used.overlaps(cue.start, cue.end):
        return None
    if not leads_on and is_question(message.lower[slice(*message.sentence_at(cue.start))]):
        return None
    stop = next(
        (place.start for place in places if place.start >= link.end() and place.names != cue.names),
        len(message.text),
    )
    if cue.word == "from":
        stop = next((found.start() for found in [_JOURNEY.search(message.lower, link.end(), stop)] if found), stop)
    start, end = _bounds(message, used, link.end(), stop)
    value = clean_value(message.text[start:end])
    weak = _WEAK.match(cue.word) is not None
    if weak and _GERUND.match(value):
        return None
    if not value or len(value) > _LONGEST_VALUE or _NOT_A_NAME.match(lower(value)) or is_question(lower(value)):
        return None
    if (
        weak
        and not asked
        and not _like_a_name(value)
        and not (_STRONG_LEAD.search(message.lower[: cue.start]) and cue.word.isascii())
    ):
        return None
    return Hit(value, cue.start, end)


def _bounds(message: Message, used: Used, start: int, stop: int) -> Span:
    while start < stop and message.text[start] in _EDGES:
        start += 1
    end = _VALUE_END.search(message.text, start, stop)
    stop = end.start() if end else stop
    taken = used.first_in(start, stop)
    return start, stop if taken is None else taken


def clean_value(text: str) -> str:
    value = squeeze(text).strip(_EDGES)
    value = _FILLER_BACK.sub("", _FILLER_FRONT.sub("", value)).strip(_EDGES)
    return value[1:-1].strip(_EDGES) if re.fullmatch(r"\([^()]*\)", value) else value


def _like_a_name(value: str) -> bool:
    first = value[0]
    if first.isascii():
        return first.isupper()
    return bool(_PERSON.match(value) or _ORGANISATION.search(value)) or (
        not "\u4e00" <= first <= "\u9fff" and first.isalpha()
    )


def read_bare_text(slot: Slot, message: Message, used: Used, *, numbers_wanted: bool = False) -> Hit[str] | None:
    """The message as the answer to the question just asked, or None when it is none."""
    longest = (
        min(_LONGEST_VALUE, int(slot.maximum))
        if slot.maximum is not None and 1 <= slot.maximum < 1e6
        else LONGEST_ANSWER
    )
    span = _unused_span(message, used, numbers_wanted)
    if span is None or len(message.text[slice(*span)].strip()) > longest + LONGEST_ANSWER:
        return None
    start, end = span
    if _refused_before(slot, message, start):
        return None
    lead = _LEAD_IN.match(message.text, start, end)
    start = lead.end() if lead else start
    value = clean_value(message.text[start:end])
    if not value or len(value) > longest or not _answers(value, described=longest > LONGEST_ANSWER):
        return None
    if lead and lead["lead"] and not value[0].isupper() and (_NOT_A_NAME.match(value) or _GERUND.match(value)):
        return None
    return Hit(value, start, end)


def _refused_before(slot: Slot, message: Message, start: int) -> bool:
    """Whether the answer opens with a cue of this slot that leads on: then what follows was already found wanting."""
    cues = find_cues(message.lower[: start + 60], {"": slot.cues}, units=())
    return any(start <= cue.start <= start + 1 and _LEADS_ON.search(cue.word) for cue in cues)


def _answers(value: str, *, described: bool) -> bool:
    low = lower(value)
    if not any(c.isalnum() for c in value) or is_question(low) or _NO_ANSWER.match(low):
        return False
    if polarity(value) != "other":
        return False
    return described or not (_WISH.match(low) or _SENTENCE.search(value))


def _unused_span(message: Message, used: Used, numbers_wanted: bool) -> Span | None:
    """The first run of clauses that no slot took, that ask nothing and say something."""
    spans = message.clauses
    open_spans = [_open_part(message, used, span, numbers_wanted) for span in spans]
    first = next((index for index, span in enumerate(open_spans) if span is not None), None)
    if first is None:
        return None
    last = first
    while last + 1 < len(spans) and open_spans[last] == spans[last] and open_spans[last + 1] == spans[last + 1]:
        last += 1
    begin, end = open_spans[first], open_spans[last]
    return None if begin is None or end is None else (begin[0], end[1])


def _open_part(message: Message, used: Used, span: Span, numbers_wanted: bool) -> Span | None:
    start, end = span
    low = message.lower[start:end].strip()
    if (
        is_question(low + message.text[end : end + 1])
        or _NO_ANSWER.match(low.strip(_EDGES))
        or (numbers_wanted and re.fullmatch(r"[0-9.,\s]+", low))
    ):
        return None
    taken = used.first_in(start, end)
    if taken is None:
        return span
    rest = _EXPLAINED.sub("", message.lower[start:taken])
    return (start, taken) if any(c.isalnum() for c in rest) else None
