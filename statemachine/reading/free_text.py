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
    r"(?:\b(?:is|are|am|was|called|named|represent|representing|from|by|at|in|with|for|to|of)|'s|'m|'re|\bim"
    r"|[叫是为在自找表们]|[:=])\Z"
)
_WEAK = re.compile(
    r"\A(?:i am|i'm|im|we are|we're|this is|it's|it is|from|at|in|with|for|to|of|我是|我们是|这里是|这边是|来自|在"
    r"|是)\Z"
)
_STRONG_LEAD = re.compile(r"(?:\b(?:i'm|i am|we're|we are|this is|calling|here))\W*\Z")
_ONLY_NAMES = frozenset(
    {"at", "of", "for", "我们", "我在"}
)  # lead on to anything: count only when asked, before what looks like a name
_MENDED = (
    r"(?:(?:\s*name)?\s+(?:is|was)\s+(?:wrong|misspelled|mistaken)\W+(?:it\s+)?(?:should be|is|it's)"
    r"|(?:\s*name)?\s+(?:to|should be)(?![a-z])"
    r"|(?:名字?|名称)?(?:写|打|搞|说|弄|填)?错了?\W*(?:应该|其实|正确的?)?(?:是|叫|改成)|(?:名字?|名称)?(?:改[成为]"
    r"|换成|应该是))"
)
_LINK = re.compile(
    rf"\s*{_MENDED}\s*|\s*(?:'s\s+)?(?:\(?\s*name\s*\)?|名称|名字|全称|的名字|的名称|的全称|名)?\s*(?:(?:is|are|was"
    rf"|would be"
    r"|will be)(?:\s+(?:called|named))?(?![a-z])|called(?![a-z])|named(?![a-z])|'s(?=\s)|[:=]|是|叫做?"
    r"|名?为)\s*[:=]?\s*(?:叫做?)?"
)
_NAME_LABEL = re.compile(r"(?:name|名|名称|名字|全称)\Z")  # needs no link: "company name Acme"
_BESIDE = re.compile(r"\s+(?=[A-Z])|\s*(?=[\u4e00-\u9fff])(?![是叫写打搞弄填错改应不字称])")
_AFTER_LEAD = re.compile(r"\s*(?:(?:called|named)(?![a-z])|叫做?)?\s*[:=]?\s*")

_VALUE_END = re.compile(
    r"(?<![0-9]),|,(?![0-9])|[，。;!?、\n|]|(?<!\bst)(?<!\bdr)(?<!\bmr)(?<!\bms)(?<!\bmrs)\.(?=\s+[A-Z]|\s*\Z)"
    r"|\s+(?:and|but|so|because|who|which|where|for"
    r"|from|with|looking|we|i)(?=\s+(?:i|we|you|my|our|it|they|this|that|there|here|is|are|have|has|need|want|would"
    r"|looking"
    r"|about|around|roughly|some|all|mostly|located|based|[0-9])(?![a-z])|'|\s*\Z)"
    r"|\s+(?:from|at)\s+(?=[A-Z\u4e00-\u9fff])|\s+(?:need|needs|want|wants|have|has|looking|calling|writing|speaking"
    r"|here)\b|\s+-\s|(?<=[\u4e00-\u9fff])(?:，|的[，。]|想|需要|要|有(?=[0-9一二两三四五六七八九十])|我|请问|这边"
    r"|上班|工作(?!室)|咨询(?!公司|有限|中心)|来(?=[问咨电])|打算|准备)",
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
    r"|\A(?:公司|单位|想|要|不(?!二)|说|问|做|搞|个|从|给|你|您|他|她|谁|什么|怎么|哪|因为|这|那|没|需|打[算电]|学生"
    r"|客户|来[问咨了电买看]"
    r"|在[吗么线]?(?:这|那|看|找|做|想|用)|一(?:个|家|直|般|共|些|下|起|样|年)|老(?:客户|用户|顾客|朋友|板)|新(?:客户"
    r"|用户|来|手|开|的)"
    r"|第[一二三]次|为(?:了|什么|啥)|有(?:个|没|点|些|人|什|问|需|[0-9一二两三四五六七八九十])|可(?:以|不|能|是)"
    r"|能(?:不|否|帮|给|用|便|试|有|查|介|推)|买(?:电|个|一|你|套)|看(?:看|一|下|中)|用(?:来|于|的|在|你|了|电))"
)
_SURNAMES = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方俞任袁柳唐罗薛伍余米贝姚孟顾尹江钟徐"
    "邱骆高夏蔡田樊胡凌霍虞万支柯管卢莫房裘缪解应宗丁宣邓郁单杭洪包诸左石崔吉龚程邢裴陆荣翁段雷侯宁祝武刘景龙叶黎白赖卓池乔阮温欧曾文熊关游肖梁宋董杜戴贺毛汪林郭"
)
_ORGANISATION = re.compile(
    r"(?:公司|集团|科技|诊所|医院|学校|大学|学院|工作室|店|厂|中心|银行|事务所|餐厅|酒店|牙科|齿科|传媒|教育|物流"
    r"|贸易|咨询|基金|协会|律所|研究院|研究所|超市|部|网络|软件|制药|汽车|电器)\Z"
    r"|(?:& \w+|(?<![a-z])(?:inc|ltd|llc|gmbh|corp|co|company|group|labs?|studios?|clinic|school|academy|agency|partners"
    r"|associates|holdings|solutions|systems|services|tech|technolog(?:y|ies)|software|media|designs?|logistics|freight"
    r"|transport|travel|tours|hotel|cafe|bank|insurance|legal|law|dental|pharmacy|medical|hospital|motors|realty|estates?"
    r"|plumbing|construction|electronics|foods|farms|sons))\Z",
    re.IGNORECASE,
)
_PERSON = re.compile(
    rf"[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}\Z|欧阳[\u4e00-\u9fff]{{1,2}}\Z|[{_SURNAMES}](?:先生|女士|小姐|经理|总|老师"
    rf"|医生)\Z"
)

_CALLED = re.compile(rf"(?:小|老|阿)[{_SURNAMES}]\Z")

_LEAD_IN = re.compile(
    r"\W*(?P<hi>(?:(?:sure|ok|okay|yes|yeah|yea|yep|of course|hi|hello|hey|well|um+|uh+|so|oh|ah|right|great|thanks"
    r"|好的?|可以|当然|嗯+|哦|你好|您好|行|是的)(?:\s*[,，。.!:~、]+\s*|\s+there\b\s*[,，.!]*\s*|\s+(?=it's|its"
    r"|i'm|i am|i|we're|we are|we|my|our|the|this|that|can|could|please)|(?=我|是|叫|我们))\s*)*)"
    r"(?P<lead>(?:it's|its|it is|that's|that is|that would be|we're|we are|i'm|i am|im|this is|you can call me"
    r"|call me|(?:the|our|my) name's|the answer is|(?:my|our|the)(?: company| business| firm| organi[sz]ation| team"
    r"| shop| store"
    r"| clinic| employer)?(?:'s)?(?: name| address| answer)? is|they call me|name's"
    r"|(?:本公司|敝公司|敝司|我司|公司全称|公司名称?|公司|单位|全称|名称)(?=[\u4e00-\u9fff]{2})(?!是|叫|名|全)"
    r"|(?:(?:我们?的?|咱们)?(?:公司|单位|名字|姓名|地址|邮箱)?(?:名称|名字)?(?:是|叫做?|就是)|(?:就|应该|这)(?:是"
    r"|叫))(?:叫)?)(?![a-z])\s*[:,]?\s*)?",
    re.IGNORECASE,
)
_NO_ANSWER = re.compile(
    r"\A(?:dear [a-z]+|(?:(?:hi+|hey+|h[ae]l+o+)\W+)+(?:hi+|hey+|h[ae]l+o+|again)|hi+|h[ae]l+o+|hey+a?|hiya|howdy|yo+"
    r"|greetings|good (?:morning|afternoon|evening|day)|morning|afternoon"
    r"|evening|thanks?|thank you|bye|goodbye|ok|okay|k|sure"
    r"|fine|good|great|cool|nice|wait|hold on|one moment|skip|later|never ?mind|forget it|"
    r"none|nothing|nope|no clue|good bye|no idea|idk|dunno|not sure|i don't know.*|don't know|no thanks"
    r"|no thank you|cancel|stop"
    r"|quit|exit|help|test|human|agent|whatever|anything|maybe|hmm+|um+|uh+|lol|pass|"
    r"[\u4e00-\u9fff]{0,3}好呀?|哈[喽罗啰喽]|嗨+|喂+|有人[吗么在]*|在不在?|在吗|在么|早上好|早|上午好|下午好|晚上好"
    r"|谢谢|多谢|再见|拜拜|好|好的|好吧|好啊|行|可以|嗯+|哦+|啊+"
    r"|算了|不用了?|不要了?|等等|等一下|稍等|跳过|不知道|不清楚|不方便|没有|无|随便|都行|都可以|人工|转人工|取消"
    r"|退出|帮助|哈+|以后再说|再说|不告诉你|不想说|麻烦[你您]?了?|打扰[你您]?一?下?了?)(?:啊|呀|哈|哦|呢)?(?: there"
    r"| you| all| team| everyone)?\Z",
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
    r"|can|could|would|will|please|need|want|wanna|looking|just|only|get|got|have|had|as|like|about|maybe|trying"
    r"|interested"
    r"|calling|asking|thinking|hoping|let me|let's|lets|show|tell|give|help|send|cancel|return|change|talk|speak"
    r"|connect"
    r"|transfer|why|what|how|when|who|where|which|do|does|is|are|there|if|you|your|stop|it doesn't|that's not"
    r"|this is (?:a|not|the)|not)(?![a-z])"
    r"|\A(?:我们?(?:想|要|需要|不|没|有|买|在|已|刚|就想|可以|觉得|用)|帮我|请|给我|能|可以|麻烦|要|需要|想"
    r"|为什么|为啥|怎么|什么|多少|不(?!二)|没|先|随便|赶紧|快点?|朋友|有人|听说|你们?|您|转|查|退|改|换|打算|准备|主要)"
    r"|(?:问问|看看|咨询|了解|一下|聊聊|推荐|介绍|用的|做的|过来的?)\Z|[我你您他她吗呢谁哪]"
)
_EXPLAINED = re.compile(
    r"(?:(?<![a-z])(?:we|i|you|need|want|have|has|about|around|for|the|a|an|our|my|is|are|be|of|in|on|at|by|to"
    r"|and|or|would|like|please|it|it's|that|there|will|with|from|just|only|plan|version|budget|number|phone"
    r"|mobile|email|date|start|starting|yes|ok|okay|sure|thanks|i'm|we're|i'd|us|me|get|take|go|total|maybe"
    r"|roughly|hi|hello|not|but)(?![a-z])"
    r"|我们?|咱们|需要|想要|大概|大约|预算|电话|手机|号码|联系|邮箱|日期|一共|总共|左右|开始|谢谢|你好|您好"
    r"|[有要的是个在约共号了吧和用就选买人版款就从到])"
)


def read_cued_text(
    name: str, slot: Slot, message: Message, used: Used, *, asked: bool, others: tuple[str, ...] = ()
) -> list[Hit[str]]:
    """Values after this slot's cues; `others` are the cues of other text slots, where a value ends."""
    own = {cue.lower() for cue in slot.cues}
    places = find_cues(message.lower, {name: slot.cues, "": tuple(o for o in others if o.lower() not in own)}, units=())
    hits = (
        _after_cue(slot, message, used, place, places, asked)
        for place in [p for p in places if p.names == (name,)][:_MOST_PLACES]
    )
    found = [hit for hit in hits if hit is not None]
    if _names_houses(slot):  # "Anna from Acme", "李雷，代表蓝海": the later one is the house
        found = [hit for n, hit in enumerate(found) if n == 0 or hit.start >= found[n - 1].end]  # Bank of China
        found = [hit for hit in found if hit is found[-1] or not _HANDS_ON.match(message.lower, hit.end)]
    return found


def _after_cue(slot: Slot, message: Message, used: Used, cue: Cue, places: list[Cue], asked: bool) -> Hit[str] | None:
    leads_on = _LEADS_ON.search(cue.word) is not None
    link = (_AFTER_LEAD if leads_on else _LINK).match(message.lower, cue.end)
    if link is None and _NAME_LABEL.search(cue.word):
        link = _BESIDE.match(message.text, cue.end)
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
    value = _of_its_kind(slot, clean_value(message.text[start:end]))
    weak = _WEAK.match(cue.word) is not None
    if weak and _GERUND.match(value):
        return None
    if cue.word in _ONLY_NAMES and not (asked and value and _like_a_name(value)):
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
    value = squeeze(text[: 2 * _LONGEST_VALUE]).strip(_EDGES)
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
    """The answer to the question just asked: the first clause that names something, or None when there is none.

    A slot with room for sentences takes all clauses up to the first that another slot took.
    """
    longest = (
        min(_LONGEST_VALUE, int(slot.maximum))
        if slot.maximum is not None and 1 <= slot.maximum < 1e6
        else LONGEST_ANSWER
    )
    described = longest > LONGEST_ANSWER
    spans = [span for clause in message.clauses if (span := _open_part(message, used, clause, numbers_wanted))]
    if described:
        spans = _run_together(spans, message.clauses)
    answers = [hit for span in spans if (hit := _bare_hit(slot, message, span, longest, described=described))]
    houses = [hit for hit in answers if _ORGANISATION.search(hit.value)] if _names_houses(slot) else []
    return next(iter(houses or answers), None)


def _bare_hit(slot: Slot, message: Message, span: Span, longest: int, *, described: bool) -> Hit[str] | None:
    start, end = span
    if end - start > longest + LONGEST_ANSWER or _refused_before(slot, message, start):
        return None
    lead = _LEAD_IN.match(message.text, start, end)
    start = lead.end() if lead else start
    if not described and (named := _NAMED.match(message.text, start, end)):
        start = named.end()
    if not described:
        if _WISH.match(message.lower[start:end]):
            return None
        stop = _VALUE_END.search(message.text, start + 1, end)
        end = stop.start() if stop else end
    value = message.text[start:end]
    value = _of_its_kind(slot, clean_value(value if described else _DANGLING.sub("", value)))
    if not value or len(value) > longest or not _answers(value, described=described):
        return None
    if not described and not (_like_a_name(value) or _could_be_a_name(value, whole=span in message.clauses)):
        return None
    if lead and lead["lead"] and _names_houses(slot) and _ONESELF.match(lead["lead"]):
        return None
    if lead and lead["lead"] and not value[0].isupper() and (_NOT_A_NAME.match(value) or _GERUND.match(value)):
        return None
    return Hit(value, start, end)


def _run_together(spans: list[Span], clauses: list[Span]) -> list[Span]:
    """The first run of whole clauses as one span."""
    run = spans[:1]
    for span in spans[1:]:
        if run[-1] not in clauses or span not in clauses or clauses.index(span) != clauses.index(run[-1]) + 1:
            break
        run.append(span)
    return [(run[0][0], run[-1][1])] if run else []


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


_HANDS_ON = re.compile(r"\W*(?:from|at|of|on behalf of|with|代表|来自)")
_DANGLING = re.compile(
    r"(?:[\s(（]+(?:with|and|for|has|have|is|are|there|about|around|of|in|at)?|[的有共约])*\Z", re.IGNORECASE
)
_ONESELF = re.compile(r"i'?m|i am|call me|you can call me|they call me|name's|my name", re.IGNORECASE)
_SENTENCE_WORD = re.compile(
    r"(?<![a-z'])(?:the|a|an|for|with|from|to|at|in|on|about|we|our|us|my|need|want|use|make|take|get|it|is|are|be"
    r"|will|would"
    r"|mostly|mainly|probably|just|only|please|call|ring|phone|plan|quote|price|some|any|this|that|there|here|because"
    r"|so)(?![a-z'])"
)
_SENTENCE_CHAR = re.compile(
    r"推荐|听说|[我你您他她它给想要吗呢嘛啊呀吧哦了着过没很太就都把被让请说问谁哪么这那]|[的好用]\Z|\A(?:个人|咨询|价格|是|有"
    r"|用|做|打|装|买)"
)
_NAMED = re.compile(r".{0,60}?(?:(?<=\s)(?:called|named)\s+|(?:名?叫做?|名字是|名称是)(?!我))", re.IGNORECASE)
_OF_A_HOUSE = re.compile(r"company|business|firm|organi[sz]ation|employer|公司|单位|机构|企业")
_STAFF = re.compile(r"(.{2,30}?)的(?:[\u4e00-\u9fff]{1,4})\Z")
_PAST_SUFFIX = re.compile(r"(.{2,}?(?:有限公司|集团公司|公司|集团|事务所|工作室))[\u4e00-\u9fff]{1,4}\Z")


def _could_be_a_name(value: str, *, whole: bool) -> bool:
    """A lower-case or Chinese answer names something if it is short and has none of the words that make sentences."""
    if value.isascii():
        if _GERUND.fullmatch(value):
            return False
        return len(value.split()) <= (4 if whole else 3) and not _SENTENCE_WORD.search(value.lower())
    return len(value) <= 20 and not _SENTENCE_CHAR.search(value)


def _names_houses(slot: Slot) -> bool:
    return any(_OF_A_HOUSE.search(cue) for cue in slot.cues)


def _of_its_kind(slot: Slot, value: str) -> str:
    """For a slot of houses, not people: 北极星科技的小王 names 北极星科技; a person alone names nothing."""
    if not _names_houses(slot):
        return value
    if found := _STAFF.match(value) or _PAST_SUFFIX.match(value):
        return found[1]
    value = value.removesuffix("的") if len(value) > 3 else value
    return "" if _PERSON.match(value) or _CALLED.match(value) else value


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
