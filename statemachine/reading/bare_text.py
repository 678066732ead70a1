"""Free text without a cue: the bare answer to the question asked ("Acme Dental", 蓝海科技).

Owns which clause answers and what is no answer (a question, a greeting, a wish, a yes). How names look is `names.py`.
"""

import re
from collections.abc import Callable

from ...protocol.polarity import polarity
from ...protocol.slots import Slot
from .cued_text import LEADS_ON
from .cues import find_cues
from .message import Hit, Message, Span, Used, is_question, lower
from .names import (
    EDGES,
    GERUND,
    LONGEST_VALUE,
    NOT_A_NAME,
    ORGANISATION,
    VALUE_END,
    clean_value,
    could_be_a_name,
    is_address,
    is_titled,
    like_a_name,
    names_houses,
    of_its_kind,
)
from .refusals import is_refusal

LONGEST_ANSWER = 60

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
    r"\A(?:dear [a-z]+|(?:(?:hi+|hey+|h[ae]l+o+)\W+)+(?:hi+|hey+|h[ae]l+o+|again)|hi+|h[ae]l+o+|hey+a?|hiya|howdy|g'?day|yo+"
    r"|greetings|good (?:morning|afternoon|evening|day)|morning|afternoon"
    r"|evening|thanks?|thank you|bye|goodbye|ok|okay|k|sure"
    r"|fine|good|great|cool|nice|wait|hold on|one moment|skip|later|never ?mind|forget it|"
    r"none|nothing|nope|no clue|good bye|no idea|idk|dunno|not sure|i don't know.*|don't know|no thanks"
    r"|no thank you|cancel|stop"
    r"|quit|exit|help|test|human|agent|whatever|anything|maybe|hmm+|um+|uh+|lol|pass|"
    r"[\u4e00-\u9fff]{0,3}好呀?|(?:哈[喽罗啰喽])+|嗨+|喂+|有人[吗么在]*|在不在?|在吗|在么|早上好|早|上午好"
    r"|下午好|晚上好"
    r"|谢谢|多谢|再见|拜拜|好|好的|好吧|好啊|行|可以|嗯+|哦+|啊+"
    r"|算了|不用了?|不要了?|等等|等一下|稍等|跳过|不知道|不清楚|不方便|没有|无|随便|都行|都可以|人工|转人工|取消"
    r"|退出|帮助|哈+|以后再说|再说|不告诉你|不想说|麻烦[你您]?了?|打扰[你您]?一?下?了?)(?:啊|呀|哈|哦|呢)?(?: there"
    r"| you| all| team| everyone)?\Z",
    re.IGNORECASE,
)
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
    r"|为什么|为啥|怎么|什么|多少|不(?!二)|没|先|随便|赶紧|快点?|朋友|有人|听说|你们?|您|转|查|退|改|换"
    r"|打算|准备|主要)"
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
_DANGLING = re.compile(
    r"(?:[\s(（]+(?:with|and|for|has|have|is|are|there|about|around|of|in|at)?|[的有共约])*\Z", re.IGNORECASE
)
_ONESELF = re.compile(r"i'?m|i am|call me|you can call me|they call me|name's|my name", re.IGNORECASE)
_NAMED = re.compile(
    r".{0,60}?(?:(?<=\s)(?:called|named|known as|trad(?:e|es|ing) as"
    r"|go(?:es)? by(?: the name(?: of)?)?)\s+|(?<![0-9])[::]\s*(?=[A-Z\u4e00-\u9fff])|(?:名?叫做?|名字是"
    r"|名称是)(?!我))",
    re.IGNORECASE,
)


def read_bare_text(slot: Slot, message: Message, used: Used, *, numbers_wanted: bool = False) -> Hit[str] | None:
    """The answer to the question just asked: the first clause that names something, or None when there is none.

    A slot with room for sentences takes all clauses up to the first that another slot took.
    """
    longest = (
        min(LONGEST_VALUE, int(slot.maximum))
        if slot.maximum is not None and 1 <= slot.maximum < 1e6
        else LONGEST_ANSWER
    )
    described = longest > LONGEST_ANSWER
    spans = [span for clause in message.clauses if (span := _open_part(message, used, clause, numbers_wanted))]
    if described:
        spans = _run_together(spans, message.clauses)
    answers = [hit for span in spans if (hit := _bare_hit(slot, message, span, longest, described=described))]
    return _likeliest(answers, message, used) if names_houses(slot) and len(answers) > 1 else next(iter(answers), None)


def _likeliest(answers: list[Hit[str]], message: Message, used: Used) -> Hit[str] | None:
    """Of several clauses the one introduced as a name, else an organisation's, else a capitalised one, else the one beside a
    clause with data; none if nothing tells them apart."""
    tests: tuple[Callable[[Hit[str]], bool], ...] = (
        lambda hit: _NAMED.match(message.text, message.clause_at(hit.start)[0], hit.start) is not None,
        lambda hit: ORGANISATION.search(hit.value) is not None and not hit.value[0].islower(),
        lambda hit: ORGANISATION.search(hit.value) is not None,
        lambda hit: is_titled(hit.value),
        lambda hit: _beside_data(hit, message, used),
    )
    return next((hit for test in tests for hit in answers if test(hit)), None)


def _beside_data(hit: Hit[str], message: Message, used: Used) -> bool:
    clauses = message.clauses
    at = clauses.index(message.clause_at(hit.start))
    return any(used.overlaps(*clauses[n]) for n in (at - 1, at, at + 1) if 0 <= n < len(clauses))


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
        stop = VALUE_END.search(message.text, start + 1, end)
        end = stop.start() if stop else end
    value = message.text[start:end]
    value = of_its_kind(slot, clean_value(value if described else _DANGLING.sub("", value)))
    if not value or len(value) > longest or not _answers(value, described=described):
        return None
    if not described and (is_address(value) or not _has_the_look(value, whole=span in message.clauses)):
        return None
    if lead and lead["lead"] and names_houses(slot) and _ONESELF.match(lead["lead"]) and not ORGANISATION.search(value):
        return None
    if lead and lead["lead"] and not value[0].isupper() and (NOT_A_NAME.match(value) or GERUND.match(value)):
        return None
    return Hit(value, start, end)


def _has_the_look(value: str, *, whole: bool) -> bool:
    """A capital says "name" only if the other words have one too: "Busy day" is as good as "busy day"."""
    named = ORGANISATION.search(value) or (is_titled(value) if value[0].isascii() else like_a_name(value))
    return bool(named) or could_be_a_name(value, whole=whole)


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
    return any(start <= cue.start <= start + 1 and LEADS_ON.search(cue.word) for cue in cues)


def _answers(value: str, *, described: bool) -> bool:
    low = lower(value)
    if not any(c.isalnum() for c in value) or is_question(low) or _NO_ANSWER.match(low):
        return False
    if polarity(value) != "other":
        return False
    return described or not (_WISH.match(low) or _SENTENCE.search(value) or is_refusal(low))


def _open_part(message: Message, used: Used, span: Span, numbers_wanted: bool) -> Span | None:
    start, end = span
    low = message.lower[start:end].strip()
    if (
        is_question(low + message.text[end : end + 1])
        or _NO_ANSWER.match(low.strip(EDGES))
        or (numbers_wanted and re.fullmatch(r"[0-9.,\s]+", low))
    ):
        return None
    taken = used.first_in(start, end)
    if taken is None:
        return span
    rest = _EXPLAINED.sub("", message.lower[start:taken])
    return (start, taken) if any(c.isalnum() for c in rest) else None
