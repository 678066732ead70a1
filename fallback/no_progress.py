"""No progress: turns without new data, a move or a result. First the menu is offered as choices, then a human. Pure."""

from ..protocol.limits import Limits
from ..protocol.session import Session


def stuck_level(session: Session, limits: Limits) -> int:
    """0: going on; 1: offer the menu as choices; 2: hand over."""
    if session.stuck >= limits.stuck_escalate:
        return 2
    return 1 if session.stuck >= limits.stuck_offer else 0
