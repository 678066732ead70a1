"""A scripted customer: answers what the bot asked, corrects what it got wrong, and never says yes to a wrong order.

Owns the choice of the next message and what it means; the words are the persona's. Sees what a customer of the real thing sees,
and the session's data where a person would read it in the reply. Never sees the decider. Called by `conversations_play.py`.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from ..protocol.session import PendingConfirmation, Session
from ..protocol.slots import Scalar
from ..protocol.texts import Lang
from .conversations_persona import SLOTS, Aside, Persona

RIGHT: Mapping[str, frozenset[str]] = {
    "accept": frozenset({"accept_plan"}),
    "other": frozenset({"other_plan"}),
    "plan": frozenset({"provide"}),
    "reopen": frozenset({"change_plan"}),
    "order": frozenset({"confirm_order"}),
    "paid": frozenset({"check_payment"}),
    "bye": frozenset({"close"}),
    "refuse": frozenset({"answer"}),
    **dict.fromkeys(SLOTS, frozenset({"provide"})),
}
"""Topic -> the actions that a message about it stands for."""

SHOWN: Mapping[str, tuple[str, ...]] = {
    "plan_recommendation": ("use", "seats", "budget", "recording"),
    "parameter_confirmation": ("company", "seats", "contact", "term_months"),
}
"""State -> the slots that its sentences show or rest on. Elsewhere a wrong value is noticed when the reply repeats it."""

ENDS = frozenset({"completed", "escalated", "abandoned"})


@dataclass(frozen=True, slots=True)
class Seen:
    """What the customer knows when it is its turn. `missing`: slots that the bot still asks for; `done`: the action that the
    bot took for the last message, empty at first."""

    session: Session
    missing: tuple[str, ...]
    reply: str = ""
    done: str = ""

    @property
    def asked(self) -> str:
        """The action whose confirmation is pending, else the slot that is asked for."""
        pending = self.session.pending
        return pending.action if isinstance(pending, PendingConfirmation) else next(iter(self.missing), "")


@dataclass(frozen=True, slots=True)
class Said:
    """A message and its meaning: the actions that are right for it, and the values that it tells by slot."""

    text: str
    topic: str
    expects: frozenset[str]
    gives: Mapping[str, Scalar]
    again: bool = False


@dataclass
class Customer:
    """One conversation's worth of a persona. `wants` changes when the customer changes its mind."""

    persona: Persona
    lang: Lang
    wants: dict[str, Scalar] = field(init=False)

    def __post_init__(self) -> None:
        self.wants = self.persona.wants.values()
        self._words = dict(self.persona.says)
        self._said: Counter[str] = Counter()
        self._opens = list(self.persona.opens)
        self._asides = list(self.persona.asides)
        self._waiting: Aside | None = None  # an aside that was said, until the bot did what it asked for

    def speak(self, seen: Seen) -> Said:
        """The next message."""
        if self._opens and (self._said.total() == 0 or seen.missing) and not self._wrong(seen):
            line = self._opens.pop(0)
            self._said["open"] += 1
            return Said(line.say, "open", _expected(line.gives), self._values(line.gives))
        if seen.asked in ("leave", "cancel_order"):
            return self._say("refuse")
        if slot := self._wrong(seen):
            return self._correct(slot)
        if aside := self._aside(seen):
            return aside
        if seen.missing:
            return self._say(seen.missing[0])
        return self._say(self._next_step(seen.session))

    def _next_step(self, session: Session) -> str:
        plan = _part(session.data, "recommend_plan").get("plan")
        if session.state == "plan_recommendation":
            if plan == self.wants["plan_wish"]:
                return "accept"
            return self._other_plan()
        if session.state == "parameter_confirmation":
            quoted = _part(session.data, "make_quote").get("plan")
            return "order" if plan == quoted == self.wants["plan_wish"] else "reopen"
        return "paid" if session.state == "payment_guidance" else "bye"

    def _other_plan(self) -> str:
        """First what else there is, unless plans were compared already; then the plan by its name, in all words for it; where
        that does not help, both in turn."""
        compared = any("other_plan" in aside.expects for aside in self.persona.asides)
        others = self._said["other"] + compared
        return "plan" if others and self._said["plan"] < len(self._words["plan"]) + others - 1 else "other"

    def _wrong(self, seen: Seen) -> str | None:
        """The first slot whose value the customer reads and does not mean."""
        data = seen.session.data
        shown = SHOWN.get(seen.session.state)
        quote = _part(data, "make_quote") if seen.session.state == "parameter_confirmation" else {}
        for slot in shown or SLOTS:
            values = [part[slot] for part in (data, quote) if slot in part]
            read = values if shown else [value for value in values if str(value) in seen.reply]
            if any(not self.takes(slot, value) for value in read):
                return slot
        return None

    def takes(self, slot: str, value: object) -> bool:
        """Whether a value is what the customer wants now."""
        return self.persona.takes(slot, self.wants[slot], value)

    def _aside(self, seen: Seen) -> Said | None:
        waiting, self._waiting = self._waiting, None
        if waiting and seen.done not in waiting.expects and not waiting.sets:
            told = self._said[waiting.say[0]]
            if told < len(waiting.say) and waiting.when in (seen.session.state, seen.asked):
                return self._say_aside(waiting)
        for aside in self._asides:
            if aside.when in (seen.session.state, seen.asked):
                self._asides.remove(aside)
                self.wants.update(aside.sets)
                self._words.update(dict.fromkeys(aside.sets, aside.say))
                return self._say_aside(aside)
        return None

    def _say_aside(self, aside: Aside) -> Said:
        told = self._said[aside.say[0]]
        self._said[aside.say[0]] += 1
        self._waiting = aside
        return Said(aside.say[told], "aside", aside.expects, self._values(tuple(aside.sets)), again=told > 0)

    def _correct(self, slot: str) -> Said:
        """A lead-in, and words that stand alone: the first wording of a topic may only make sense as an answer."""
        leads, words = self._words["but"], self._words[slot][1:]
        told = self._said[f"correct {slot}"]
        self._said[f"correct {slot}"] += 1
        text = (" " if self.lang == "en" else "").join((leads[told % len(leads)], words[told % len(words)]))
        return Said(text, f"correct {slot}", RIGHT[slot], self._values((slot,)), again=told > 0)

    def _say(self, topic: str) -> Said:
        words, told = self._words[topic], self._said[topic]
        self._said[topic] += 1
        text = words[told] if told < len(words) else words[1 + (told - 1) % (len(words) - 1)]
        gives = ("plan_wish",) if topic == "plan" else (topic,) if topic in SLOTS else ()
        return Said(text, topic, RIGHT[topic], self._values(gives), again=told > 0)

    def _values(self, slots: tuple[str, ...]) -> dict[str, Scalar]:
        return {slot: self.wants[slot] for slot in slots}


def _expected(gives: tuple[str, ...]) -> frozenset[str]:
    return frozenset({"provide"} if gives else {"answer"})


def _part(data: Mapping[str, JsonValue], name: str) -> Mapping[str, JsonValue]:
    """A tool's result in the session's data; empty if it has not run."""
    found = data.get(name)
    return found if isinstance(found, dict) else {}
