"""The lifecycle table drives every turn: it knows each signal that a phase can report, and holds no row that nothing takes."""

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from maitred.protocol.errors import StoreUnavailable
from maitred.runtime import lifecycle
from maitred.runtime import turn as turn_module
from maitred.runtime.lifecycle import NEXT, Phase, Signal
from maitred.runtime.turn import Turn
from maitred.store.sqlite import SqliteStore

Desk = Any
METHODS = {
    Phase.IDLE: "_open",
    Phase.PLANNING: "_plan",
    Phase.EXECUTING: "_execute",
    Phase.WAITING: "_wait_for_tool",
    Phase.ERROR: "_climb",
    Phase.COMPLETED: "_complete",
}


def signals_of(method: str) -> set[Signal]:
    """Every signal that a phase's method can return, read from its source: its own and those of methods it returns."""
    source = ast.parse(textwrap.dedent(inspect.getsource(getattr(Turn, method))))
    found: set[Signal] = set()
    for returned in (node.value for node in ast.walk(source) if isinstance(node, ast.Return) and node.value):
        for node in ast.walk(returned):
            if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
                continue
            if node.value.id == "Signal":
                found.add(Signal[node.attr])
            elif node.value.id == "self" and inspect.isroutine(getattr(Turn, node.attr, None)):
                found |= signals_of(node.attr)
    return found


def test_every_signal_has_a_row_and_every_row_a_signal():
    """Total and without ghosts, phase by phase."""
    reported = {(phase, signal) for phase, method in METHODS.items() for signal in signals_of(method)}
    assert reported == set(NEXT)


def test_every_phase_and_signal_is_used():
    """No word without a meaning."""
    assert {phase for phase, _ in NEXT} == set(NEXT.values()) == set(Phase) == set(METHODS)
    assert {signal for _, signal in NEXT} == set(Signal)


def test_every_phase_stands_in_the_rules():
    """The prose above the table names each of them."""
    assert [phase for phase in Phase if phase.value not in str(lifecycle.__doc__)] == []


def test_every_phase_leads_to_the_end():
    """From anywhere a turn can be committed; only a commit ends it."""
    assert [key for key, target in NEXT.items() if target is Phase.IDLE] == [(Phase.COMPLETED, Signal.COMMITTED)]
    for start in Phase:
        reached, new = set(), {start}
        while new:
            reached |= new
            new = {target for (source, _), target in NEXT.items() if source in new} - reached
        assert Phase.COMPLETED in reached


class Recording(Mapping[tuple[Phase, Signal], Phase]):
    """The table, and which rows were taken."""

    def __init__(self) -> None:
        self.taken: set[tuple[Phase, Signal]] = set()

    def __getitem__(self, key: tuple[Phase, Signal]) -> Phase:
        self.taken.add(key)
        return NEXT[key]

    def __iter__(self) -> Iterator[tuple[Phase, Signal]]:
        return iter(NEXT)

    def __len__(self) -> int:
        return len(NEXT)


class FailsAt(SqliteStore):
    """A store whose n-th write fails."""

    fails_at = 0

    async def append(self, write: Any) -> None:
        self.fails_at -= 1
        if self.fails_at == 0:
            raise StoreUnavailable("the disk is full")
        await super().append(write)


class StoppedAtOnce(SqliteStore):
    """A store that hears of a stop right before each write."""

    async def append(self, write: Any) -> None:
        await self.stop(write.lease.session_id, "another message")
        await super().append(write)


async def test_turns_take_each_row(desk_: Desk, monkeypatch: pytest.MonkeyPatch):
    """Ordinary messages, a question, a silent step, failures of each depth, tools, outside events, dead workers and a stop."""
    table = Recording()
    monkeypatch.setattr(turn_module, "NEXT", table)
    maitred = desk_.open()
    await desk_.lead(maitred, "hello", "bad", "name Ann", "too_early", "probe_it", "go_quiet", "finish", session="a")
    await maitred.post("a", "news", {}, key="n1")
    await desk_.lead(maitred, "bad", "bad", "hello?", session="b")
    for effect, writes in (("idempotent", 2), ("non_idempotent", 3)):
        store = FailsAt(desk_.path)
        failing = desk_.open(effect=effect, on_arrival=True, store=store)
        store.fails_at = (
            writes  # INTEND and, where the effect cannot be repeated, RESULT are durable; the next write is not
        )
        with pytest.raises(StoreUnavailable):
            await failing.say(effect, "hello", message_id="m1")
        assert (await failing.say(effect, "hello", message_id="m1")).text == "you said hello"
        await desk_.sound(effect)
    store = StoppedAtOnce(desk_.path)
    await desk_.lead(maitred, "name Ann", session="c")
    await desk_.lead(desk_.open(store=store), "probe_it", session="c")
    assert table.taken == set(NEXT)
