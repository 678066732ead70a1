"""Offered: the menu as a model is shown it. Without the action whose confirmation is asked: its yes is taken by code alone.

Naming that action once more stays legal and says nothing: the question is asked again. Small models name it for whatever a
customer says there, if they see it. Pure; for the prompt and the schema.
"""

from dataclasses import replace

from ..protocol.decision import DecisionRequest
from ..protocol.menu import Menu


def offered(request: DecisionRequest) -> Menu:
    """The lines to choose from."""
    menu = request.menu
    if not request.confirming or menu.get(request.confirming) is None:
        return menu
    return replace(menu, items=tuple(item for item in menu.items if item.name != request.confirming))
