"""Mutant: what a deliberate mistake may change of a worker. The mistakes are in `mistakes.py`; `FAITHFUL` makes none."""

from collections.abc import Callable
from dataclasses import dataclass

from ...protocol.ports import Store, ToolRunner
from .stores import Opening


def _as_they_are(store: Store, runner: ToolRunner) -> tuple[Store, ToolRunner]:
    return store, runner


def _as_it_is(how: Opening) -> Opening:
    return how


@dataclass(frozen=True, slots=True)
class Mutant:
    """`fit`: the store and the runner that a worker gets instead; `opened`: how the store is opened instead."""

    name: str = ""
    fit: Callable[[Store, ToolRunner], tuple[Store, ToolRunner]] = _as_they_are
    opened: Callable[[Opening], Opening] = _as_it_is


FAITHFUL = Mutant()
