"""What names look like: organisations, people, and what is no name (small talk, forms of address, sentences).

Owns the tables of words and the questions asked of one value; where in a message a value stands is `cued_text.py` and
`bare_text.py`.
"""

import re

from ...protocol.slots import Slot
from .message import squeeze

LONGEST_VALUE = 500

VALUE_END = re.compile(
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
_FILLER_FRONT = re.compile(
    r"\A(?:(?:uh+|um+|er+|well|like|just|actually|basically|the name|一家|一个|一間|那个|这个|嗯+"
    r"|呃+)(?![a-z])[\s,]*)+",
    re.IGNORECASE,
)
_FILLER_BACK = re.compile(
    r"(?:[\s,，]*(?:please|pls|thanks|thank you|thx|btw|by the way|though|actually|cheers|here|speaking"
    r"|谢谢您?|就行|就好|就可以"
    r"|哈|啊|哦|呀|吧|呢|啦|哒)(?![a-z]))+\W*\Z",
    re.IGNORECASE,
)
EDGES = " \t\n\"'“”‘’「」『』《》【】[]<>,，.。;；:：!！?？-–—*_~～…|/\\"

NOT_A_NAME = re.compile(
    r"\A[0-9]{1,2}\s?(?:am|pm)(?![a-z])|\A(?:not|no|yes|interested|looking|trying|going|calling|writing|having"
    r"|thinking|wondering|asking|here|there"
    r"|sorry|sure|afraid|fine|good|ok|okay|ready|happy|glad|new|"
    r"a|an|the|in|on|at|from|about|just|still|also|very|so|only|really|done|back|using|based|out|now|busy|with|to"
    r"|for|your|my|our|this|that|it|scratch|today|tomorrow|"
    r"what|which|how|why|who|when|where|unable|able|you|him|her|them|us|me|home|abroad|getting|planning"
    r"|considering|open|around|all|both|currently"
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
ORGANISATION = re.compile(
    r"(?:公司|集团|科技|诊所|医院|学校|大学|学院|幼儿园|工作室|[^商书本到分新全老门小]店|门店|小店|商店"
    r"|书店|厂|中心|银行|事务所|餐厅|餐馆|饭馆|饭庄|酒楼|酒家|茶楼|酒店|牙科|齿科|口腔|传媒"
    r"|教育|物流|货运|快运|快递|速运|搬家|贸易|商贸|咨询|基金|协会|律所|研究院|研究所|超市|市场"
    r"|[^内外全]部|网络|软件|信息|数码|制药|药房|药业|大药房|汽车|汽修|汽配|电器"
    r"|家居|家具|家装|装饰|装修|建材|五金|建筑|地产|房产|置业|中介|物业|烘焙|蛋糕|甜品|食品|餐饮|茶业|酒业"
    r"|农业|农场|果园|牧场|花艺|婚庆|婚纱|摄影|影楼|美容|美发|美业|健身|瑜伽|培训|旅行社|旅游"
    r"|客栈|民宿|宾馆|宠物|服饰|服装|纺织|印刷|广告|设计|文化|机械|模具|电子|光电|能源|环保|化工|保险|金融"
    r"|租赁|家政|洗衣|服务站|服务部|经营部|门诊部|俱乐部|商行|车行|茶行|花坊"
    r"|[\u4e00-\u9fff]{2}(?:[^不还也就都可先同内银进举流执旅自飞实一]行|[^本公]社|馆|坊|铺|轩|阁|堂|斋|庄"
    r"|苑|院|站|所|局|园))\Z"
    r"|(?:& \w+|(?<![a-z])(?:inc|ltd|llc|gmbh|corp|co|company|group|labs?|studios?|clinics?|school|academy"
    r"|agency|partners"
    r"|associates|holdings|solutions|systems|services|tech|technolog(?:y|ies)|software|media|designs?"
    r"|logistics|freight"
    r"|transport|travel|tours|hotel|cafe|bank|insurance|legal|law|dental|pharmacy|medical|hospital|motors"
    r"|realty|estates?"
    r"|plumbing|construction|electronics|foods|farms?|sons|bakery|bakers|print(?:ing|ers)?|press|garage"
    r"|autos?|repairs?|roofing|flooring|interiors|furniture"
    r"|gardens|gardening|landscaping|nursery|florists?|flowers|vets|veterinary|fitness|gym|yoga|salon|spa"
    r"|barbers?|events|catering|kitchens?|restaurant"
    r"|bistro|grill|pizzeria|diner|coffee|tea|brewery|wines?|dairy|butchers|books|bookshop|toys|sports"
    r"|boats|marine|shipping|cargo|couriers?|movers"
    r"|removals|storage|rentals?|cleaning|laundry|security|consulting|consultants|advisors|accounting"
    r"|accountants|finance|financial|capital|energy|solar"
    r"|electric|electrical|heating|engineering|industries|manufacturing|metals|steel|textiles|fashion"
    r"|boutique|jewellers|jewelry|optics|opticians"
    r"|photo(?:graphy)?|films?|productions|records|marketing|ventures|properties|homes|builders"
    r"|contractors|supply|supplies|wholesale|trading|imports"
    r"|exports|market|mart|stores?|shop|society|foundation|institute|college|university|church|club|centre"
    r"|center|care|pets|stables|inn|lodge|hostel|ceramics|pottery|cabs|taxis?|scaffolding|upholstery"
    r"|surveys|surveyors|physio|physiotherapy|chiropractic|joinery|carpentry|masonry|glazing|paints?|tiles"
    r"|plastics|packaging|recycling|robotics|games|apparel|footwear|hair|nails|beauty|childcare|daycare"
    r"|tutoring|wellness|nutrition|optical|lettings|brokers|freight|airlines|airways|aviation|charters"
    r"|hardware|tools|equipment|machinery|parts|tyres|tires|bikes|cycles|cars|trucks))\Z",
    re.IGNORECASE,
)
_PERSON = re.compile(
    rf"[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}\Z|欧阳[\u4e00-\u9fff]{{1,2}}\Z|[{_SURNAMES}](?:先生|女士|小姐|经理|总|老师"
    rf"|医生)\Z"
)

_CALLED = re.compile(rf"(?:小|老|阿)[{_SURNAMES}]\Z")

GERUND = re.compile("[a-z]+ing(?![a-z])")
_SENTENCE_WORD = re.compile(
    r"(?<![a-z'])(?:the|a|an|for|with|from|to|at|in|on|about|we|our|us|my|need|want|use|make|take|get|it|is|are|be"
    r"|will|would"
    r"|mostly|mainly|probably|just|only|please|call|ring|phone|plan|quote|price|some|any|this|that|there|here|because"
    r"|so)(?![a-z'])"
)
_SENTENCE_CHAR = re.compile(
    r"推荐|听说|[我你您他她它给想要吗呢嘛啊呀吧哦了着过没很太就都把被让请说问谁哪么这那]|[的好用]\Z"
    r"|\A(?:个人|咨询|价格|是|有"
    r"|用|做|打|装|买)"
)
# What people write beside their answer: forms of address, what they are doing, how they are.
_ADDRESS = re.compile(
    r"(?:(?:hey+|hi+|hello|g'?day|dear|good|my|sirs?|madam|ma'am|miss|mister|mr|mrs|ms|or|and|friends?|buddy|bro"
    r"|brother|dude|mate|pal|guys?|folks"
    r"|boss|darling|honey|love|team|all|everyone|everybody|there|support|morning|evening|afternoon|day"
    r"|lady|ladies|gentlemen|again)(?![a-z])\W*)+\Z"
    r"|(?:小|老|大|各位|亲爱的?)*(?:亲+|亲爱|老板|老板娘|师傅|[大小]?[哥姐]|小[哥姐]{2}|哥哥|姐姐|[哥姐]们"
    r"|美女|帅哥|小?同志|领导|老师|老铁|兄弟|哥们儿?|朋友|先生|女士|小姐"
    r"|客服|小妹|妹子|阿姨|大叔|叔叔?|老乡|掌柜|老总|经理|大家|诸位|宝|宝子|机器人|姑娘|小伙子"
    r"|伙计)们?的?(?:[你您]?好|在不在|在[吗么]?|[啊呀哈哦])?\Z",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"(?<![a-z'])(?:meetings?|driving|busy|days?|morning|evening|stor(?:y|ies)|short|questions?|quick"
    r"|weather|work|train|bus|lunch|dinner|moment|minutes?|seconds?"
    r"|buddy|friends?|sir|madam|dear|hurry|late|tired|hope|luck|god|gosh|wow|first|anyway|again|today"
    r"|tonight|yesterday|tomorrow|weekend|speak|talk|type|typing"
    r"|phones?|urgent|lol|haha|pls|hectic|bit|battery|nice|waiting|sec|connection|signal|hands|thing|things|nothing|idea|way"
    r"|much|many|few|long|rush|traffic|kids?|home|office|time|yet|too|well|never)(?![a-z'])"
    r"|忙|烦|保密|暂时|声音|开会|会议|开车|堵车|下班|上班|休息|吃饭|午饭|信号|网络不|方便|路上|出差|打字|天气|长话短说"
    r"|热情|辛苦|着急|赶时间|好累|刚|今天|昨天|明天|最近|稍微|有点|好久|一会|正在|真[的热冷好累]"
    r"|在(?!线)|不(?!二|倒|凡|莱)|得|怎|还|又|再(?!生|造)"
)
_VERB_FRONT = re.compile(r"(?:开[了的着]?(?=一?[家个间])|有一?[家个间]|做|搞|经营|本人|我|在(?=.{0,4}[开上]))")
_A_KIND = re.compile(  # what it is, not what it is called
    r"(?:小|大|个体|私人|普通|夫妻|社区|家庭|私营|民营|实体|网上|淘宝|一般|微型|中小|创业|连锁)*(?:公司"
    r"|企业|店|小店|便利店|诊所|饭店|餐馆|餐厅|超市|学校|工厂|厂|工作室|个体户|个体|个人|门店|商店|网店"
    r"|培训班|培训机构|理发店|美容院|作坊|小作坊|铺子|单位|机构|酒店|宾馆|民宿|医院|花店|面馆)\Z"
    r"|开(?:饭馆|餐馆|饭店|店|厂|公司|超市|诊所|网店|工厂|花店|车行|面馆)\Z"
    r"|(?:small |local |family |little |tiny |private |new |online )*(?:business|company|firm|shop|store"
    r"|restaurant|clinic"
    r"|school|agency|startup|start-up|office|garage|bakery|hotel"
    r"|freelancer|individual|self[- ]employed)\Z",
    re.IGNORECASE,
)
_OWN_HOUSE = re.compile(
    r"\A(?:大名|全名|名字|名称|全称)\s*[::]\s*|\A(?:咱们?|我们?|俺们?)?(?:[这那]?[家个间边里])?(?:小|门"
    r"|的)*(?:店|厂|公司|集团|工作室|单位|机构|诊所|学校|饭店|餐馆|超市|酒店|家|园|铺子|店铺|团队|事务所"
    r"|中心)(?:里|面|儿)?(?:的)?"
    r"(?:名字|名称|全称|全名|大名|名)?(?:叫做?|是|名叫|名为|就是|就叫)(?!什么)"
)
_PARTICLES = frozenset("of and & the for in at on de la y n by".split())
_OF_A_HOUSE = re.compile(r"company|business|firm|organi[sz]ation|employer|公司|单位|机构|企业")
_STAFF = re.compile(r"(.{2,30}?)的(?:[\u4e00-\u9fff]{1,4})\Z")
_PAST_SUFFIX = re.compile(r"(.{2,}?(?:有限公司|集团公司|公司|集团|事务所|工作室))[\u4e00-\u9fff]{1,4}\Z")


def clean_value(text: str) -> str:
    value = squeeze(text[: 2 * LONGEST_VALUE]).strip(EDGES)
    value = _FILLER_BACK.sub("", _FILLER_FRONT.sub("", value)).strip(EDGES)
    return value[1:-1].strip(EDGES) if re.fullmatch(r"\([^()]*\)", value) else value


def like_a_name(value: str) -> bool:
    first = value[0]
    if first.isascii():
        return first.isupper()
    return bool(_PERSON.match(value) or ORGANISATION.search(value)) or (
        not "\u4e00" <= first <= "\u9fff" and first.isalpha()
    )


def could_be_a_name(value: str, *, whole: bool) -> bool:
    """A lower-case or Chinese answer names something if it is short and has none of the words that make sentences."""
    low = value.lower()
    if _SMALL_TALK.search(low):
        return False
    if value.isascii():
        if GERUND.fullmatch(value):
            return False
        return len(value.split()) <= (4 if whole else 3) and not _SENTENCE_WORD.search(low)
    return len(value) <= 20 and not _SENTENCE_CHAR.search(value)


def is_titled(value: str) -> bool:
    """Each word has a capital, as names are written: "Bank of Tea", not "Busy day"."""
    words = [word for word in value.split() if word.lower() not in _PARTICLES]
    return bool(words) and all(word[0].isupper() or word[0].isdigit() for word in words) and value[0].isascii()


def is_address(value: str) -> bool:
    """ "Dear Sir", 老板: whom the customer talks to."""
    return _ADDRESS.match(value) is not None


def names_houses(slot: Slot) -> bool:
    return any(_OF_A_HOUSE.search(cue) for cue in slot.cues)


def of_its_kind(slot: Slot, value: str) -> str:
    """For a slot of houses, not people: 北极星科技的小王 names 北极星科技; a person alone names nothing, nor does a kind."""
    if not names_houses(slot):
        return value
    value = _OWN_HOUSE.sub("", value)
    if found := _STAFF.match(value) or _PAST_SUFFIX.match(value):
        return found[1]
    value = value.removesuffix("的") if len(value) > 3 else value
    nameless = _PERSON.match(value) or _CALLED.match(value) or _A_KIND.match(value) or _VERB_FRONT.match(value)
    return "" if nameless else value
