"""`maitred bench conversations`: scripted customers talk to the example through the real engine, and the bench counts.

Owns the figures. `conversations_persona.py` holds who the customers are, `conversations_customer.py` what they say next,
`conversations_play.py` one conversation. The world is given, for the harness does not import examples. Called by `cli/`.
"""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from ..protocol.errors import BadRequest
from ..protocol.ports import Decider
from ..protocol.texts import Lang
from ..protocol.usage import Total
from .conversations_customer import ENDS, Customer
from .conversations_persona import Persona, personas
from .conversations_play import Clock, Conversation, Turn, World, converse

SEED = 20261130
MakeWorld = Callable[[Path, Clock], World]
"""A new world that keeps its books in a folder and reads a clock."""

Progress = Callable[[int, int, str], None]
"""Told (conversations over, conversations, what goes on) as the work goes on."""

Hear = Callable[[Lang, Conversation], None]
"""Told every conversation when it is over."""


@dataclass
class Run:
    """All conversations of a run, by language."""

    decider: str
    seed: int
    talks: dict[Lang, list[Conversation]] = field(default_factory=dict)

    def figures(self) -> dict[str, Any]:
        """The document that `--json` prints."""
        talks = [talk for talks in self.talks.values() for talk in talks]
        turns = _turns(talks)
        return {
            "decider": self.decider,
            "seed": self.seed,
            "conversations": {lang: _ends(talks) for lang, talks in self.talks.items()},
            "not_completed": [
                _loose_end(lang, t) for lang, ts in self.talks.items() for t in ts if t.end != "completed"
            ],
            "choices": {lang: _choices(_turns(talks)) for lang, talks in self.talks.items()},
            "read_by_code": {lang: _read_by_code(_turns(talks)) for lang, talks in self.talks.items()},
            "values": {lang: _values(_turns(talks)) for lang, talks in self.talks.items()},
            "wrong": _wrong(turns),
            "orders": {"placed": sum(t.orders for t in talks), "wrong": sum(t.wrong_orders for t in talks)},
            "tokens": {lang: _tokens(_turns(talks)) for lang, talks in self.talks.items()},
            "seconds_per_message": _ratio(sum(turn.seconds for turn in turns), len(turns), 3),
            "illegal_moves": sum(talk.illegal for talk in talks),
            "replay_equal": all(talk.replay_equal for talk in talks),
        }


async def bench_conversations(
    make_world: MakeWorld,
    decider: Decider | None,
    langs: Sequence[Lang],
    *,
    customers: int | None = None,
    seed: int = SEED,
    progress: Progress | None = None,
    hear: Hear | None = None,
) -> Run:
    """Play `customers` conversations in each language (None: all there are), drawn and ordered by `seed`.

    `decider`: None for the keywords. Raises BadRequest if there are not so many customers.
    """
    chosen = [(lang, persona) for lang in langs for persona in _drawn(lang, customers, seed)]
    run = Run(decider.name if decider else "keyword", seed, {lang: [] for lang in langs})
    for over, (lang, persona) in enumerate(chosen):

        def told(messages: int, over: int = over, name: str = persona.name) -> None:
            if progress:
                progress(over, len(chosen), f"{name}, message {messages}")

        with tempfile.TemporaryDirectory(prefix="maitred-") as folder:
            clock = Clock()
            world = make_world(Path(folder), clock)
            talk = await converse(Customer(persona, lang), world, decider, clock, told)
        run.talks[lang].append(talk)
        if hear:
            hear(lang, talk)
    return run


def transcript(lang: Lang, talk: Conversation) -> Iterator[dict[str, Any]]:
    """One JSON object per turn: state, menu, what was said and meant, what was decided, and the cost."""
    for number, turn in enumerate(talk.turns, 1):
        yield {"customer": talk.customer, "lang": lang, "turn": number, **turn.as_json()}


def _drawn(lang: Lang, customers: int | None, seed: int) -> Sequence[Persona]:
    known = personas(lang)
    if customers is not None and not 1 <= customers <= len(known):
        raise BadRequest(f"{customers} customers in {lang}: there are {len(known)}")
    return Random(seed).sample(known, customers or len(known))


def _turns(talks: Iterable[Conversation]) -> list[Turn]:
    return [turn for talk in talks for turn in talk.turns]


def _ends(talks: Sequence[Conversation]) -> dict[str, int]:
    """`again`: messages that said the same once more because the bot had not taken it."""
    ends = Counter(talk.end for talk in talks)
    turns = _turns(talks)
    return {
        "total": len(talks),
        **{end: ends[end] for end in ("completed", *sorted(ENDS - {"completed"}), "given_up")},
        "messages": len(turns),
        "again": sum(turn.said.again for turn in turns),
    }


def _loose_end(lang: Lang, talk: Conversation) -> Mapping[str, object]:
    last = talk.turns[-1]
    return {"customer": talk.customer, "lang": lang, "end": talk.end, "state": last.state, "messages": len(talk.turns)}


def _choices(turns: Iterable[Turn]) -> dict[str, int]:
    """Of the messages that reached the decider: those with the right action, and the decisions that were refused as illegal."""
    decided = [turn for turn in turns if turn.reached_decider]
    refused = sum(bool(d.problem) for turn in decided for d in turn.decisions)
    return {"total": len(decided), "right": sum(turn.right for turn in decided), "refused": refused}


def _read_by_code(turns: Iterable[Turn]) -> dict[str, int]:
    """The messages that needed no decider, and those of them that told values indeed."""
    read = [turn for turn in turns if turn.read_by_code]
    return {"total": len(read), "right": sum(turn.right for turn in read)}


def _values(turns: Iterable[Turn]) -> dict[str, int]:
    """Of the messages that told values, or after which some were stored: those after which all are as the customer means them."""
    told = [turn.told for turn in turns if turn.told is not None]
    return {"total": len(told), "right": sum(told)}


def _wrong(turns: Iterable[Turn]) -> dict[str, int]:
    wrong = Counter(
        f"{turn.state}: {'|'.join(sorted(turn.said.expects))} -> {turn.chosen or 'nothing legal'}"
        for turn in turns
        if turn.reached_decider and not turn.right
    )
    return dict(wrong.most_common())


def _tokens(turns: Sequence[Turn]) -> dict[str, float]:
    """As the server counts them. Messages that a guard answered cost nothing and count as messages."""
    attempts = [attempt for turn in turns for attempt in turn.attempts]
    used = Total.of(attempts)
    return {
        "messages": len(turns),
        "calls": used.calls,
        "prompt_per_message": _ratio(used.usage.prompt, len(turns)),
        "cached_per_message": _ratio(used.usage.cached, len(turns)),
        "completion_per_message": _ratio(used.usage.completion, len(turns)),
        "prompt_max_call": max((attempt.usage.prompt for attempt in attempts if attempt.usage), default=0),
        "uncounted_calls": used.uncounted,
    }


def _ratio(total: float, count: int, digits: int = 1) -> float:
    return round(total / count, digits) if count else 0.0
