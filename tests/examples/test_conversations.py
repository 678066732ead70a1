"""Whole presales conversations without a model: how differently customers say the same things, and what must never order.

Each runs through the real Maitred, the real Shop and a bank that confirms what customers say they paid.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from maitred.app.maitred import Maitred
from maitred.examples.presales.bank import Bank
from maitred.examples.presales.flow import build_flow
from maitred.examples.presales.shop import Shop


class Talk(NamedTuple):
    """What a customer writes, line by line, and what must be known at the end."""

    name: str
    lines: tuple[str, ...]
    data: dict[str, Any]


def talk(name: str, said: str, **data: Any) -> Talk:
    return Talk(name, tuple(line.strip() for line in said.strip().splitlines()), data)


ENGLISH = (
    talk(
        "terse",
        """hi
        Acme
        15
        415-555-0132
        support
        3k
        12
        yes
        ok
        yes
        paid
        no""",
        company="Acme", seats=15, contact="4155550132", use="support", budget=3000, term_months=12, recording=True,
    ),
    talk(
        "chatty",
        """Good morning! I was told you folks do phone systems and we are in the market for one.
        Our company is called Brightside Travel and there are around 35 of us in the office
        Sure thing, the best number is +44 20 7946 0958
        Mostly our people are ringing up potential clients all day long, so it's sales I suppose
        I was thinking somewhere between 3000 and 4000 a month, if that's reasonable
        Let's say two years
        Oh absolutely, we need every call recorded
        Hmm, is there any discount going at the moment?
        That sounds great, let's do it!
        Yes please go ahead
        Right, I've just made the payment
        Lovely. How soon can we start using it?
        That's everything, thank you so much!""",
        company="Brightside Travel", seats=35, contact="+442079460958", use="sales", budget=4000, term_months=24, recording=True,
    ),
    talk(
        "polite",
        """Hello, I would like to enquire about your phone plans, please.
        The company's name is Harlow & Sons.
        We would need twelve seats, please.
        You may reach us on 020 7946 0123.
        They would be used mainly for answering customers' calls, please.
        Our budget would be approximately 1,500 yuan per month.
        A one year contract would be preferable.
        No, thank you, we don't need recordings.
        That would be perfect, thank you.
        Yes, please place the order.
        I have completed the payment, thank you.
        No, that will be all. Thank you for your help.""",
        company="Harlow & Sons", seats=12, contact="02079460123", use="support", budget=1500, term_months=12, recording=False,
    ),
    talk(
        "typos",
        """helo
        we are Norvik Labs , abuot 40 ppl
        my nubmer is 555-867-5309
        custmer service mostly
        5000 a mnth
        24 monhts
        yep need recording
        sounds good lets go
        yess
        i payed
        thx bye""",
        company="Norvik Labs", seats=40, contact="5558675309", use="support", budget=5000, term_months=24, recording=True,
    ),
    talk(
        "all at once",
        """Hi, this is Anna from Acme Logistics, we're 30 people, phone 13800138000, need it for sales calls, budget 4000 a month, one year, with recording
        Works for me
        Confirmed
        Done, money sent
        Nope, all good""",
        company="Acme Logistics", seats=30, contact="13800138000", use="sales", budget=4000, term_months=12, recording=True,
    ),
    talk(
        "one fact at a time, out of order",
        """Hey there
        we have 18 users
        Cobalt Design
        no recording needed
        cobalt's number: 021-6288-4455
        it's for talking between our offices
        six months
        under 2,000 yuan
        I'll take it
        yes
        payment sent
        bye""",
        company="Cobalt Design", seats=18, contact="02162884455", use="internal", budget=2000, term_months=6, recording=False,
    ),
    talk(
        "corrections",
        """Fern & Co here, 20 people
        no wait, 30 people
        13900139000
        sales. actually no, support
        budget is 2500... sorry, 3500 per month
        12 months
        yes, record them
        fine by me
        can we make it 32 seats?
        yes that's right, go ahead
        I've transferred the money
        nothing else, cheers""",
        company="Fern & Co", seats=32, contact="13900139000", use="support", budget=3500, term_months=12, recording=True,
    ),
    talk(
        "side questions",
        """hello
        do you offer a trial?
        ok. We're Delta Pharmacy with 25 staff
        Can we keep our existing numbers?
        great, my cell is 138 0013 8000
        customers call us with questions about their prescriptions
        how do we pay by the way?
        about 2k
        what's the minimum term?
        then one year
        is recording included? yes we want that
        do you have anything cheaper?
        hmm ok, the first one was fine... I'll go with this
        will I get an invoice?
        ok, yes
        done
        how do I reach support?
        that's it, thanks""",
        company="Delta Pharmacy", seats=25, contact="13800138000", use="support", term_months=12, recording=True,
    ),
    talk(
        "impatient",
        """need phones for my sales team asap
        Rocket Sales Inc
        50
        call me on 13700137000
        i already said sales
        money's not an issue, say 10000
        1 yr
        recording is a must
        deal
        just place the order already
        paid via wechat
        we're done here""",
        company="Rocket Sales Inc", seats=50, contact="13700137000", use="sales", budget=10000, term_months=12, recording=True,
    ),
    talk(
        "hesitant but buys",
        """Hi, just looking around
        we're called Willow Clinic
        maybe 10 or 12
        reach me at 010-88886666
        I guess for patients who call us, like a hotline
        not sure, maybe 1000?
        let me start with half a year
        I don't think we need recording
        let me think
        Is there a promotion?
        all right, we'll go with that plan
        hold on, what happens if we want a refund?
        okay, go ahead and order
        the payment went through
        no more questions""",
        company="Willow Clinic", seats=12, contact="01088886666", use="support", budget=1000, term_months=6, recording=False,
    ),
    talk(
        "formal business",
        """Good afternoon. I am writing on behalf of Northgate Insurance Ltd.
        There are 60 employees who will use the system.
        Please call +1 (212) 555-0187.
        The purpose is outbound telemarketing.
        We have set aside 8,000 CNY monthly.
        The contract should run for 36 months.
        Yes, for compliance reasons all calls must be recorded.
        We accept your recommendation.
        I hereby confirm the order.
        The invoice has been settled.
        When does the service begin?
        No further questions. Goodbye.""",
        company="Northgate Insurance Ltd", seats=60, contact="+12125550187", use="sales", budget=8000, term_months=36, recording=True,
    ),
    talk(
        "lower case slang",
        """yo
        its pixelworks
        like 8 of us
        num is 13612345678
        just internal stuff, calling each other
        500 bucks max
        a year i guess
        nah
        cool, works
        yup do it
        just sent it
        nah we good""",
        company="pixelworks", seats=8, contact="13612345678", use="internal", budget=500, term_months=12, recording=False,
    ),
    talk(
        "asks for another plan",
        """We are Maple School, 22 teachers will use it, my phone is 13512345678
        parents calling us
        2500
        12
        no
        what else do you have?
        I'd rather take the first one
        too expensive
        fine, let's take this one then
        correct, order it
        ok paid it now
        no thanks""",
        company="Maple School", seats=22, contact="13512345678", use="support", budget=2500, term_months=12, recording=False,
    ),
    talk(
        "full sentences, facts ahead",
        """We want to record our calls and we have about two thousand a month to spend
        Our company name is Peak Fitness and it is for our front desk, who take calls from members
        There'll be a dozen people on it
        13300001111 is my mobile
        I'd sign for 18 months
        Good choice, we'll have that
        Everything is correct
        I have wired the money just now
        And when do we get going?
        Perfect, that answers it. Bye!""",
        company="Peak Fitness", seats=12, contact="13300001111", use="support", budget=2000, term_months=18, recording=True,
    ),
)

CHINESE = (
    talk(
        "简短",
        """你好
        蓝海
        15
        13800138000
        客服
        3000
        12
        要
        行
        是
        付了
        没了""",
        company="蓝海", seats=15, contact="13800138000", use="support", budget=3000, term_months=12, recording=True,
    ),
    talk(
        "啰嗦",
        """你好啊，我想咨询一下你们的云电话，朋友推荐我过来的
        我们是做牙科的，叫蓝海口腔，平时用电话的大概有二十来号人吧
        可以的，你打我手机就行，138 0013 8000，我姓王
        主要是给客户打电话，推销我们的种植牙项目
        预算不多，两千出头吧，一个月
        先签一年看看效果
        录音肯定是要的，客户有纠纷的时候好查
        听起来还可以，有什么优惠活动没有
        行吧，那就听你的
        嗯嗯没问题，帮我下单吧
        刚转过去了，你看一下
        那大概几天可以装好啊
        好嘞，没别的事了，谢谢你啊""",
        company="蓝海口腔", seats=20, contact="13800138000", use="sales", budget=2000, term_months=12, recording=True,
    ),
    talk(
        "客气",
        """您好，请问可以咨询一下吗
        我是北极星科技的小王
        麻烦您了，我们有三十个同事要用
        我的电话是010-12345678，谢谢
        想请问一下，主要是用来接客户来电的
        每个月三千左右，您看可以吗
        打算先签两年
        不好意思，暂时不用录音
        谢谢，这个挺好的，就要这个吧
        好的，麻烦您帮我下单
        您好，已经付款了，请查收
        请问什么时候可以开通呢
        好的，没有其他问题了，谢谢您""",
        company="北极星科技", seats=30, contact="01012345678", use="support", budget=3000, term_months=24, recording=False,
    ),
    talk(
        "错别字",
        """在吗
        公司交大风物流，有40多个人
        手几13912345678
        客户服物
        5千一个月
        签1年把
        需要路音，录音要的
        好滴，就它了
        确认下丹，是的
        付款ok了
        没有了拜拜""",
        seats=40, contact="13912345678", recording=True, budget=5000, term_months=12,
    ),
    talk(
        "一口气",
        """我们是杭州云栖茶业，25个人用，打销售电话的，预算每月4000，签一年，要录音，联系电话13712345678
        可以，就这个
        确认
        已支付
        没问题了，再见""",
        company="杭州云栖茶业", seats=25, contact="13712345678", use="sales", budget=4000, term_months=12, recording=True,
    ),
    talk(
        "逐条",
        """公司名：星辰教育
        人数：60
        电话：021-55667788
        用途：电话销售
        预算：8000元/月
        期限：三年
        录音：需要
        接受
        确认下单
        支付完成
        没有其他问题""",
        company="星辰教育", seats=60, contact="02155667788", use="sales", budget=8000, term_months=36, recording=True,
    ),
    talk(
        "更正",
        """我们公司是小鹿文具，20个人
        不对，是30个人
        电话13512345678，说错了，是13512345679
        做销售，哦不，主要还是客服
        一个月两千五，算了三千吧
        一年
        要录音
        没问题
        等一下，人数改成35个
        对，就这样下单
        钱转了
        好了没事了""",
        company="小鹿文具", seats=35, contact="13512345679", use="support", budget=3000, term_months=12, recording=True,
    ),
    talk(
        "中途提问",
        """你好
        你们可以试用吗
        公司是青禾农业
        可以保留原来的号码吗
        18个人左右
        发票怎么开
        13812345678
        是接咨询电话用的，热线
        怎么付款
        两千以内
        最短签多久
        那就半年
        有录音功能吗？我们需要录音
        有便宜点的吗
        好吧，就这个
        能退款吗
        嗯，确认
        付好了
        客服电话多少
        没了，谢谢""",
        company="青禾农业", seats=18, contact="13812345678", use="support", budget=2000, term_months=6, recording=True,
    ),
    talk(
        "急躁",
        """赶紧的，我要装电话
        飞驰汽配
        五十个
        打这个13612345678
        说了是销售用
        钱不是问题，一万
        三年
        录音必须要
        就它了快点
        下单下单
        微信付了
        行了，就这样""",
        company="飞驰汽配", seats=50, contact="13612345678", use="sales", budget=10000, term_months=36, recording=True,
    ),
    talk(
        "犹豫",
        """先随便问问
        公司名字叫云杉诊所
        十来个人吧
        可以打010-66668888
        病人打电话进来预约
        还没想好，一千左右吧
        先签半年试试
        录音就不用了吧
        我考虑一下
        有没有折扣
        嗯，那就选这个吧
        下单后能退吗
        行，那下单吧
        好了，付完了
        没什么了""",
        company="云杉诊所", seats=10, contact="01066668888", use="support", budget=1000, term_months=6, recording=False,
    ),
    talk(
        "口语",
        """哈喽
        这边是老张火锅
        二三十人吧
        电话号码135-1234-5678
        就内部用，各个门店之间联系
        一两千块钱
        长期，先签一年
        不用
        嗯，听你的
        好，下吧
        转账了哈
        没啦""",
        company="老张火锅", seats=30, contact="13512345678", use="internal", budget=2000, term_months=12, recording=False,
    ),
    talk(
        "换套餐",
        """我们单位叫东方印刷厂，有一百多人
        联系我13412345678
        外呼，给客户打电话做推广
        不超过5000
        24个月
        需要的
        太贵了，有没有别的
        还是刚才那个吧
        那就这款，定了
        没错，提交吧
        我付过钱了
        怎么联系售后
        好的，再见""",
        company="东方印刷厂", seats=100, contact="13412345678", use="sales", budget=5000, term_months=24, recording=True,
    ),
    talk(
        "提前说",
        """我们想每通电话都录音，每月大概花三千块
        敝公司叫恒通物业，业主报修会打进来
        前台六个人
        我手机13312345678
        签个一年半
        可以的，用这个
        信息都对，下单
        款已经打了
        什么时候能用上
        明白了，没事了""",
        company="恒通物业", seats=6, contact="13312345678", use="support", budget=3000, term_months=18, recording=True,
    ),
    talk(
        "正式",
        """贵司好，我代表华远保险有限公司咨询
        共计80名坐席
        请致电+86 138 0013 8000
        用于电话营销
        月度预算为12000元
        合同期限36个月
        根据监管要求，通话需全程录音
        同意该方案
        确认无误，请下单
        款项已支付完毕
        请问开通时间
        无其他问题，感谢""",
        company="华远保险有限公司", seats=80, contact="+8613800138000", use="sales", budget=12000, term_months=36, recording=True,
    ),
)

# Up to the question whether to place the order; what follows must not place it.
TO_THE_ORDER = {
    "en": ("We are Acme, 10 people, phone 13800138000", "support", "2000", "12", "no", "I'll take it"),
    "zh": ("我们公司叫蓝海，10个人，电话13800138000", "客服", "2000", "12个月", "不用", "就这个"),
}
NO_CONSENT = {
    "en": (
        ("yes?",), ("maybe",), ("not now",), ("let me think", "hmm"), ("yes, but cheaper",), ("sure, if you give me a discount",),
        ("what would that cost?", "I see"), ("ok, what about support?",), ("I'll ask my boss first",), ("can I say yes tomorrow?",),
        ("no", "not yet"), ("yes yes very funny",), ("yes and no",), ("looks good, but wait",), ("is it ok?", "really?"),
        ("ok let me check with my team",), ("thanks",), ("don't order yet",), ("I would say yes if it was half the price",),
    ),
    "zh": (
        ("是？",), ("再说吧",), ("我考虑一下", "嗯我想想"), ("好是好，就是有点贵",), ("可以便宜点吗", "哦"), ("先不下单",), ("等我问问老板",),
        ("行不行啊",), ("可以，不过要先看合同",), ("确认什么？",), ("下单后能退吗",), ("好的，我回头再确认",), ("暂时不要", "再看看"), ("谢谢",),
        ("明天再下单吧",), ("是不是太贵了",), ("如果打五折就下单",),
    ),
}  # fmt: skip


class Desk:
    """One customer's session at the example shop."""

    def __init__(self, folder: Path) -> None:
        self.now = datetime(2026, 11, 30, 2, tzinfo=UTC)
        self.shop = Shop(folder / "shop.db")
        self.maitred = Maitred(build_flow(self.shop), store=":memory:", clock=lambda: self.now)
        self.transcript: list[str] = []

    async def hear(self, lines: tuple[str, ...]) -> str:
        """Say the lines; the state after the last one. The bank confirms each payment as soon as it is claimed."""
        state = ""
        for line in lines:
            self.now += timedelta(seconds=20)
            reply = await self.maitred.say("s", line)
            state = reply.state
            self.transcript.append(f"> {line}\n  [{state}] {reply.text}")
            for paid in Bank(self.shop).callbacks():
                self.shop.record_payment(paid["order_no"], paid["payment_id"], paid["amount_cents"])
                told = await self.maitred.post("s", "payment_complete", dict(paid), key=paid["payment_id"])
                if told:
                    state = told.state
                    self.transcript.append(f"  [{state}] {told.text}")
        return state


@pytest.mark.parametrize("said", [pytest.param(t, id=t.name) for t in (*ENGLISH, *CHINESE)])
async def test_a_customer_gets_from_hello_to_completed(said: Talk, tmp_path: Path) -> None:
    """Terse or chatty, polite or rude, in any order: the conversation ends in a paid order with the right data."""
    desk = Desk(tmp_path)
    async with desk.maitred:
        state = await desk.hear(said.lines)
        session = await desk.maitred.session("s")
    transcript = "\n".join(desk.transcript)
    assert session is not None
    assert {name: session.data.get(name) for name in said.data} == said.data, transcript
    assert state == "completed", transcript


@pytest.mark.parametrize(
    ("lang", "lines"), [pytest.param(lang, lines, id=lines[0]) for lang, many in NO_CONSENT.items() for lines in many]
)
async def test_nothing_but_a_plain_yes_orders(lang: str, lines: tuple[str, ...], tmp_path: Path) -> None:
    """Doubt, a question, a condition, a delay or a no at the last question leaves the shop without an order."""
    desk = Desk(tmp_path)
    async with desk.maitred:
        assert await desk.hear(TO_THE_ORDER[lang]) == "parameter_confirmation", "\n".join(desk.transcript)
        state = await desk.hear(lines)
        session = await desk.maitred.session("s")
    assert session is not None
    assert "create_order" not in session.data, "\n".join(desk.transcript)
    assert state not in ("payment_guidance", "after_sales", "completed")
