"""Polarity: plain consent is recognised in many wordings; whatever is not plain is never a yes."""

import time

import pytest

from maitred.protocol.polarity import polarity

YES = (
    "yes|yep please do|sure, go ahead|ok|sounds good|that's right|looks correct|go for it|好的|可以|没问题|对|对的|"
    "确认|就这样|行|嗯|下单吧|没错|yes that all looks right, please place the order|嗯嗯确认下单|没问题，帮我下单吧|"
    "perfect, let's do it|confirmed|I confirm|对，都对|可以的，麻烦了|no problem|why not|不错|当然不会有问题|"
    "ok thanks|Yes please!|yeah that works for me|yep, all good|absolutely|of course|definitely|alright, book it|"
    "yes, I'm sure|Yes, that's correct.|everything looks good, go ahead|that's fine|fine by me|works for me|"
    "let's go|okay, proceed|please proceed|go ahead and place the order|"
    "yes go ahead and book it please|I agree|agreed|I accept|approved|y|yup|uh huh|sure thing|sure why not|"
    "you can go ahead|yes, do it|please do|correct|exactly|yes, that is what I want|that would be great|"
    "that'll be fine|yes it is|I do|I'd like to proceed|I want to place the order|yes, confirm it|Confirm order|"
    "confirm the order please|yes submit it now|all correct|"
    "all the details are correct, thanks|that looks great!|great, go ahead|cool, do it|okie dokie|k|roger that|"
    "by all means|yes yes yes|yes of course|yes sir|好|好的好的|好的，谢谢|行的|行吧|好吧|可以可以|可以的|ok的|"
    "OK，下单|嗯呢|嗯好|是|是的|是的，没错|对对对|对啊|没错的|正确|信息正确|信息无误|确认无误|确认下单|我确认|"
    "我同意|同意|当然可以|当然|没有问题|完全没问题|就这样吧|那就这样吧|就这么定了|就这么办吧|那就下单吧|请下单|"
    "请帮我下单|麻烦帮我下单|直接下单吧|可以下单了|提交吧|订吧|买吧|成交|安排|好嘞|好滴|好哒|好呀|行啊|好的呢|"
    "都没问题|信息都对|要的|需要|我要|好，就这个|嗯，对的，没问题，下单吧|没意见|"
    "一点问题都没有|确定|确定下单|我确定|可以，谢谢你|好的，辛苦了|行，就按这个来|那好，麻烦你了|ＯＫ|ｙｅｓ|y e s|"
    "好的👌|yes!!!|YES|yesss|go on then|Yes. Thank you.|yes you may|i would|yes i would like to proceed|"
    "I'm happy with that, go ahead|yes, everything is right. place it|perfect|looks good to me|all looks good to me|"
    "yes, that's all correct|对的，请确认|嗯，下单|我要下单|可以付款|好，付款吧|可以，确认|那行，下单吧|我看可以|"
    "我觉得可以|我觉得没问题|yes place order|Confirm order please|好，帮我订了吧|是这样的|對，沒問題|確認|"
    "no objections|that works|Yes, book the table please|make it so|order it|ship it|可以 下单吧|是滴|必须的|没毛病|"
    "可以，就这样|挺好的，就这样吧|你帮我下单吧|您帮我提交吧|yes confirmed|i confirm the order|"
    "I confirm that everything is correct|right, go ahead|yeah sure|yes thanks|yes, thanks a lot|"
    "just place the order already|yes, we confirm the order|details are right, please order|得嘞，下单吧|"
    "接受这个价格|同意这个方案|就这个价格吧|订单没问题|yes please confirm|好的，请确认"
).split("|")
NO = (
    "no|nope|not yet|don't|wait|不|不要|不对|先别|等一下|不是|错了|no thanks|no thank you|nah|not now|don't do it|"
    "do not place the order|please don't|hold on|wait a minute|stop|cancel|cancel it|never mind|no way|"
    "absolutely not|of course not|definitely not|not really|I don't think so|no, that's wrong|that's not right|"
    "incorrect|wrong|the address is wrong|I don't want to|I don't want it|not interested|no no no|No, not yet|"
    "no wait|hang on a sec|nope, not right|i do not agree|I decline|no, don't|不行|不可以|不好|不用|不用了|"
    "不用了，谢谢|不需要|不了|不了，谢谢|不要了|先不要|先别下单|别下单|不下单|先不下单|暂时不要|暂时不用|不确认|"
    "不同意|不想要|不买了|还没|还没有|还没想好|没有|不是的|不是这个|不对不对|不不不|等等|等会儿|稍等|再等等|慢着|"
    "算了|算了吧|取消|取消吧|地址错了|地址不对|数量错了|信息有误|拒绝|我不要|我不同意|不要下单|不想买|先不了|不必了|"
    "写错了|不，谢谢|no!!!|ｎｏ|N o|no, the total is wrong|that isn't what I ordered|it's not correct|don't book it|"
    "no need|no, cancel it"
).split("|")
OTHER = (
    "ok, thanks anyway|that does it|yes but change it to 5|"
    "可以，不过改成5台|not sure|is it ok?|可以吗？|可以便宜点吗|I don't know if yes|ok?|yes?|"
    "maybe|I guess|probably|I think so|好吗|对吗|行吗|行不行|好不好|可不可以|是不是|对吧|好的，我再想想|好，等一下|"
    "ok wait|yes, no|no, yes|yeah no|ok but the address is wrong|yes if it's free|yes, 5 units|yes and add a mouse|"
    "可以考虑|可以再便宜点|对不起|对了|对了，能开发票吗|好像不对|好贵|要不|要不要|你好|hello|thanks|谢谢|thank you|"
    "don't worry|not bad|can you do it|can I confirm tomorrow|right now|I'm not sure|make sure it's right|"
    "yes I have a question|ok so how much is it|确认一下价格|确认一下|应该可以吧|可能吧|不一定|不是不行|没有不同意|"
    "what|5|红色的|yes, the red one|好的，改成红色|行，多少钱|嗯？|嗯，但是地址错了|sure, but not today|"
    "that's ok thanks|I'm good|no problem but wait|don't cancel it|go ahead and change it to five|"
    "ok i'll think about it|fine, whatever|if it's right then yes|did you say yes|he said yes|"
    "yes is what I would say if it was cheaper|不能便宜点|可以不|行不|好没|why not?|is that right|"
    "is everything correct|are you sure|I'm sure it's wrong|sure you are|yes man, what a joke you are|要是便宜就买|"
    "便宜点就下单|下单前改下地址|下单多少钱|先下单再付款可以吗|我要5台|我要退货吗|什么是确认|好久|行李|对方|是谁|"
    "可是|但是|好难|可惜|正确答案是什么|不错但是太贵|没问题吧|有问题|没问题吗|great|cool|whatever|。。。|👍|"
    "I confirm nothing|book it for Tuesday|order two|place the order tomorrow|yes cancel it|没关系|不要紧|"
    "可以是可以|好个屁|对个头|好你个头|yes to the first, no to the second|ok ok wait|好的，先别下单|"
    "right, so where is it|ok so|ok and|don't stop|don't wait|不用等|我先下了|好看|好的，先看看|好的先看看|马上好|"
    "你可以|你是|要快|好多|要那个|可以吧|没有错吗|可以嘛|我可以等|行了|好了|Not wrong|没有问题要问|可以的话|"
    "是的话下单|好的话就下单|nobody|note|okra|yesterday|know|novel|I do not know|🙂|ok, got it|I see, ok|yeah right"
    "|the address is correct|地址没错|地址和电话都对|价格对|number is right|price ok"
    "|the seats and the price are fine|请确认价格|确认价格|请确认|需要确认|先确认|跟老板确认|是我|嗯嗯啊啊"
    "|确认信息|发货时间|付款方案|安排时间|办理时间|买数量"
    "|please confirm|please confirm the details|confirm the details|order details|purchase order|purchase details"
    "|check out the order"
    "|我要确认一下|付了|已经付款了|好的，我知道了"
).split("|")


@pytest.mark.parametrize("text", YES)
def test_explicit_consent_is_yes(text: str) -> None:
    """Everyday consents, with courtesy and an echo of the order, in both languages."""
    assert polarity(text) == "yes"


@pytest.mark.parametrize("text", NO)
def test_explicit_refusal_is_no(text: str) -> None:
    """Refusals, "not yet" and "that is wrong"."""
    assert polarity(text) == "no"


@pytest.mark.parametrize("text", ["", "   ", "?", *OTHER])
def test_the_rest_is_other(text: str) -> None:
    """Questions, doubts, conditions, changes, courtesy alone, and words that only begin like a yes."""
    assert polarity(text) == "other"


@pytest.mark.parametrize("text", YES)
@pytest.mark.parametrize(
    "tail", [", but change it to 5", "，不过改成5台", "?", " if it is cheaper", "，等一下", ", no"]
)
def test_a_yes_with_anything_more_is_not_a_yes(text: str, tail: str) -> None:
    """A reservation, a question mark, a condition, a change or a contradiction spoils each of the consents."""
    assert polarity(text + tail) != "yes"


@pytest.mark.parametrize("text", ["cancel it", "yes, cancel it", "取消吧", "是的，取消"])
def test_cancelling_is_a_yes_only_to_a_question_about_cancelling(text: str) -> None:
    """The question decides what "cancel it" says."""
    assert polarity(text, asked="Shall I cancel the booking? 要取消预订吗？") == "yes"
    assert polarity(text, asked="Shall I place the order?") != "yes"


@pytest.mark.parametrize("text", ["y\u200bes", "ＹＥＳ", "yеs", "對，確認", "✅ ok ✅", "確認下單"])
def test_a_disguised_yes_is_a_yes(text: str) -> None:
    """Width, zero-width, look-alikes, traditional characters and emoji change nothing."""
    assert polarity(text) == "yes"


@pytest.mark.parametrize(
    "unit", ["yes ", "no ", "可以", "不是这样的", "all that ", "现在就", "?", " ", "\u200b", "a\u0301\u0327"]
)
def test_a_long_text_costs_nothing_to_judge(unit: str) -> None:
    """What is too long to be an answer is not read, and what is read does not backtrack."""
    for size in (230, 1_000_000):
        text = "ok " + unit * (size // len(unit))
        started = time.perf_counter()
        assert polarity(text[:size]) in ("yes", "no", "other")
        assert time.perf_counter() - started < 1
