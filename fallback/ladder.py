"""The ladder: what an invalid decision leads to. Pure; the turn acts, the machine records."""

from typing import Literal

from ..protocol.limits import Limits

Rung = Literal["retry", "roll_back", "escalate"]


def rung(invalid: int, limits: Limits) -> Rung:
    """The rung after `invalid` consecutive invalid decisions, this one included, counted across turns.

    The last allowed one escalates, the one before rolls back and asks to rephrase, earlier ones are asked again with the error.
    """
    if invalid >= limits.invalid_decisions:
        return "escalate"
    return "roll_back" if invalid == limits.invalid_decisions - 1 else "retry"
