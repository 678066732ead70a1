"""Experiment: the shape of all of them. Rounds of faults, each on a new site, audited, until there were enough or one was found.

Owns the loop, and that a worker that breaks is a finding. What a round does is the experiments' own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from ...statemachine.flow import Flow
from .account import Promise, Send
from .child import Child, ChildBroke, Tell, hear_all, in_child
from .mutant import Mutant
from .site import Site, new_site
from .stores import Kind, Opening

Progress = Callable[[int], None]
"""Told how many faults are done so far."""


@dataclass
class Tally:
    """`done`: faults that really happened. `violations`: sentences."""

    done: int = 0
    violations: list[str] = field(default_factory=list)


Experiment = Callable[[Kind, Mutant, Random, int, Progress], Tally]
"""`(kind, mutant, rng, n, progress)`: at least `n` faults, audited."""

Round = Callable[[Site, Tally, int], None]
"""`(site, tally, left)`: some faults, at most about `left` of them; adds them, and what the audit found, to the tally."""


def rounds(kind: Kind, mutant: Mutant, n: int, progress: Progress, one: Round) -> Tally:
    """Rounds until `n` faults are done, or something was found."""
    tally = Tally()
    while tally.done < n and not tally.violations:
        with new_site(kind, mutant) as site:
            try:
                one(site, tally, n - tally.done)
            except ChildBroke as error:
                tally.violations.append(str(error))
        progress(tally.done)
    return tally


def audited(
    site: Site,
    sends: Sequence[Send],
    promise: Promise = Promise.ALL,
    opening: Opening | None = None,
    flows: Sequence[Flow] = (),
) -> list[str]:
    """Everything sent once more, and what the audit of every session finds; in a process of its own."""

    async def settle(tell: Tell) -> None:
        async with site.open(opening=opening, flows=flows) as maitred:
            for found in await site.settle(maitred, sends, promise):
                tell(found)

    return in_child(settle)


def counted(workers: Sequence[Child]) -> int:
    """The sum of the numbers that they tell, when all have ended well."""
    done: int = sum(hear_all(workers))
    for worker in workers:
        if worker.code:
            raise ChildBroke(worker)
    return done
