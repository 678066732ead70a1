"""Guards: rules that answer before the model. One file each; their order is here. Pure: a view in, at most one wish out."""

from .closing import closing
from .confirmation import confirmation
from .hand_off import hand_off
from .hello import hello
from .leaving import leaving
from .readable import readable
from .turn_cap import turn_cap
from .view import Guard, GuardView, GuardWish

GUARDS: tuple[Guard, ...] = (readable, confirmation, hand_off, leaving, closing, turn_cap, hello)
"""In this order: whatever a message could be, the first rule that answers has it."""


def guard(view: GuardView) -> GuardWish | None:
    """The wish of the first rule that answers; None sends the message to the decider."""
    return next((wish for rule in GUARDS if (wish := rule(view))), None)


__all__ = ["GUARDS", "Guard", "GuardView", "GuardWish", "guard"]
