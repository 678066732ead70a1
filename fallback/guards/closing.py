"""Closing: a goodbye when all is done. The words are in `fallback/exit_words.py`, in both languages."""

from .view import GuardView, GuardWish


def closing(view: GuardView) -> GuardWish | None:
    """A goodbye is the step's `on_close` event; without one it goes to the decider."""
    if not view.on_close or not view.exit or view.exit.kind != "closing":
        return None
    return GuardWish(view.on_close, reason="the customer said goodbye")
