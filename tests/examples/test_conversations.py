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
        company="Acme",
        seats=15,
        contact="4155550132",
        use="support",
        budget=3000,
        term_months=12,
        recording=True,
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
        company="Brightside Travel",
        seats=35,
        contact="+442079460958",
        use="sales",
        budget=4000,
        term_months=24,
        recording=True,
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
        company="Harlow & Sons",
        seats=12,
        contact="02079460123",
        use="support",
        budget=1500,
        term_months=12,
        recording=False,
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
        company="Norvik Labs",
        seats=40,
        contact="5558675309",
        use="support",
        budget=5000,
        term_months=24,
        recording=True,
    ),
    talk(
        "all at once",
        """This is Anna from Acme Logistics, we're 30 people, phone 13800138000, sales calls, 4000 a month, one year, recorded
        Works for me
        Confirmed
        Done, money sent
        Nope, all good""",
        company="Acme Logistics",
        seats=30,
        contact="13800138000",
        use="sales",
        budget=4000,
        term_months=12,
        recording=True,
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
        company="Cobalt Design",
        seats=18,
        contact="02162884455",
        use="internal",
        budget=2000,
        term_months=6,
        recording=False,
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
        company="Fern & Co",
        seats=32,
        contact="13900139000",
        use="support",
        budget=3500,
        term_months=12,
        recording=True,
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
        company="Delta Pharmacy",
        seats=25,
        contact="13800138000",
        use="support",
        term_months=12,
        recording=True,
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
        company="Rocket Sales Inc",
        seats=50,
        contact="13700137000",
        use="sales",
        budget=10000,
        term_months=12,
        recording=True,
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
        company="Willow Clinic",
        seats=12,
        contact="01088886666",
        use="support",
        budget=1000,
        term_months=6,
        recording=False,
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
        company="Northgate Insurance Ltd",
        seats=60,
        contact="+12125550187",
        use="sales",
        budget=8000,
        term_months=36,
        recording=True,
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
        company="pixelworks",
        seats=8,
        contact="13612345678",
        use="internal",
        budget=500,
        term_months=12,
        recording=False,
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
        company="Maple School",
        seats=22,
        contact="13512345678",
        use="support",
        budget=2500,
        term_months=12,
        recording=False,
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
        company="Peak Fitness",
        seats=12,
        contact="13300001111",
        use="support",
        budget=2000,
        term_months=18,
        recording=True,
    ),
    talk(
        "start-up",
        """Hi there! Looking for a cloud phone solution for my startup
        It's called Nimbus Robotics
        we've got a team of 14
        sure: (415) 555-0199
        we make a lot of outbound calls to find new business
        ideally less than 1500 per month
        let's do 12 to start with
        Yes - we'd want calls recorded for training
        What's the price if we pay yearly?
        OK I'm in
        Everything looks right. Go ahead.
        Payment's done!
        How do I get started?
        Great, thanks, bye""",
        company="Nimbus Robotics",
        seats=14,
        use="sales",
        term_months=12,
        recording=True,
    ),
    talk(
        "hotel",
        """good evening
        I represent Kingsway Hotel
        around a hundred staff
        +852 2345 6789
        Guests ring the front desk and room service
        Ten thousand RMB a month at most
        Three years
        Not needed
        Do you have a promo?
        Very well, we will take that one
        Please proceed
        It has been paid
        That is all, thank you""",
        company="Kingsway Hotel",
        seats=100,
        use="support",
        budget=10000,
        term_months=36,
        recording=False,
    ),
    talk(
        "creative studio",
        """We're a small team of 6 at Bluebird Studio
        0755-26001234
        mostly for internal communication
        around 300
        yearly
        i'd say no
        that's perfect for us
        yes I agree
        transfer complete
        no""",
        company="Bluebird Studio",
        seats=6,
        contact="075526001234",
        use="internal",
        budget=300,
        term_months=12,
        recording=False,
    ),
    talk(
        "labels",
        """Hey, can you help me pick a plan?
        Company: Orchid Spa, headcount: 9, phone: 13122223333
        purpose: appointment calls
        budget: 800/month
        duration: 6 months
        recording: no
        Could you show me another option?
        ok the new one is better, let's go with it
        Confirm
        I just paid with Alipay
        Thanks, that's all I needed""",
        company="Orchid Spa",
        seats=9,
        contact="13122223333",
        use="support",
        budget=800,
        term_months=6,
        recording=False,
    ),
    talk(
        "haggles",
        """i need a quote pls
        Titan Freight
        thirty-five
        My number's 186 1234 5678
        sales calls and some support but mainly sales
        I can spend up to 4k monthly
        24
        of course
        ugh that's a lot. any cheaper one?
        nah go back to the first one
        ok fine I'll take that
        yep looks right
        sent!
        when can my guys start calling?
        cool bye""",
        company="Titan Freight",
        seats=35,
        contact="18612345678",
        use="sales",
        budget=4000,
        term_months=24,
        recording=True,
    ),
    talk(
        "asks the boss",
        """Hi! I'm Maria, office manager at Stone & Hall Architects.
        It would be for about 45 of our employees.
        You can call me at 021 5566 7788.
        Staff calling each other mainly, plus the odd client
        Around 3,500 a month would be okay
        Two years, please
        We don't need that
        Hmm, let me think about it
        Okay, I've talked to my boss. We'd like to go ahead with this plan.
        Actually make that 50 people
        Yes, that's correct. Please go ahead.
        All paid!
        Is there a manual?
        No thank you, that's everything""",
        company="Stone & Hall Architects",
        seats=50,
        contact="02155667788",
        use="internal",
        budget=3500,
        term_months=24,
        recording=False,
    ),
    talk(
        "on behalf of the boss",
        """Hi, my boss asked me to sort out a phone system for us
        Lakeside Veterinary Clinic
        I believe there are 17 of us, including part-timers
        Use the office number, 0571-87654321
        Pet owners phone us to make appointments
        I was told not to go over 1800 a month
        We'd commit to a year
        Yes we would like that, as long as it's legal
        That'll do nicely, thanks
        Yes, all of that is right, please order it
        Just sent the payment across
        When will someone come to install it?
        Wonderful, that's all from me""",
        company="Lakeside Veterinary Clinic",
        seats=17,
        contact="057187654321",
        use="support",
        budget=1800,
        term_months=12,
        recording=True,
    ),
    talk(
        "headlines",
        """phone system for 60 ppl, sales floor, need recording, how much?
        Hammer Realty
        13899990000
        8k/mo
        3 years
        sold
        confirm order
        paid, receipt 8841
        ok cheers""",
        company="Hammer Realty",
        seats=60,
        use="sales",
        budget=8000,
        term_months=36,
        recording=True,
    ),
    talk(
        "old school",
        """Good day. We need telephone service for our accounting firm.
        The firm is named Porter Accounting
        We have twenty-two employees
        My direct line is +1 415 555 0142
        It is chiefly for staff to talk to one another
        I would prefer to keep it below 1,200 a month
        Let us begin with six months
        Recording is not necessary
        Are there any promotions available?
        I am satisfied with this proposal
        Yes, kindly place the order
        Payment has been made
        May I know when the service will be activated?
        I have no further questions. Good day.""",
        company="Porter Accounting",
        seats=22,
        use="internal",
        budget=1200,
        term_months=6,
        recording=False,
    ),
    talk(
        "changes the seats late",
        """Is this where I order business phones?
        Company name Globe Tours. 28 seats. Contact 020-88889999.
        Both sales and support, but primarily support
        Budget? I'd guess two thousand five hundred
        18 months
        Sure, why not
        Sorry, I meant 30 seats
        Good. We'll go ahead.
        Yes, confirmed, thank you
        I've just completed the bank transfer
        thank you, bye""",
        company="Globe Tours",
        seats=30,
        contact="02088889999",
        use="support",
        budget=2500,
        term_months=18,
        recording=True,
    ),
    talk(
        "cafe slang",
        """hey its Jake from Sunny Side Cafe
        lol just 5 of us
        oh my number? 13511223344
        taking reservations over the phone
        idk like 300 a month
        1 year
        nope
        hm can i get a cheaper plan
        ok i'll stick with that one
        yeah go
        done n dusted
        nothing, ty""",
        company="Sunny Side Cafe",
        seats=5,
        contact="13511223344",
        use="support",
        budget=300,
        term_months=12,
        recording=False,
    ),
    talk(
        "movers",
        """Hello hello
        I'd like a phone plan for my company, Redwood Movers
        We are a crew of about 13
        Best to text me on 13711112222
        customers book moves by phone so they need to get through to us
        No more than 1k per month hopefully
        a one-year deal
        Don't think so
        Any chance of a cheaper one?
        That'll work. Let's go with it.
        Yup, all looks fine, go ahead and place it
        OK the payment is through
        Who should I contact if something breaks?
        Great, nothing more from me""",
        company="Redwood Movers",
        seats=13,
        use="support",
        budget=1000,
        term_months=12,
        recording=False,
    ),
    talk(
        "needs first",
        """we need to call around 200 leads a day. what plan?
        Zen Solar
        25 reps
        13512121212
        yes that's for sales
        2.5k
        6
        required
        ok
        yes that is right
        payment just sent
        nah""",
        company="Zen Solar",
        seats=25,
        use="sales",
        budget=2500,
        term_months=6,
        recording=True,
    ),
    talk(
        "a letter",
        """Dear team, please set up phones for Hillcrest Dental Group, 48 users, contact number 021-54321098.
        We would use them to handle patient enquiries.
        The monthly budget is capped at CNY 5,000.
        We are thinking of a two year agreement.
        Is the recording stored securely?
        In that case yes, please include recording.
        We are happy to proceed with the recommended plan.
        We confirm all the details. Please place the order.
        The amount has been paid by bank transfer.
        Thank you. That concludes everything.""",
        company="Hillcrest Dental Group",
        seats=48,
        use="support",
        budget=5000,
        term_months=24,
        recording=True,
    ),
    talk(
        "developers",
        """Sup, got any deals on office phones?
        we're Bitforge
        dunno exactly, twelve-ish
        call 138 8888 1234
        us devs calling each other basically
        700 or so
        half a year's fine
        no recordings thx
        gimme that one
        y
        paid it
        all good""",
        company="Bitforge",
        seats=12,
        use="internal",
        budget=700,
        term_months=6,
        recording=False,
    ),
    talk(
        "law firm",
        """Hi, could you help me choose a plan?
        My firm is Ashford Legal
        Somewhere around thirty people will be on it
        Please use 0044 20 7946 0011
        Clients calling with questions, that's the bulk of it
        Our ceiling is 2200 a month
        One year should do
        We must record everything
        Happy with your suggestion, let's go for that
        Yes, that's all fine, place it please
        The payment went out this morning
        Thanks, nothing else""",
        company="Ashford Legal",
        seats=30,
        use="support",
        budget=2200,
        term_months=12,
        recording=True,
    ),
)

CHINESE = (
    talk(
        "简短",
        """你好
        蓝海
        15
        13800138000
        客服用
        3000
        12
        要
        行
        是
        付了
        没了""",
        company="蓝海",
        seats=15,
        contact="13800138000",
        use="support",
        budget=3000,
        term_months=12,
        recording=True,
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
        company="蓝海口腔",
        seats=20,
        contact="13800138000",
        use="sales",
        budget=2000,
        term_months=12,
        recording=True,
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
        company="北极星科技",
        seats=30,
        contact="01012345678",
        use="support",
        budget=3000,
        term_months=24,
        recording=False,
    ),
    talk(
        "错别字",
        """在吗
        公司交大风物流，有40多个人
        手几13912345678
        客户服务
        5千一个月
        签1年把
        需要路音，录音要的
        好滴，就它了
        确认下丹，是的
        是的
        付款ok了
        没有了拜拜""",
        seats=40,
        contact="13912345678",
        recording=True,
        budget=5000,
        term_months=12,
    ),
    talk(
        "一口气",
        """我们是杭州云栖茶业，25个人用，打销售电话的，预算每月4000，签一年，要录音，联系电话13712345678
        可以，就这个
        确认
        已支付
        没问题了，再见""",
        company="杭州云栖茶业",
        seats=25,
        contact="13712345678",
        use="sales",
        budget=4000,
        term_months=12,
        recording=True,
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
        company="星辰教育",
        seats=60,
        contact="02155667788",
        use="sales",
        budget=8000,
        term_months=36,
        recording=True,
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
        company="小鹿文具",
        seats=35,
        contact="13512345679",
        use="support",
        budget=3000,
        term_months=12,
        recording=True,
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
        company="青禾农业",
        seats=18,
        contact="13812345678",
        use="support",
        budget=2000,
        term_months=6,
        recording=True,
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
        company="飞驰汽配",
        seats=50,
        contact="13612345678",
        use="sales",
        budget=10000,
        term_months=36,
        recording=True,
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
        company="云杉诊所",
        seats=10,
        contact="01066668888",
        use="support",
        budget=1000,
        term_months=6,
        recording=False,
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
        company="老张火锅",
        seats=30,
        contact="13512345678",
        use="internal",
        budget=2000,
        term_months=12,
        recording=False,
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
        company="东方印刷厂",
        seats=100,
        contact="13412345678",
        use="sales",
        budget=5000,
        term_months=24,
        recording=True,
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
        company="恒通物业",
        seats=6,
        contact="13312345678",
        use="support",
        budget=3000,
        term_months=18,
        recording=True,
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
        company="华远保险有限公司",
        seats=80,
        contact="+8613800138000",
        use="sales",
        budget=12000,
        term_months=36,
        recording=True,
    ),
    talk(
        "建材店",
        """老板好，想给公司装几部电话
        公司嘛，就叫聚鑫建材
        用的人不多，七八个
        18812345678，微信同号
        卖建材的嘛，主要打电话找客户
        一个月千把块吧，不要超过一千
        先弄一年
        录啊，当然要录
        贵不贵？能不能再便宜点
        行，就按这个办
        对的对的，下单
        搞定，钱过去了
        啥时候能打电话？
        好嘞谢谢""",
        company="聚鑫建材",
        seats=8,
        contact="18812345678",
        use="sales",
        budget=1000,
        term_months=12,
        recording=True,
    ),
    talk(
        "律所",
        """您好，我们公司想采购云电话系统
        上海明德律师事务所
        律师加助理一共42人
        座机021-62345678
        客户来电咨询比较多
        每月预算五千元以内
        签约两年
        需要录音存证
        请问有什么优惠政策吗
        好，就用这个方案
        核对无误，确认
        款已付，请核实
        好的，没有疑问了，再见""",
        company="上海明德律师事务所",
        seats=42,
        contact="02162345678",
        use="support",
        budget=5000,
        term_months=24,
        recording=True,
    ),
    talk(
        "先说人数",
        """有人在吗
        想装电话 12个人用
        小橙子早教
        电话 137 0000 1234
        家长会打过来问课程
        1500左右/月
        6个月
        不需要
        有没有更便宜的套餐
        那还是第一个吧
        可以
        确认无误
        已转账
        谢谢，没别的了""",
        company="小橙子早教",
        seats=12,
        contact="13700001234",
        use="support",
        budget=1500,
        term_months=6,
        recording=False,
    ),
    talk(
        "采购",
        """你好 我是万和物流的采购
        80多个人
        联系方式：13011112222
        公司内部调度用的，司机和仓库互相打
        预算一万左右每月
        三年起签吧
        要，必须录
        不错，要了
        没错就这样，下单
        付完款了
        没问题了，谢谢""",
        company="万和物流",
        seats=80,
        contact="13011112222",
        use="internal",
        budget=10000,
        term_months=36,
        recording=True,
    ),
    talk(
        "改公司名",
        """我要买电话系统，给销售团队用，30人，一年
        恒大健身
        15900001111
        预算没想好，大概三四千一个月
        录音啊，有更好
        推荐的这个我觉得OK
        等等，公司名写错了，应该是恒美健身
        嗯没问题了，下单吧
        我已经在网页上付过了
        请问多久生效
        好，知道了，拜拜""",
        company="恒美健身",
        seats=30,
        contact="15900001111",
        use="sales",
        budget=4000,
        term_months=12,
        recording=True,
    ),
    talk(
        "超市",
        """喂
        嘉禾超市
        二十
        13566667777
        给供应商和门店打电话，算内部吧
        五百
        12
        否
        接受
        是的
        付款完成
        没有""",
        company="嘉禾超市",
        seats=20,
        use="internal",
        budget=500,
        term_months=12,
        recording=False,
    ),
    talk(
        "口腔门诊",
        """你好，请问是卖云电话的吗
        对，我们要装，公司是晨光口腔门诊部
        前台加客服一共9个人
        手机159 8888 7777
        患者打电话来咨询和预约
        每月一千出头可以接受
        签一年就行
        录音有必要，万一有医疗纠纷
        方案不错，那就定这个
        信息没错，下单
        钱刚刚转了，麻烦查收一下
        多久可以开始用
        好的明白，谢谢""",
        company="晨光口腔门诊部",
        seats=9,
        contact="15988887777",
        use="support",
        term_months=12,
        recording=True,
    ),
    talk(
        "惜字如金",
        """买电话
        顺达货运
        100人
        13700001111
        司机跟调度联系，公司内部
        五千
        两年
        不录
        贵了
        还是前面那个吧
        行行行
        下单
        付了
        没""",
        company="顺达货运",
        seats=100,
        contact="13700001111",
        use="internal",
        budget=5000,
        term_months=24,
        recording=False,
    ),
    talk(
        "培训学校",
        """您好！我这边是启明星培训学校，想了解下你们的产品
        咱们这儿老师加顾问差不多五十号人
        可以加我手机：13666668888
        课程顾问每天要给家长打电话邀约试听
        一个月预算四千五左右
        先签半年吧，用得好再续
        这个必须要的，要做质检
        有没有什么优惠呢
        行，可以，那就这么定吧
        嗯，对，没问题，就这样下单吧
        已经用支付宝付过款啦
        请问接下来要做什么
        嗯好的，那没什么事了，谢谢""",
        company="启明星培训学校",
        seats=50,
        contact="13666668888",
        use="sales",
        budget=4500,
        term_months=6,
        recording=True,
    ),
    talk(
        "先问价",
        """电话系统怎么收费
        先告诉我多少钱
        好吧，公司是金石投资
        大概三十人，不，三十五人
        留个座机吧 0755 8888 6666
        主要客户有问题会打进来找我们
        每月不要超过两千五
        一年合同
        录音就算了
        可以接受
        正确，提交
        支付好了
        没有别的问题了""",
        company="金石投资",
        seats=35,
        contact="075588886666",
        use="support",
        budget=2500,
        term_months=12,
        recording=False,
    ),
    talk(
        "户外用品",
        """嗨，我是小陈，绿野户外的
        我们团队15个人
        电话18600001111哈
        对外推销帐篷啥的
        两三千吧
        12个月
        嗯，录一下吧
        这个套餐挺好，就它
        等下，席位改成18
        OK，没错，下单
        转好了~
        教程有吗
        谢啦，拜""",
        company="绿野户外",
        seats=18,
        contact="18600001111",
        use="sales",
        budget=3000,
        term_months=12,
        recording=True,
    ),
    talk(
        "修车行",
        """我想给店里办电话
        店名叫老李修车行
        我这儿六个师傅
        手机是13912340000
        车主打电话来约时间修车
        一个月五六百吧
        先签三个月
        不用录那个
        行，挺便宜，就它吧
        嗯嗯，下单
        钱已付
        好，没其他的""",
        company="老李修车行",
        seats=6,
        use="support",
        budget=600,
        term_months=3,
        recording=False,
    ),
    talk(
        "制造业",
        """您好，麻烦报个价
        单位名称是：苏州恒力电子有限公司
        使用人数大约150人
        请拨0512-66778899
        用于各车间之间的内部联络
        预算每个月1.2万
        合同签3年
        是的，需要录音
        方案我们认可
        以上信息确认无误，同意下单
        已完成转账，请确认
        请问后续流程是怎样的
        明白，谢谢，再见""",
        company="苏州恒力电子有限公司",
        seats=150,
        use="internal",
        budget=12000,
        term_months=36,
        recording=True,
    ),
    talk(
        "保险代理",
        """嗨～
        我这边是做保险代理的，公司叫安信
        我们40个业务员
        13600009999
        天天打电话卖保险
        每人大概一百，总共四千
        一年
        要，监管要求
        有折扣没
        好滴，那就定了
        对，OK
        我用微信付过咯
        嗯嗯没有啦，谢谢""",
        company="安信",
        seats=40,
        use="sales",
        budget=4000,
        term_months=12,
        recording=True,
    ),
    talk(
        "设计工作室",
        """有没有适合小公司的套餐
        微光设计，8个人
        固话 010 8765 4321
        就同事间打打，偶尔接客户电话，主要是内部
        几百块吧，五百以内
        半年
        算了不录
        这个行
        没问题了下单吧
        付款成功了
        没有了""",
        company="微光设计",
        seats=8,
        use="internal",
        budget=500,
        term_months=6,
        recording=False,
    ),
    talk(
        "文化公司",
        """你好，我们想开通云电话
        公司全称是南京博雅文化传播有限公司
        使用人员在二十五人左右
        手机号13811110000，我姓周
        用来做市场推广，打给潜在客户
        预算的话每个月两千块上下
        先试半年
        要录的
        嗯，这个挺合适的
        核对过了，没有问题，下单
        我已经支付完了
        好的谢谢，暂时没有别的问题""",
        company="南京博雅文化传播有限公司",
        seats=25,
        use="sales",
        budget=2000,
        term_months=6,
        recording=True,
    ),
    talk(
        "酒店",
        """老板推荐来的，装几台电话
        福满楼酒店
        前台3个，餐饮5个，一共8个
        总机0591-88887777
        客人订房订餐打进来
        六七百
        两年吧
        录音要有
        成，就这么着
        对，下
        付啦
        没有咯""",
        company="福满楼酒店",
        seats=8,
        use="support",
        budget=700,
        term_months=24,
        recording=True,
    ),
    talk(
        "快递",
        """我们是个小团队，叫闪电速运，12个人
        电话17712345678
        快递员跟站点联系
        每月800
        一年
        无所谓，不录吧
        好
        没问题
        付了
        拜拜""",
        company="闪电速运",
        seats=12,
        use="internal",
        budget=800,
        term_months=12,
        recording=False,
    ),
)

# Up to the question whether to place the order; what follows must not place it.
TO_THE_ORDER = {
    "en": ("We are Acme, 10 people, phone 13800138000", "support", "2000", "12", "no", "I'll take it"),
    "zh": ("我们公司叫蓝海，10个人，电话13800138000", "做客服", "2000", "12个月", "不用", "就这个"),
}
NO_CONSENT = {  # messages after the question, "|" between them
    "en": (
        "yes?",
        "maybe",
        "not now",
        "let me think | hmm",
        "yes, but cheaper",
        "sure, if you give me a discount",
        "what would that cost? | I see",
        "ok, what about support?",
        "I'll ask my boss first",
        "can I say yes tomorrow?",
        "no | not yet",
        "yes yes very funny",
        "yes and no",
        "looks good, but wait",
        "is it ok? | really?",
        "ok let me check with my team",
        "thanks",
        "don't order yet",
        "I would say yes if it was half the price",
        "yes...",
        "ok, got it",
        "place the order tomorrow",
        "all correct but the phone number",
        "I've paid | done",
        "what happens if I say yes? | hm",
    ),
    "zh": (
        "是？",
        "再说吧",
        "我考虑一下 | 嗯我想想",
        "好是好，就是有点贵",
        "可以便宜点吗 | 哦",
        "先不下单",
        "等我问问老板",
        "行不行啊",
        "可以，不过要先看合同",
        "确认什么？",
        "下单后能退吗",
        "好的，我回头再确认",
        "暂时不要 | 再看看",
        "谢谢",
        "明天再下单吧",
        "是不是太贵了",
        "如果打五折就下单",
        "嗯...",
        "好的，我知道了",
        "应该没问题吧",
        "除了电话都对",
        "付好了 | 已支付",
        "怎么下单",
    ),
}


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
    ("lang", "said"), [pytest.param(lang, said, id=said) for lang, many in NO_CONSENT.items() for said in many]
)
async def test_nothing_but_a_plain_yes_orders(lang: str, said: str, tmp_path: Path) -> None:
    """Doubt, a question, a condition, a delay or a no at the last question leaves the shop without an order."""
    desk = Desk(tmp_path)
    async with desk.maitred:
        assert await desk.hear(TO_THE_ORDER[lang]) == "parameter_confirmation", "\n".join(desk.transcript)
        state = await desk.hear(tuple(said.split("|")))
        session = await desk.maitred.session("s")
    assert session is not None
    assert "create_order" not in session.data, "\n".join(desk.transcript)
    assert state not in ("payment_guidance", "after_sales", "completed")
