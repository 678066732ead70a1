"""The whole bench: every experiment at its scale, then the mutants. Called by `cli/faults_bench.py`.

Each experiment has a generator of chances of its own, from the seed and its name, so one alone runs as it does among all.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random

from ...protocol.errors import BadRequest
from .aof import aof_cuts
from .cancellations import cancellations
from .clocks import clock_jumps
from .duplicates import duplicates
from .experiment import Experiment, Tally
from .full_disk import full_disks
from .hang_ups import hang_ups
from .kills import kills
from .lost_replies import lost_replies
from .mutant import FAITHFUL
from .mutants import MUTANTS
from .power import wal_cuts
from .races import races
from .restarts import restarts
from .slow_turns import slow_turns
from .store_machine import store_steps
from .stores import KINDS, Kind
from .upgrades import upgrades
from .zombies import zombies

Show = Callable[[str, int, int], None]
"""What runs, how many faults are done, of how many."""


@dataclass(frozen=True, slots=True)
class Part:
    """`faults`: how many at scale 1. `only`: the kind of store that can have them."""

    experiment: Experiment
    faults: int
    only: str | None = None


PARTS: Mapping[str, Part] = {
    "kills": Part(kills, 5000),
    "duplicates": Part(duplicates, 20_000),
    "zombies": Part(zombies, 500),
    "aof_cuts": Part(aof_cuts, 400, only="redis"),
    "wal_cuts": Part(wal_cuts, 500, only="sqlite"),
    "restarts": Part(restarts, 100, only="redis"),
    "cancellations": Part(cancellations, 10_000),
    "lost_replies": Part(lost_replies, 1000, only="redis"),
    "hang_ups": Part(hang_ups, 5000),
    "races": Part(races, 2000),
    "slow_turns": Part(slow_turns, 100),
    "full_disks": Part(full_disks, 500, only="sqlite"),
    "clock_jumps": Part(clock_jumps, 500),
    "upgrades": Part(upgrades, 1000),
    "store_examples": Part(store_steps, 1000),
}


@dataclass(frozen=True, slots=True)
class Report:
    """`figures`: what is printed. `violations`: the sentences. `escaped`: names of mutants that nobody caught."""

    figures: dict[str, object]
    violations: tuple[str, ...]
    escaped: tuple[str, ...]


def bench_faults(seed: int, scale: float, store: str, show: Show = lambda what, done, all_: None) -> Report:
    """Run everything. Raises BadRequest for a store or a scale that there is not."""
    if store not in KINDS:
        raise BadRequest(f"no store {store!r}; there is {', '.join(KINDS)}")
    if not scale > 0:
        raise BadRequest(f"scale is a number above 0; got {scale!r}")
    kind, done, violations = KINDS[store], dict.fromkeys(PARTS, 0), list[str]()
    for name, part in PARTS.items():
        if part.only in (None, kind.name):
            tally = _hurt(kind, _chances(seed, name), part, max(1, round(part.faults * scale)), partial(show, name))
            done[name] = tally.done
            violations += [f"{name}: {found}" for found in tally.violations]
    total, escaped = _hunt(kind, seed, show)
    mutants = {"total": total, "caught": total - len(escaped)}
    figures = {"seed": seed, **done, "mutants": mutants, "violations": len(violations)}
    return Report(figures, tuple(violations), escaped)


def _hurt(kind: Kind, rng: Random, part: Part, faults: int, show: Callable[[int, int], None]) -> Tally:
    return part.experiment(kind, FAITHFUL, rng, faults, lambda done: show(done, faults))


def _hunt(kind: Kind, seed: int, show: Show) -> tuple[int, tuple[str, ...]]:
    """How many mutants there are, and which were not caught."""
    hunts = [hunt for hunt in MUTANTS if hunt.fits(kind)]
    escaped = []
    for i, hunt in enumerate(hunts, start=1):
        if not hunt.caught(kind, _chances(seed, hunt.mutant.name)):
            escaped.append(hunt.mutant.name)
        show("mutants", i, len(hunts))
    return len(hunts), tuple(escaped)


def _chances(seed: int, name: str) -> Random:
    return Random(f"{seed} {name}")
