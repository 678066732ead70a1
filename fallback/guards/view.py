"""What the guards may know of flow and session, and what they may wish. A guard only proposes; the machine decides."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pydantic import JsonValue

from ...protocol.messages import Actor
from ..exits import Exit, detect_exit


@dataclass(frozen=True)
class GuardView:
    """What the guards may know.

    `asked`: the bot's words before this message. `confirming`: how often the pending confirmation was asked, 0 for none.
    `unread`: it was asked since the customer wrote, so no word of theirs answers it.
    `confirms`: phrases that name the action asked about; `confirms_action`: its own name, which customers do not say.
    `brings_values`: code read slot values that are new or differ. `answers_choice`: the text names one of the choices just
    asked about, or corrects one just shown ("客服", which elsewhere asks for a human). `on_close`: the event that a goodbye
    means here. `outdated`: the sender expected another version of the session.
    """

    text: str
    asked: str = ""
    attachments: int = 0
    outdated: bool = False
    text_chars: int = 4000
    confirming: int = 0
    unread: bool = False
    confirms: tuple[str, ...] = ()
    confirms_action: str = ""
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
