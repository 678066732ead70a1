"""Yes-no slots: a wish or a refusal beside the slot's cue ("we don't need recordings", 录音必须要), else a bare answer.

Owns how wishing and refusing sound in a clause. A clause that asks or doubts says nothing. Without a cue only the slot
asked about is answered, and only by a message or clause that is nothing but an answer.
"""

import re

from ...protocol.polarity import polarity
from ...protocol.slots import Slot
from .choices import is_negated
from .cues import Cue, find_cues
from .message import Hit, Message

_WANTED = re.compile(
    r"(?<![a-z])(?:need(?:s|ed)?|want(?:s|ed)?|require[sd]?|required|must|have to|has to|with|include|including|plus"
    r"|like|love|prefer|please|important|essential|mandatory|yes|yeah|definitely|absolutely|always|all"
    r"|every|should|add"
    r"|make sure|ensure|keep|switch on|turn on|activate|enable)"
    r"(?![a-z])|要|需|必|得|带|加|希望|最好|全程|每|都"
)
_REFUSED = re.compile(
    r"(?<![a-z])(?:unnecessary|skip|no need|pointless|useless|overkill|no use|needn't|needless"
    r"|not (?:necessary|needed|required)|pass on|leave out|opt out"
    r"|can do without)(?![a-z])|没必要|免了|无需|无须|用不着|用不上|不必|别(?!的|人)|不了(?!解)|不录"
    r"|没(?:有)?(?:这个)?需[要求]"
    r"|不(?:太|是很|怎么|大)?(?:需要|想要|要|用)"
    r"|(?<![a-z])not (?:be |really |strictly )*(?:necessary|needed|required|important|called for)"
    r"|n't (?:be |really )*(?:necessary|needed|required)"
    r"|(?<![a-z])(?:switch|turn|leave|keep)(?: it| that| the)? off|off(?=\W*\Z)|don't bother|do without"
    r"|live without|关(?:掉|闭|了)|就算了|算了|就不|不[加开带装搞弄]|no use(?! it)|省[了掉]|没(?:啥"
    r"|什么)?(?:用|意义)"
)
_YES_AFTER = re.compile(r"(?:s|ing)?\s*[:=]?\s*(?:is |are )?(?:on|yes|y|true|included|enabled|开|是)(?![a-z])")
_NO_AFTER = re.compile(r"(?:s|ing)?\s*[:=]?\s*(?:is |are )?(?:off|no|none|nope|n|not|否|不|无|没有)\W*\Z")
_HEDGE = re.compile(
    r"\A(?:(?:i'd say|i would say|i think|i guess|i suppose|probably|well|um+|h+m+|er+|我觉得|我想|应该|那|就)\s*)+"
)
_SHORTENED = re.compile(r"'(?:s|d|re|ll|ve|m)(?![a-z])")
_THINK_SO = re.compile(r"(?<![a-z])(?:think|believe|guess|suppose|hope) so(?![a-z])")
_MUST = re.compile(r"不.{0,8}(?:不行|不可|不成)|不能(?:不|没有|少)|少不了|缺不了")
_DOUBT = re.compile(
    r"(?<![a-z])(?:not sure|unsure|maybe|perhaps|depends?|wonder(?:ing)?|if|whether|don't know|what about"
    r"|how about|later)"
    r"(?![a-z])|不确定|不知道|不清楚|要不要|需不需要|用不用|是否|考虑|看情况|再说|无所谓|不一定|如果|要是|可能|也许"
)
_LATER = re.compile(r"等[下会]|等一下|再说|(?<![a-z])(?:wait|hold on|later|moment)(?![a-z])")
_BARE_YES = re.compile(
    r"(?:(?>(?:oh|well|yes|yeah|yep|we|i|we'd|i'd|do|would|will|it|that|this|them|those|is|are|a|definitely"
    r"|certainly|absolutely"
    r"|really|indeed|too|also|for sure|of course|course|please|need|want|have|like|prefer|to|be|must"
    r"|required|mandatory"
    r"|essential|important|great|good|nice|helpful|useful|by|law|one|with|so|turn|switch|turned|switched"
    r"|on|include|add|keep|all|every|calls?|each|legally|file|there|has|they|we're|should"
    r"|obliged|recorded|enabled?|activated?|the|of|in|our|business|case|just)(?![a-z'])\s*))+(?:for [a-z ]{2,30})?"
)
_SAYS_YES = re.compile(
    r"(?<![a-z])(?:need|want|like|prefer|must|required|mandatory|essential|important|helpful|useful|with|definitely"
    r"|ha(?:ve|s) to|be (?:great|good|nice)|good|nice to have|on|include|add|keep|all|every|should|obliged"
    r"|recorded|enabled?|activated?)(?![a-z])"
)
_BARE_YES_ZH = re.compile(
    r"(?:(?>我们?|咱们?|这个|那|当然|肯定|一定|必须|必需|绝对|还是|最好|能?有|的话|会|是|也|都|需要?|要|想要?"
    r"|得要?|带上?|加上?"
    r"|开通?|录|有必要|比较|更|好|的|啊|呀|哦|吧|呢|嘛|哈|了|滴|一下|上|着|启|必备|安排|配|装|打开|开启"
    r"|启用|留|底|存|每通|每个|通通|电话|通话|全部?|都|着|个))+"
)
_SAYS_YES_ZH = re.compile(r"要|必|需|得|最好|加|带|开|录|启|留|存|安排|配|装|必备")
_BARE_NO = re.compile(
    r"(?:(?>(?:oh|well|no|nah|nope|none|we|i|it|that|this|them|those|one|do|don't|dont|do not|not|think|so|is"
    r"|isn't|really|need"
    r"|want|like|to|be|necessary|required|needed|wouldn't|would|won't|can|without|skip|pass|needn't"
    r"|unnecessary|a|for|us|rather|prefer|just|will|bother|leave|turn|switch|keep|off|live|do|be|strictly"
    r"|actually|worth|worry|about|called|important|use|point|much|our|business|case"
    r"|now|thanks|thank you|at all|any|have)(?![a-z'])\s*))+"
)
_SAYS_NO = re.compile(
    r"(?<![a-z])(?:no|none|not|without|skip|pass|unnecessary|off)(?![a-z])|n't|dont|不|没|无|免|算了|省了"
    r"|省掉|用不|关|别|用不|关"
)
_BARE_NO_ZH = re.compile(
    r"(?:(?>我们?|咱们?|这个|那个?|就|还是|暂时?|目前|现在|先|省[了掉]?|应该|好像|感觉|觉得|真的?|太|怎么"
    r"|是很|没有?这个?需[要求]|没有?那?个?必要"
    r"|无需|无须|免了|算了|别|用不着|用不上|用不到|关[掉着了]?|不[用要必需想]?要?求?|需要?|要|了|也|都|的"
    r"|啊|呀|哦|吧|呢|嘛|哈|录|开|加|带|搞))+"
)


def read_yes_no(slot: Slot, message: Message, *, asked: bool) -> list[Hit[bool]]:
    """Yes or no to this slot, with its place."""
    cues = find_cues(message.lower, {"": slot.cues}, units=(), inflected=True) if slot.cues else []
    hits = [
        Hit(said, cue.start, cue.end)
        for cue in cues
        if (said := _said_beside_cue(message, cue, asked=asked)) is not None
    ]
    return hits or ([hit] if asked and (hit := _bare_answer(message)) else [])


def _said_beside_cue(message: Message, cue: Cue, *, asked: bool) -> bool | None:
    start, end = message.clause_at(cue.start)
    low = message.lower[start:end]
    if message.asks_at(start) or _DOUBT.search(low):
        return None
    if _MUST.search(low):
        return True
    if _REFUSED.search(low) or _NO_AFTER.match(message.lower, cue.end, end) or is_negated(message, cue.start, cue.end):
        return False
    alone = low.strip() == message.lower[cue.start : cue.end]  # an item of a list: "20 people, recording, one year"
    wanted = asked or alone or _WANTED.search(low) or _YES_AFTER.match(message.lower, cue.end, end)
    return True if wanted else None


def _bare_answer(message: Message) -> Hit[bool] | None:
    """The whole message, else its first or last clause that is nothing but an answer."""
    said = polarity(message.text)
    spans = message.clauses
    if said != "other" and spans and not _LATER.search(message.lower):
        return Hit(said == "yes", spans[0][0], spans[-1][1])
    for start, end in spans:
        low = message.lower[start:end].strip()
        if message.asks_at(start) or _DOUBT.search(low):
            continue
        if _THINK_SO.search(low):
            return Hit(_SAYS_NO.search(low) is None, start, end)
        low = _SHORTENED.sub(" ", _HEDGE.sub("", low)).strip()
        said = polarity(low)
        if said != "other":
            return Hit(said == "yes", start, end)
        if (_BARE_NO_ZH.fullmatch(low) or _BARE_NO.fullmatch(low)) and _SAYS_NO.search(low):
            return Hit(False, start, end)
        if (_BARE_YES.fullmatch(low) and _SAYS_YES.search(low)) or (
            _BARE_YES_ZH.fullmatch(low) and _SAYS_YES_ZH.search(low)
        ):
            return Hit(True, start, end)
    return None
