"""Turn cap: a conversation that goes on and on goes to a human."""

from ...protocol.limits import Limits
from ...protocol.messages import Actor
from ...protocol.session import Session
from .view import GuardView, GuardWish


def too_many_turns(session: Session, limits: Limits) -> bool:
    """Whether the message about to be handled is one over the cap: of the episode, or since a human handed it back."""
    return session.episode_turns - session.turns_before >= limits.turns_per_session


def turn_cap(view: GuardView) -> GuardWish | None:
    """The message over `turns_per_session` goes to a human."""
    if not view.over_turn_cap:
        return None
    return GuardWish("escalate", Actor.SYSTEM, {"rule": "too_many_turns"}, "over the cap of turns")
