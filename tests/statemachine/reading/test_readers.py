"""readers: slots out of one message without a model, in two languages. Most claims are rows of tables: message, what is read."""

import time
from datetime import date, datetime
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from maitred.protocol.slots import Slot
from maitred.statemachine.reading.message import LOOKED_AT, lower, prepare
from maitred.statemachine.reading.readers import read_slots

WEDNESDAY = date(2026, 4, 29)
PLANS = {
    "basic": ("基础版", "基础", "starter"),
    "pro": ("专业版", "专业"),
    "pro_plus": ("专业增强版",),
    "enterprise": ("企业版",),
}
SLOTS = {
    "company": Slot(str, read="text", cues=("company", "公司", "we are", "from", "我们是")),
    "contact": Slot(str, read="text", cues=("my name is", "i'm", "this is", "name", "我叫", "我是", "姓名")),
    "seats": Slot(int, read="number", cues=("seats", "people", "users", "人", "席位", "账号")),
    "budget": Slot("number", read="number", cues=("budget", "yuan", "元", "预算", "¥", "$", "块")),
    "months": Slot(int, read="number", cues=("months", "月", "个月")),
    "plan": Slot("choice", read="choices", choices=PLANS),
    "start": Slot(date, read="date", cues=("start", "开始")),
    "phone": Slot(str, read="phone", cues=("电话", "手机", "phone")),
    "email": Slot(str, read="email"),
    "order": Slot(str, read="regex", pattern=r"(?i)\b(so-\d{4,8})\b"),
    "ok": Slot(bool, read="yes_no"),
}


def read(text: str, *names: str, asked: str | None = None) -> dict[str, Any]:
    slots = {name: SLOTS[name] for name in names} if names else SLOTS
    return dict(read_slots(slots, text, asked=asked, today=WEDNESDAY))


def read_one(text: str, name: str, *, asked: bool = False) -> Any:
    return read(text, asked=name if asked else None).get(name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "We are Acme Dental, 20 seats, pro plan, budget 5000 yuan, starting next Monday",
            {"company": "Acme Dental", "seats": 20, "budget": 5000, "plan": "pro", "start": "2026-05-04"},
        ),
        (
            "我们公司叫艾克米牙科，20人，要专业版，预算两万，下周一开始，电话13812345678",
            {
                "company": "艾克米牙科",
                "seats": 20,
                "budget": 20000,
                "plan": "pro",
                "start": "2026-05-04",
                "phone": "13812345678",
            },
        ),
        (
            "my name is Ann Lee, from Acme, ann@acme.io",
            {"company": "Acme", "contact": "Ann Lee", "email": "ann@acme.io"},
        ),
        ("this is Bob from Acme Dental", {"company": "Acme Dental", "contact": "Bob"}),
        ("twenty five seats for 2 years", {"seats": 25, "months": 24}),
        ("order SO-12345, mail to me@site.io", {"order": "SO-12345", "email": "me@site.io"}),
        ("", {}),
        ("   \n\t ", {}),
        ("?!。，", {}),
    ],
)
def test_several_slots_of_one_message_are_read_at_once(text: str, expected: dict[str, Any]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "seats", "budget"),
    [
        ("seats 20 budget 5000", 20, 5000),
        ("20 seats 5000 budget", 20, 5000),
        ("budget 5000 20 seats", 20, 5000),
        ("for 20 people budget 5000", 20, 5000),
        ("要20个预算5000", None, 5000),
        ("20人预算5000元", 20, 5000),
        ("预算:5000，席位:20", 20, 5000),
        ("budget of $5000 for 12 users", 12, 5000),
        ("2万5的预算 三十五个人", 35, 25000),
        ("统一预算5000元", None, 5000),
        ("每人20元", None, 20),
        ("20元/人", None, 20),
        ("20 yuan per seat", None, 20),
        ("¥5000", None, 5000),
        ("￥５，０００", None, 5000),
        ("5000人民币", None, None),
        ("rmb5000", None, None),
        ("budget is about 1.5k", None, 1500),
        ("预算大概在两万左右", None, 20000),
    ],
)
def test_a_number_belongs_to_the_cue_beside_it(text: str, seats: int | None, budget: int | None) -> None:
    got = read(text, "seats", "budget")
    assert (got.get("seats"), got.get("budget")) == (seats, budget)


@pytest.mark.parametrize(
    ("text", "seats"),
    [
        ("1,200 users", 1200),
        ("１，２００人", 1200),
        ("1.5k users", 1500),
        ("2万人", 20000),
        ("两百人", 200),
        ("我们有一万二千人", 12000),
        ("a dozen people", 12),
        ("two dozen users", 24),
        ("one hundred and five users", 105),
        ("20seats", 20),
        ("20-seat", 20),
        ("20 pro seats", 20),
        ("20个专业版席位", 20),
        ("我一个人用", 1),
        ("20-30 people", 30),
        ("20 to 30 people", 30),
        ("20人到30人", 30),
        ("二三十个人", 30),
        ("about 20 people or so", 20),
        ("二十来个人", 20),
        ("20多人", 20),
        ("at least 20 users", 20),
        ("no more than 20 users", 20),
        ("not 20 people, 30 people", 30),
        ("不是20人，是30人", 30),
        ("20 people, sorry 30 people", 30),
        ("20个人，不对，30个人", 30),
        ("20 people and 30 people", None),
        ("hundreds of people", None),
        ("几十个人", None),
        ("第3人", None),
        ("1.2.3 people", None),
        ("v2 people", None),
        ("1e3 people", None),
        ("nan people", None),
        ("inf people", None),
        ("12345678901234567890 people", None),
        ("9999999999999 people", None),
        ("一般人", None),
    ],
)
def test_numbers_are_read_in_both_languages(text: str, seats: int | None) -> None:
    assert read(text, "seats").get("seats") == seats


@pytest.mark.parametrize(
    ("text", "seats"),
    [
        ("20", 20),
        ("20.", 20),
        ("20?", 20),
        ("two hundred", 200),
        ("大概三十五个吧", 35),
        ("一个", 1),
        ("just one", 1),
        ("about a dozen", 12),
        ("20, no 25", 25),
        ("20-30", 30),
        ("-5", -5),
        ("the basic one", None),
        ("我想了解一下", None),
        ("I have 3 kids and 2 dogs", None),
        ("5000元", None),
        ("20%", None),
        ("5pm", None),
        ("the 3rd option", None),
        ("how many can 3 do?", None),
        ("can I return it within 7 days?", None),
        ("5月3日", None),
        ("2026-05-03", None),
        ("13812345678", None),
        ("SO-12345", None),
        ("A-12", None),
        ("3:30", None),
        ("5/3", None),
    ],
)
def test_a_bare_number_goes_to_the_slot_asked_about(text: str, seats: int | None) -> None:
    assert read_one(text, "seats", asked=True) == seats


def test_a_bare_number_goes_nowhere_when_no_number_was_asked_for() -> None:
    assert read("20") == {}
    assert read("20", "seats") == {}
    assert read("20", asked="company") == {}
    assert read("20", asked="no such slot") == {}


def test_a_number_beside_another_slots_cue_is_not_taken_by_the_one_asked() -> None:
    assert read("5000 yuan", "seats", "budget", asked="seats") == {"budget": 5000}


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("6 months", 6),
        ("半年", 6),
        ("一年", 12),
        ("一年半", 18),
        ("两年零三个月", 27),
        ("2 years", 24),
        ("half a year", 6),
        ("a year", 12),
        ("a year and a half", 18),
        ("one and a half years", 18),
        ("1 year and 3 months", 15),
        ("2½ years", 30),
        ("two quarters", 6),
        ("三个季度", 9),
        ("半个月", 0.5),
        ("1 to 2 years", 24),
        ("去年", None),
        ("2025年", None),
        ("i'm 30 years old", None),
        ("每3个月", None),
        ("3年级", None),
        ("用了两年了", None),
        ("we have been with you for 5 years", None),
        ("每月5000元", None),
    ],
)
def test_durations_turn_into_the_slots_unit(text: str, months: float | None) -> None:
    assert read(text, "months", "budget").get("months") == months


def test_weeks_turn_into_days_but_months_do_not() -> None:
    slots = {"days": Slot(int, read="number", cues=("days", "天"))}
    assert read_slots(slots, "two weeks", today=WEDNESDAY) == {"days": 14}
    assert read_slots(slots, "2 months", today=WEDNESDAY) == {}


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("basic", "basic"),
        ("PRO", "pro"),
        ("ｐｒｏ", "pro"),
        ("two pros", "pro"),
        ("pro-plus please", "pro_plus"),
        ("pro plus", "pro_plus"),
        ("专业增强版", "pro_plus"),
        ("就要企业版吧", "enterprise"),
        ("还是专业版吧", "pro"),
        ("not the basic one, the pro", "pro"),
        ("I don't want basic but pro", "pro"),
        ("I want the basic, not the pro", "basic"),
        ("instead of basic, pro", "pro"),
        ("no, the pro", "pro"),
        ("why not pro", "pro"),
        ("no problem pro is fine", "pro"),
        ("pro isn't bad", "pro"),
        ("pro is too expensive, basic", "basic"),
        ("不要基础版，要专业版", "pro"),
        ("不要基础版要专业版", "pro"),
        ("不是专业版，是基础版", "basic"),
        ("不要基础版和专业版，企业版", "enterprise"),
        ("基础版太贵了，专业版不错", "pro"),
        ("基础版就不要了，企业版", "enterprise"),
        ("basic, sorry, pro", "pro"),
        ("can I have pro?", "pro"),
        ("可以要专业版吗", "pro"),
        ("basic or pro", None),
        ("no pro", None),
        ("I do not want the pro", None),
        ("neither basic nor pro", None),
        ("除了基础版都行", None),
        ("what is the difference between basic and pro?", None),
        ("how much is the pro", None),
        ("专业版多少钱", None),
        ("有专业版吗", None),
        ("probably", None),
        ("professional", None),
        ("pro2", None),
        ("prόfile", None),
    ],
)
def test_choices_are_whole_words_and_know_negation(text: str, plan: str | None) -> None:
    assert read(text, "plan", asked="plan").get("plan") == plan


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("2026-05-03", "2026-05-03"),
        ("2026/5/3", "2026-05-03"),
        ("May 3", "2026-05-03"),
        ("May 3rd", "2026-05-03"),
        ("3 May", "2026-05-03"),
        ("the 3rd of May 2027", "2027-05-03"),
        ("April 1", "2027-04-01"),
        ("April 29", "2026-04-29"),
        ("Feb 29", "2028-02-29"),
        ("5月3日", "2026-05-03"),
        ("5月3号", "2026-05-03"),
        ("五月三号", "2026-05-03"),
        ("二零二六年五月三日", "2026-05-03"),
        ("明年5月3日", "2027-05-03"),
        ("1月1日", "2027-01-01"),
        ("tomorrow", "2026-04-30"),
        ("the day after tomorrow", "2026-05-01"),
        ("in 3 days", "2026-05-02"),
        ("in a month", "2026-05-29"),
        ("next Monday", "2026-05-04"),
        ("Friday", "2026-05-01"),
        ("Wednesday", "2026-05-06"),
        ("明天", "2026-04-30"),
        ("后天", "2026-05-01"),
        ("大后天", "2026-05-02"),
        ("下周一", "2026-05-04"),
        ("周五", "2026-05-01"),
        ("这周五", "2026-05-01"),
        ("星期天", "2026-05-03"),
        ("三天后", "2026-05-02"),
        ("月底", "2026-04-30"),
        ("下个月底", "2026-05-31"),
        ("下个月5号", "2026-05-05"),
        ("15号", "2026-05-15"),
        ("the 15th", "2026-05-15"),
        ("13/05/2026", "2026-05-13"),
        ("start May 3", "2026-05-03"),
        ("not tomorrow, Friday", "2026-05-01"),
        ("any day other than Friday", None),
        ("不要明天，周五", "2026-05-01"),
        ("05/03/2026", None),
        ("Feb 30", None),
        ("2026-13-01", None),
        ("2月30日", None),
        ("3号楼", None),
        ("you may 3 times", None),
        ("2026-05-03-001", None),
        ("in 99999 days", None),
        ("today", None),
        ("今天想问一下", None),
        ("May 3 or May 5", None),
        ("what do you do on Friday?", None),
    ],
)
def test_dates_are_read_without_a_clock(text: str, start: str | None) -> None:
    assert read(text, "start").get("start") == start


def test_today_counts_when_the_date_was_asked_for_or_has_its_cue() -> None:
    assert read("today", "start", asked="start") == {"start": "2026-04-29"}
    assert read("今天开始", "start") == {"start": "2026-04-29"}


def test_two_date_slots_are_told_apart_by_their_cues_only() -> None:
    slots = {
        "check_in": Slot(date, read="date", cues=("check in", "from", "入住")),
        "check_out": Slot(date, read="date", cues=("check out", "to", "退房")),
    }
    both = {"check_in": "2026-05-03", "check_out": "2026-05-05"}
    for text in (
        "from May 3 to May 5",
        "5月3日入住5月5日退房",
        "check in: May 3, check out on May 5",
        "入住5月3日 退房5月5日",
    ):
        assert read_slots(slots, text, today=WEDNESDAY) == both, text
    assert read_slots(slots, "May 3", today=WEDNESDAY) == {}
    assert read_slots(slots, "May 3", asked="check_out", today=WEDNESDAY) == {"check_out": "2026-05-03"}


def test_a_datetime_serves_as_today_and_the_end_of_time_does_not_raise() -> None:
    assert read_slots(SLOTS, "tomorrow", today=datetime(2026, 4, 29, 23, 0)) == {"start": "2026-04-30"}  # noqa: DTZ001
    for text in (
        "tomorrow",
        "in 900 days",
        "下下周日",
        "月底",
        "下个月5号",
        "Feb 29",
        "the 31st",
        "in 100 years",
        "明年5月3日",
        "月初",
    ):
        read_slots(SLOTS, text, today=date.max)
        read_slots(SLOTS, f"{text} 3 days ago yesterday", today=date.min)


@pytest.mark.parametrize(
    ("text", "phone"),
    [
        ("13812345678", "13812345678"),
        ("１３８１２３４５６７８", "13812345678"),
        ("我的电话是138-1234-5678，谢谢", "13812345678"),
        ("+86 138 1234 5678", "+8613812345678"),
        ("\u202d+1 (415) 555-0100\u202c", "+14155550100"),
        ("(415) 555-0100", "4155550100"),
        ("010-12345678", "01012345678"),
        ("phone 5551234", "5551234"),
        ("13812345678 20 people", "13812345678"),
        ("old 13812345678, sorry, 13900001111", "13900001111"),
        ("5551234", None),
        ("138123456789", None),
        ("A13812345678", None),
        ("6222021381234567890", None),
        ("13812345678-9", None),
        ("13812345678 and 13900001111", None),
        ("2026-05-03", None),
    ],
)
def test_a_phone_is_never_part_of_a_longer_run(text: str, phone: str | None) -> None:
    assert read_one(text, "phone") == phone


def test_bare_digits_are_a_phone_only_when_asked() -> None:
    assert read_one("555 1234", "phone", asked=True) == "5551234"
    assert read_one("2026-05-03", "phone", asked=True) is None


@pytest.mark.parametrize(
    ("text", "email"),
    [
        ("邮箱Foo.Bar+x@Example.CO.uk谢谢", "Foo.Bar+x@example.co.uk"),
        ("x@y.com.", "x@y.com"),
        ("<me@site.io>", "me@site.io"),
        ("a..b@c.com", None),
        ("a@b", None),
        ("a@b.com@c.com", None),
        ("a@-b.com", None),
        ("@b.com", None),
    ],
)
def test_emails(text: str, email: str | None) -> None:
    assert read_one(text, "email") == email


@pytest.mark.parametrize(
    ("text", "company", "contact"),
    [
        ("we are Acme Dental", "Acme Dental", None),
        ("company: acme dental", "acme dental", None),
        ("my company's name is Acme", "Acme", None),
        ("the company is called Acme & Sons Ltd. and we need 5 seats", "Acme & Sons Ltd", None),
        ("公司是艾克米", "艾克米", None),
        ("我们公司叫艾克米", "艾克米", None),
        ("公司名称：上海艾克米（集团）有限公司", "上海艾克米(集团)有限公司", None),
        ("from Acme with 20 users", "Acme", None),
        ("from Airport to Hospital", "Airport", None),
        ("we are St. Mary Clinic", "St. Mary Clinic", None),
        ("my name is ann", None, "ann"),
        ("I'm Ann", None, "Ann"),
        ("我叫李雷", None, "李雷"),
        ("我是李雷", None, "李雷"),
        ("我是张三，艾克米公司的", None, "张三"),
        ("my name is Ann and I need help", None, "Ann"),
        ("our company needs 20 seats", None, None),
        ("我们公司20个人", None, None),
        ("we are looking for 20 seats", None, None),
        ("I'm interested in the pro plan", None, None),
        ("I'm furious", None, None),
        ("from next Monday", None, None),
        ("我是想问一下价格", None, None),
        ("我是老客户", None, None),
        ("what is your company name?", None, None),
        ("this is not working", None, None),
    ],
)
def test_text_follows_its_cue(text: str, company: str | None, contact: str | None) -> None:
    got = read(text)
    assert (got.get("company"), got.get("contact")) == (company, contact)


@pytest.mark.parametrize(
    ("text", "company"),
    [
        ("Acme Dental", "Acme Dental"),
        ("acme dental.", "acme dental"),
        ("sure, it's Acme Dental", "Acme Dental"),
        ("we're acme dental", "acme dental"),
        ("hi, Acme Dental please", "Acme Dental"),
        ("Acme Dental, thanks!", "Acme Dental"),
        ("Acme Dental, 20 seats", "Acme Dental"),
        ("Acme, 20", "Acme"),
        ("Acme Dental. What's the price?", "Acme Dental"),
        ("3M", "3M"),
        ("7-Eleven", "7-Eleven"),
        ("Yes Bank", "Yes Bank"),
        ("No Limits Fitness", "No Limits Fitness"),
        ("是艾克米", "艾克米"),
        ("叫艾克米", "艾克米"),
        ("我们是艾克米牙科，20个人", "艾克米牙科"),
        ("上海艾克米有限公司", "上海艾克米有限公司"),
        ("“艾克米”", "艾克米"),
        ("yes", None),
        ("no thanks", None),
        ("hi", None),
        ("你好", None),
        ("算了", None),
        ("不知道", None),
        ("I don't know", None),
        ("what is your price?", None),
        ("why do you need that", None),
        ("为什么要告诉你", None),
        ("I want to return my order", None),
        ("hi I want to book from may 9", None),
        ("some crook has transferred $500", None),
        ("whatever goodbye", None),
        ("we are celebrating a promotion", None),
        ("from 7 pm", None),
        ("my PIN is 9431", None),
        ("our company name is Acme", "Acme"),
        ("St. Mary Clinic", "St. Mary Clinic"),
        ("帮我查一下订单", None),
        ("20 seats", None),
        ("we need 20 seats", None),
        ("20人的专业版", None),
        ("email is a@b.com", None),
        ("my name is Ann", None),
        ("it is for our company", None),
        ("!!!", None),
        ("x" * 61, None),
    ],
)
def test_the_whole_message_answers_the_text_slot_asked_about(text: str, company: str | None) -> None:
    assert read_one(text, "company", asked=True) == company


def test_a_slot_with_room_takes_a_long_description() -> None:
    slots = {"problem": Slot(str, read="text", maximum=300)}
    text = "I want to return my order because the left wheel came off on the second day and I was not happy at all"
    assert read_slots(slots, text, asked="problem", today=WEDNESDAY) == {"problem": text}


def test_a_guess_that_misfits_is_dropped_and_a_misfit_answer_is_kept_to_be_refused_with_a_reason() -> None:
    slots = {"code": Slot(str, read="text", cues=("code is",), pattern="[A-Z]{3}")}
    assert read_slots(slots, "code is abcd", today=WEDNESDAY) == {}
    assert read_slots(slots, "code is abcd", asked="code", today=WEDNESDAY) == {"code": "abcd"}
    assert read("9000 seats", "seats") == {"seats": 9000}


@pytest.mark.parametrize(
    ("text", "ok"), [("yes", True), ("好的", True), ("不要", False), ("yes, 20 seats", True), ("is it?", None)]
)
def test_yes_and_no_count_only_when_asked(text: str, ok: bool | None) -> None:
    assert read_one(text, "ok", asked=True) is ok
    assert read_one(text, "ok") is None


def test_two_matches_of_a_pattern_are_none_and_a_pattern_without_group_gives_the_whole() -> None:
    assert read("SO-12345 or SO-99999", "order") == {}
    assert read_slots({"code": Slot(str, read="regex", pattern=r"\bAB\d+")}, "it is AB12", today=WEDNESDAY) == {
        "code": "AB12"
    }
    assert read_slots({"code": Slot(str, read="regex", pattern=r"x*")}, "yyy", today=WEDNESDAY) == {}


def test_no_piece_of_text_serves_two_slots() -> None:
    slots = {
        "first": Slot(str, read="phone"),
        "second": Slot(str, read="phone"),
        "number": Slot(int, read="number"),
        "code": Slot(str, read="regex", pattern=r"\d{11}"),
    }
    assert read_slots(slots, "13812345678", today=WEDNESDAY) == {"first": "13812345678"}
    assert read_slots(slots, "13812345678", asked="second", today=WEDNESDAY) == {"second": "13812345678"}
    assert read_slots(slots, "13812345678", asked="code", today=WEDNESDAY) == {"code": "13812345678"}


def test_a_slot_without_reader_is_never_read() -> None:
    assert read_slots({"x": Slot(str), "y": Slot(int)}, "20 x", asked="y", today=WEDNESDAY) == {}


def test_a_cue_is_a_word_not_part_of_one_and_plurals_count() -> None:
    slots = {"seats": Slot(int, read="number", cues=("seat",))}
    assert read_slots(slots, "20 seats", today=WEDNESDAY) == {"seats": 20}
    assert read_slots(slots, "20 seating areas", today=WEDNESDAY) == {}


def test_values_hold_no_invisible_characters() -> None:
    assert read_one("Ac\u200bme\u202e Den\x00tal\ud800", "company", asked=True) == "Acme Den tal"


@settings(max_examples=400, deadline=None)
@given(st.text(max_size=80), st.sampled_from([None, *SLOTS]))
@example("½²①⁄\ud800İß", "company")
@example("İ" * 50 + " 20 seats", "seats")
def test_any_text_is_read_without_raising(text: str, asked: str | None) -> None:
    _check_shapes(read(text, asked=asked))


PIECES = st.sampled_from(
    "20 seats 人 budget 预算 元 ¥ , ， . ? - to not 不要 sorry pro basic 基础版 we are 我叫 公司 是 : May 3 5月3日"
    " 二 十 百 万 零 点 半 年 个月 two hundred and a half"
    " years 13812345678 a@b.co so-1234 in days 下 周一 yes 好 ( ) ' \n ½ 0 1,2 k".split(" ")
)


@settings(max_examples=600, deadline=None)
@given(st.lists(PIECES, max_size=25), st.sampled_from(["", " "]), st.sampled_from([None, *SLOTS]))
def test_any_mixture_of_telling_words_is_read_without_raising(parts: list[str], joint: str, asked: str | None) -> None:
    _check_shapes(read(joint.join(parts), asked=asked))


def _check_shapes(values: dict[str, Any]) -> None:
    for name, value in values.items():
        if name in ("seats", "budget", "months"):
            assert isinstance(value, (int, float))
            assert abs(value) <= 10**15
        elif name == "ok":
            assert isinstance(value, bool)
        else:
            assert isinstance(value, str)
            assert value.strip() == value != ""
    if "plan" in values:
        assert values["plan"] in PLANS
    if "start" in values:
        assert date.fromisoformat(values["start"]).isoformat() == values["start"]


@given(st.text())
def test_lower_case_keeps_its_length(text: str) -> None:
    assert len(lower(text)) == len(text)


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "1 ",
        "我",
        "一",
        "1,",
        "a@",
        "seats ",
        "20 people ",
        "- ",
        "+1 ",
        "(1",
        "my name is ",
        "sure, ",
        "½",
        "ﷺ",
        "不要基础版 ",
    ],
)
def test_a_megabyte_costs_no_more_than_what_is_looked_at(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    assert len(prepare(text).text) <= LOOKED_AT
    started = time.perf_counter()
    for asked in (None, "company", "seats"):
        read(text, asked=asked)
    assert time.perf_counter() - started < 3


def test_a_number_torn_by_the_cut_is_not_read() -> None:
    assert read("x " * (LOOKED_AT // 2 - 2) + "20 123456 seats", "seats") == {}


ORDER = {"company": SLOTS["company"], "seats": SLOTS["seats"], "budget": SLOTS["budget"], "ok": SLOTS["ok"]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Acme, 20, 5000, yes", {"company": "Acme", "seats": 20, "budget": 5000, "ok": True}),
        ("艾克米\n20\n5000", {"company": "艾克米", "seats": 20, "budget": 5000}),
        ("Acme, not sure, 5000", {"company": "Acme"}),
        ("20, 5000", {}),
    ],
)
def test_questions_asked_in_a_row_are_answered_in_their_order(text: str, expected: dict[str, Any]) -> None:
    """Each bare value answers the question after the one just answered; a gap ends the row."""
    assert read_slots(ORDER, text, asked=tuple(ORDER), today=WEDNESDAY) == expected


@pytest.mark.parametrize(
    ("text", "budget", "months"),
    [
        ("一个月三千左右", 3000, None),
        ("三千一个月", 3000, None),
        ("two thousand a month", 2000, None),
        ("a month, 20 people", None, 1),
        ("签一个月，20人", None, 1),
        ("签一年，预算每月4000", 4000, 12),
    ],
)
def test_a_time_beside_another_number_is_its_rate_and_no_duration(
    text: str, budget: int | None, months: int | None
) -> None:
    slots = {
        "budget": Slot("number", read="number", cues=("budget", "预算", "元", "a month", "一个月", "每月")),
        "months": SLOTS["months"],
        "seats": SLOTS["seats"],
    }
    got = read_slots(slots, text, today=WEDNESDAY)
    assert (got.get("budget"), got.get("months")) == (budget, months)


@pytest.mark.parametrize(
    ("text", "tape"),
    [
        ("we need recordings for 20 people", True),
        ("without recording, please", False),
        ("录音必须要，20人", True),
        ("录音就算了", False),
        ("is recording included?", None),
        ("a question about recording", None),
        ("not sure whether we need recording", None),
        ("要不要录音都行", None),
    ],
)
def test_a_wish_or_refusal_beside_its_cue_answers_a_yes_no_slot_unasked(text: str, tape: bool | None) -> None:
    slots = {"tape": Slot(bool, read="yes_no", cues=("recording", "录音")), "seats": SLOTS["seats"]}
    assert read_slots(slots, text, today=WEDNESDAY).get("tape") is tape


@pytest.mark.parametrize(
    ("text", "use"),
    [
        ("mostly answering our customers' calls", "in"),
        ("calling all our customers", "out"),
        ("calls from customers", None),
        ("给客户打电话", "out"),
        ("接很多客户的来电", "in"),
        ("anwser calls", "in"),
        ("mainly calling customers, but we answer calls too", "out"),
        ("answer calls and call customers", "in"),
        ("answer calls or call customers", None),
        ("the second one", "out"),
    ],
)
def test_a_synonym_may_have_gaps_and_forms(text: str, use: str | None) -> None:
    choices = {"in": ("answer ... calls", "接...来电"), "out": ("call ... customers", "给...打电话")}
    slots = {"use": Slot("choice", read="choices", choices=choices)}
    assert read_slots(slots, text, asked="use", today=WEDNESDAY).get("use") == use
