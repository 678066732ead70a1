"""Weekdays in text, English and Chinese: "Friday", "next Friday", "Friday next week", "Friday week", 下周五, 两周后的周五.

Owns how they are said; which day of which week that is, `calendar.py` reckons. The rules of dates are in `dates.py`, which alone
reads this table.
"""

import re
from collections.abc import Callable
from datetime import date

from .calendar import add_units, day_of_week
from .counts import EN_COUNT, ZH_COUNT, count_of, zh_count_of

_NUMBER = {
    w: n
    for n, day in enumerate("monday tuesday wednesday thursday friday saturday sunday".split())
    for w in (day, day[:3])
}
_NUMBER |= {"tues": 1, "weds": 2, "thur": 3, "thurs": 3}
_NUMBER |= {c: n for n, group in enumerate(("一1", "二2", "三3", "四4", "五5", "六6", "日天7")) for c in group}
_WHICH = {"下下": "after", "下": "next", "这": "this", "本": "this", "上": "last"}


def _day(match: re.Match[str], today: date) -> date:
    which = match["which"]
    return day_of_week(_WHICH.get(which, which), _NUMBER[match["wd"]], today)


def _day_of_named_week(match: re.Match[str], today: date) -> date:
    return day_of_week(match["which"] or "after", _NUMBER[match["wd"]], today)


def _weeks_on(match: re.Match[str], today: date) -> date | None:
    weeks = count_of(match.groupdict().get("n", "a"))
    first = day_of_week(match["which"], _NUMBER[match["wd"]], today)
    return None if weeks is None else add_units(first, weeks, "week")


def _zh_weeks_on(match: re.Match[str], today: date) -> date | None:
    return add_units(day_of_week("this", _NUMBER[match["wd"]], today), zh_count_of(match["n"]), "week")


def _unclear(_match: re.Match[str], _today: date) -> None:
    return None


_DAY = rf"(?P<wd>{'|'.join(sorted((w for w in _NUMBER if len(w) > 1), key=len, reverse=True))})(?![a-z])"
_HOURS = r"(?:\s+(?:morning|noon|afternoon|evening|night))?"
_WEEK = r"(?:(?P<which>this|next|last)\s+week|(?:the\s+)?week\s+after\s+next)(?![a-z])"
_THEN = r"(?:\s+|,\s+(?=[a-z ]+(?<=week|next)(?:\W*\Z|[,.;!?，。！？])))"  # no more than the week behind a comma
_ZH_WEEK = "(?:周|星期|礼拜)"
_ZH_DAY = r"(?P<wd>[一二三四五六日天1-7])(?![0-9]|[周年个])"
_ZH_WHICH = "(?P<which>下下|下|这|本|上)"

PLAIN = re.compile(rf"(?<![a-z])(?:(?P<which>this|next|coming|last)\s+)?{_DAY}")

# The earlier form wins where two match, so the longer forms stand first.
FORMS: list[tuple[re.Pattern[str], Callable[[re.Match[str], date], date | None]]] = [
    (re.compile(rf"(?<![a-z]){_DAY}\s+after\s+next\s+(?:week|month|quarter|year|meeting|call)(?![a-z])"), _unclear),
    (re.compile(rf"(?<![a-z]){_DAY},?\s+(?:(?:of|in)\s+)?(?:(?:next|this)\s+month|a\s+fortnight)(?![a-z])"), _unclear),
    (re.compile(rf"(?<![a-z])(?:first|second|third|fourth|last)\s+{_DAY}\s+(?:of|in)(?![a-z])"), _unclear),
    (re.compile(rf"月的?(?:第[一二三四1-4]个|最后一?个)?{_ZH_WEEK}{_ZH_DAY}"), _unclear),
    (
        re.compile(rf"(?<![a-z])(?P<n>{EN_COUNT})\s+weeks?\s+(?:on|from)\s+(?:(?P<which>this|next)\s+)?{_DAY}"),
        _weeks_on,
    ),
    (
        re.compile(rf"(?<![a-z])(?<!not )(?:the\s+)?{_DAY}{_HOURS}{_THEN}(?:(?:of|in)\s+)?{_WEEK}"),
        _day_of_named_week,
    ),
    (re.compile(rf"(?<![a-z])(?:the\s+)?{_DAY}(?P<which>)\s+after\s+next(?![a-z])"), _day_of_named_week),
    (re.compile(rf"(?<![a-z]){_WEEK}(?:'s)?,?\s+(?:on\s+)?(?:the\s+)?{_DAY}"), _day_of_named_week),
    (re.compile(rf"(?<![a-z])(?:(?P<which>this|next)\s+)?{_DAY}\s+week(?![a-z]|\s*[0-9])"), _weeks_on),
    (PLAIN, _day),
    (
        re.compile(rf"(?<![0-9第])(?P<n>{ZH_COUNT})个?{_ZH_WEEK}(?:之后|以后|后)的?{_ZH_WEEK}{_ZH_DAY}"),
        _zh_weeks_on,
    ),
    (
        re.compile(rf"(?<![下这本上个]){_ZH_WEEK}{_ZH_DAY}[,，]?\s?(?P<which>下下|下)个?{_ZH_WEEK}(?=的|\W|\Z)"),
        _day,
    ),
    (re.compile(rf"{_ZH_WHICH}[一个]?{_ZH_WEEK}[,，]?\s?(?:的|那个)?{_ZH_WEEK}{_ZH_DAY}"), _day),
    (re.compile(rf"(?:{_ZH_WHICH}\s?)?个?{_ZH_WEEK}{_ZH_DAY}"), _day),
]
