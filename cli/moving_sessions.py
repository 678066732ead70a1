"""Moving sessions: whole sessions out of a store, into it, gone from it; one after the other, so that memory holds only one.

`progress` is told (done, all) as it goes. Called by `sessions_command.py`.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TextIO

from ..app.session_files import dossiers_of, lines_of
from ..protocol.errors import BadRequest, SessionBusy
from ..protocol.ports import Store
from .opening import EVERY

Progress = Callable[[int, int], None]


async def chosen(
    store: Store, names: Sequence[str], *, every: bool = False, before: datetime | None = None
) -> list[str]:
    """The sessions asked for. Raises BadRequest for one that is not there."""
    rows = await store.sessions(EVERY)
    known = {row.session_id for row in rows}
    if unknown := [name for name in names if name not in known]:
        raise BadRequest(f"no session {', '.join(map(repr, unknown))}; `maitred sessions` lists them")
    if names:
        return list(dict.fromkeys(names))
    limit = before.replace(tzinfo=UTC) if before else None
    return [r.session_id for r in rows if every or (limit and r.updated_at and r.updated_at < limit)]


async def write_out(store: Store, names: Sequence[str], out: TextIO, progress: Progress) -> list[str]:
    """Write the sessions as lines; those that somebody is in are left out and returned."""
    busy: list[str] = []
    for done, name in enumerate(names, start=1):
        try:
            dossier = await store.dossier(name)
        except SessionBusy:
            busy.append(name)
        else:
            out.writelines(f"{line}\n" for line in (lines_of(dossier) if dossier else ()))
        progress(done, len(names))
    return busy


def count_whole(file: TextIO, source: str) -> int:
    """How many sessions the file holds; all of it is read and checked. Raises BadRequest."""
    return sum(1 for _ in dossiers_of(_lines(file), source))


async def read_in(
    store: Store, file: TextIO, source: str, total: int, progress: Progress
) -> tuple[list[str], list[str]]:
    """Those that are new in the store, and those that were there already, out of a file of `total` sessions that was checked."""
    moved: list[str] = []
    there: list[str] = []
    for done, dossier in enumerate(dossiers_of(_lines(file), source), start=1):
        (moved if await store.restore(dossier) else there).append(dossier.session.session_id)
        progress(done, total)
    return moved, there


def _lines(file: TextIO) -> Iterator[str]:
    file.seek(0)
    yield from file


async def remove(store: Store, names: Sequence[str], progress: Progress) -> tuple[list[str], list[str]]:
    """Those that are gone, and those that somebody is in."""
    gone: list[str] = []
    busy: list[str] = []
    for done, name in enumerate(names, start=1):
        try:
            gone += [name] if await store.purge(name) else []
        except SessionBusy:
            busy.append(name)
        progress(done, len(names))
    return gone, busy
