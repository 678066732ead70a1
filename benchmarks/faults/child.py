"""Child: a forked process that runs some work and tells things, one JSON value a line; an object is how it says why it broke.

Everything is imported before the fork. The parent opens no store: what it wants to know of one, it has a child find out. Any
experiment may use it, and so may tests.
"""

import asyncio
import json
import logging
import os
import selectors
import traceback
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, cast

Tell = Callable[[Any], None]
Work = Callable[[Tell], Awaitable[None]]


class Child:
    """A process that runs `work`. `code`, when it has ended: 0, or a signal as a negative number, or 1 if `work` raised; then
    `broke` says what."""

    def __init__(self, work: Work) -> None:
        reading, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(reading)
            _run(work, writing)
        os.close(writing)
        self._lines = os.fdopen(reading, "rb", buffering=0)  # so that what is not read yet can be waited for
        self.broke = ""

    def hear(self) -> Any:
        """The next thing it tells, waits for it; None when it has no more to tell."""
        line = self._lines.readline()
        told = json.loads(line) if line else None
        if isinstance(told, dict):
            self.broke = told["broke"]
            return None
        return told

    def end(self) -> list[Any]:
        """All that it still tells. When this returns the process has ended."""
        told = []
        while (fact := self.hear()) is not None:
            told.append(fact)
        self._lines.close()
        self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return told

    def fileno(self) -> int:
        """Ready to be read when there is something to hear."""
        return self._lines.fileno()

    def stopped(self) -> bool:
        """Waits until it is stopped, or has ended."""
        found = os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        return found is not None and found.si_code == os.CLD_STOPPED


def _run(work: Work, writing: int) -> None:
    """The life of a child: it must never return into what its parent was doing."""
    logging.disable()  # workers that are hurt on purpose have much to complain of
    try:
        asyncio.run(work(lambda fact: _told(writing, fact)))  # type: ignore[arg-type]  # any coroutine will do
        os._exit(0)
    except BaseException as error:  # noqa: BLE001  # whatever it was
        where = traceback.extract_tb(error.__traceback__)[-1]
        _told(writing, {"broke": f"{type(error).__name__} in {where.name}: {error}"})
        os._exit(1)


def _told(writing: int, fact: Any) -> None:
    line = json.dumps(fact).encode() + b"\n"
    while line:
        line = line[os.write(writing, line) :]


def hear_all(children: Iterable[Child]) -> Iterator[Any]:
    """What any of them tells, as it comes. Each is ended at once when it has no more to tell: a lease of a dead process that
    nobody has reaped would last its time."""
    with selectors.DefaultSelector() as waiting:
        for child in children:
            waiting.register(child, selectors.EVENT_READ)
        while waiting.get_map():
            for key, _ in waiting.select():
                child = cast(Child, key.fileobj)
                fact = child.hear()
                if fact is None:
                    waiting.unregister(child)
                    child.end()
                else:
                    yield fact


def in_child(work: Work) -> list[Any]:
    """What `work` tells in a process of its own. Raises ChildBroke if it does not end well."""
    child = Child(work)
    told = child.end()
    if child.code:
        raise ChildBroke(child)
    return told


class ChildBroke(Exception):
    """A worker that was not meant to die did."""

    def __init__(self, child: Child) -> None:
        super().__init__(f"a worker ended with {child.code}: {child.broke}")
