"""Confirmation: the answer to a question that waits for a yes. The words of consent are in `polarity.py` and `consent.py`."""

from ...protocol.polarity import about_cancelling, polarity
from ..consent import displeased, orders_it
from .view import GuardView, GuardWish


def confirmation(view: GuardView) -> GuardWish | None:
    """Only a plain yes confirms, or an order of just that action. A no that brings new values goes to the decider.

    A yes to a question that was not there when it was written is no yes to it: the reply is that question.
    """
    if not view.confirming or view.attachments or displeased(view.text):  # what nobody has read may say the contrary
        return None
    asked = " ".join((view.confirms_action.replace("_", " "), *view.confirms))
    said = polarity(view.text, asked=asked, ends=view.confirms_action == "leave" or about_cancelling(asked))
    ordered = said == "other" and not view.brings_values and orders_it(view.text, view.confirms)
    if view.unread and (said == "yes" or ordered):
        return GuardWish("answer", reason="a yes that was written before the question")
    if said == "yes":
        return GuardWish("confirm", reason="the customer said yes")
    if ordered:
        return GuardWish("confirm", reason="the customer ordered it in words")
    if said == "no" and not view.brings_values:
        return GuardWish("decline", reason="the customer said no")
    return None
