"""dates: a weekday of a week that is named apart from it."""

from datetime import date

import pytest

from maitred.statemachine.reading.dates import date_from, find_dates

WEDNESDAY = date(2026, 4, 29)
THIS, NEXT, AFTER = date(2026, 5, 1), date(2026, 5, 8), date(2026, 5, 15)


@pytest.mark.parametrize(
    ("texts", "friday"),
    [
        (
            "this Friday|Friday this week|this week Friday|on Friday of this week|这周五|本周五|这周的周五|这个星期五",
            THIS,
        ),
        (
            "next Friday|Friday next week|next week Friday|next week on Friday|Friday of next week",
            NEXT,
        ),
        (
            "Friday, next week|next week's Friday|Friday afternoon next week|Friday week|a week on Friday|one week from Friday",
            NEXT,
        ),
        (
            "下周五|下星期五|下个礼拜五|下周的周五|下周的星期五|下一周周五|下周，周五|周五，下周|下 周五|一周后的周五",
            NEXT,
        ),
        (
            "the Friday after next|Friday after next|the week after next, Friday|Friday the week after next|two weeks on Friday",
            AFTER,
        ),
        ("next Friday week|下下周五|下下星期五|下下个周五|下下周的周五|两周后的周五|两个星期后的星期五", AFTER),
        ("Friday last week|last week Friday|上周五|上周的周五", date(2026, 4, 24)),
    ],
)
def test_the_week_may_stand_before_or_behind_its_day(texts: str, friday: date) -> None:
    """Alone and in a sentence of either language."""
    for text in texts.split("|"):
        assert date_from(text, WEDNESDAY) == friday, text
        for sentence in (f"let us start {text}, please", f"我们想{text}，开始用"):
            assert [hit.value for hit in find_dates(sentence.lower(), WEDNESDAY)] == [friday], sentence


def test_days_before_today_are_of_the_named_week_too() -> None:
    """On a Wednesday, "Monday next week" is five days off, 下下周一 twelve; "Monday week" counts from the next Monday."""
    for text, day in (
        ("monday next week", 4),
        ("下周一", 4),
        ("下下周一", 11),
        ("monday week", 11),
        ("monday after next", 11),
    ):
        assert date_from(text, WEDNESDAY) == date(2026, 5, day), text


@pytest.mark.parametrize(
    "text",
    [
        "friday, next week is too late",
        "friday, next week we travel",
        "周五，下周再说",
        "这周五，下周的事再说",
        "not friday, next week",
        "friday weekend",
        "friday week 3",
        "friday weekly",
        "friday weeks",
    ],
)
def test_other_words_behind_a_day_change_nothing(text: str) -> None:
    assert [hit.value for hit in find_dates(text, WEDNESDAY)] == [THIS]


def test_two_days_stay_two_days() -> None:
    """下周三周五 are no one day, nor is a day and the one after it."""
    assert [hit.value for hit in find_dates("下周三，下周五", WEDNESDAY)] == [date(2026, 5, 6), NEXT]
    assert [hit.value for hit in find_dates("周五，下周六", WEDNESDAY)] == [THIS, date(2026, 5, 9)]
    assert [hit.value for hit in find_dates("friday, next week tuesday", WEDNESDAY)] == [THIS, date(2026, 5, 5)]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "the friday after next month",
            "friday next month",
            "a friday in a fortnight",
            "the first friday in may",
            "last friday of the month",
        ),
        *("下个月的周五", "这个月最后一个周五", "五月第一个星期五", "下个月第2个礼拜五"),
    ],
)
def test_a_day_of_another_time_is_no_day(text: str) -> None:
    """Its words are kept from being read as this Friday."""
    assert [hit.value for hit in find_dates(text, WEDNESDAY)] == [None]
