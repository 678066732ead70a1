"""A reply that nobody can read is none."""

import pytest

from maitred.protocol.visible import is_visible


@pytest.mark.parametrize("text", ["ok", "好", "42", "👍", "<b>yes</b>", "é", "…ok", "第 1 步"])
def test_words_digits_and_pictures_are_visible(text: str) -> None:
    """In any script."""
    assert is_visible(text)


@pytest.mark.parametrize(
    "text", ["", " ", "\u200b\u2060", "…", "**", "<b></b>", "<!-- hello -->", "\u0301", "?!", "\n\t"]
)
def test_marks_and_markup_alone_are_not(text: str) -> None:
    """Nor what has no width."""
    assert not is_visible(text)
