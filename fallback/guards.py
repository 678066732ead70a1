"""Guards: rules that answer before the model, in the order of the list at the end. Pure: a view in, at most one wish out.

A guard only proposes; the machine decides. What a guard needs to know of flow and session is in `GuardView`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pydantic import JsonValue

from ..protocol.messages import Actor
from ..protocol.normalize import normalize
from ..protocol.polarity import polarity
from .consent import displeased, orders_it
from .exits import Exit, detect_exit


@dataclass(frozen=True)
class GuardView:
    """What the guards may know.

    `asked`: the bot's words before this message. `confirming`: how often the pending confirmation was asked, 0 for none.
    `confirms`: phrases that name the action asked about. `brings_values`: code read slot values that are new or differ.
    `answers_choice`: the text names one of the choices just asked about ("客服", which elsewhere asks for a human).
    `on_close`: the event that a goodbye means here.
    `outdated`: the sender expected another version of the session.
    """

    text: str
    asked: str = ""
    attachments: int = 0
    outdated: bool = False
    text_chars: int = 4000
    confirming: int = 0
    confirms: tuple[str, ...] = ()
    brings_values: bool = False
    answers_choice: bool = False
    can_leave: bool = True
    on_close: str | None = None
    over_turn_cap: bool = False
    greeting: str = ""
    own_words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def exit(self) -> Exit | None:
        """A wish for a human, to leave, or a goodbye in the text; read once for the three guards that ask."""
        return detect_exit(self.text, asked=self.asked, own=self.own_words)


@dataclass(frozen=True, slots=True)
class GuardWish:
    """What a guard proposes, and the words that go with it if the session stays."""

    name: str
    actor: Actor = Actor.GUARD
    payload: Mapping[str, JsonValue] = field(default_factory=dict)
    reason: str = ""
    words: str = ""


Guard = Callable[[GuardView], GuardWish | None]


def guard(view: GuardView) -> GuardWish | None:
    """The first rule that answers; None sends the message to the decider."""
    return next((wish for rule in GUARDS if (wish := rule(view))), None)


def _readable(view: GuardView) -> GuardWish | None:
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


def _confirmation(view: GuardView) -> GuardWish | None:
    """Only a plain yes confirms, or an order of just that action. A no that brings new values goes to the decider."""
    if not view.confirming or view.attachments or displeased(view.text):  # what nobody has read may say the contrary
        return None
    said = polarity(view.text)
    if said == "yes":
        return GuardWish("confirm", reason="the customer said yes")
    if said == "other" and not view.brings_values and orders_it(view.text, view.confirms):
        return GuardWish("confirm", reason="the customer ordered it in words")
    if said == "no" and not view.brings_values:
        return GuardWish("decline", reason="the customer said no")
    return None


_PERSON = re.compile(
    r"human|person|agent|real|live|operator|manager|somebody|someone|speak|talk|transfer|人工|真人|活人|转|找|叫|联系"
)


def _hand_off(view: GuardView) -> GuardWish | None:
    """Whoever asks for a human gets one, without a model call."""
    answers = view.answers_choice and view.exit and not _PERSON.search(view.exit.matched)
    if view.exit and view.exit.kind == "human" and not answers:
        return GuardWish("ask_human", reason="asked for a human")
    return None


def _leaving(view: GuardView) -> GuardWish | None:
    """Whoever gives the conversation up may go, but from states that the flow keeps."""
    if not view.exit or view.exit.kind != "leave":
        return None
    if not view.can_leave:
        return GuardWish(
            "refuse_input", payload={"reason": "leave_refused"}, reason="wants to leave where the flow keeps"
        )
    return GuardWish("leave", reason="the customer gave up")


def _closing(view: GuardView) -> GuardWish | None:
    """A goodbye is the step's `on_close` event; without one it goes to the decider."""
    if not view.on_close or not view.exit or view.exit.kind != "closing":
        return None
    return GuardWish(view.on_close, reason="the customer said goodbye")


def _turn_cap(view: GuardView) -> GuardWish | None:
    """The message over `turns_per_session` goes to a human."""
    if not view.over_turn_cap:
        return None
    return GuardWish("escalate", Actor.SYSTEM, {"rule": "too_many_turns"}, "over the cap of turns")


_HELLOS = frozenset(
    (
        "hello|hi|hey|hello there|hi there|good morning|good afternoon|good evening|"
        "你好|您好|哈喽|嗨|在吗|你好啊|您好啊|早上好|下午好|晚上好|你好 在吗|您好 在吗"
    ).split("|")
)


def _hello(view: GuardView) -> GuardWish | None:
    """A bare greeting needs no model."""
    if view.greeting and normalize(view.text) in _HELLOS:
        return GuardWish("answer", reason="a greeting", words=view.greeting)
    return None


GUARDS: tuple[Guard, ...] = (_readable, _confirmation, _hand_off, _leaving, _closing, _turn_cap, _hello)
