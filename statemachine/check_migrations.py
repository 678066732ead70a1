"""The rule about migrations: each leads from another version, once, to what this flow has. Called by `check.py`."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .findings import Finding, data_names, nearest
from .parts import Migration, Terminal

if TYPE_CHECKING:
    from .flow import Flow


def migrations(flow: "Flow") -> Iterator[Finding]:
    times = Counter(migration.from_version for migration in flow.migrations)
    for i, migration in enumerate(flow.migrations):
        where = f"migrations[{i}]"
        if migration.from_version == flow.version:
            why = f"{flow.version!r} is this flow's own version; give the changed flow a new one"
            yield Finding("error", "migrates_itself", f"{where}.from_version", why)
        if times[migration.from_version] > 1:
            why = f"there are {times[migration.from_version]} migrations from version {migration.from_version!r}"
            yield Finding("error", "duplicate_migration", f"{where}.from_version", why)
        yield from _targets(flow, migration, where)


def _targets(flow: "Flow", migration: Migration, where: str) -> Iterator[Finding]:
    states, names = {*flow.states, Terminal.ESCALATED}, data_names(flow)
    for old, new in migration.states.items():
        if new not in states:
            yield Finding("error", "unknown_state", f"{where}.states.{old}", f"no state {new!r}" + nearest(new, states))
    times = Counter(migration.data.values())
    for old, kept in migration.data.items():
        if kept is not None and times[kept] > 1:
            others = ", ".join(repr(name) for name, new in migration.data.items() if new == kept and name != old)
            why = f"{kept!r} is also what becomes of {others}; only one of them can be kept"
            yield Finding("error", "duplicate_data", f"{where}.data.{old}", why)
        if kept is not None and kept not in names:
            why = f"nothing of the flow is called {kept!r}" + nearest(kept, names)
            yield Finding("error", "unknown_data", f"{where}.data.{old}", why)
