"""Does a clause ask for a person? Rules, zh and en: an explicit request, never a mention.

"let me talk to a person", 转人工 are requests; "are you human?", "human resources", 人工智能, 不用转人工 are not.
Asking for a department or a colleague of the house ("put me through to the front desk") is one too: a bot
cannot connect it otherwise. Called by `exits.detect_exit`; owns no state and knows no flow.
"""

import re

from ..protocol.normalize import Clause

_ADJECTIVE = (
    r"(?:(?:real|actual|live|human|normal|other|another|different|living|proper|competent|trained|customer|service|"
    r"support|sales|senior|bank|staff|"
    r"non robotic|nonrobotic|physical|genuine|flesh and blood|care|call cent(?:er|re)|helpful|your|the|of|call|one|"
    r"shift|duty|technical|tech|team|better|smarter) )*"
)
_PERSON = (
    r"(?:humans?(?: being)?s?(?! (?:resources?|rights|error|traffick\w+))|person|people|someone|somebody|anyone|"
    r"anybody|agents?|representatives?|reps?|operators?|managers?|"
    r"supervisors?|advis[oe]rs?|employees?|workers?|staff|clerks?|tellers?|colleagues?|consultants?|specialists?|"
    r"(?:team|staff) members?|boss|receptionists?|reception|"
    r"front desk|help ?desk|customer (?:service|support|care|relations)|(?:support|service|sales) (?:team|desk|"
    r"department|line|staff)?|support|sales(?:person|man|woman)?|attendant|"
    r"associate|assistant manager|concierge|housekeeping|room service|security|maintenance|management|expert|"
    r"professional|man|woman|guy|lady|individual|being|personnel|owner|director|technician|dispatcher|call cent(?:er|"
    r"re)|department)"
)
_A = r"(?:(?:a|an|the|your|some|any|one of (?:your|the)|my) )?"
_WHOM = _A + _ADJECTIVE + _PERSON + r"(?! (?:on the line|name|number of))"
_TALK = (
    r"(?:talk|speak|chat|converse|communicate|get in touch|get in contact|be in touch|deal|have a (?:word|chat|"
    r"conversation)|interact|get through|get connected|be connected|be transferred|be put through|be redirected|"
    r"switch|transfer)"
)
_WISH = (
    r"(?:(?:let|allow|get) me(?: to)?|(?:can|could|may|might|shall|should|must|when can|where can|how (?:do|can|"
    r"could|would)) (?:i|we)(?: please| possibly| maybe| just)?|"
    r"(?:i|we)(?:'?d| would)? (?:really |just |only |actually |still |absolutely |rather |would |do |honestly |"
    r"simply |now )*"
    r"(?:want(?: to)?|wanna|need(?: to)?|would like(?: to)?|like to|love to|wish to|demand(?: to)?|prefer(?: to)?|"
    r"have to|must|should|gotta|got to|require to|rather|insist on|request to)|"
    r"(?:i(?:'?d| would)|id) (?:really |much |just )?(?:like|love|prefer|rather)(?: to)?|(?:i(?:'?m| am) )?trying to|"
    r"is it possible to|would it be possible to|possible to|any way to|is there (?:a|any) way (?:i can |to )|"
    r"(?:would like|want|need|wish|like|wanna) to|i ask to|why can'?t i|can'?t i|want|is there (?:a|an|any|"
    r"some)\w* \w+(?: \w+)? (?:i|that i|who i|whom i)? ?(?:can|could))"
)
_NOT_MINE = r"(?! (?:yesterday|before|last|earlier|later|first|at home))"
_MACHINE = (
    r"(?:an? |the |your |these |this |some |stupid |dumb |any )*(?:bots?|robots?|machines?|computers?|virtual \w+|"
    r"chat ?bots?|automated \w+|ai|ais|programs?|software|answering machine|recordings?)"
)

_START = r"(?:^|(?<= ))"
_TO_TALK = (
    rf"{_WISH}(?: (?:please|just|now|also|directly|first|instead|finally))* {_TALK}(?:ing)?(?: (?:directly|right now|"
    rf"now|please|live|instead))*"
    r"(?: (?:to|with|through|over))+"
    rf" (?:{_WHOM}\b|(?:the|your) (?!bot|robot|machine|point|same|details?|customer\b(?! \w))[a-z]+(?: [a-z]+)?$|"
    rf"an? (?:\w+ )?(?:worker|officer|department)\b){_NOT_MINE}"
)
_TO_CONNECT = (
    r"(?:transfer|connect|put|pass|hand|switch|redirect|forward|escalate|direct|refer|route|patch|bring|hook|send|"
    r"link|get)"
    r" (?:me|us|this|my (?:call|chat|case)|it|the (?:call|chat)|over|through|up)"
    r"(?: (?:over|on|through|up|on the (?:line|phone)|directly|in touch|in contact|straight|back|please))*(?: (?:to|"
    r"with|through))+"
    rf" (?:{_WHOM}\b|(?<!get me to )(?<!bring me to )(?<!send me to )(?<!pass me to )(?:the|your|an?) (?!(?:wi ?fi|"
    rf"internet|network|server|vpn|bluetooth|data|account|app|bot|robot|web\w*|page|link|list|menu|airport|"
    r"nearest|next|\w+ version)\b)[a-z]+(?: [a-z]+)?(?= please| now|$))"
)
_TO_GIVE = (
    r"(?:(?:give|get|find|bring|send|fetch|pass|provide|call|reach|contact)(?: (?:me|us))?(?: with)?|(?:i|we)(?:'?d|"
    r" would)? (?:really |just |only )*"
    r"(?:want|need|demand|prefer|like|request)|(?:can|could|may) i (?:please )?(?:get|have)|i(?:'?d| would) (?:like|"
    r"prefer)|call|ask for|requesting|want|need)"
    r" (?:(?:a|an|the|your|some|another|to have a|to see a|to see the|to see your) )?"
    r"(?:(?:real|actual|live|human|proper|normal|living|your|customer|service|different|another) )*"
    r"(?:human(?: (?:being|agent|operator|person|help|support|assistance|representative|contact|service|advisor|"
    r"adviser))?(?! (?:resources?|rights|error|\w+s\b))|"
    r"(?:(?<=real )|(?<=actual )|(?<=live )|(?<=human )|(?<=normal )|(?<=living )|(?<=another )|(?<=different ))"
    r"(?:person|agent|operator|people|rep|representative|support|assistant|advisor|adviser|someone|somebody)|"
    r"(?:customer )?(?:representative|operator|manager|supervisor)|agent|person to (?:talk|speak) (?:to|with)|"
    r"(?:someone|somebody) (?:else|real|human|to (?:talk|speak) (?:to|with)|i can (?:talk|speak))|"
    r"(?<=want a )person(?=$)|(?<=need a )person(?=$))"
    r"(?=$| (?:please|to|now|who|that|from|for|about|on|here|in|at|right|as|asap|immediately|and|or|because|not|"
    r"instead|already|thanks|with|today)\b)"
)
_ANOTHER = (
    r"(?:(?:can|could|may|would|will) (?:please )?(?:(?:someone|somebody|anyone|anybody) (?:else|real|human|"
    r"from (?:your|the) \w+|there)|"
    rf"(?:a|an|some|another|your) {_ADJECTIVE}(?:human|person|agent|representative|rep|manager|supervisor|operator|"
    rf"colleague|advisor|adviser))"
    r"(?: (?:please|just|maybe))* (?:help|take|look|assist|call|contact|handle|deal|answer|solve|do|come|talk|speak|"
    r"reach|check|get)|"
    rf"(?:have|ask|tell|get|let) (?:a|an|your|the|some|another|someone|somebody) ?{_ADJECTIVE}"
    r"(?:human|person|agent|representative|rep|manager|supervisor|operator|advisor|adviser|someone|"
    r"somebody)?(?: from \w+ \w+)? (?:to )?"
    r"(?:call|contact|phone|ring|reach|help|assist|talk|speak)(?: (?:me|us|to me|with me|out to me))|"
    r"put (?:a|an|the|your|some) " + _ADJECTIVE + _PERSON + r" on|"
    r"(?:do you have|is there|are there|is|are)(?: (?:a|an|any|some))? (?:(?:real|actual|live|human|other|physical|"
    r"normal) )*"
    r"(?:human|humans|person|people|agent|agents|operator|representative|someone|somebody|anyone|anybody|manager|"
    r"supervisor)"
    r"(?: (?:here|there|else|available|around|on duty|that|who|whom|real|human|in \w+))* "
    r"(?:i can|can|could|i could|to|available|who|that|on duty)(?: (?:i|talk|speak|help|call|chat|take|assist|"
    r"contact|me|can|to|with))*)"
)
_NO_BOT = (
    r"(?:(?:don'?t|do not|not|stop|no more|hate|sick of|tired of|refuse to|won'?t|rather not|enough of|done|quit)"
    r"(?: (?:want|like|wish|feel|comfortable|happy|to|like|need|going|keep|safe|okay|ok|at ease|good|be))*"
    r" (?:to )?(?:talk|talking|speak|speaking|chat|chatting|deal|dealing|share|sharing|giv(?:e|ing)|discuss|"
    r"discussing|tell|telling|disclose|disclosing|"
    rf"communicate|communicating|interact|interacting|using|use|trust)\b(?: (?!and\b|"
    rf"but\b)[a-z']+){{0,6}} {_MACHINE}(?= |$)|"
    rf"(?:don'?t|do not) (?:want|need|like) (?:to (?:use|have) )?{_MACHINE}$|no (?:more )?(?:bots?|robots?|"
    rf"machines?)(?: please)?$)"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _compiled(pattern: str) -> re.Pattern[str]:
    """Repeats are bounded, so that no text makes overlapping alternatives backtrack for long."""
    return re.compile(pattern.replace(")*", "){0,6}"))


_PEOPLE = _words(
    "human humans person people someone somebody anyone anybody agent agents representative representatives rep reps "
    "operator "
    "manager supervisor advisor adviser colleague"
)
_TALKING = _words(
    "talk talking speak speaking chat chatting converse communicate touch contact word conversation deal interact "
    "through "
    "connected transferred redirected switch transfer"
)
_CONNECTING = _words(
    "transfer connect put pass hand switch redirect forward escalate direct refer route patch bring hook send link get"
)
_MACHINES = _words(
    "bot bots robot robots machine machines computer computers virtual chatbot chatbots automated ai ais program "
    "software"
)
_GIVING = _words(
    "give get find bring send fetch pass provide want need demand prefer like request have call ask requesting reach "
    "contact"
)
_ASKING = _words("can could may would will have ask tell get let is are put")
_HELPING = _words(
    "help take look assist call contact handle deal answer solve do come talk speak reach check get phone ring "
    "available duty "
    "there around to who that on"
)
_TO = _words("to with through")
_CUES = _PEOPLE | _TALKING | _CONNECTING | _MACHINES | _words("service support care managers supervisors")

# A pattern, whether a "not" before it takes it back, and sets of which the clause must have a word each: looking at
# words costs a tenth of trying a pattern at each of them.
_ENGLISH: tuple[tuple[re.Pattern[str], bool, tuple[frozenset[str], ...]], ...] = (
    (_compiled(_START + _TO_TALK), True, (_TALKING, _TO)),
    (_compiled(_START + _TO_CONNECT), True, (_CONNECTING, _TO)),
    (_compiled(_START + _TO_GIVE), True, (_PEOPLE, _GIVING)),
    (_compiled(_START + _ANOTHER), True, (_PEOPLE | {"your", "the"}, _ASKING, _HELPING)),
    (_compiled(_START + _NO_BOT), False, (_MACHINES,)),
)
_EN_BARE = _compiled(
    r"(?:(?:hi|hello|hey|please|now|ok|okay|well|just|no|sorry|can i|could i|get|a|an|the|to|your|i said|yes|maybe) ?)*"
    r"(?:(?:real|live|human|actual) )?(?:human(?: being)?|agent|representative|rep|operator|(?:real|live|actual|"
    r"human) (?:person|agent|operator|representative|support|chat|being|help)|person please|manager|supervisor|"
    r"human (?:please|now)|(?:transfer|connect) me|"
    r"customer (?:service|support|care)(?: (?:representative|agent|rep|please))?|(?:speak|talk)(?:ing)? (?:to|"
    r"with) (?:a |an |the |your )?"
    + _ADJECTIVE
    + _PERSON
    + r"(?: (?:about|at|in|from|regarding|for|concerning|please|working|who|that|on|else|now|right|"
    r"instead) ?.*)?)(?: (?:please|now|thanks|asap|immediately|right now|pls|plz|help|only))*"
)
_EN_NOT = _compiled(
    r"\b(?:don'?t|do not|does not|doesn'?t|didn'?t|did not|never|no need|needn'?t|not|rather not|instead of|without|"
    r"before|no longer|if|unless|stop|won'?t have|why would|wouldn'?t|avoid|"
    r"(?:you|he|she|they) (?:don'?t |do not )?(?:want|like|need)|want(?:s|ed)? me|told me|asked me|"
    r"said)(?: [a-z']+){0,6} ?$"
)
_EN_REQUESTED = re.compile(r"\b(?:but|just|so|then|and|please|let) ?$|\b(?:can|could) (?:i|you) ?$")

_ZH_WHO = (
    r"(?:人工(?!智能|费|成本|审核|降雨|草|湖|呼吸|林|骨|钻|制|合成|受精|关节|增雨|养殖|客服(?:的)?(?:电话|号码|时间|"
    r"工作|几点|多少|上班|在哪)|服务(?:费|时间|几点|电话|热线|的)|(?:电话|时间|几点|上班))(?:客服|服务|坐席|座席|"
    r"专员|接待|咨询|台|处理)?|"
    r"真人(?!秀|版|照|cs|快打|图|模)(?:客服|服务)?|活人|大活人|客服(?!电话|号码|热线|时间|几点|态度|说|告诉|的|小姐|"
    r"什么|多少|邮箱|微信)(?:人员|专员|经理|小姐姐|代表)?|"
    r"(?:你们?|您们?|贵司)?(?:的)?(?:经理|领导|主管|负责人|老板|店长|专员|同事|工作人员|管理员|值班经理))"
)
# People of the house by what they do: they are wanted only where somebody is to fetch them or to talk.
_ZH_STAFF = (
    r"(?:你们?|您们?|贵司|咱们?|那边|负责[\u4e00-\u9fff]{1,4})?(?:的)?"
    r"(?:客户经理|经理|领导|上级|主管|负责人|老板|店长|顾问|销售|售前|售后|技术|专员|专人|同事|工作人员|值班人员|接线员|客服|真人|人工|人)"
    r"(?:专员|人员|同事|小姐姐|小哥|客服)?(?!电话|号码|问题|方案|系统|功能|版)"
)
_ZH_TALK = r"(?:聊|说|讲|谈|沟通|反映|反馈|确认|核对|通话|通个话|对话|交流|对接|联系)"
_ZH = _compiled(
    r"(?P<turn>(?:转接?|接通?|换成?|切换?到?|连线?|呼叫?|叫|找|请|联系|派|安排|喊|上)(?:到|给|成|一?[个位名下]|"
    r"你们?的?|您们?的?|贵司|我|去|至|来|为|那个|的)*" + _ZH_WHO + r"(?!吗?的?电话)"
    r"|(?:我?(?:要|想要|需要|想|就要|只要|还是要)|给我|帮我|来|麻烦|有没有|有|能不能|可以|能)(?:来|给|换|叫|找|派|"
    r"安排|转|接|一?[个位名下]|你们?的?|我)*(?:人工(?!智能|费|成本|审核|降雨|草|湖|呼吸|服务费)(?:客服|服务|坐席|"
    r"座席)?|真人(?!秀|版|照|图)(?:客服)?|活人)"
    r"|(?:跟|和|与|找|同|让|叫)(?:你们?的?|一?[个位名]|真正的?|那个)*(?:人工|真人|活人|人|客服|经理|领导|主管|负责人|"
    r"工作人员)(?:客服|类)?(?:来)?(?:说|聊|谈|沟通|讲|对话|交流|通话|跟我|和我|联系我|处理|解决|回复|回答)|(?:让|"
    r"叫)(?:人工|真人|客服|经理|领导|主管)(?:过)?来"
    r"|(?:不想|不要|别|不愿意?|拒绝|受够|讨厌)(?:再)?(?:跟|和|与|对着|让)?(?:你这个?|这个?|一?个|什么)*(?:机器人|"
    r"机器|电脑|智能客服|ai|程序)(?:说|聊|谈|对话|沟通|讲|废话|回复|客服|了|服务)*"
    r"|换(?:一?个|位)?(?:真?人|客服)(?:来)?(?=$|[吧来跟和说行聊了 ])"
    r"|(?:转接?|接|转给|接给|找|叫|请|呼叫|喊)(?:到|给|一下|下|一?[个位名]|我|个|那个)*"
    r"(?:[\u4e00-\u9fff]{0,5}的)?" + _ZH_STAFF + r"(?:来|过来|听|接|跟我|和我|联系我|处理|对接|谢谢|吧|$)+"
    r"|(?:让|请|叫|派)(?:一?[个位名])?" + _ZH_STAFF + r"(?:来|过来|联系我|跟我|和我|给我|帮我)"
    r"|(?:跟|和|与)"
    + _ZH_STAFF
    + r"(?:直接|当面|再)?"
    + _ZH_TALK
    + r"|(?:想|要|愿意|希望)?直接(?:跟|和|找)"
    + _ZH_STAFF
    + r"|(?:给|帮)我(?:找|接|叫|安排)一?个?[\u4e00-\u9fff]{0,6}的?人(?=$|[吧来谢 ])"
    r"|有(?:没有)?"
    + _ZH_STAFF
    + r"(?:可以|能)"
    + _ZH_TALK
    + r"|希望有(?:专人|真人|人工)|我要人$|(?:人工){2,}|排(?:一?下)?(?:人工的?队|队等?人工)|人工(?:服务|客服)?在哪里?转"
    r"|(?:客户经理|经理|领导|主管)在(?:吗|不在))"
)
_ZH_BARE = _compiled(
    r"(?:你好|您好|请|那|麻烦|喂|我说|直接|快|赶紧)*(?:人工|人工客服|人工服务|人工台|真人|真人客服|客服|活人|转人|"
    r"找人)(?:吧|啊|呢|谢谢|在吗?|快点?|呀|哦|有吗|来|[你您]好|！|一下)*"
)
_ZH_NOT = _compiled(
    r"(?:不用|不要|不必|不需要?|别|无需|没必要|没有?|不想|不是|是不是|[你您这]们?(?:是|就是|到底是)|不会|甭|先不|"
    r"免得|怎么不|昨天|刚才|之前|上次|已经|如果|要是|万一)(?:[^ ]{0,3})$|不$"
    # The product is talked about: it transfers somebody else's calls.
    r"|(?:系统|软件|通话|来电|呼叫|机器人|客户|用户|顾客|访客|套餐)[^ ]{0,6}$"
)
_ZH_ABOUT = re.compile(
    r"^(?:吗|么)?(?:是什么|什么意思|多少钱|要多久|要钱|收费|几点|什么时候|在哪(?!里?转)|电话|的电话|怎么收费|的?功能|要怎么|怎么[设配])"
)


_ZH_CUES = re.compile("人|客服|经理|领导|主管|老板|店长|专员|同事|管理员|机器|电脑|程序|ai")


def asks_for_person(clauses: tuple[Clause, ...]) -> str | None:
    """The words of the first clause that asks for a person; None if none does."""
    for clause in clauses:
        if found := _in_english(clause.text) or _in_chinese(clause):
            return found
    return None


def _in_english(words: str) -> str | None:
    present = set(words.split())
    if present.isdisjoint(_CUES):
        return None
    if _EN_BARE.fullmatch(words):
        return words
    for pattern, negatable, cues in _ENGLISH:
        if any(present.isdisjoint(cue) for cue in cues):
            continue
        for match in pattern.finditer(words):
            before = words[: match.start()]
            if not negatable or not _EN_NOT.search(before) or _EN_REQUESTED.search(before):
                return match[0]
    return None


def _in_chinese(clause: Clause) -> str | None:
    words = clause.text
    if words.isascii() or not _ZH_CUES.search(words):
        return None
    if _ZH_BARE.fullmatch(words):
        return words
    for match in _ZH.finditer(words):
        if not _ZH_NOT.search(words[: match.start()]) and not _ZH_ABOUT.match(words[match.end() :]):
            return match[0]
    return None
