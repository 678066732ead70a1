"""Relative numbers: "two more", "add 2", 再加两罐 say how much a number changes, not what it is.

Owns the words right beside a number that make it so. Used where a number is known already: there a reader that takes 2 for 3 + 2
would change an order behind its customer's back. Pure.
"""

import re

from .message import lower, prepare
from .numbers import find_numbers

_BEFORE = re.compile(
    r"(?<![a-z])(?:add(?:ing)?|another|an? (?:extra|additional)|extra|additional|plus|minus)(?:\s+(?:on|in|up|just|about))?\s*\Z"
    r"|(?:再|另外?|多)(?:给我)?[加来要添买订拿]?上?\s*\Z|(?:追加|增加|添加|[加添减]|减少|去掉|少[要买订来拿])上?\s*\Z"
)
_AFTER = re.compile(r"\s*(?:[a-z]{2,15}\s)?(?:more|extra|additional|less|fewer)(?![a-z]|\s+than)")
_NEAR = 24


def is_relative(text: str, value: object) -> bool:
    """Whether the number stands in the text, and everywhere as one to reckon with."""
    low = lower(prepare(text).text)
    places = [n for n in find_numbers(low) if n.value == value]
    return bool(places) and all(
        _BEFORE.search(low[max(0, n.start - _NEAR) : n.start]) or _AFTER.match(low, n.end) for n in places
    )
