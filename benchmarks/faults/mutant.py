"""Mutant: what a deliberate mistake may change of a worker. The mistakes are in `mutants.py`; `FAITHFUL` makes none."""

from dataclasses import dataclass

from ...protocol.ports import Store, ToolRunner
from .stores import Opening


@dataclass(frozen=True)
class Mutant:
    """The product as it is. A mistake overrides one method."""

    name: str = ""

    def fit(self, store: Store, runner: ToolRunner) -> tuple[Store, ToolRunner]:
        """The parts that a worker gets instead."""
        return store, runner

    def opened(self, how: Opening) -> Opening:
        """How its store is opened instead."""
        return how


FAITHFUL = Mutant()
