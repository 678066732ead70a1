"""Is there anything to read in a text? Zero-width characters, bare markup and dots are no reply."""

import re
import unicodedata

_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>", re.DOTALL)


def is_visible(text: str) -> bool:
    """Whether a reader sees a letter, a digit or a picture."""
    return any(
        unicodedata.category(char)[0] in "LN" or unicodedata.category(char) == "So" for char in _TAG.sub("", text)
    )
