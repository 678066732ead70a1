"""Dates in text, English and Chinese, as `date` values. Today is an argument.

Owns how dates are said, but for weekdays (`weekdays.py`). Rules:
- Without a year: the next such day, today included (a past one rolls to next year, 29 February to the next leap
  year).
- A bare weekday is the next one after today; "this Friday", 这周五 are of this week (Monday to Sunday), "next
  Friday", 下周五, "Friday next week" of the next, "the Friday after next", 下下周五 of the one after it. "Friday week"
  is seven days after Friday.
- "the 15th", 15号: the next such day of a month. 月底 is the last day of this month, 月初 the first of the next.
- 5/3 without a year, or 03/05/2026, is not read: which one is the month differs by country. 13/05/2026 is clear.
- A day that does not exist is kept as a hit without value, so that its digits are not taken for numbers.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from . import weekdays
from .calendar import add_units, day_of, month_end, next_day, next_day_of_month, shift_month
from .counts import EN_COUNT, ZH_COUNT, count_of, zh_count_of


@dataclass(frozen=True, slots=True)
class DateHit:
    """`value` None: looks like a date, is none. `weak`: a word that often means no date ("today").

    `counted`: made from a count ("in 3 days"), which may rather be a duration.
    """

    value: date | None
    start: int
    end: int
    weak: bool = False
    counted: bool = False


_MONTHS = "january february march april may june july august september october november december".split()
_MONTH_NUMBER = {name: n for n, month in enumerate(_MONTHS, 1) for name in (month, month[:3])} | {"sept": 9}
_MONTH = "(?P<month>" + "|".join(sorted(_MONTH_NUMBER, key=len, reverse=True)) + r")\.?(?![a-z])"
_DAY = r"(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)?(?![0-9a-z])"
_YEAR = r"(?:,?\s*(?P<year>20[0-9]{2}|19[0-9]{2})(?![0-9]))?"
_ZH_NUMBER = "[0-9]{1,2}|[一二三四五六七八九十廿]{1,3}"

Make = Callable[[re.Match[str], date], date | None]


def find_dates(low: str, today: date) -> list[DateHit]:
    """All dates of a lower-case text, without overlaps, in order; the earlier form of the table wins."""
    today = date(today.year, today.month, today.day)
    taken: set[int] = set()
    hits: list[DateHit] = []
    for form, make in _FORMS:
        for match in form.finditer(low):
            if taken.isdisjoint(range(match.start(), match.end())) and not _verb_may(low, match):
                taken.update(range(match.start(), match.end()))
                weak = form in (_NEAR_DAYS, weekdays.PLAIN) and match.group() in _WEAK
                hits.append(DateHit(_made(make, match, today), match.start(), match.end(), weak, form in _COUNTED))
    return sorted(hits, key=lambda hit: hit.start)


def date_from(text: str, today: date) -> date | None:
    """The date that a whole text is, or None; a leading "on", "by", "the" or 在 does not matter."""
    low = re.sub(r"\A(?:(?:on|by|from|at|the)\s|[在就]\s?)(?=\S)|\s*(?:吧|[.。!])\Z", "", text.strip().lower())
    compact = re.fullmatch(r"((?:19|20)[0-9]{2})([01][0-9])([0-3][0-9])", low)
    if compact:
        return day_of(int(compact[1]), int(compact[2]), int(compact[3]))
    for candidate in (low, "the " + low):
        found = find_dates(candidate, today)
        if len(found) == 1 and (found[0].start, found[0].end) == (0, len(candidate)):
            return found[0].value
    return None


def _made(make: Make, match: re.Match[str], today: date) -> date | None:
    try:
        return make(match, today)
    except (ValueError, OverflowError):
        return None


def _verb_may(low: str, match: re.Match[str]) -> bool:
    """ "you may 3 times ..." is not a date."""
    return match.group().startswith("may") and bool(
        re.search(r"(?:you|we|i|they|it|that|he|she|there|which)\s\Z", low[: match.start()][-8:])
    )


def _ymd(match: re.Match[str], _today: date) -> date | None:
    return day_of(int(match["y"]), int(match["m"]), int(match["d"]))


def _dmy(match: re.Match[str], _today: date) -> date | None:
    first, second, year = int(match["a"]), int(match["b"]), int(match["y"])
    if first > 12 or first == second:
        return day_of(year, second, first)
    return day_of(year, first, second) if second > 12 else None


def _zh_ymd(match: re.Match[str], today: date) -> date | None:
    month, day = zh_count_of(match["m"]), zh_count_of(match["d"])
    if match["y"]:
        return day_of(zh_count_of(match["y"]), month, day)
    year = {"今年": 0, "明年": 1, "后年": 2, "去年": -1}.get(match["rel"] or "")
    return next_day(month, day, today) if year is None else day_of(today.year + year, month, day)


def _month_day(match: re.Match[str], today: date) -> date | None:
    month, day = _MONTH_NUMBER[match["month"]], int(match["day"])
    return day_of(int(match["year"]), month, day) if match["year"] else next_day(month, day, today)


def _near_day(match: re.Match[str], today: date) -> date:
    return today + timedelta(days=_NEAR[re.sub(r"\s+", " ", match.group())])


def _counted_day(match: re.Match[str], today: date) -> date | None:
    count = count_of(match["n"])
    sign = -1 if "ago" in match.group() else 1
    return None if count is None else add_units(today, count, match["unit"].removesuffix("s"), sign)


def _zh_counted_day(match: re.Match[str], today: date) -> date | None:
    if match["n"] == "半":
        return today + timedelta(days=15) if match["unit"] == "月" else None
    return add_units(today, zh_count_of(match["n"]), match["unit"], -1 if match["way"].endswith("前") else 1)


def _day_of_month(match: re.Match[str], today: date) -> date | None:
    return next_day_of_month(int(match["d"]), today, {"next": 1, "this": 0}.get(match["which"] or ""))


def _zh_day_of_month(match: re.Match[str], today: date) -> date | None:
    months = {"下": 1, "这": 0, "本": 0}.get((match["which"] or "")[:1])
    return next_day_of_month(zh_count_of(match["d"] or match["d2"]), today, months)


def _period_end(match: re.Match[str], today: date) -> date:
    if "year" in match.group() or "年" in match.group():
        return date(today.year + ("next" in match.group() or "明" in match.group()), 12, 31)
    return month_end(today, int("next" in match.group() or "下" in match.group()))


def _month_start(match: re.Match[str], today: date) -> date:
    year, month = shift_month(today, 1)
    return date(year, month, 1)


_NEAR = {
    "today": 0, "tonight": 0, "tomorrow": 1, "tomorow": 1, "tommorow": 1, "tmr": 1, "tmrw": 1, "day after tomorrow": 2,
    "the day after tomorrow": 2,
    "yesterday": -1, "day before yesterday": -2, "the day before yesterday": -2, "今天": 0, "今日": 0, "今晚": 0, "今早": 0,
    "明天": 1, "明日": 1, "明早": 1,
    "明晚": 1, "大后天": 3, "后天": 2, "昨天": -1, "昨日": -1, "昨晚": -1, "大前天": -3, "前天": -2,
}  # fmt: skip
_WEAK = {"today", "tonight", "今天", "今日", "今晚", "今早", "sat", "sun", "mon", "wed", "昨天", "yesterday"}


def _either(words: Iterable[str]) -> str:
    ordered = sorted(words, key=len, reverse=True)
    latin = "|".join(re.escape(w).replace(r"\ ", r"\s+") for w in ordered if w.isascii())
    return rf"(?<![a-z])(?:{latin})(?![a-z])|{'|'.join(w for w in ordered if not w.isascii())}"


_NEAR_DAYS = re.compile(_either(_NEAR))
_IN_COUNT = re.compile(
    rf"(?<![a-z])in\s+(?P<n>{EN_COUNT})\s+(?P<unit>days?|weeks?|months?|years?)(?:'s?)?(?:\s+time)?(?![a-z])"
)
_COUNT_FROM = re.compile(
    rf"(?<![a-z0-9])(?P<n>{EN_COUNT})\s+(?P<unit>days?|weeks?|months?|years?)\s+(?:from\s+(?:now|today)|later"
    rf"|ago)(?![a-z])"
)
_ZH_AFTER = re.compile(
    rf"(?<![0-9第])(?P<n>{ZH_COUNT})个?(?P<unit>天|日|周|星期|礼拜|月|年)(?P<way>之后|以后|后|之前|以前|前)(?!半)"
)
_COUNTED = (_IN_COUNT, _COUNT_FROM, _ZH_AFTER)

# The earlier form wins where two match, so the longer forms stand first.
_FORMS: list[tuple[re.Pattern[str], Make]] = [
    (
        re.compile(
            r"(?<![0-9a-z_./-])(?P<y>(?:19"
            r"|20)[0-9]{2})(?P<s>[-/.])(?P<m>[01]?[0-9])(?P=s)(?P<d>[0-3]?[0-9])(?:t[0-9:.]{2,15}(?:z"
            r"|[+-][0-9:]{2,5})?)?(?![0-9a-z_]|[-/.][0-9])"
        ),
        _ymd,
    ),
    (
        re.compile(
            r"(?<![0-9a-z_./-])(?P<a>[0-3]?[0-9])(?P<s>[-/.])(?P<b>[0-3]?[0-9])(?P=s)(?P<y>(?:19|20)[0-9]{2})(?![0-9a-z_]"
            r"|[-/.][0-9])"
        ),
        _dmy,
    ),
    (
        re.compile(
            rf"(?<![0-9])(?:(?P<y>(?:19|20)[0-9]{{2}}|[一二][零〇一二三四五六七八九]{{3}})\s?年\s?|(?P<rel>今年|明年|后年"
            rf"|去年))?(?P<m>{_ZH_NUMBER})\s?月(?:份)?\s?(?P<d>{_ZH_NUMBER})\s?(?:[日号]|(?![0-9个位名人台元块]))"
        ),
        _zh_ymd,
    ),
    (re.compile(rf"(?<![a-z]){_MONTH}\s*(?:the\s+)?{_DAY}(?![,.][0-9]){_YEAR}"), _month_day),
    (re.compile(rf"(?<![0-9a-z.,/])(?:the\s+)?{_DAY}\s*(?:of\s+)?{_MONTH}{_YEAR}"), _month_day),
    *weekdays.FORMS,
    (_IN_COUNT, _counted_day),
    (_COUNT_FROM, _counted_day),
    (_ZH_AFTER, _zh_counted_day),
    (
        re.compile(
            r"(?<![a-z])(?:the\s+)?end of (?:the|this|next) (?:month|year)(?![a-z])|(?<![a-z])(?:month"
            r"|year)[ -]end(?![a-z])|下个?月底|(?:这个|本)?月底|明年底|年底"
        ),
        _period_end,
    ),
    (re.compile(r"下个?月初|月初"), _month_start),
    (_NEAR_DAYS, _near_day),
    (
        re.compile(
            r"(?<![a-z])the\s+(?P<d>[0-3]?[0-9])(?:st|nd|rd|th)(?:\s+of\s+(?P<which>this|next)\s+month)?(?![a-z0-9]"
            r"|\s+(?:one|time|floor|person|option|of))"
        ),
        _day_of_month,
    ),
    (
        re.compile(
            rf"(?<![0-9第月年])(?P<which>下个?月|这个?月|本月)(?P<d>{_ZH_NUMBER})(?:[号日])?"
            rf"|(?<![0-9第a-z#-])(?P<d2>{_ZH_NUMBER})号(?![0-9楼线店门机馆厅院柜台员码位人]|仓库)"
        ),
        _zh_day_of_month,
    ),
]
