"""Hand-off: a request for a human. Its words are in `fallback/handoff.py`, in both languages."""

import re

from .view import GuardView, GuardWish

_PERSON = re.compile(
    r"human|person|agent|real|live|operator|manager|somebody|someone|speak|talk|transfer|人工|真人|活人|转|找|叫|联系"
)


def hand_off(view: GuardView) -> GuardWish | None:
    """Whoever asks for a human gets one, without a model call."""
    answers = view.answers_choice and view.exit and not _PERSON.search(view.exit.matched)
    if view.exit and view.exit.kind == "human" and not answers:
        return GuardWish("ask_human", reason="asked for a human")
    return None
