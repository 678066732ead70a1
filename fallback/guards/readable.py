"""Readable: is there a text to go by at all?"""

from .view import GuardView, GuardWish


def readable(view: GuardView) -> GuardWish | None:
    """A message that is empty, too long, only an attachment, or meant for an earlier state gets a sentence, no more."""
    if view.outdated:
        return GuardWish(
            "refuse_input", payload={"reason": "outdated"}, reason="written for another version of the session"
        )
    if len(view.text) > view.text_chars:
        return GuardWish("refuse_input", payload={"reason": "text_too_long"})
    if not view.text.strip():
        return GuardWish("refuse_input", payload={"reason": "attachment" if view.attachments else "empty_text"})
    return None
