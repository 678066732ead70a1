"""Kinds of expression that customers use freely, each with wordings of its own: who they are among small talk, people counted by
their work, a topic before its number, who calls whom, cues of yes and no, statements about price, payment and farewell.

A wording that is not understood belongs here with its kind, or nowhere: a wrong value is worse than a question.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from maitred.decision.keyword import choose
from maitred.examples.presales.flow import STEPS, Presales, build_flow
from maitred.examples.presales.shop import Shop
from maitred.fallback.guards import guard
from maitred.protocol.decision import Exchange
from maitred.protocol.messages import UserRequest
from maitred.protocol.normalize import script_of
from maitred.protocol.session import PendingConfirmation, Session
from maitred.protocol.slots import Slot
from maitred.runtime.planning import decision_request, guard_view, read_text
from maitred.statemachine.flow import Flow
from maitred.statemachine.reading.readers import read_slots

SLOTS: dict[str, Slot] = {name: slot for step in STEPS.values() for name, slot in step.collects.items()}
NOW = datetime(2026, 11, 30, 2, tzinfo=UTC)
TODAY = NOW.date()
FIRST, SECOND = ("company", "seats", "contact"), ("use", "budget", "term_months", "recording")

# The slot asked for, the message, what is read from it (None: nothing).
VALUES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("company", "Hello dear, I'm in a meeting right now, we are Bluebird Bakery", {"company": "Bluebird Bakery"}),
    ("company", "Hi sir, good day to you. Pinecrest Motors, 12 people", {"company": "Pinecrest Motors", "seats": 12}),
    ("company", "Our place is named Olive & Thyme", {"company": "Olive & Thyme"}),
    ("company", "It is called Kestrel Boats", {"company": "Kestrel Boats"}),
    ("company", "call us Tinker Toys", {"company": "Tinker Toys"}),
    ("company", "you can call us Redwood Print", {"company": "Redwood Print"}),
    ("company", "Good evening! Hope you are well. The name is Mossgate Gardens.", {"company": "Mossgate Gardens"}),
    ("company", "Sorry I'm driving. Sunfield Dairy. 8 of us.", {"company": "Sunfield Dairy", "seats": 8}),
    ("company", "hey buddy, quick one, Quartz Fitness, 14 staff", {"company": "Quartz Fitness", "seats": 14}),
    ("company", "Hey there! How's it going?", {"company": None}),
    ("company", "Dear Sir or Madam", {"company": None}),
    ("company", "hello my friend", {"company": None}),
    ("company", "I'm on the train", {"company": None}),
    ("company", "I'm at work, can't talk long", {"company": None}),
    ("company", "long story short, we need phones", {"company": None}),
    ("company", "Busy day here. Anyway, Larkspur Vets.", {"company": "Larkspur Vets"}),
    ("company", "our shop goes by the name of Velvet Fox", {"company": "Velvet Fox"}),
    ("company", "My bakery's called Crumb and Crust", {"company": "Crumb and Crust"}),
    (
        "company",
        "Morning. Just had my coffee. We're Hollow Oak Furniture, roughly 20 people",
        {"company": "Hollow Oak Furniture", "seats": 20},
    ),
    ("company", "The firm is named Abbott Legal", {"company": "Abbott Legal"}),
    ("company", "It's a small garage, name of Turbo Tom's", {"company": "Turbo Tom's"}),
    (
        "company",
        "Hi team! Long day... we're called Nimbus Events, about 9 of us",
        {"company": "Nimbus Events", "seats": 9},
    ),
    ("company", "Sir, may I ask first: is it hard to set up?", {"company": None}),
    ("company", "I hope this finds you well", {"company": None}),
    ("company", "lovely weather today. Harbor Realty", {"company": "Harbor Realty"}),
    ("company", "hi, quick question, we run a dental clinic named Bright Molars", {"company": "Bright Molars"}),
    ("company", "Sorry for the late reply, I was in a call. Tideline Surf School", {"company": "Tideline Surf School"}),
    ("company", "You guys were recommended to me by a friend", {"company": None}),
    ("company", "no idea how this works but ok. Peak Roofing", {"company": "Peak Roofing"}),
    ("company", "just call us Marigold", {"company": "Marigold"}),
    ("company", "老板好，在开会，长话短说，德顺五金店，8个人", {"company": "德顺五金店", "seats": 8}),
    ("company", "小同志你好，我这儿叫福满楼饭庄", {"company": "福满楼饭庄"}),
    ("company", "亲，在吗，我们是美舍家居", {"company": "美舍家居"}),
    ("company", "师傅，问一下，我家店名字叫阿明修车行", {"company": "阿明修车行"}),
    ("company", "你好呀，忙着呢，永昌物流，二十来号人", {"company": "永昌物流", "seats": 20}),
    ("company", "名字叫甜心烘焙", {"company": "甜心烘焙"}),
    ("company", "长话短说吧", {"company": None}),
    ("company", "我在开会", {"company": None}),
    ("company", "稍微有点忙，等下说", {"company": None}),
    ("company", "老板您好", {"company": None}),
    ("company", "美女在不在", {"company": None}),
    ("company", "领导好，打扰了，我们厂叫兴业模具厂", {"company": "兴业模具厂"}),
    ("company", "刚下班，你们还在吧？金叶茶行", {"company": "金叶茶行"}),
    ("company", "小姐姐，我们工作室是拾光摄影工作室，6个人", {"company": "拾光摄影工作室", "seats": 6}),
    ("company", "亲爱的客服", {"company": None}),
    ("company", "今天天气真热。我们这里是清泉游泳馆", {"company": "清泉游泳馆"}),
    ("company", "信号不太好。东来顺货运", {"company": "东来顺货运"}),
    ("company", "我开车呢，说快点，鼎盛装饰，15人", {"company": "鼎盛装饰", "seats": 15}),
    ("company", "不好意思刚才在忙，公司名瑞禾农业", {"company": "瑞禾农业"}),
    ("company", "我们单位叫城北社区服务站", {"company": "城北社区服务站"}),
    ("company", "店名是小巷花坊", {"company": "小巷花坊"}),
    ("company", "同志，你好，我是个体户，开了家便利店，叫好邻居便利店", {"company": "好邻居便利店"}),
    ("company", "哥，帮个忙", {"company": None}),
    ("company", "我们家叫渔歌海鲜酒楼，人不多，11个", {"company": "渔歌海鲜酒楼", "seats": 11}),
    ("company", "客服您好，辛苦了，我这边是翰林书社", {"company": "翰林书社"}),
    ("company", "我这会儿不方便打字", {"company": None}),
    ("company", "大姐，我们是做建材的，叫万家建材行", {"company": "万家建材行"}),
    ("company", "亲亲，你们好热情啊", {"company": None}),
    ("seats", "30个业务员", {"seats": 30}),
    ("seats", "三个伙计", {"seats": 3}),
    ("seats", "four sales reps", {"seats": 4}),
    ("seats", "a team of six", {"seats": 6}),
    ("seats", "there's nine of us", {"seats": 9}),
    ("seats", "我、我老伴，还有三个伙计，一共五个人", {"seats": 5}),
    ("seats", "18个座席", {"seats": 18}),
    ("seats", "12个分机", {"seats": 12}),
    ("seats", "40坐席", {"seats": 40}),
    ("seats", "twelve technicians", {"seats": 12}),
    ("seats", "5 nurses and that's it", {"seats": 5}),
    ("seats", "eight drivers", {"seats": 8}),
    ("seats", "we have 22 consultants", {"seats": 22}),
    ("seats", "seven receptionists", {"seats": 7}),
    ("seats", "15 telemarketers", {"seats": 15}),
    ("seats", "六个服务员", {"seats": 6}),
    ("seats", "二十名老师", {"seats": 20}),
    ("seats", "14个司机", {"seats": 14}),
    ("seats", "9位医生", {"seats": 9}),
    ("seats", "十几个？不对，是16个店员", {"seats": 16}),
    ("seats", "7个师傅", {"seats": 7}),
    ("seats", "25个销售", {"seats": 25}),
    ("seats", "8个客服", {"seats": 8}),
    ("seats", "me, my wife and two waiters, four in total", {"seats": 4}),
    ("seats", "3 in the office and 5 in the warehouse, 8 altogether", {"seats": 8}),
    ("seats", "打错一位", {"seats": None}),
    ("seats", "等一下", {"seats": None}),
    ("seats", "问一下这个怎么收费", {"seats": None}),
    ("seats", "有一点不清楚", {"seats": None}),
    ("seats", "一个问题", {"seats": None}),
    ("seats", "一个", {"seats": 1}),
    ("seats", "就我一个人", {"seats": 1}),
    ("seats", "just me", {"seats": None}),
    ("seats", "one", {"seats": 1}),
    ("seats", "one moment", {"seats": None}),
    ("seats", "6 guys", {"seats": 6}),
    ("seats", "5个小姑娘", {"seats": 5}),
    ("seats", "two dozen agents", {"seats": 24}),
    ("seats", "三十部座机", {"seats": 30}),
    ("seats", "我们就四口人", {"seats": 4}),
    ("seats", "the six of us", {"seats": 6}),
    ("seats", "we are 11", {"seats": 11}),
    ("seats", "17 cooks, waiters and cashiers", {"seats": 17}),
    ("contact", "打错一位，应该是13800138000", {"seats": None, "contact": "13800138000"}),
    ("contact", "上面号码错了一个", {"seats": None}),
    ("contact", "给你一个号码 13912345678", {"seats": None, "contact": "13912345678"}),
    ("contact", "一位同事的电话 13700001111", {"seats": None, "contact": "13700001111"}),
    ("contact", "one of us will answer: 415-555-0132", {"seats": None, "contact": "4155550132"}),
    ("contact", "等一下，我找一下", {"seats": None, "contact": None}),
    ("contact", "末尾少一位", {"seats": None}),
    ("term_months", "刚才预算说少了，最多能到2500", {"budget": 2500}),
    ("term_months", "about the budget: we could stretch to 5000", {"budget": 5000}),
    ("term_months", "人数错了，应该是28", {"seats": 28, "term_months": None}),
    ("term_months", "on the budget, let's say 4200", {"budget": 4200, "term_months": None}),
    ("term_months", "I got the headcount wrong, it is 32", {"seats": 32, "term_months": None}),
    ("term_months", "预算再想了想，3600吧", {"budget": 3600, "term_months": None}),
    ("term_months", "席位数改一下，45", {"seats": 45, "term_months": None}),
    ("term_months", "budget was too low. make it 3300", {"budget": 3300, "term_months": None}),
    ("term_months", "人数报错了，19才对", {"seats": 19, "term_months": None}),
    ("term_months", "关于预算，可以加到6000", {"budget": 6000, "term_months": None}),
    ("term_months", "number of people changed, now 26", {"seats": 26, "term_months": None}),
    ("term_months", "费用方面，每月1800", {"budget": 1800, "term_months": None}),
    ("term_months", "seats: I said 20, it should be 24", {"seats": 24, "term_months": None}),
    ("term_months", "签约时间的话，18", {"term_months": 18}),
    ("term_months", "预算不多，签24个月", {"budget": None, "term_months": 24}),
    ("term_months", "the budget is fine, 24 months", {"budget": None, "term_months": 24}),
    (
        "company",
        "Afternoon! Bit hectic over here. Anyway we trade as Copper Kettle, 7 of us",
        {"company": "Copper Kettle", "seats": 7},
    ),
    ("company", "Good day kind sir", {"company": None}),
    ("company", "Stuck in traffic, will be brief. Willow Physio, 6 people", {"company": "Willow Physio", "seats": 6}),
    ("company", "Our café goes by Little Wren", {"company": "Little Wren"}),
    ("company", "We're known as Falcon Taxis", {"company": "Falcon Taxis"}),
    ("company", "the business name would be Hartley Upholstery", {"company": "Hartley Upholstery"}),
    ("company", "Hello from a rainy Leeds! Name's Thistle Ceramics", {"company": "Thistle Ceramics"}),
    ("company", "Sorry, boss is yelling. Dunmore Scaffolding.", {"company": "Dunmore Scaffolding"}),
    ("company", "I am quite busy at the moment", {"company": None}),
    ("company", "walking the dog, one sec", {"company": None}),
    ("company", "my battery is low", {"company": None}),
    ("company", "how are you today", {"company": None}),
    (
        "company",
        "Thanks for the quick answer. Brookside Nursery School, 18 teachers",
        {"company": "Brookside Nursery School", "seats": 18},
    ),
    ("company", "It's called Pixel Pond", {"company": "Pixel Pond"}),
    ("company", "people call us Greenline Cabs", {"company": "Greenline Cabs"}),
    (
        "company",
        "Right then. Maple Street Dental. About a dozen of us.",
        {"company": "Maple Street Dental", "seats": 12},
    ),
    ("company", "Hiya, in between clients here, Studio Nine Hair", {"company": "Studio Nine Hair"}),
    ("company", "Dear team, greetings from Lotus Imports", {"company": "Lotus Imports"}),
    ("company", "ok so the company, it is named Vantage Point Surveys", {"company": "Vantage Point Surveys"}),
    ("company", "Sir I am in a hurry please", {"company": None}),
    ("company", "nice to meet you", {"company": None}),
    ("company", "I have been waiting all day", {"company": None}),
    ("company", "We run a pub, The Crooked Billet, 10 staff", {"company": "The Crooked Billet", "seats": 10}),
    ("company", "hey, riverbend auto repair here", {"company": "riverbend auto repair"}),
    ("company", "excuse my english. We are Novak Transport", {"company": "Novak Transport"}),
    ("company", "I'm the owner of Saffron House", {"company": "Saffron House"}),
    (
        "company",
        "cheers mate! Anchor Marine Supplies, twenty five people",
        {"company": "Anchor Marine Supplies", "seats": 25},
    ),
    ("company", "老师您好，这会儿在外面跑，简单说下，宏图广告，12个人", {"company": "宏图广告", "seats": 12}),
    ("company", "亲，我店里正忙，名字叫依依童装店", {"company": "依依童装店"}),
    ("company", "掌柜的在不", {"company": None}),
    ("company", "我在地铁上，声音小", {"company": None}),
    ("company", "孩子在哭，稍等", {"company": None}),
    ("company", "我们这边叫做星辰口腔", {"company": "星辰口腔"}),
    ("company", "您贵姓啊", {"company": None}),
    ("company", "小哥哥你好，咱家是老街坊面馆，一共九个人", {"company": "老街坊面馆", "seats": 9}),
    ("company", "麻烦快点，赶着去接孩子。博雅培训", {"company": "博雅培训"}),
    ("company", "刚吃完饭，来了。天成货代", {"company": "天成货代"}),
    ("company", "昨天问过你们同事的，我们是聚贤人力", {"company": "聚贤人力"}),
    ("company", "公司大名：鸿运祥贸易", {"company": "鸿运祥贸易"}),
    ("company", "叫我们启明眼镜就行", {"company": "启明眼镜"}),
    ("company", "厂名是恒力铸造厂，工人五十", {"company": "恒力铸造厂", "seats": 50}),
    ("company", "哈喽哈喽，有空吗", {"company": None}),
    ("company", "听得到吗", {"company": None}),
    ("company", "大兄弟，我是开饭馆的", {"company": None}),
    ("company", "本店名为一品香茶庄", {"company": "一品香茶庄"}),
    ("company", "我姓王，王记牛肉面，员工7个", {"company": "王记牛肉面", "seats": 7}),
    ("company", "稍等我接个电话", {"company": None}),
    ("company", "好的呀，我们是蓝鲸潜水俱乐部", {"company": "蓝鲸潜水俱乐部"}),
    ("company", "人在外地，网不好", {"company": None}),
    ("company", "帅哥，你们这个靠谱不", {"company": None}),
    ("company", "诊所叫仁心堂，8个医生", {"company": "仁心堂", "seats": 8}),
    ("company", "中午好，百川建材，三十多号人", {"company": "百川建材", "seats": 30}),
    ("seats", "nine plumbers", {"seats": 9}),
    ("seats", "me plus four barbers, five altogether", {"seats": 5}),
    ("seats", "our crew is eleven", {"seats": 11}),
    ("seats", "a staff of twenty", {"seats": 20}),
    ("seats", "a workforce of 60", {"seats": 60}),
    ("seats", "thirteen of us, all told", {"seats": 13}),
    ("seats", "10 call takers", {"seats": 10}),
    ("seats", "six in the office", {"seats": 6}),
    ("seats", "seven girls on the phones", {"seats": 7}),
    ("seats", "four editors", {"seats": 4}),
    ("seats", "十二个接线员", {"seats": 12}),
    ("seats", "八名护士", {"seats": 8}),
    ("seats", "四个合伙人", {"seats": 4}),
    ("seats", "两个人，我和我媳妇", {"seats": 2}),
    ("seats", "二十五个席", {"seats": 25}),
    ("seats", "15条线", {"seats": 15}),
    ("seats", "门店3个人，仓库4个人，总共7个", {"seats": 7}),
    ("seats", "就俩人", {"seats": 2}),
    ("seats", "七八个吧", {"seats": 8}),
    ("seats", "四十台分机", {"seats": 40}),
    ("seats", "十个学徒", {"seats": 10}),
    ("seats", "一个人", {"seats": 1}),
    ("seats", "少打了一位数", {"seats": None}),
    ("seats", "稍等一下哈", {"seats": None}),
    ("seats", "有一件事想问", {"seats": None}),
    ("seats", "one question first", {"seats": None}),
    ("seats", "one second", {"seats": None}),
    ("seats", "it varies, say 14", {"seats": 14}),
    ("seats", "25 or 26", {"seats": 26}),
    ("seats", "we employ 33 people", {"seats": 33}),
    ("recording", "by the way the budget: make that 2800", {"budget": 2800}),
    ("recording", "人数变了，现在是36", {"seats": 36}),
    ("recording", "预算这块我再说下，可以到4500", {"budget": 4500}),
    ("recording", "the number of seats is wrong, we are 21", {"seats": 21}),
    ("recording", "期限改一下，24", {"term_months": 24}),
    ("recording", "about the term, 18 would be better", {"term_months": 18}),
    ("recording", "budget went up, it's 7000 now", {"budget": 7000}),
    ("recording", "席位多报了，其实15", {"seats": 15}),
    ("recording", "headcount update: 44", {"seats": 44}),
    ("recording", "我们人手增加了，到52", {"seats": 52}),
    ("recording", "预算搞错了。应该是2600", {"budget": 2600}),
    ("recording", "as for the budget, no more than 1900", {"budget": 1900}),
    ("recording", "the budget is fine", {"budget": None}),
    ("recording", "人数没问题，录音不要", {"seats": None, "recording": False}),
    (
        "company",
        "Hey! Between two meetings, so quickly: Orchard Lane Pediatrics, we're 16",
        {"company": "Orchard Lane Pediatrics", "seats": 16},
    ),
    ("company", "good to hear from you, our outfit is called Rowan Rigging", {"company": "Rowan Rigging"}),
    ("company", "honestly a bit tired today", {"company": None}),
    ("company", "could be better, and you", {"company": None}),
    ("company", "Dear support team, I represent Halcyon Hotels", {"company": "Halcyon Hotels"}),
    ("company", "on my phone so typing slow, Bluestone Masonry, five men", {"company": "Bluestone Masonry"}),
    ("company", "My company's name: Ferris & Daughters", {"company": "Ferris & Daughters"}),
    ("company", "Hello sir. Name of business Zenith Tutors.", {"company": "Zenith Tutors"}),
    ("company", "give me a sec, phone ringing", {"company": None}),
    ("company", "老板娘在吗", {"company": None}),
    ("company", "我正带孩子呢，快说", {"company": None}),
    ("company", "我们是个小厂，叫宏业五金制品厂", {"company": "宏业五金制品厂"}),
    ("company", "哎呀今天真忙，先说公司：顺丰源酒业", {"company": "顺丰源酒业"}),
    ("company", "您好，我这是代问的，单位是青山镇卫生院", {"company": "青山镇卫生院"}),
    ("company", "靓女，荣发海味铺，四个人", {"company": "荣发海味铺", "seats": 4}),
    ("company", "辛苦辛苦，馨香园花卉，十个员工", {"company": "馨香园花卉", "seats": 10}),
    ("company", "网上看到你们的", {"company": None}),
    ("company", "刚开完会，我们集团叫中磊集团", {"company": "中磊集团"}),
    ("company", "吃了吗您", {"company": None}),
    ("company", "叫小满咖啡，七个店员", {"company": "小满咖啡", "seats": 7}),
    ("seats", "six chefs and four waiters, ten in all", {"seats": 10}),
    ("seats", "fourteen advisors", {"seats": 14}),
    ("seats", "around 8 bodies", {"seats": 8}),
    ("seats", "the whole gang is 12", {"seats": 12}),
    ("seats", "二十来个接待", {"seats": 20}),
    ("seats", "五位大夫", {"seats": 5}),
    ("seats", "店里店外加起来11个人", {"seats": 11}),
    ("seats", "只有我跟我弟，两个", {"seats": 2}),
    ("seats", "六十个工友", {"seats": 60}),
    ("seats", "号码多了一位", {"seats": None}),
    ("seats", "一会儿告诉你", {"seats": None}),
    ("seats", "three couriers and a dispatcher, four of us", {"seats": 4}),
    ("use", "headcount was off, we're 17", {"seats": 17}),
    ("use", "预算我重新算了，3100", {"budget": 3100}),
    ("use", "席位报少了，得40", {"seats": 40}),
    ("use", "budget correction: 2750", {"budget": 2750}),
    ("use", "my budget changed, 5200 now", {"budget": 5200}),
    ("use", "人数更正一下，是23", {"seats": 23}),
    (
        "company",
        "thank you so much",
        {"company": None, "use": None, "budget": None, "term_months": None, "recording": None},
    ),
    ("company", "who is this", {"company": None, "use": None, "budget": None, "term_months": None, "recording": None}),
    (
        "company",
        "I'd rather not say",
        {"company": None, "use": None, "budget": None, "term_months": None, "recording": None},
    ),
    (
        "company",
        "is this a robot",
        {"company": None, "use": None, "budget": None, "term_months": None, "recording": None},
    ),
    (
        "company",
        "我想先了解一下",
        {"company": None, "use": None, "budget": None, "term_months": None, "recording": None},
    ),
    (
        "company",
        "你们是哪家公司",
        {"company": None, "use": None, "budget": None, "term_months": None, "recording": None},
    ),
    ("company", "能发个资料吗", {"company": None, "use": None, "budget": None, "term_months": None, "recording": None}),
    (
        "company",
        "what plans do you have",
        {"company": None, "use": None, "budget": None, "term_months": None, "recording": None},
    ),
    ("company", "好的呀", {"company": None, "use": None, "budget": None, "term_months": None, "recording": None}),
    ("company", "我随便看看", {"company": None, "use": None, "budget": None, "term_months": None, "recording": None}),
    (
        "company",
        "just browsing",
        {"company": None, "use": None, "budget": None, "term_months": None, "recording": None},
    ),
    (
        "company",
        "hold on my dog is barking",
        {"company": None, "use": None, "budget": None, "term_months": None, "recording": None},
    ),
    ("company", "可以不说吗", {"company": None, "use": None, "budget": None, "term_months": None, "recording": None}),
    ("company", "暂时保密", {"company": None, "use": None, "budget": None, "term_months": None, "recording": None}),
    (
        "company",
        "call me back later",
        {"company": None, "use": None, "budget": None, "term_months": None, "recording": None},
    ),
    ("company", "我晚点再来", {"company": None, "use": None, "budget": None, "term_months": None, "recording": None}),
    ("company", "lol ok", {"company": None, "use": None, "budget": None, "term_months": None, "recording": None}),
    (
        "company",
        "sorry wrong window",
        {"company": None, "use": None, "budget": None, "term_months": None, "recording": None},
    ),
    ("company", "不太方便透露", {"company": None, "use": None, "budget": None, "term_months": None, "recording": None}),
    ("company", "先看看价格", {"company": None, "use": None, "budget": None, "term_months": None, "recording": None}),
    (
        "company",
        "long time no see",
        {"company": None, "use": None, "budget": None, "term_months": None, "recording": None},
    ),
    (
        "company",
        "嗨，最近怎么样",
        {"company": None, "use": None, "budget": None, "term_months": None, "recording": None},
    ),
    (
        "company",
        "whatever you say",
        {"company": None, "use": None, "budget": None, "term_months": None, "recording": None},
    ),
    ("company", "我有急事", {"company": None, "use": None, "budget": None, "term_months": None, "recording": None}),
    ("company", "you tell me", {"company": None, "use": None, "budget": None, "term_months": None, "recording": None}),
    (
        "company",
        "I dont understand",
        {"company": None, "use": None, "budget": None, "term_months": None, "recording": None},
    ),
    ("company", "听不懂", {"company": None, "use": None, "budget": None, "term_months": None, "recording": None}),
    ("company", "好烦啊", {"company": None, "use": None, "budget": None, "term_months": None, "recording": None}),
    ("company", "开玩笑呢", {"company": None, "use": None, "budget": None, "term_months": None, "recording": None}),
    ("seats", "not sure yet", {"seats": None, "company": None}),
    ("seats", "depends on the season", {"seats": None, "company": None}),
    ("seats", "一两句说不清", {"seats": None, "company": None}),
    ("seats", "quite a few", {"seats": None, "company": None}),
    ("seats", "好多人", {"seats": None, "company": None}),
    ("seats", "一部分人用", {"seats": None, "company": None}),
    ("seats", "有的用有的不用", {"seats": None, "company": None}),
    ("seats", "one of my colleagues knows", {"seats": None, "company": None}),
    ("seats", "let me count", {"seats": None, "company": None}),
    ("seats", "数一下先", {"seats": None, "company": None}),
    ("seats", "一直在变", {"seats": None, "company": None}),
    ("seats", "2026年再说", {"seats": None, "company": None}),
    ("seats", "first tell me the price", {"seats": None, "company": None}),
    ("seats", "三言两语说不清", {"seats": None, "company": None}),
    ("budget", "cheap as possible", {"budget": None}),
    ("budget", "没概念", {"budget": None}),
    ("budget", "越便宜越好", {"budget": None}),
    ("budget", "what's normal?", {"budget": None}),
    ("budget", "一般多少", {"budget": None}),
    ("budget", "not decided", {"budget": None}),
    ("budget", "看你们报价", {"budget": None}),
    ("budget", "money is tight", {"budget": None}),
    ("budget", "问一下财务", {"budget": None}),
    ("budget", "两三天后告诉你", {"budget": None}),
    ("budget", "我们20个人", {"budget": None}),
)

# The slot asked for, the one read, its value, the wordings.
WORDINGS: tuple[tuple[str, str, Any, str], ...] = (
    (
        "use",
        "use",
        "support",
        "our patients call us to book|guests ring the front desk|the line our patients call|"
        "clients phone us when something breaks|parents call to ask about classes|tenants ring us about repairs|"
        "customers mostly ask us questions|people call in with orders|顾客打进来订蛋糕|客人打电话来问房间|"
        "新人打电话来咨询婚纱|家长打进来问课程|病人预约挂号用|客人改时间都打这个电话|顾客投诉专线|用户有问题会打过来|"
        "we hardly ever call out, customers ring us|基本不往外打，都是客人打进来|不做销售，就是接接客户咨询|"
        "no selling, just picking up when guests call|not for sales, only for people who call us|"
        "we don't cold call anyone, it's for patient calls|学员打来问上课时间|租客报修用|车主打电话来预约保养|"
        "it rings, we answer|people who want to reserve a table|answering questions from buyers|"
        "so that members can get hold of us|mostly support, a bit of sales|主要是接电话，偶尔推销|"
        "售后和销售都有，主要售后|客户来电咨询|我们接电话比较多|患者电话问诊|顾客打电话来订位|"
        "residents phone us when the lift is stuck|diners book tables with us by phone|our hotline for passengers|"
        "mums and dads call in about pick-up times|so people can reach our clinic|buyers ask us where their parcel is|"
        "take-away orders by phone|guests call down to reception|owners ring about their cars|"
        "we rarely dial out, it's all incoming|hardly any outgoing, mostly patients booking|they call, we fix it|"
        "住户打电话报修|食客打电话订桌|旅客咨询航班|业主有事打物业|家长问孩子情况打过来|接订单电话|处理客诉用的|顾客问货|"
        "老人子女打来了解情况|买家催发货|回答客户问题|基本都是别人打给我们|我们不推销，主要是接听|"
        "几乎不外呼，客人预约为主|患者改约|接报修|客户找我们方便|parents ring to report absences|"
        "shoppers phone with complaints|we take bookings all day|a number for our patients|callers ask for opening hours|"
        "clients ring in with IT problems|学员打电话约课|患者打来问结果|客人催菜订座|买家问物流|车主来电救援|"
        "一般是客户打给我们，我们很少打出去|不推销，只接电话|help line for members|answering tenants",
    ),
    (
        "use",
        "use",
        "sales",
        "we call leads all day|our guys ring prospects|reaching out to new clients|we phone clients to sell|"
        "visiting and calling prospects|跑客户用|推产品|卖保险的，天天打电话|拉新|回访老客户|给客户回访|打给潜在客户|"
        "we chase leads|calling homeowners to offer solar|做推广，给人打电话|找新客户|our reps dial prospects|"
        "mainly sales, some support|销售为主，客服也有|it's not a helpdesk, we call out to prospects|"
        "不是客服，是打出去卖东西的|we pitch to companies over the phone|约客户看房|电话卖课|给客户推活动|"
        "no customer service, just outbound|lead gen|客户都是我们主动打过去的|我们打给家长推课程|"
        "phoning round potential buyers|telling businesses about our software|winning new accounts|"
        "our people chase prospects daily|book demos with leads|to sell insurance|cold outreach|"
        "we contact schools to sell books|给企业打电话推软件|联系老客户复购|招揽生意|打电话卖保健品|推销楼盘|"
        "约潜在客户见面|加盟招商|外拓|业务员联系客户|给会员推新品|打电话拉单子|做业务|"
        "mostly dialing prospects, some incoming|不是客服，是做市场的|we ring round prospects|"
        "phoning old clients to renew|reps cold call shops|to promote our courses|电话开发新客|打给老客户续费|推销信用卡|"
        "每天外呼几百个客户|约客户面谈|跑单子用|给业主打电话卖车位|mainly outbound, hardly any calls in",
    ),
    (
        "use",
        "use",
        "internal",
        "among ourselves|between our branches|departments calling each other|车间之间联系|门店之间打电话|前台和后厨联系|"
        "warehouse talks to the office|staff calling staff|for our own people to talk to one another|"
        "just inside the building|内部联络|各个车间互相打|司机和调度之间|自己人用|办公室之间|"
        "not for customers, just between us|不对外，就自己人打|总部跟分店联系|"
        "the kitchen and the front calling each other|between sites|between shops|between floors|部门间沟通|"
        "仓库和门店之间|员工互相联系|only within the team|客户不打这个，就内部用|楼上楼下联系|同事间通话|"
        "colleagues ringing colleagues|the shop floor and the office need to talk|stores talking to head office|"
        "between our two warehouses|staff only, nobody else|nurses calling doctors on the ward|"
        "for the team to speak with one another|分店之间互相调货联系|护士站和医生办公室|老师之间|工地和公司联系|"
        "总机转各部门|领导找员工方便|内部打打|客户用不到，我们自己人联系|厨房跟大堂|几个店之间|厂区内通话|"
        "not customers, only colleagues|our drivers and the depot|between the clinic rooms|"
        "just the staff among themselves|intercom for the factory|head office to branches|车间和仓库喊话|店长之间沟通|"
        "各科室联系|自己员工用|办公室互相打|财务和门店对账联系|not for clients, internal stuff",
    ),
    (
        "use",
        "use",
        None,
        "what do you mean by that?|嗯|都行吧|phones obviously|打电话用|for calling|不知道|随便|let me think|"
        "what do you suggest|都可以吧|hmm good question|打电话嘛|for the business|to make calls|why do you ask|正常用|"
        "和别人一样|I need to talk to my boss|客户很多|we have many customers|our clients are happy",
    ),
    (
        "recording",
        "recording",
        True,
        "recording on|with recording|必须录|加上录音|录音也加上|make sure calls are recorded|yes record them|要录|"
        "calls have to be recorded|we'd like them recorded|录着吧|最好录一下|definitely need it|it's a must|turn it on|"
        "开着|开启录音|legally we have to|需要的|每通都录|please include it|would be useful|带录音的|all calls please|"
        "录一下吧|we must keep recordings|留个底吧，录|switch it on|on please|record everything|"
        "yes, with recording please|I want every call on file|we need that for compliance|should be recorded|keep it on|"
        "of course, record|it has to be there|有录音最好|录，必须的|要有录音|录音打开|全都录|加一个录音吧|必备|"
        "少不了录音|得录着|需要留录音|安排上|带上吧|with recordings, yes|record, definitely|calls need recording|"
        "we'd want them taped|yes switch recording on|要带录音的|开录音|录音来一个|肯定要录|得有录音|每个电话都要录|"
        "需要啊",
    ),
    (
        "recording",
        "recording",
        False,
        "will not be necessary|isn't needed|无需|用不着|就不用了|no recording|recording off|without recording|"
        "that won't be needed|不需要录音|不录|录音就算了|leave it off|skip the recording|we can live without it|"
        "no need for that|没那个必要|免了吧|not required|it's not necessary for us|I don't think we need that|先不开|"
        "不用开|turn it off|不必了|录音不要|用不到|we'd rather not|don't bother|no thanks, no recording|"
        "it won't be needed|not this time|no recording whatsoever|we'd prefer no recording|recording is pointless for us|"
        "none needed|don't record|I'd skip it|can do without|nah, leave it|no thank you|无所谓，不录|不要录|录音免了|"
        "录音没必要|暂不需要|用不着录|不用录音|录音不加|没这需求|省了吧|不开录音|recording not required|no use for it|"
        "we don't record|without|nope, skip it|that's unnecessary|录音就免了|不录了|没必要录|录音不需要|不用吧|"
        "用不上录音|算了不录",
    ),
    (
        "recording",
        "recording",
        None,
        "how long are they kept?|录音能存多久|what does it cost?|要加钱吗|not sure yet|maybe|看情况吧|is it legal?|"
        "不一定|what's the law on that?|录音收费吗|depends on the price|let me ask|录音放哪里|不清楚要不要|录音清晰吗|"
        "what does recording cost|说不好|I'll check with legal|explain please|啥意思|what for?|录音是干嘛的|"
        "my boss decides|等下再说|一般人都要吗|I have no idea|两可",
    ),
    (
        "use",
        "recording",
        True,
        "support, with recording|sales, recording on|客服用，加上录音|make sure calls are recorded, it's for sales|"
        "support, 录音也加上|做销售，必须录音|内部用，要录音|sales calls, all recorded",
    ),
    (
        "use",
        "recording",
        False,
        "support, recording isn't needed|客服，录音用不着|sales; recording will not be necessary|销售，录音就不用了|"
        "internal, no recording|内部用，无需录音|support without recording",
    ),
)

# The step, what is done (`!`: what is not done, `faq`: an answer from knowledge), the wordings.
DECISIONS: tuple[tuple[Presales, str, str], ...] = (
    (
        Presales.PLAN_RECOMMENDATION,
        "other_plan",
        "too pricey|show me something cheaper|价格有点高|低一档|再便宜点|what's below that|that's over what we can pay|"
        "a bit rich for us|that's steep|bit much for us|I was hoping for something cheaper|price is too high|"
        "it costs too much|out of our price range|we need something smaller|something more basic please|贵了点|太贵了吧|"
        "价钱高了|这个价格受不了|超预算了|有没有低一点的|换个便宜的|来个便宜的|便宜点的看看|下一档|降一档|低配一点的|"
        "再看一个|换一档|别的呢|什么更便宜|what else have you got|any cheaper ones|the next one down|one step down|"
        "the cheaper one please|got anything more affordable|lower tier please|预算不够|吃不消|承受不起|不划算|"
        "not worth it at that price|I'd prefer a different plan|还有别的吗|想看看其他的|高一档的|"
        "something with more features|the one above|cheaper please|that's pricier than I thought|"
        "we can't stretch that far|hmm, costly|a lower-priced one|is there a lighter version?|"
        "bring the price down a tier|I'd like to see something else|what about a smaller package|the price hurts|"
        "don't like the price|too much money|not within our budget|another suggestion please|show me the next option|"
        "贵得离谱|太高了，换一个|价格偏高|有没有实惠一些的|便宜一档的有吗|再低点|比这个低的呢|超出我们预算了|"
        "给我看下一个|还能再低吗|这个贵|要不换个|来个低配版|有点小贵啊|价格超了|再推荐一个|不要这个|no, not that one|"
        "want a bigger one|something more powerful|更高级的有吗|功能再多点的|way over budget|too dear|"
        "more than I'd like to pay|a less expensive plan please|something in a lower bracket|go down a level|"
        "can I see the cheaper one|I want another plan|no, next|that one costs too much for us|太高|贵死了|超支了|"
        "便宜一点的套餐|看下一个方案|再来一个便宜的|档次低一点|这价格不行|还有便宜的没|想要低价的|换个高配的|"
        "the bigger plan please",
    ),
    (
        Presales.PLAN_RECOMMENDATION,
        "query_promotion",
        "any discount?|有优惠吗|打折吗|can you give us a discount?|能打个折不|有没有活动|do you have any promotions on?|"
        "首年有没有折扣|is there a deal?|老客户有优惠吗|could we get a discount?|有啥优惠没|有折扣吗|"
        "do you run any promotions|any offer at the moment?|现在有什么活动|能打几折",
    ),
    (
        Presales.INFO_COLLECTION,
        "faq",
        "any discount?|有优惠吗|do you do discounts?|打不打折|有什么活动吗|is there any promotion?|能便宜点吗|"
        "can I get a better price?|多买有折扣吗|any special offers right now?",
    ),
    (
        Presales.DEMAND_ANALYSIS,
        "faq",
        "is there a discount for a long term?|签两年有优惠吗|any discount for nonprofits?|做活动吗最近|"
        "do you have coupons?|is it cheaper if we sign longer?|do you give discounts to charities?|有没有促销|能优惠点不|"
        "有新客优惠吗|any deals on right now?",
    ),
    (
        Presales.PLAN_RECOMMENDATION,
        "accept_plan",
        "that one's fine|sounds good|就这个吧|可以，就它|ok let's go with it|行吧，就按你说的|works for us|"
        "price is fine, take it|价格可以，就这个|价格能接受|不贵，就它|we'll have it|yes let's take that|"
        "go with your pick|okay this suits us|价钱合适，就要这个|行，就它了|嗯，选这个|好，听你的|"
        "that's within budget, take it|perfect, that one|we'll go with that plan|good, take it|fine, that works|就它吧|"
        "可以，要这个|行，定了|this one please",
    ),
    (
        Presales.PLAN_RECOMMENDATION,
        "faq,answer",
        "how much is it?|多少钱一个月|发票怎么开|do I get an invoice?|let me think about it|我考虑一下|合同怎么签",
    ),
    (
        Presales.PAYMENT_GUIDANCE,
        "check_payment",
        "it is paid|my son paid it|我儿子帮我付了|款打过去了|对公已转账|payment's just gone through|"
        "my husband took care of the payment|accounting just wired it|财务已经付了|会计刚打款|我老公付的|微信付过了|"
        "支付宝已付|paid by card just now|paid with wechat|I paid through alipay|bank transfer done|"
        "the transfer has been made|all paid up|we've paid|付款了，发票什么时候开|money is sent|钱转了|刚用对公账户打的|"
        "已汇款，请查收|扫码付完|ok paid|okie doke, payment done|our finance dept paid this morning|"
        "just settled the bill|it's been paid|the invoice is paid|款已付清|付好啦|转过来了|paid in full|"
        "I've sent the transfer|对公转过去了|刚刚付掉了|我让财务打过去了|payment completed via alipay|"
        "done, paid with my visa|钱已到你们账上|the boss has paid|my colleague just made the payment|付完款了|交过钱了|"
        "缴完费了|用微信付好了|I have just paid, do you see it?|my wife has settled it|payment's in|"
        "we wired the money an hour ago|I've put the payment through|just did the bank transfer|"
        "paid, can you send the invoice?|the accountant transferred it|it has been settled|money left our account|"
        "payment submitted|我爱人付了|出纳转过账了|款项已付|刚支付成功|钱过去了|已经打钱了|我让会计转了|微信扫码给了|"
        "转账完成|交完费了|付了付了|已结清|老板刚付的款|银行转账成功了|付过款啦，麻烦看看|已经用支付宝转了|"
        "sorted the bill|that's the payment done|transaction complete|all paid|we have paid the bill|"
        "my partner just paid|payment has been sent|funds transferred|I wired it this morning|paid it off|刚交了钱|"
        "款已经转了|我媳妇付过了|公司财务已打款|付完啦|支付完成了|对公打款了|钱汇了，查一下|just now paid by card",
    ),
    (
        Presales.PAYMENT_GUIDANCE,
        "!check_payment,cancel_order",
        "how do I pay?|can my son pay it?|我儿子能帮我付吗|财务明天付|I'll pay tonight|can I pay by wechat|怎么转账|"
        "对公怎么转|not paid yet|还没付|payment failed|付不了|the link doesn't open|my son will pay it|等会计上班再付|"
        "is it paid?|付款成功了吗|I haven't paid|can I pay later|准备转账|after I have paid, what happens?|付了会怎样|"
        "付款后多久开通|when it's paid, will you call?|do you take cards?|where do I pay|my wife will settle it later|"
        "支付宝行吗|会计还没上班|怎么还不能付|没付成功|未付款|the transfer was rejected|card got declined|"
        "once paid, how long?|付款要多久到账|让会计去付|一会付|我这就付|扫码扫不出来|paying now|about to pay|"
        "has it been paid?|who has to pay?|my boss pays tomorrow|款还没打|老板明天付款|能开票再付吗|"
        "payment page is broken|I'm trying to pay|付款方式有哪些|will be paid next week|"
        "is there something wrong with my account|ok thanks|got it|which bank|收到|好的我看看|哦|the page is slow|"
        "need an invoice first|稍等我让财务看下|金额不对吧|wrong amount",
    ),
    (
        Presales.PARAMETER_CONFIRMATION,
        "!confirm",
        "okie doke, payment done|paid|已经付了|付款了|payment's gone through|钱打过去了|done, paid|ok, money sent|"
        "好的，付了|my son paid it|好，款打过去了|payment made|已付，谢谢|好的我付了|yup all paid|转账过去了哈|"
        "sure, paid already|钱已付，可以|ok done paying",
    ),
    (
        Presales.AFTER_SALES,
        "closed,close",
        "no that's it thanks|that's all from me|nothing from my side|we are all set here|have a good day|cheers, bye|"
        "that'll do|I think that's everything|no, you've been great|all sorted, thanks|thanks a million, bye|"
        "much appreciated, have a nice weekend|ok great thanks for everything|no further questions from us|"
        "nope, good for now|没别的事了|先这样吧|好，就到这|没有了，辛苦|谢谢你啊，再见|行，没事了|好的，多谢|"
        "不用了，谢谢|麻烦你了，再见|都清楚了，谢谢|没问题，再联系|挺好的，谢谢|感谢，祝生意兴隆|好嘞，回见|OK，拜|"
        "好的明白了|收到，谢谢|没啥了|暂时没有了|有问题再找你|我这边没事了|I'll be in touch if I need anything|"
        "I'll call if something comes up|we'll wait for the engineer then, thanks|bye for now|talk soon|take care|"
        "that answers everything|that was quick, thank you|great service, thank you|那我等通知，谢谢|好，等你们开通|"
        "以后有事再说|完事了|can't think of anything else|nope that covers it|nothing more to ask|we're sorted, cheers|"
        "have a great week|thank you so much for your help|I'm happy, bye|fine, speak soon|that's me done|"
        "ok then, goodbye|wonderful, thank you!|all understood, thanks|good, we wait for the email|see you around|"
        "not right now, thanks|没有其他事了|好的，先忙了|行，拜拜|谢谢，回头联系|ok没问题了|嗯嗯，谢谢啦|不用了，你忙吧|"
        "可以了，辛苦啦|知道啦谢谢|没疑问|就先这样，谢谢|好，我等电话|祝你们生意好|再会|都明白了|没有什么要问的了|谢了哈|"
        "no, that's about it|nothing further, thank you|I have all I need|ok cheers then|bye, and thanks again|"
        "good, all clear|that's enough for today|没有别的问题啦|好啦谢谢|行，辛苦|嗯，再见|够了，谢谢|全明白了|"
        "不需要别的了|ok, 88",
    ),
    (
        Presales.AFTER_SALES,
        "!closed,close,leave",
        "thanks, when can we start?|谢谢，什么时候能用|thanks! one more question|谢谢，还有个问题|"
        "ok thanks, how do I add users?|好的，那发票呢|thank you. and the invoice?|great, who do I call?|麻烦问下怎么用|"
        "thanks, but the app doesn't work|多谢，不过登录不上|no wait|等等|明白了，那培训呢|"
        "perfect, and is there a guide?|one more thing|还有一件事|谢谢，怎么加人|thanks, what about training?|"
        "谢谢，发票呢|ok thanks. where's the manual?|great, also I want to add two people|好的谢谢，再问下怎么登录|"
        "明白了，那号码能保留吗|thank you, though I can't log in|cheers, but nobody called me|谢谢，但是电话打不通|"
        "辛苦了，再帮我看下订单|no, I have a question|没有收到邮件|没法登录|不用电脑能用吗|perfect. one last question|"
        "谢谢你，顺便问下售后电话|thanks, and how do I log in|谢谢，那什么时候培训|great but the hotline is dead|"
        "多谢，对了发票抬头能改吗|ok. one thing though|好的，不过账号收不到|thank you, where is the guide?|"
        "the engineer never came|我收不到验证码|what?|啊？|电话接不通|it does not work|can you resend it|密码忘了|"
        "need two more seats|我想加人",
    ),
    (
        Presales.PLAN_RECOMMENDATION,
        "!accept_plan,other_plan",
        "thank you very much|what's included?|can I keep my numbers|I see|hm|我问下同事|功能有哪些|is it reliable|"
        "how long is the contract|the weather is nice|ok let me see|我看看啊",
    ),
    (
        Presales.PLAN_RECOMMENDATION,
        "other_plan,query_promotion",
        "not cheap enough|能便宜点不|I expected less",
    ),
)

COLLECTED: dict[str, Any] = {
    "company": "Zenith Ltd",
    "seats": 7,
    "contact": "13900000000",
    "use": "support",
    "budget": 2222,
    "term_months": 12,
    "recording": False,
}
RESULTS: dict[str, Any] = {
    "recommend_plan": {"plan_name": "Standard"},
    "make_quote": {},
    "create_order": {"order_no": "SO1"},
}
QUESTIONS = {
    Presales.PLAN_RECOMMENDATION: (
        "Shall we take this one, or would you like to see another?",
        "就选这个吗？还是想看看别的？",
    ),
    Presales.PARAMETER_CONFIRMATION: ("Shall I place the order? (yes / no)", "确认下单吗？（是 / 否）"),
    Presales.PAYMENT_GUIDANCE: ("Please pay and tell me when it is done.", "付好后告诉我一声。"),
    Presales.AFTER_SALES: ("Is there anything else?", "还有什么可以帮您？"),
}


@pytest.fixture(scope="module")
def flow(tmp_path_factory: pytest.TempPathFactory) -> Flow:
    return build_flow(Shop(Path(tmp_path_factory.mktemp("shop")) / "shop.db"))


def _asked(name: str) -> tuple[str, ...]:
    row = FIRST if name in FIRST else SECOND
    return row[row.index(name) :]


@pytest.mark.parametrize(("asked", "text", "expected"), [pytest.param(*row, id=row[1]) for row in VALUES])
def test_values_are_found_in_free_talk(asked: str, text: str, expected: dict[str, Any]) -> None:
    """Small talk is no name, idioms are no quantity, and a number goes to what the talk is about."""
    found = read_slots(SLOTS, text, asked=_asked(asked), today=TODAY)
    assert {name: found.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("asked", "name", "value", "text"),
    [pytest.param(a, n, v, t, id=t) for a, n, v, ts in WORDINGS for t in ts.split("|")],
)
def test_a_use_or_a_wish_is_understood_however_it_is_put(asked: str, name: str, value: Any, text: str) -> None:
    """Who calls whom tells the use; a cue of yes or no tells the wish; a question tells nothing."""
    assert read_slots(SLOTS, text, asked=_asked(asked), today=TODAY).get(name) == value


@pytest.mark.parametrize(
    ("step", "expected", "text"),
    [pytest.param(s, e, t, id=f"{e}-{t}") for s, e, ts in DECISIONS for t in ts.split("|")],
)
def test_a_statement_or_question_picks_its_action(flow: Flow, step: Presales, expected: str, text: str) -> None:
    """Guards and the decider together, with the menu of the step, choose the action, or leave alone what must not happen."""
    action, answer = _decide(flow, step, text)
    if expected == "faq":
        assert (action, bool(answer)) == ("answer", True)
    elif expected.startswith("!"):
        assert action not in expected[1:].split(",")
    else:
        assert action in expected.split(",")


def _decide(flow: Flow, step: Presales, text: str) -> tuple[str, str]:
    lang = script_of(text) or "en"
    data = {**COLLECTED, **RESULTS}
    if step == Presales.INFO_COLLECTION:
        data = {}
    elif step == Presales.DEMAND_ANALYSIS:
        data = {name: COLLECTED[name] for name in FIRST}
    pending = PendingConfirmation(action="confirm_order") if step == Presales.PARAMETER_CONFIRMATION else None
    session = Session(
        session_id="s",
        flow="presales",
        flow_version="1",
        fingerprint="-",
        state=step,
        lang=lang,
        data=data,
        pending=pending,
    )
    history = (Exchange("hello", QUESTIONS.get(step, ("", ""))[lang == "zh"]),)
    found = read_text(flow, session, text, TODAY)
    request = UserRequest(session_id="s", message_id="m", timestamp=NOW, text=text)
    if wish := guard(guard_view(flow, session, session, request, found, history)):
        return wish.name, wish.words
    decision = choose(decision_request(flow, session, text, found=found, history=history))
    return decision.action, decision.reply_text
