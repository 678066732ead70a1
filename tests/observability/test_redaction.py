"""What may stand in a line of a log, and what may not."""

import pytest

from maitred.observability.redaction import Marks, one_line, without_secrets


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("two\nlines", "two\\nlines"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\r\nINFO forged", "a\\r\\nINFO forged"),
        ("line\u2028next", "line\\u2028next"),
        ("\u202eright to left", "\\u202eright to left"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\ud800", "\\ud800"),
        ("你好 é 😀", "你好 é 😀"),
    ],
)
def test_no_text_ends_its_line_or_draws_on_a_terminal(text: str, shown: str):
    """What does not show as itself is spelled; what does stays."""
    assert one_line(text) == shown


@pytest.mark.parametrize(
    ("text", "gone", "kept"),
    [
        ("Authorization: Bearer abc.def-ghi", "abc", "Bearer [secret]"),
        ("key sk-abcdefghijklmnop here", "abcdefgh", "key sk-[secret] here"),
        ("redis://:hunter22@localhost:6379", "hunter22", "localhost:6379"),
        ("redis://me:hunter22@localhost", "hunter22", "me:[secret]@localhost"),
        ('{"api_key": "abcdef", "n": 1}', "abcdef", '"n": 1'),
        ("https://x/?token=abcdef&page=2", "abcdef", "page=2"),
        ("mail ann.lee+x@shop.example now", "ann.lee", "mail [email] now"),
        ("call 13800138000 now", "13800138000", "call [number] now"),
        ("call +86 138 0013 8000 now", "0013", "call [number] now"),
        ("card 4111-1111-1111-1111", "1111", "card [number]"),
        ("id 11010519491231002X", "19491231", "id [number]"),
    ],
)
def test_secrets_and_peoples_numbers_are_taken_out(text: str, gone: str, kept: str):
    """Whoever logged them."""
    safe = without_secrets(text)
    assert gone not in safe
    assert kept in safe


@pytest.mark.parametrize(
    "text", ["2026-12-01 05:32:20", "1.5 ms", "s-c45201874385", "port 8000", "20,000,000 bytes", "attempt 3 of 3"]
)
def test_what_operators_need_stays(text: str):
    """Times, sizes, ports, marks."""
    assert without_secrets(text) == text


def test_a_session_is_called_by_a_mark():
    """The same in every line, another one under another key; not for other flows' names, which are none."""
    marks, others = Marks(b"one", ["tea"]), Marks(b"two", ["tea"])
    mark = marks.of("acme:tea:13800138000")
    assert marks.in_place_of_names("session 'acme:tea:13800138000': gone") == f"session '{mark}': gone"
    assert mark != others.of("acme:tea:13800138000")
    assert "138" not in mark
    assert marks.in_place_of_names("see a:b:c") == "see a:b:c"
