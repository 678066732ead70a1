"""Caps, ladder and language: counts at their very edges."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from maitred.fallback.guards.turn_cap import too_many_turns
from maitred.fallback.ladder import rung
from maitred.fallback.language import LanguageNote, first_language, language_note
from maitred.fallback.no_progress import stuck_level
from maitred.fallback.same_event import repeated_too_often
from maitred.protocol.limits import Limits
from maitred.protocol.session import Session

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
LIMITS = Limits()


def session(**fields: Any) -> Session:
    return Session(session_id="s", flow="f", flow_version="1", fingerprint="x", state="a", **fields)


@pytest.mark.parametrize(("turns", "over"), [(0, False), (29, False), (30, True), (31, True)])
def test_thirty_turns_are_allowed(turns: int, over: bool) -> None:
    """`turns` are behind: the 31st is one too many."""
    assert too_many_turns(session(episode_turns=turns), LIMITS) is over


def at(*seconds_ago: float) -> dict[str, Any]:
    return {
        "same_event": "again",
        "same_event_at": tuple((NOW - timedelta(seconds=s)).timestamp() for s in seconds_ago),
    }


@pytest.mark.parametrize(
    ("before", "over"),
    [
        ((), False),
        ((100,), False),
        ((100, 50), False),
        ((100, 50, 20), True),
        ((1,), False),
        ((2, 1), True),
        ((3, 1), False),
        ((2.9, 1), True),
        ((0, 0), True),
    ],
)
def test_the_same_event_in_a_row_and_in_a_burst(before: tuple[float, ...], over: bool) -> None:
    """The 4th in a row, or the 3rd within 3 s."""
    assert repeated_too_often(session(**at(*before)), "again", NOW, LIMITS) is over


def test_another_event_is_never_too_often() -> None:
    """It starts a row of its own."""
    assert not repeated_too_often(session(**at(2, 1, 0)), "other", NOW, LIMITS)


def test_limits_of_a_flow_count() -> None:
    """Not only the defaults."""
    limits = Limits(same_event_in_a_row=1, same_event_burst=30, turns_per_session=1, stuck_offer=1, stuck_escalate=2)
    assert repeated_too_often(session(**at(1000)), "again", NOW, limits)
    assert too_many_turns(session(episode_turns=1), limits)
    assert [stuck_level(session(stuck=n), limits) for n in range(4)] == [0, 1, 2, 2]


@pytest.mark.parametrize(("stuck", "level"), [(0, 0), (3, 0), (4, 1), (5, 1), (6, 2), (60, 2)])
def test_stuck_offers_then_hands_over(stuck: int, level: int) -> None:
    """Choices after 4 turns, a human after 6."""
    assert stuck_level(session(stuck=stuck), LIMITS) == level


@pytest.mark.parametrize(
    ("allowed", "rungs"),
    [
        (2, ["roll_back", "escalate", "escalate"]),
        (3, ["retry", "roll_back", "escalate"]),
        (5, ["retry", "retry", "retry", "roll_back", "escalate"]),
    ],
)
def test_the_ladder(allowed: int, rungs: list[str]) -> None:
    """The last invalid decision allowed hands over, the one before rolls back, the rest are asked again."""
    assert [rung(n, Limits(invalid_decisions=allowed)) for n in range(1, len(rungs) + 1)] == rungs


@pytest.mark.parametrize(
    "bad",
    [
        {"turns_per_session": 0},
        {"invalid_decisions": 1},
        {"same_event_in_a_row": 31},
        {"same_event_burst": 1},
        {"stuck_escalate": 1},
        {"tool_calls_per_turn": 0},
        {"steps_per_turn": 0},
        {"text_chars": 0},
        {"nonsense": 1},
    ],
)
def test_limits_that_would_lock_a_flow_are_refused(bad: dict[str, Any]) -> None:
    """And unknown ones."""
    with pytest.raises(ValueError, match=next(iter(bad))):
        Limits(**bad)


class TestLanguage:
    """`meta.lang`, else the script; two messages in a row switch it."""

    @pytest.mark.parametrize(
        ("text", "meta", "lang"),
        [
            ("hello", {}, "en"),
            ("你好", {}, "zh"),
            ("我要20个 seats", {}, "zh"),
            ("12345", {}, "en"),
            ("", {}, "en"),
            ("hello", {"lang": "zh"}, "zh"),
            ("你好", {"lang": "en-GB"}, "en"),
            ("hello", {"lang": "zh_CN"}, "zh"),
            ("hello", {"lang": "ZH-Hans"}, "zh"),
            ("你好", {"lang": "fr"}, "zh"),
            ("你好", {"lang": 3}, "zh"),
            ("你好", {"lang": ""}, "zh"),
            ("hello", {"lang": "zhuang"}, "en"),
        ],
    )
    def test_the_first_message_decides(self, text: str, meta: dict[str, Any], lang: str) -> None:
        """Unless the caller declares it."""
        assert first_language(text, meta) == lang

    def test_nothing_readable_keeps_the_default(self) -> None:
        """Of the session before, for one."""
        assert first_language("123", {}, "zh") == "zh"

    def test_one_message_in_the_other_language_is_a_doubt_two_switch(self) -> None:
        """In a row."""
        assert language_note(session(lang="zh"), "hello there", {}) == LanguageNote("zh", 1)
        assert language_note(session(lang="zh", lang_doubt=1), "hello again", {}) == LanguageNote("en", 0)

    def test_back_in_the_first_language_the_doubt_is_gone(self) -> None:
        """And nothing to note where there was none."""
        assert language_note(session(lang="zh", lang_doubt=1), "好的", {}) == LanguageNote("zh", 0)
        assert language_note(session(lang="zh"), "好的", {}) is None

    def test_numbers_and_signs_say_nothing(self) -> None:
        """The doubt stays as it is."""
        assert language_note(session(lang="zh", lang_doubt=1), "13800138000 !!", {}) is None

    def test_a_declared_language_holds_at_once(self) -> None:
        """Whatever the script; the same again is nothing new."""
        assert language_note(session(lang="en", lang_doubt=1), "hello", {"lang": "zh"}) == LanguageNote("zh", 0)
        assert language_note(session(lang="zh"), "hello", {"lang": "zh-TW"}) is None
