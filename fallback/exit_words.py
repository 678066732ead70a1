"""The words of leaving, closing and asking for a person, zh and en, as tables of phrases.

Owns what the tables of both languages (`exit_words_en.py`, `exit_words_zh.py`) mean and how they become patterns; how phrases
combine is `exits.py`. A phrase is a regular expression over one normalised clause (lower case, no punctuation, see
`protocol.normalize`). Rows are tried in order at each place, so special ones stand before general ones. No phrase matches
inside a word: English ones end at a word's end, Chinese ones must leave nothing unexplained.

Kinds: `bye` (a farewell: strong), `done` (nothing more is wanted), `weak` (the same, but also an answer: "that's it"), `quit`
(gives the matter up: strong), `drop` ("never mind", 算了: an exit unless something else is asked instead), `no`, `decline` ("no
thanks", 不用了: depends on the question), `yes`, `reason` (why one leaves: explains, does not decide), `pad` (courtesy).
"""

import re

from .exit_words_en import EN, Rows
from .exit_words_zh import ZH


def _compile(rows: Rows, end: str) -> re.Pattern[str]:
    """One pattern, a group per kind. Repeats are bounded, so that no text makes overlapping leads backtrack for long."""
    pattern = "|".join(f"(?P<{kind}>(?:{'|'.join(phrases)}){end})" for kind, phrases in rows)
    return re.compile(pattern.replace(")*", "){0,6}"))


ENGLISH = _compile(EN, r"(?![a-z0-9'])")
CHINESE = _compile(ZH, "")
