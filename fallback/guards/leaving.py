"""Leaving: the customer gives the conversation up. The words are in `fallback/exit_words.py`, in both languages."""

from .view import GuardView, GuardWish


def leaving(view: GuardView) -> GuardWish | None:
    """Whoever gives the conversation up may go, but from states that the flow keeps."""
    if not view.exit or view.exit.kind != "leave":
        return None
    if not view.can_leave:
        return GuardWish(
            "refuse_input", payload={"reason": "leave_refused"}, reason="wants to leave where the flow keeps"
        )
    return GuardWish("leave", reason="the customer gave up")
