"""Mutants: which experiment must find which mistake, and with how many faults.

A mutant that goes unseen is a hole in the harness, not in the product. Run by `run.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import cast

from ...protocol.ports import Store, ToolRunner
from . import mistakes, mistakes_unanswered
from .aof import aof_cuts
from .cancellations import cancellations
from .duplicates import duplicates
from .experiment import Experiment
from .full_disk import full_disks
from .kills import kills
from .lost_replies import lost_replies
from .mutant import Mutant
from .power import wal_cuts
from .restarts import restarts
from .slow_turns import slow_turns
from .store_machine import store_steps
from .stores import Kind
from .zombies import zombies


@dataclass(frozen=True, slots=True)
class Hunt:
    """`experiment` finds `mutant` within `faults` faults, whatever the seed; then it stops. `only`: on this kind of store."""

    mutant: Mutant
    experiment: Experiment
    faults: int
    only: str | None = None

    def fits(self, kind: Kind) -> bool:
        return self.only in (None, kind.name)

    def caught(self, kind: Kind, rng: Random) -> list[str]:
        """What was found; empty if it got away."""
        return self.experiment(kind, self.mutant, rng, self.faults, lambda done: None).violations


def _store(name: str, mistake: Callable[[Store], object]) -> Mutant:
    return Mutant(name, fit=lambda store, runner: (cast(Store, mistake(store)), runner))


def _runner(name: str, mistake: Callable[[ToolRunner], object]) -> Mutant:
    return Mutant(name, fit=lambda store, runner: (store, cast(ToolRunner, mistake(runner))))


def _late_intent(store: Store, runner: ToolRunner) -> tuple[Store, ToolRunner]:
    late = mistakes.LateIntent(store, runner)
    return cast(Store, late), cast(ToolRunner, late.runner)


_ARGUMENTS_IN_KEY = _runner("arguments in the key", mistakes.ArgumentsInKey)
_NOT_SYNCED = Mutant("commit not synced", opened=lambda how: replace(how, durable=False))
_TAKEN_FOR_DONE = _store("unanswered write taken for done", mistakes_unanswered.TakenForDone)

MUTANTS: tuple[Hunt, ...] = (
    Hunt(_store("no fence", mistakes.NoFence), store_steps, 500),
    Hunt(_store("no event_seq check", mistakes.NoEventSeqCheck), store_steps, 500),
    Hunt(_store("lease ignored", mistakes.LeaseIgnored), store_steps, 500),
    Hunt(_store("renewal ignored", mistakes.RenewalIgnored), slow_turns, 5),
    Hunt(_store("replay not stored", mistakes.ReplayNotStored), duplicates, 200),
    Hunt(_store("request forgotten", mistakes.RequestForgotten), duplicates, 200),
    Hunt(_store("fingerprint ignored", mistakes.FingerprintIgnored), duplicates, 600),
    Hunt(_store("reply before commit", mistakes.ReplyBeforeCommit), kills, 500),
    Hunt(_store("commit in two writes", mistakes.CommitInTwo), kills, 500),
    Hunt(_store("stage forgotten", mistakes.StageForgotten), kills, 500),
    Hunt(_store("refusal ignored", mistakes.RefusalIgnored), zombies, 120),
    Hunt(_store("stop leaves no trace", mistakes.StopLeavesNoTrace), cancellations, 1000),
    Hunt(Mutant("late intent", fit=_late_intent), kills, 500),
    Hunt(_runner("recovery calls again", mistakes.RecoveryCallsAgain), kills, 500),
    Hunt(_ARGUMENTS_IN_KEY, wal_cuts, 200, only="sqlite"),
    Hunt(_ARGUMENTS_IN_KEY, aof_cuts, 200, only="redis"),
    Hunt(_NOT_SYNCED, wal_cuts, 200, only="sqlite"),
    Hunt(_NOT_SYNCED, aof_cuts, 200, only="redis"),
    Hunt(_TAKEN_FOR_DONE, full_disks, 100, only="sqlite"),
    Hunt(_TAKEN_FOR_DONE, restarts, 60, only="redis"),
    Hunt(Mutant("server keeps no file", opened=lambda how: replace(how, kept=False)), restarts, 15, only="redis"),
    Hunt(_store("unanswered write sent again", mistakes_unanswered.SentAgain), lost_replies, 500, only="redis"),
    Hunt(_store("unanswered write taken for none", mistakes_unanswered.TakenForNone), lost_replies, 500, only="redis"),
)
