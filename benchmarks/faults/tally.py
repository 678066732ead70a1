"""Tally: what an experiment did and what it found. `Experiment` is the shape of all of them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from .mutant import Mutant
from .stores import Kind

Progress = Callable[[int], None]
"""Told how many faults are done so far."""


@dataclass
class Tally:
    """`done`: faults that really happened. `violations`: sentences."""

    done: int = 0
    violations: list[str] = field(default_factory=list)


Experiment = Callable[[Kind, Mutant, Random, int, Progress], Tally]
"""`(kind, mutant, rng, n, progress)`: at least `n` faults, audited."""
