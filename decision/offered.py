"""Offered: the menu as a model is shown it. While a confirmation is asked, without what could only ask it again.

That is the action itself, for its yes is taken by code alone, and the result in full, for the question shows what it is about.
Both stay legal. Small models name them for whatever a customer says there ("another plan, please"), if they see them. Pure; for
the prompt and the schema.
"""

from dataclasses import replace

from ..protocol.decision import DecisionRequest
from ..protocol.menu import Menu


def offered(request: DecisionRequest) -> Menu:
    """The lines to choose from."""
    menu = request.menu
    if not request.confirming or menu.get(request.confirming) is None:
        return menu
    left_out = (request.confirming, "show_detail")
    return replace(menu, items=tuple(item for item in menu.items if item.name not in left_out))
