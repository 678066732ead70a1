"""Calendar arithmetic for dates that are said: the next such day, days of weeks, ends of months.

Owns what a said date means; how it is said is `dates.py`. None for a day that does not exist or lies too far away.
"""

from calendar import monthrange
from datetime import date, timedelta

MOST_DAYS_AHEAD = 3_660


def day_of(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def next_day(month: int, day: int, today: date) -> date | None:
    """The next such day, today included; leap days wait up to eight years."""
    years = (day_of(today.year + n, month, day) for n in range(9))
    return next((found for found in years if found is not None and found >= today), None)


def next_day_of_month(day: int, today: date, months: int | None = None) -> date | None:
    if months is not None:
        year, month = shift_month(today, months)
        return day_of(year, month, day)
    candidates = (day_of(*shift_month(today, n), day) for n in range(4))
    return next((found for found in candidates if found is not None and found >= today), None)


def shift_month(today: date, months: int) -> tuple[int, int]:
    index = today.year * 12 + today.month - 1 + months
    return index // 12, index % 12 + 1


def month_end(today: date, months: int) -> date:
    year, month = shift_month(today, months)
    return date(year, month, monthrange(year, month)[1])


def add_units(today: date, count: int, unit: str, sign: int = 1) -> date | None:
    days = {"day": 1, "天": 1, "日": 1, "week": 7, "周": 7, "星期": 7, "礼拜": 7}.get(unit)
    if days is not None:
        return today + timedelta(days=sign * count * days) if count * days <= MOST_DAYS_AHEAD else None
    if count > MOST_DAYS_AHEAD // 30:
        return None
    year, month = shift_month(today, sign * count * (12 if unit in ("year", "年") else 1))
    return date(year, month, min(today.day, monthrange(year, month)[1]))


def day_of_week(which: str | None, weekday: int, today: date) -> date:
    if which in (None, "coming"):
        return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)
    weeks = {"this": 0, "next": 1, "after": 2, "last": -1}[which]
    return today + timedelta(days=weekday - today.weekday() + 7 * weeks)
