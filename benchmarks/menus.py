"""`maitred bench menus`: does a decider pick from a menu what a person picked there?

Owns the figures; `menus_rows.py` makes the questions. The first answer counts: none is asked again. Of the data only labels are
printed. Called by `cli/`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random
from statistics import fmean

from pydantic import JsonValue

from ..decision.check_decision import Invalid, check_decision
from ..decision.keyword import KeywordDecider
from ..protocol.decision import AgentDecision, Answered
from ..protocol.errors import ModelAnswerUnusable, ModelTimeout
from ..protocol.ports import Decider
from .menus_rows import Question

SEED = 20270115
MOST_ERRORS = 20
ANSWER = "answer"
"""The built-in action of our flows that STAR has not: with it a decider says that no other fits."""
_Z = 1.959964  # of 95 %

Progress = Callable[[int, int], None]
"""Told (menus asked, menus) as the work goes on."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a decider answered. `chosen`: a label of the menu; empty if it was refused, and then `why` says what kind that was."""

    question: Question
    chosen: str
    why: str = ""

    @property
    def right(self) -> bool:
        return self.chosen == self.question.gold


async def bench_menus(
    offered: Sequence[Question],
    decider: Decider | None,
    *,
    limit: int | None = None,
    seed: int = SEED,
    progress: Progress | None = None,
) -> dict[str, JsonValue]:
    """All figures. `decider`: None for the keywords. `limit`: so many menus, drawn by `seed`; None for all.

    Menus of one action are counted and not asked. Raises ModelError if a model cannot be asked; an answer too late or of no use
    is a refused one.
    """
    questions = _drawn([question for question in offered if len(question.offer) > 1], limit, seed)
    asked = decider or KeywordDecider()
    choices: list[Choice] = []
    for question in questions:
        choices.append(await _ask(asked, question, seed))
        if progress:
            progress(len(choices), len(questions))
    return {
        "decider": asked.name,
        "seed": seed,
        "menus": {
            "total": len(offered),
            "of_one_action": sum(len(question.offer) == 1 for question in offered),
            "asked": len(questions),
        },
        **_figures(choices),
        "by_size": {
            str(size): _figures(c for c in choices if len(c.question.offer) == size) for size in _sizes(choices)
        },
        "after_message": _figures(choice for choice in choices if not choice.question.queried),
        "after_query": _figures(choice for choice in choices if choice.question.queried),
        "refused": dict(Counter(choice.why for choice in choices if choice.why).most_common()),
        "errors": dict(_errors(choices).most_common(MOST_ERRORS)),
    }


async def _ask(decider: Decider, question: Question, seed: int) -> Choice:
    request = question.request(seed)
    try:
        answer = await decider.decide(request)
    except (ModelAnswerUnusable, ModelTimeout) as error:
        return Choice(question, "", error.code)
    decision = answer.decision if isinstance(answer, Answered) else answer
    checked = check_decision(request.menu, decision)
    if not isinstance(checked, Invalid):
        return Choice(question, checked.action)
    words_only = isinstance(decision, AgentDecision) and decision.action == ANSWER
    return Choice(question, "", ANSWER if words_only else "illegal")


def _drawn(questions: Sequence[Question], limit: int | None, seed: int) -> Sequence[Question]:
    if limit is None or limit >= len(questions):
        return questions
    places = sorted(Random(seed).sample(range(len(questions)), limit))
    return [questions[place] for place in places]


def _sizes(choices: Iterable[Choice]) -> list[int]:
    return sorted({len(choice.question.offer) for choice in choices})


def _figures(choices: Iterable[Choice]) -> dict[str, JsonValue]:
    """`legal`: answers that name an action of the menu; the others count as wrong. `chance`: of picking blindly.

    `first`: of taking what the wizard was shown first, which no decider sees.
    """
    counted = list(choices)
    legal = sum(not choice.why for choice in counted)
    total, right = len(counted), sum(choice.right for choice in counted)
    low, high = wilson(right, total)
    return {
        "total": total,
        "right": right,
        "accuracy": _share(right, total),
        "interval_95": [low, high],
        "legal": legal,
        "accuracy_of_legal": _share(right, legal),
        "chance": round(fmean(1 / len(c.question.offer) for c in counted), 4) if counted else None,
        "first": _share(sum(c.question.offer[0] == c.question.gold for c in counted), total),
    }


def _errors(choices: Iterable[Choice]) -> Counter[str]:
    """What was taken for what, where the answer was legal."""
    return Counter(f"{c.question.gold} -> {c.chosen}" for c in choices if not c.why and not c.right)


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def wilson(right: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927), which holds near 0 and 1 and for few trials, too."""
    if not total:
        return 0.0, 1.0
    share, square = right / total, _Z * _Z
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = _Z / (1 + square / total) * sqrt(share * (1 - share) / total + square / (4 * total * total))
    return round(max(0.0, middle - half), 4), round(min(1.0, middle + half), 4)
