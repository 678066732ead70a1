"""Read slots out of one customer message without a model. Owns the order of the readers and that no text serves two
slots.

No clock, no model, no state; how one kind of value looks is in the files beside this one. Called by the turn before the
decider, and by the keyword decider. Values are as found: whether they fit the slot is `slot_values.parse_value`, so
that a customer who says "900 seats" can be told the bound. Order, most telling shape first: e-mail, phone, regex,
date, choice, number, yes/no, text; the slot just asked about first within its kind. Where two different values
stand without a correction, none is read: the question is asked again.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from itertools import pairwise

from ...protocol.slots import Reader, Scalar, Slot
from ..slot_values import BadValue, compiled, parse_value
from .bare_text import read_bare_text
from .choices import read_choices_of
from .contacts import find_emails, find_phones
from .cued_text import read_cued_text
from .cues import find_cues
from .date_slots import read_dates_of
from .dates import DateHit, find_dates
from .message import Hit, Message, Span, T, Used, free, pick, prepare
from .number_slots import read_numbers_of
from .spelling import mend
from .yes_no import read_yes_no

_MOST_MATCHES = 50


@dataclass
class _Reading:
    """One call's working state."""

    slots: Mapping[str, Slot]
    message: Message
    asked: str | None
    today: date
    used: Used = field(default_factory=Used)
    values: dict[str, Scalar] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)

    def of(self, *kinds: Reader) -> dict[str, Slot]:
        """The slots of these kinds still without a value, the asked one first."""
        mine = [name for name, slot in self.slots.items() if slot.read in kinds and name not in self.values]
        return {name: self.slots[name] for name in sorted(mine, key=lambda name: name != self.asked)}

    @cached_property
    def dates(self) -> list[DateHit]:
        return find_dates(self.message.lower, self.today)

    def keep(self, name: str, hits: Iterable[Hit[T]], value: Callable[[T], Scalar]) -> None:
        """Keep what the hits agree on; every place of it is used, for no other slot may read it."""
        places = free(hits, self.used)
        chosen = pick(places, self.message)
        if chosen is None:
            return
        for place in places:
            self.used.take(place.start, place.end)
        self.values[name], self.ends[name] = value(chosen.value), chosen.end


def read_slots(
    slots: Mapping[str, Slot], text: str, *, asked: str | Sequence[str] | None = None, today: date
) -> dict[str, Scalar]:
    """Values for these slots in one message, in the order of `slots`.

    `asked`: the slot that the last question was about; only it takes bare values ("20", "Acme Dental") and a bare yes
    or no. Given several, in the order they are asked: each is answered by what stands after the answer before it
    ("Acme, 20, 13812345678").
    """
    if not slots:
        return {}
    message = prepare(text)
    order = (asked,) if isinstance(asked, str) else tuple(asked or ())
    order = tuple(name for name in order if name in slots)
    asked_kind = slots[order[0]].read if order else None
    if asked_kind != "text":
        message = Message(mend(message.text, slots))
    reading = _Reading(slots, message, order[0] if order else None, today)
    for kind, read in sorted(_READERS, key=lambda entry: entry[0] != asked_kind or asked_kind != "regex"):
        if reading.of(kind):
            read(reading)
    for before, name in pairwise(order):
        if before not in reading.values:
            break
        if name not in reading.values:
            _read_on(reading, name, reading.ends[before])
    return {name: reading.values[name] for name in slots if name in reading.values}


def _read_on(reading: _Reading, name: str, after: int) -> None:
    """The next clause behind an answer, if nobody took it, as the answer to the next question."""
    message, slot = reading.message, reading.slots[name]
    span = next((s for s in message.clauses if s[0] >= after and not reading.used.overlaps(*s)), None)
    if span is None or message.asks_at(span[0]):
        return
    value = read_slots({name: slot}, message.text[slice(*span)], asked=name, today=reading.today).get(name)
    if value is not None:
        reading.used.take(*span)
        reading.values[name], reading.ends[name] = value, span[1]


def _same(value: Scalar) -> Scalar:
    return value


def _emails(reading: _Reading) -> None:
    for name in reading.of("email"):
        reading.keep(name, find_emails(reading.message), _same)


def _phones(reading: _Reading) -> None:
    dates = [d for d in reading.dates if d.value is not None]
    for name, slot in reading.of("phone").items():
        hits = find_phones(reading.message, slot.cues, bare=name == reading.asked)
        reading.keep(name, [h for h in hits if not any(d.start < h.end and h.start < d.end for d in dates)], _same)


def _regexes(reading: _Reading) -> None:
    for name, slot in reading.of("regex").items():
        if slot.pattern is not None:
            hits = []
            for match, _ in zip(
                compiled(slot.pattern).finditer(reading.message.text), range(_MOST_MATCHES), strict=False
            ):
                found = (match[1] if match.re.groups and match[1] else match[0]).strip()
                if found:
                    hits.append(Hit(found, match.start(), match.end()))
            reading.keep(name, hits, _same)


def _dates(reading: _Reading) -> None:
    dates = [d for d in reading.dates if not reading.used.overlaps(d.start, d.end)]
    for name, hits in read_dates_of(reading.of("date"), reading.message, dates, asked=reading.asked).items():
        reading.keep(name, hits, date.isoformat)


def _choices(reading: _Reading) -> None:
    found = read_choices_of(reading.of("choices"), reading.message, reading.used, asked=reading.asked)
    for name, hits in found.items():
        reading.keep(name, hits, _same)
        for hit in hits:  # undecided or not, these words are no name
            reading.used.take(hit.start, hit.end)


def _numbers(reading: _Reading) -> None:
    slots = reading.of("number") | reading.of("phone", "regex")
    for name, hits in read_numbers_of(slots, reading.message, _no_numbers(reading), asked=reading.asked).items():
        reading.keep(name, hits, _same)


def _no_numbers(reading: _Reading) -> list[Span]:
    """Where digits are no numbers, whether or not a slot wanted them: dates, phones, addresses. A count ("in 3
    days") may be one."""
    message = reading.message
    spans = [(d.start, d.end) for d in reading.dates if not d.counted]
    return spans + reading.used.spans + [(h.start, h.end) for h in (*find_phones(message), *find_emails(message))]


def _yes_no(reading: _Reading) -> None:
    for name, slot in reading.of("yes_no").items():
        hits = read_yes_no(slot, reading.message, asked=name == reading.asked)
        reading.keep(name, hits, bool if slot.type == "bool" else _as_word)


def _as_word(yes: bool) -> str:
    return "yes" if yes else "no"


def _texts(reading: _Reading) -> None:
    slots = reading.of("text")
    for name, slot in slots.items():
        others = tuple(cue for other in slots if other != name for cue in slots[other].cues)
        hits = read_cued_text(name, slot, reading.message, reading.used, asked=name == reading.asked, others=others)
        reading.keep(name, [h for h in hits if name == reading.asked or _fits(slot, h.value, reading.today)], _same)
    name = reading.asked or ""
    if name in slots and name not in reading.values and not _cue_of_another(reading, name):
        others_count = any(slot.read == "number" for other, slot in reading.slots.items() if other != name)
        hit = read_bare_text(slots[name], reading.message, reading.used, numbers_wanted=others_count)
        reading.keep(name, [hit] if hit else [], _same)


def _cue_of_another(reading: _Reading, name: str) -> bool:
    """A message that opens with another slot's own cue ("my name is ...") does not answer this one."""
    own = set(reading.slots[name].cues)
    cues = {
        other: [c for c in slot.cues if c not in own]
        for other, slot in reading.slots.items()
        if slot.read == "text" and other != name
    }
    return (
        any(
            cue.start <= 3 and other in reading.values
            for cue in find_cues(reading.message.lower, cues, units=())
            for other in cue.names
        )
        and len(reading.message.clauses) == 1
    )


def _fits(slot: Slot, value: str, today: date) -> bool:
    """A guess that the customer did not offer as an answer must at least fit; a misfit answer is kept, to be told
    why."""
    return not isinstance(parse_value(slot, value, today=today), BadValue)


_READERS: tuple[tuple[Reader, Callable[[_Reading], None]], ...] = (
    ("email", _emails), ("phone", _phones), ("regex", _regexes), ("date", _dates),
    ("choices", _choices), ("number", _numbers), ("yes_no", _yes_no), ("text", _texts),
)  # fmt: skip
