"""Consent in words guards orders: what confirms is a list; doubts, conditions, questions and others' orders do not."""

import json
from pathlib import Path

import pytest

from maitred.fallback.consent import orders_it
from maitred.protocol.polarity import polarity

PHRASES = (
    "place the order",
    "yes",
    "order it",
    "confirm the order",
    "submit the order",
    "confirm",
    "确认下单",
    "是",
    "下单",
    "提交订单",
    "确认",
)

CONFIRM = (
    "I read it twice, please place the order|all correct, place the order|everything is right, please order it|"
    "the details are fine so place the order please|great, place my order|yes, place the order now|"
    "Checked it all. Place the order.|you may place the order|go ahead and place the order|"
    "please go ahead with the order|I confirm the order|we confirm, place the order|"
    "that is all correct, I confirm the order|my boss agreed, place the order|"
    "my wife says yes, please place the order|we discussed it and you can place the order|let's place the order|"
    "let's do it, order it|ok then, confirm the order|I have checked everything, go ahead|"
    "the phone number is right and so is the rest, place the order|happy with all of it, go ahead and order|"
    "please proceed with the order|looks right to me, proceed|I'd like to place the order|"
    "we would like to place the order|I want to place the order|could you place the order please|"
    "can you place the order now, please|please order it for us|send the order through|submit the order|"
    "please submit it|nothing to change, place the order|no changes, please place the order|"
    "no need to change anything, go ahead|it's all good, put the order in|put the order through|"
    "finalize the order please|good price, place the order|我看了两遍，请下单|都对，下单吧|信息无误，确认下单|"
    "没问题，帮我下单|可以下单了|核对过了，下单|老板同意了，下单吧|都核对好了，请提交订单|就这么定，下单|"
    "麻烦帮我下单|请帮我提交订单|行，那就下单吧|全部正确，确认订单|价格可以，下单|那你就下单吧|我们商量好了，下单|"
    "不用改，下单|没有要改的，直接下单|马上下单|现在就下单|辛苦了，下单吧|看过了没毛病，下单吧|"
    "嗯嗯，信息都是对的，确认下单|我确认下单|同意下单|可以，提交吧|给我下单|咱们下单吧|内容我都看了，没有错，下单|"
    "电话也对，人数也对，下单吧|好的老板，下单|那就麻烦你下单了|请尽快下单|好，可以提交订单了|就按这个下单|"
    "Read through it all, looks fine, place the order|the boss is happy, place the order please|"
    "okay we've checked, go ahead and place the order|yes yes, place the order right away|"
    "all good here, please submit the order|we're happy with the plan, please place the order|place that order|"
    "place the order, thanks|thank you, please place the order|everything's correct, please confirm the order|"
    "I'm happy with the price, place the order|the quote is fine, place the order|Yes, you can place the order now|"
    "do place the order|please kindly place the order|alright, place our order|my manager approved, go ahead|"
    "the team agreed so go ahead|I double checked the number, place the order|fine, order it then|"
    "我核对了，没问题，下单|财务同意了，下单吧|看好了，下单|行，给我们下单吧|金额没问题，确认下单|"
    "都检查过了，提交订单吧|号码是对的，下单吧|ok 下单|嗯，下单吧，谢谢|家里人都同意了，下单|老板点头了，可以下单了|"
    "麻烦下单|好的，麻烦帮忙下单|没什么要改的，下单吧|直接提交订单|对的，确认下单，辛苦了|报价没问题，下单|"
    "名字和电话都对，下单吧|请立刻下单|就下单吧|I'm satisfied, please place the order|"
    "looks right, place the order now|great, let's place the order|place our order please|"
    "yes please, do place the order|my husband agreed, please place the order|no corrections, place the order|"
    "everything looks good, confirm the order|the terms are fine, please place the order|ok, order it please|"
    "没错，下单|人数价格都对，下单|我看完了，下单吧|好，确认下单吧|老婆同意了，下单|可以，直接下单|"
    "检查无误，提交订单|都没问题了，帮我下单|方案满意，下单|同意，请下单"
)
DO_NOT = (
    "I would place the order if it was cheaper|before you place the order, check the phone number|"
    "don't place the order|do not place the order yet|please don't order it|should I place the order?|"
    "how do I place the order|when do you place the order|who will place the order|"
    "I'd place the order but my boss is away|place the order tomorrow|place the order next week|"
    "place the order on Monday|place the order once my boss agrees|place the order after lunch|"
    "place the order for 20 people instead|place the order with 12 seats|place the order for the pro plan|"
    "I might place the order|maybe place the order|I am not ready to place the order|I never said place the order|"
    "why would I place the order|oh sure, place the order, as if|yeah right, place the order|"
    "place the order for free|place the order at half price|place the order with a discount|"
    "I wanted to place the order last week|my friend told me to place the order|a colleague placed the order already|"
    "somebody else will place the order|my boss will place the order|let my boss place the order|"
    "I'll let you know when to place the order|we will place the order ourselves|"
    "I need to place the order with another company|we placed the order with your competitor|"
    "do you place the order automatically|is it safe to place the order|what happens if you place the order|"
    "hold on before placing the order|wait, place the order later|cancel, do not place the order|"
    "I was about to place the order and then saw the price|I haven't decided to place the order|"
    "only place the order with recording|place the order without recording|"
    "unless it is 10% off I cannot place the order|it says place the order, what is that|"
    "you want me to place the order|you asked whether to place the order|I hesitate to place the order|"
    "it's too early to place the order|too expensive to place the order|I refuse to place the order|"
    "afraid to place the order|stop, who told you to place the order|place the order in my brother's name|"
    "place the order under another company|can I place the order by phone|could I place the order later|"
    "I'd like to know how to place the order|I would like to place the order next month|"
    "I want to place the order but the address is wrong|hoping to place the order soon|"
    "we are going to place the order in March|please tell me how to place the order|"
    "can you place the order for my sister's shop too|first send the contract, then place the order|"
    "place the order? hmm|place the order...|you wish I would place the order|not going to place the order|"
    "place the order twice|place the order when I say so|I regret I asked you to place the order|"
    "did you place the order|have you placed the order|the order is placed|thanks for placing the order|不要下单|"
    "先别下单|别下单|下单之前先看合同|怎么下单|下单后再付可以吗|等我老板下单|下单后能退吗|我老板会下单的|"
    "等老板同意再下单|明天下单|下周一下单|月底下单|如果便宜点就下单|便宜一百就下单|打八折我就下单|给我打折就下单|"
    "可以不下单吗|能不能晚点下单|我没说要下单|谁说我要下单|为什么要下单|什么时候下单|下单有优惠吗|暂时不下单|"
    "还没到下单的时候|帮我换成20个人再下单|改成专业版下单|下单的话多少钱|下单需要什么资料|我朋友下单了|"
    "隔壁公司也下单了|我同事会来下单|让我老婆下单|财务下单|我自己下单|我去官网下单|我在别家下单了|不敢下单|懒得下单|"
    "有点犹豫要下单|考虑下单|打算下单|准备下单|想下单但是没钱|本来想下单的|刚要下单|差点就下单了|下单太麻烦了|"
    "下单送什么|你催我下单干嘛|下单下单，就知道下单|呵呵，下单|你们就想让我下单|先发合同我看看，下单不急|下单不急|"
    "下单慢点|看完合同下单|收到样品下单|领导批了下单|领导还没批，没法下单|录音加上就下单|加上录音下单|"
    "用另一个公司名下单|用我弟的名字下单|下两单|再下一单|上次下单的东西还没到|上一单是我下的|你先下单试试|"
    "万一下单错了|下单吗|下单？|是不是要下单|下单……|两年的下单|签两年就下单|确认下单是什么意思|不是很想下单|"
    "下单是不可能的|回头下单|有空下单|过几天下单|晚上下单|发完工资下单|开完会下单|等会儿下单|"
    "place the order after I sign|place the order for my cousin|place the order under a different name|"
    "place the order if there's a refund|place the order but with 15 seats|we talked about placing the order|"
    "I could place the order|would you place the order if you were me|place the order only when I call|"
    "I am thinking to place the order|no need to place the order|nobody asked to place the order|"
    "please hold the order|please do not place any order|my colleague wants to place the order himself|"
    "it would be crazy to place the order|as soon as the budget clears place the order|"
    "tell my boss to place the order|ask me again and then place the order|place the order, just kidding|"
    "place the order, not|place the order with monthly payment|place the order using my card|"
    "place an order for pizza|place the order at the old price|place the order by Friday|place the order some time|"
    "send me the contract and place the order|check the stock and place the order|add recording and place the order|"
    "make it two years and place the order|change the phone and place the order|he said place the order|"
    "they told us to go ahead|go ahead without me|go ahead if it is free|proceed with caution|you never confirmed|"
    "confirmed by whom|the order is confirmed already|can you confirm the order total|could you confirm the order|"
    "confirm the order number please|I can't confirm the order|order it from Amazon|order it again|didn't order it|"
    "my son ordered it|I'd rather place the order myself|why not place the order later|"
    "let us place the order together tomorrow|sure if you place the order for free|you'd love me to place the order|"
    "I suppose you can place the order, I don't know|place the order I guess|place the order or whatever|"
    "fine whatever place the order who cares|ready to place the order in May|happy to place the order once installed|"
    "we want to place the order through our dealer|下单前我要看样机|我们下个月下单|能不能先试用再下单|"
    "老板说下单要等他回来|我让财务下单|他们下单了我们再下单|下单，开玩笑的|不下单|我可没说下单|怎么还没下单|"
    "给我弟弟下单|帮我朋友下单|换套餐再下单|把电话改了下单|少两个人下单|加两个人，下单|签三年，下单|价格再低点就下单|"
    "送话机就下单|有赠品就下单|下单有啥好处|下单流程是什么|谁来下单|在哪下单|下单以后多久开通|已经下单了吗|"
    "我下单过一次|上周下单的|年底再下单吧|等发票到了下单|不确定能不能下单|下单会不会扣钱|下单要先付钱吧|"
    "感觉还不能下单|老公不让下单|老板不同意下单|算了别下单了|下错单了|取消下单|撤回，不下单|随便你下不下单|"
    "要下单也不是现在|可以下单，但要打折|可以下单，明天|下单可以，先开票|提交订单之前我再看看|提交订单失败了|"
    "确认订单里的电话|订单确认一下电话|你确认下单成功了？|假装下单|测试下单|下单测试一下|听说下单有礼品|为了优惠下单|"
    "place the order whenever|place the order at your own risk|place the order for ten more people|"
    "my sister says place the order|I doubt I will place the order|give me a day and place the order|"
    "place the order when the price drops|we'd place the order given a discount|first invoice, then place the order|"
    "place the order without the term|place the order but cancel the recording|and if I place the order now|"
    "place the order through my agent|you place the order, I pay later|not sure I want to place the order|"
    "place the order, haha no|I confirm the order is wrong|go ahead and ask my boss|proceed to the other plan|"
    "order it in red|老板娘说不下单|下单的事明天谈|等我回公司下单|你敢下单试试|下单容易退款难|下单能便宜吗|下单算了|"
    "下个小单|别人下单多少钱|我先问老公再下单|加个人下单|换号码下单|送我个话机我下单|一个月的先下单|不是不想下单|"
    "让我同事来下单|下单那天再说|客户催我下单|下单太快了吧|确认订单前改电话|"
    "下单，开票抬头写蓝海公司|下单，按月付|下单，月付|"
    "place the order, in the name of Globex Ltd|place the order, Acme Berlin this time|place the order, gold plan please|"
    "place the order. thirty of them|place the order, half of it|place the order, all of it twice|"
    "place the order, free of charge|he told me: place the order|they said: place the order|"
    "my kid typed: place the order|I dare you to do it, place the order"
)


def _consents(text: str) -> bool:
    """As the guard reads it: a plain yes, or an order in words."""
    return polarity(text) == "yes" or orders_it(text, PHRASES)


@pytest.mark.parametrize("text", CONFIRM.split("|"))
def test_an_order_of_the_very_action_confirms(text: str) -> None:
    """The customer names the action, and all beside it is consent, courtesy or a reason."""
    assert _consents(text)


@pytest.mark.parametrize("text", DO_NOT.split("|"))
def test_whatever_is_not_explained_does_not_confirm(text: str) -> None:
    """The words of the action stand in it, yet somebody doubts, waits, asks, wants it otherwise or tells of another order."""
    assert not _consents(text)


@pytest.mark.parametrize(
    ("text", "ordered"),
    [
        ("I agree, cancel the order please", True),
        ("my boss agreed, please cancel the order", True),
        ("不用改了，取消订单吧", True),
        ("cancel the order of my brother", False),
        ("my order is Q-20261201-0003, cancel the order", False),
        ("我的订单号是 SO20261130-000999，取消订单", False),
        ("if I cancel the order, what then", False),
        ("my boss agreed, place the order", False),
        ("先别取消订单", False),
    ],
)
def test_the_action_asked_about_is_the_one_that_counts(text: str, ordered: bool) -> None:
    """Asked about cancelling, an order to place something confirms nothing."""
    assert orders_it(text, ("cancel the order", "取消订单")) is ordered


def test_a_long_message_and_one_of_many_parts_confirm_nothing() -> None:
    """What cannot be read as a whole is asked again."""
    assert not orders_it("place the order. " + "all is fine. " * 30, PHRASES)
    assert not orders_it("ok, " * 13 + "place the order", PHRASES)


BLIND = json.loads((Path(__file__).parent / "consent_blind.json").read_text(encoding="utf-8"))
"""Written by somebody who had not seen the rules: {language: {"yes": [...], "not_yes": [...]}}."""


@pytest.mark.parametrize("text", [text for lang in BLIND.values() for text in lang["not_yes"]])
def test_no_message_of_a_stranger_orders_by_mistake(text: str) -> None:
    """Requests to check, agreement to one part, half sentences, politeness that declines: none of 400 is a yes."""
    assert not _consents(text)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_most_consents_of_a_stranger_are_understood(lang: str) -> None:
    """Four of five at first contact; whoever is missed is asked once more. A no would be a fault."""
    yes = BLIND[lang]["yes"]
    assert sum(map(_consents, yes)) >= 0.8 * len(yes)
    assert [text for text in yes if polarity(text) == "no"] == []
