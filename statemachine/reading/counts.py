"""Small counts before a unit of time: "in a couple of weeks", 三周后. Called by `dates.py` and `weekdays.py`."""

from .numbers import number_from
from .numerals import chinese_value

EN_COUNT = (
    r"[0-9]{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|fifteen|twenty|thirty"
    r"|a couple of"
)
ZH_COUNT = "[0-9]{1,4}|[一二两三四五六七八九十百]{1,4}|半"


def count_of(text: str) -> int | None:
    """What an `EN_COUNT` says."""
    if text in ("a", "an"):
        return 1
    value = 2 if text == "a couple of" else number_from(text)
    return value if isinstance(value, int) else None


def zh_count_of(text: str) -> int:
    """What a `ZH_COUNT` says; 0 for what is no whole number."""
    value = int(text) if text.isdecimal() else chinese_value(text)
    return value if isinstance(value, int) else 0
