"""How many ways customers have to say one thing: tables of ordinary wordings, each with what must be understood.

Read with the example's slots and texts, without a model. A wording that is not understood belongs here with its kind.
"""

from datetime import date
from typing import Any

import pytest

from maitred.decision.keyword import choose
from maitred.examples.presales.faq import faq
from maitred.examples.presales.flow import STEPS, Presales
from maitred.fallback.exits import detect_exit
from maitred.protocol.decision import DecisionRequest
from maitred.protocol.menu import Menu, MenuItem
from maitred.protocol.normalize import script_of
from maitred.protocol.slots import Slot
from maitred.statemachine.reading.readers import read_slots

SLOTS: dict[str, Slot] = {name: slot for step in STEPS.values() for name, slot in step.collects.items()}
TODAY = date(2026, 11, 30)

# What was asked for, what is read, the wordings.
ANSWERS: tuple[tuple[str, Any, str], ...] = (
    (
        "use",
        "sales",
        "sales|Sales!|sales calls|outbound sales|cold calling|it's for our sales team|"
        "we sell insurance over the phone|calling potential customers|to call leads|telemarketing mostly|"
        "making sales calls|our reps call clients all day|mainly for selling|reaching out to prospects|"
        "lead generation|we'll be phoning customers to offer our products|sales, mostly|the first one|"
        "The sales department|销售|电话销售|做销售用|外呼|打外呼的|给客户打电话|主要是销售|销售打电话用的|"
        "跑业务用|联系客户用|推广产品|卖房的，要天天打电话|打营销电话|业务员打电话|销售为主，也有一点客服|"
        "电话推销|我们是做电销的|打给潜在客户|第一个|主动联系客户",
    ),
    (
        "use",
        "support",
        "support|customer support|customer service|helping our customers|after-sales service|"
        "answering the phone|our hotline|taking calls|people call us for help|inbound calls|"
        "clients ringing us with problems|tech support line|handling complaints|support desk|service hotline|"
        "we get a lot of calls from customers|so customers can reach us|receiving orders by phone|"
        "for our call center agents answering questions|the second one|客服用|客户服务|做客服|售后|售后服务|"
        "接电话|接客户电话|客户打电话进来|热线电话|处理投诉|接听咨询|用户打进来问问题|400热线|服务客户|"
        "客户会打电话来|方便客户找到我们|接单|客户报修用|第二个|客户服务吧",
    ),
    (
        "use",
        "internal",
        "internal|internal calls|inside the company|calls between offices|just among ourselves|"
        "between branches|team communication|for colleagues to talk to each other|internal use only|"
        "office calls|in-house|the third one|intercom|公司内部|内部通话|内部用|内部沟通|同事之间打电话|办公用|"
        "各部门联系|分公司之间|员工之间沟通|公司里面用|自己人打|内线|第三个|总部和门店之间通话|企业内部沟通",
    ),
    (
        "budget",
        3000,
        "3000|3,000|3k|three thousand|about 3000|around 3k a month|3000 yuan|3000 per month|up to 3000|"
        "no more than 3,000|maximum 3000|I'd say 3000|roughly three thousand yuan|less than 3000|"
        "between 2000 and 3000|2000-3000|2000 to 3000|2-3k|my budget is 3000|we can spend 3000|"
        "something like 3000|3000 tops|not more than 3000 a month|3000ish|CNY 3000|RMB 3000|¥3000|"
        "3000 max per month|let's say 3000|we have 3000 monthly|3000/mo|say 3000 or so|三千|三千块|3000块|"
        "3000元|三千左右|大概三千|差不多三千吧|一个月三千|每月三千|每个月3000|三千以内|不超过三千|两三千|"
        "两千到三千|最多三千|预算3000|预算三千|3000一个月|三千块钱一个月|月预算3千|3千|控制在三千以内|"
        "也就三千吧|三千上下|能接受三千|不能超过3000|3000吧|月付三千左右|大概在3000元左右|0.3万",
    ),
    (
        "term_months",
        12,
        "12|12 months|one year|a year|1 year|twelve months|1yr|for a year|a 12-month contract|let's do a year|"
        "12 mo|annual|a one-year contract please|yearly|maybe a year|twelve|just one year|start with a year|"
        "a full year|a year to begin with|12 months is fine|one year for now|一年|12个月|签一年|先签一年|"
        "十二个月|1年|一年吧|先来一年|一年期|12|十二|签个一年|一年就行|按年签|暂定一年|先一年看看|一整年|"
        "至少一年|十二个月吧|年付",
    ),
    (
        "term_months",
        6,
        "half a year|6 months|six months|six|半年|六个月|先半年|6个月吧|半年吧|两个季度|two quarters",
    ),
    (
        "term_months",
        24,
        "two years|2 years|24 months|a couple of years|2yrs|two-year contract|两年|2年|二十四个月|24个月|签两年吧|俩年",
    ),
    (
        "seats",
        20,
        "20|twenty|20 people|about 20|around twenty|20 users|we have 20 employees|20 of us|a team of 20|"
        "20 seats please|maybe 20|up to 20|20 staff members|there are 20 of us|20 or so|approximately 20|"
        "just 20|20-ish|it's for 20 people|we need 20 lines|20 phones|20 agents|15 to 20|"
        "between 15 and 20 people|20 extensions|20+|20人|20个|二十个人|二十人左右|大概20个|20来个|"
        "二十几个人里有20个用|20个人用|20位|20名员工|20个座席|二十个吧|十五到二十人|20多个|20个左右|有20人|"
        "需要20个席位|20个同事|20个账号|20部电话|20台|要20个|我们一共20个人|差不多二十人|20口人|二十号人|"
        "20人以内|不到20人",
    ),
    (
        "recording",
        True,
        "yes|yes please|yeah|sure|definitely|we do|yes we do|of course|absolutely|I think so|we need it|"
        "that would be good|please record all calls|record everything|yes, recording is important|"
        "it's required|we have to by law|that'd be great|would be nice to have|yes with recording|ok|yup|"
        "we want that|must have|for sure|I'd like that|recording please|yes, for quality control|"
        "need it for training|可以|要|需要|要的|需要的|必须|必须要|肯定要|当然|是|是的|对|嗯|有最好|最好有|"
        "需要录音|要录音|录音要|得录|要录|开通录音|录|需要，方便质检|嗯，要的|有录音比较好|带录音的|那肯定需要|"
        "必须得有|好的，需要|都要录|加上吧|开吧|要吧|行，要",
    ),
    (
        "recording",
        False,
        "no|no thanks|nope|not needed|we don't|no need|not really|don't need it|we don't need recording|"
        "no recording|without|without recording|nah|not necessary|I don't think so|no, thank you|skip it|"
        "that's not necessary|we can do without|not at the moment|never mind the recording|not for now|"
        "no recordings please|don't record|we'd rather not|prefer not|I'd rather not|unnecessary|not required|"
        "不|不要|不用|不需要|不用了|不必|没必要|暂时不用|不需要录音|不用录音|不要录音|录音不要|录音不需要|"
        "先不要|算了|否|不用吧|没这个需要|不录|不录音|用不着|无需|不太需要|应该不用|目前不需要|不用不用|不了|"
        "不用，谢谢|没有需要|免了",
    ),
    (
        "contact",
        "13800138000",
        "13800138000|138 0013 8000|138-0013-8000|it's 13800138000|call me at 13800138000|"
        "my number is 138 0013 8000|phone: 13800138000|sure, 13800138000|13800138000, ask for Tom|"
        "tel 138.0013.8000|mobile 13800138000 please|我的电话是13800138000|13800138000，姓王|手机号13800138000|"
        "打我手机13800138000|１３８００１３８０００|138 00138000|1380013 8000|电话：138-0013-8000。|"
        "联系我13800138000就行|微信和电话都是13800138000|Tel:13800138000",
    ),
    (
        "company",
        "Acme Dental",
        "Acme Dental|We're Acme Dental|we are called Acme Dental|It's Acme Dental|The company is Acme Dental|"
        "Our company is called Acme Dental|This is Acme Dental|I'm calling from Acme Dental|"
        "I'm from Acme Dental|Acme Dental here|My company's name is Acme Dental|company name: Acme Dental|"
        "Name of the company is Acme Dental|Hi, I'm Tom from Acme Dental|Tom from Acme Dental|"
        "I work at Acme Dental|I work for Acme Dental|we go by Acme Dental|Acme Dental, we're in Leeds|"
        "Acme Dental. We have 20 people.|Acme Dental and there are 20 of us|Acme Dental with 20 people|"
        "Acme Dental (20 people)|Acme Dental - 20 users|I run a clinic called Acme Dental|"
        "a dental clinic, Acme Dental|Sure! We are Acme Dental|Hello, Acme Dental|I represent Acme Dental|"
        "on behalf of Acme Dental|The name's Acme Dental|it is called Acme Dental|our business is Acme Dental|"
        "Acme Dental please|we're a clinic named Acme Dental|I'm Anna and I work for Acme Dental|"
        "My name is Anna, company is Acme Dental|I'm the manager of Acme Dental|we are with Acme Dental",
    ),
    (
        "company",
        "蓝海科技",
        "蓝海科技|我们是蓝海科技|我们公司叫蓝海科技|公司名字是蓝海科技|公司叫蓝海科技|叫蓝海科技|"
        "蓝海科技，20个人|我是蓝海科技的|我是蓝海科技的小李|我是蓝海科技的采购经理|这里是蓝海科技|"
        "这边是蓝海科技的|单位是蓝海科技|公司：蓝海科技|公司名称：蓝海科技|我在蓝海科技上班|我来自蓝海科技|"
        "我们蓝海科技有20个人|您好，我们是蓝海科技|你好，蓝海科技|蓝海科技 20人|蓝海科技，大概20人用|"
        "就叫蓝海科技|名字叫蓝海科技|是蓝海科技|我代表蓝海科技|我司是蓝海科技|本公司蓝海科技|敝司蓝海科技|"
        "我姓李，蓝海科技的|蓝海科技的，我姓李|我们是一家做软件的公司，叫蓝海科技|"
        "我们是做软件的，公司叫蓝海科技|我叫李明，是蓝海科技的|蓝海科技这边|我们这边是蓝海科技|蓝海科技哈|"
        "我们公司的名字叫做蓝海科技|全称蓝海科技|公司蓝海科技，人数20",
    ),
    (
        "company",
        None,
        "hi|hello there|I need a phone system|how much does it cost?|looking for phones|"
        "do you have plans for small teams?|20 people|13800138000|I'm interested|can you tell me more|"
        "what do you sell|just browsing|we want a new phone system for our office|need help choosing a plan|"
        "not sure yet|why do you ask|I'd rather not say|let me think|你好|想了解一下云电话|多少钱|我想买电话|"
        "先看看|你们有什么套餐|给公司装电话|帮我推荐一下|先不说|为什么要问|有优惠吗|需要装几部电话|我姓李|稍等|"
        "做销售用的|不方便透露|公司名不方便说|没有公司，个人用|我们想换个电话系统|咨询下价格|有个问题|在不|"
        "我是老板",
    ),
)

# Step, action, the wordings.
DECISIONS: tuple[tuple[Presales, str, str], ...] = (
    (
        Presales.PLAN_RECOMMENDATION,
        "accept_plan",
        "yes|ok|sure|sounds good|that works|deal|fine by me|let's take it|I'll take it|we'll take this one|"
        "great, let's go with that|perfect|good, go ahead|works for us|looks good to me|that one is fine|"
        "okay let's do this|alright|that's the one|yes let's go|I'm happy with that|agreed|ok, this one please|"
        "this one|let's do it|fine, we'll take it|good enough|I guess that's fine|yeah that works|sure why not|"
        "that's good|right, let's go for it|sold|this is what we need|seems good|we choose this|"
        "you have a deal|let's go with Standard then|I think that works|that suits us well|ok good|"
        "yes, we'll take it, thanks|no objections|absolutely|we accept your recommendation|"
        "That sounds reasonable. Let's proceed.|good price, I take it|OK sign us up|行|好|好的|可以|行吧|"
        "就它了|可以，就这个|没问题|嗯，听你的|就这个吧|好吧，就选这个|那就这个|我要这个|这个不错，就它|可以的|"
        "挺好的|嗯嗯可以|同意|成|行，就这么定|那就按你推荐的来|这个合适|好，定这个|就要这个套餐|不错，选这个|"
        "满意，就这个|就用你推荐的吧|OK就这个|价格可以接受，就这个吧|行，没意见|要这个|好嘞就这个|"
        "感觉不错，就它吧|这个方案挺适合我们的|就这款|听起来不错，行|嗯，就选推荐的这个|就定它了|好，下单吧|"
        "接受这个方案|没毛病，就它|可以可以|那行|行啊",
    ),
    (
        Presales.PLAN_RECOMMENDATION,
        "other_plan",
        "no|another one|something cheaper?|do you have anything cheaper?|too expensive|that's too much for us|"
        "any other options?|what else do you have|can I see another plan?|show me something else|not this one|"
        "I'd like to see another|is there a cheaper plan|we can't afford that|over our budget|"
        "anything smaller?|other plans?|a bit pricey, what else is there?|I don't like it|"
        "could you recommend a different one|next|what other plans are there?|换一个|太贵了|有便宜点的吗|"
        "还有别的吗|看看别的|有没有其他套餐|换个便宜的|不要这个|这个太贵|贵了点，有别的吗|还有没有别的方案|"
        "不太合适，换一个吧|能推荐个便宜的吗|超预算了|看看其他的|不喜欢这个|有更便宜的吗|另外推荐一个|"
        "再推荐一个|下一个",
    ),
    (
        Presales.PLAN_RECOMMENDATION,
        "query_promotion",
        "any discount?|is there a promotion?|do you have any offers?|can you give me a discount|"
        "what's your best price?|any special deals at the moment?|do you have a coupon?|"
        "is there a discount for a longer term?|promo code?|有优惠吗|能打折吗|有没有折扣|有活动吗|最低多少钱|"
        "能不能优惠点|打几折|有什么优惠政策|现在有促销吗|有没有活动",
    ),
    (
        Presales.PLAN_RECOMMENDATION,
        "answer",
        "let me think|I'll think about it|I need to talk to my boss|not sure|maybe|hmm|give me a moment|"
        "let me discuss with my team|I'll get back to you|can I decide tomorrow?|yes?|is it good?|"
        "what's included?|how does it work?|if it had recording|I want to think it over first|我考虑一下|"
        "我想想|等我问问老板|不确定|再看看吧|回头再说|商量一下|可能吧|是吗|这个怎么样|包含什么功能|嗯...|"
        "明天给你答复|好用吗|我再考虑考虑|先放一放",
    ),
    (
        Presales.PAYMENT_GUIDANCE,
        "check_payment",
        "done|I've paid|paid|just paid|payment sent|done, money sent|I paid|paid via wechat|"
        "I have made the transfer|transferred|the money is on its way|payment completed|we've paid the invoice|"
        "it's paid|all paid|I just transferred it|finished paying|ok paid|sent the money|Payment is through|"
        "already paid|I've completed the payment.|done!|we have wired the amount|you should have the money now|"
        "paid by card|successfully paid|bank transfer done|I have sent you the money|"
        "money transferred, please check|付好了|已付|已付款|付了|刚付|刚转过去了|已支付|支付成功|转账了|"
        "钱已经打过去了|付完了|搞定了|我付了|款已付|扫码付了|已经转了|微信付的，好了|付过了|已完成支付|"
        "钱转过去了，查一下|交钱了|打款了|汇过去了|好了，付款了|支付宝付了|付款成功|我已经交费|ok付了|"
        "刚刚支付完|已经付清|钱打了",
    ),
    (
        Presales.PAYMENT_GUIDANCE,
        "answer",
        "how do I pay?|ok|will pay tomorrow|I'll pay later|can I pay by card?|not paid yet|I haven't paid|"
        "wait, the link does not work|let me pay now|好的|怎么付款|可以用微信吗|等会付|我明天付|还没付|马上付|"
        "链接打不开|我先去付款|稍后支付|付不了|付款失败了|the payment failed|I couldn't pay|"
        "my payment did not go through|if I pay today, when will it start?|I'm going to pay now|准备付款了|"
        "财务明天转账",
    ),
    (
        Presales.AFTER_SALES,
        "close",
        "no|no thanks|nothing else|that's all|that's it, thanks|bye|no, all good|thanks, bye|no more questions|"
        "we're good|all clear, thank you|nope|nah we good|we're done here|I'm all set|"
        "thank you very much, goodbye|Great, thanks|that will be all|ok thanks|perfect, thank you|"
        "No, that's everything.|没有了|没了|没了，谢谢|不用了|没问题了|好的，再见|拜拜|没别的了|没有其他问题|"
        "谢谢，没事了|无其他问题，感谢|明白了，没事了|好了没事了|没什么了|可以了，谢谢|行，就这样|好的谢谢|"
        "都清楚了|辛苦了，再见|没啦|暂时没有|没有，谢谢|知道了，谢谢|好，就这些|OK，没问题了|谢谢啊|没有啦，拜",
    ),
    (
        Presales.AFTER_SALES,
        "explain_setup",
        "when will it be set up?|when does it start?|how long will it take?|when can we start using it|"
        "what happens next?|how do I get support?|who do I call if there is a problem?|"
        "what are the next steps?|how soon?|when will the engineer come?|is there a guide?|什么时候开通|"
        "多久能用|什么时候能装好|怎么联系你们|有问题找谁|接下来怎么办|几天能用|售后电话多少|怎么用|"
        "什么时候可以用|有没有教程|大概几天可以装好啊|客服热线是多少|啥时候上门安装|请问开通时间",
    ),
)


def _rows(table: tuple[tuple[Any, Any, str], ...]) -> list[Any]:
    return [pytest.param(one, two, text, id=f"{one}-{text}") for one, two, texts in table for text in texts.split("|")]


@pytest.mark.parametrize(("asked", "expected", "text"), _rows(ANSWERS))
def test_an_answer_in_ordinary_words_is_read(asked: str, expected: Any, text: str) -> None:
    """The slot that was asked for gets this value from each of the wordings; None where they name none."""
    assert read_slots(SLOTS, text, asked=asked, today=TODAY).get(asked) == expected


@pytest.mark.parametrize(("step", "expected", "text"), _rows(DECISIONS))
def test_an_ordinary_wording_picks_its_action(step: Presales, expected: str, text: str) -> None:
    """The decider picks the action, or `answer` where nothing may happen; a goodbye may also be seen by the guard."""
    goodbye = expected == "close" and (found := detect_exit(text, asked="Anything else? 还有什么可以帮您？"))
    assert (goodbye and found.kind == "closing") or _decide(step, text) == expected


def _decide(step: Presales, text: str) -> str:
    own = [
        MenuItem(
            a.name,
            a.name,
            a.parameters,
            {},
            a.examples if isinstance(a.examples, tuple) else sum(a.examples.values(), ()),
        )
        for a in STEPS[step].actions
    ]
    collected = STEPS[step].collects
    others = {name: slot for name, slot in SLOTS.items() if name not in collected}
    menu = Menu(
        step, (*own, MenuItem("provide", "", collected, others), MenuItem("answer", ""), MenuItem("ask_human", ""))
    )
    lang = script_of(text) or "en"
    request = DecisionRequest(
        session_id="s",
        lang=lang,
        menu=menu,
        text=text,
        found=read_slots(SLOTS, text, today=TODAY),
        knowledge=tuple(faq(text, lang)),
    )
    return choose(request).action
