"""Mends mistyped English words of the slots ("custmer", "monhts"), so that the readers find their cues and choices.

Owns when a word counts as mistyped: it is none of the slots' words nor a form of one, and one edit away from a single
long one. Never called when a free text is asked for: a name may look like a slip.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from ...protocol.slots import Slot
from ...protocol.spelling import one_edit

_SHORTEST = 6  # shorter words have too many real neighbours
_WORD = re.compile(r"[a-z]{5,20}")


def mend(text: str, slots: Mapping[str, Slot]) -> str:
    """`text` with mistyped words of the slots as they are written."""
    known = _words(tuple((slot.cues, *slot.choices.values()) for slot in slots.values()))
    return _WORD.sub(lambda match: _mended(match[0], known), text) if known else text


def _mended(word: str, known: Mapping[str, tuple[str, ...]]) -> str:
    near = known.get(word[0], ())
    if any(word.startswith(other[: len(word) - 2]) and other.startswith(word[: len(other) - 2]) for other in near):
        return word  # the word itself or a form of it
    found = {other for other in near if one_edit(word, other)}
    return found.pop() if len(found) == 1 else word


@lru_cache(maxsize=64)
def _words(phrases: tuple[tuple[tuple[str, ...], ...], ...]) -> Mapping[str, tuple[str, ...]]:
    """First letter -> long words of these phrases."""
    words: dict[str, dict[str, None]] = {}
    for word in _long_words(phrase for slot in phrases for group in slot for phrase in group):
        words.setdefault(word[0], {})[word] = None
    return {letter: tuple(many) for letter, many in words.items()}


def _long_words(phrases: Iterable[str]) -> Iterable[str]:
    return (word for phrase in phrases for word in _WORD.findall(phrase.lower()) if len(word) >= _SHORTEST)
