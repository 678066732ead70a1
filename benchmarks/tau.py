"""`maitred bench tau`: tau-bench's gold writes through the real engine; allowed ones happen, all others do not.

Owns the figures: `tau_rows.py` reads the files, `tau_flow.py` holds the policies and makes the flows, `tau_play.py` plays
a write. No sentence of the data is kept or printed. Called by `cli/`.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from .quiet import quiet
from .tau_flow import POLICIES, outside_of
from .tau_play import ANSWERS, Played, Stage
from .tau_rows import Case, Schemas, Write, read_cases, read_schemas

Progress = Callable[[int, int], None]
"""Told (cases played, cases) as the work goes on."""


@dataclass
class Share:
    """How many of how many. `reached`: in how many plays of a wrong write there was something to refuse, see `Played`."""

    total: int = 0
    good: int = 0
    reached: int = 0

    def accepted(self) -> dict[str, JsonValue]:
        return {"total": self.total, "accepted": self.good}

    def rejected(self) -> dict[str, JsonValue]:
        return {"total": self.total, "rejected": self.good, "reached": self.reached}


@dataclass
class Figures:
    """Counts as they grow."""

    cases: Counter[str] = field(default_factory=Counter)
    writes: Share = field(default_factory=Share)
    wrong_state: Share = field(default_factory=Share)
    overtaken: Share = field(default_factory=Share)
    without_yes: Share = field(default_factory=Share)
    by_domain: dict[str, Share] = field(default_factory=dict)
    by_tool: dict[str, Share] = field(default_factory=dict)
    illegal_moves: int = 0
    outside_cases: Counter[str] = field(default_factory=Counter)
    outside_writes: Counter[str] = field(default_factory=Counter)
    not_accepted: list[JsonValue] = field(default_factory=list)
    not_rejected: list[JsonValue] = field(default_factory=list)

    def accept(self, case: Case, write: Write, accepted: bool) -> None:
        shares = (
            self.writes,
            self.by_domain.setdefault(case.domain, Share()),
            self.by_tool.setdefault(write.tool, Share()),
        )
        for share in shares:
            share.total += 1
            share.good += accepted
        if not accepted:
            self.not_accepted.append({"line": case.line, "tool": write.tool})

    def reject(self, share: Share, case: Case, write: Write, how: str, played: Played) -> None:
        share.total += 1
        share.good += not played.writes
        share.reached += played.reached
        self.illegal_moves += played.illegal
        if played.writes:
            self.not_rejected.append({"line": case.line, "tool": write.tool, "how": how})

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "cases": self.cases.total(),
            "writes": self.writes.accepted(),
            "wrong_state": self.wrong_state.rejected(),
            "without_yes": self.without_yes.rejected(),
            "illegal_moves": self.illegal_moves,
            "outside": {"cases": dict(self.outside_cases), "writes": dict(self.outside_writes)},
            "overtaken": self.overtaken.rejected(),
            "by_domain": {
                name: {"cases": self.cases[name], **share.accepted()} for name, share in self.by_domain.items()
            },
            "by_tool": {name: share.accepted() for name, share in sorted(self.by_tool.items())},
            "not_accepted": self.not_accepted,
            "not_rejected": self.not_rejected,
        }


def bench_tau(cases_path: str | Path, tools_path: str | Path, progress: Progress | None = None) -> dict[str, JsonValue]:
    """All figures. Raises BadRequest for files that are not what they should be."""
    schemas, cases = read_schemas(tools_path), read_cases(cases_path)
    with quiet():
        return asyncio.run(_bench(schemas, cases, progress or (lambda _done, _total: None)))


async def _bench(schemas: Schemas, cases: Sequence[Case], progress: Progress) -> dict[str, JsonValue]:
    figures, stages = Figures(), stages_of(schemas)
    for n, case in enumerate(cases, 1):
        figures.cases[case.domain] += 1
        if case.domain in stages:
            await _play(figures, stages[case.domain], case, _inside(figures, schemas, case))
        else:
            figures.outside_cases[f"{case.domain or 'no domain'}: no policy or no tools"] += 1
        progress(n, len(cases))
    for stage in stages.values():
        await stage.maitred.close()
    return figures.as_json()


def stages_of(schemas: Schemas) -> dict[str, Stage]:
    """A stage for every domain that has a policy and tools."""
    return {name: Stage(name, policy, schemas[name]) for name, policy in POLICIES.items() if name in schemas}


def _inside(figures: Figures, schemas: Schemas, case: Case) -> list[Write]:
    """The writes that the flow of the domain can say; the others are counted as outside."""
    inside = []
    for write in case.writes:
        why = outside_of(POLICIES[case.domain], schemas[case.domain], write)
        if why:
            figures.outside_writes[f"{case.domain}: {why}"] += 1
        else:
            inside.append(write)
    return inside


async def _play(figures: Figures, stage: Stage, case: Case, writes: Sequence[Write]) -> None:
    if not writes:
        return
    accepted, played = await stage.gold(writes)
    figures.illegal_moves += played.illegal
    for write, was in zip(writes, accepted, strict=True):
        figures.accept(case, write, was)
        for status in stage.wrong_statuses(write):
            figures.reject(figures.wrong_state, case, write, status, await stage.in_status(write, status))
        if stage.wrong_statuses(write):
            figures.reject(figures.overtaken, case, write, "overtaken", await stage.overtaken(write))
        for answer in ANSWERS:
            figures.reject(figures.without_yes, case, write, answer.name, await stage.answered(write, answer))
