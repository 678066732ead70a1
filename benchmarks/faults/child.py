"""Child: a forked process that runs some work and tells things, one JSON value a line. Everything is imported before the fork.

The parent opens no store: what it wants to know of one, it has a child find out. Any experiment may use it.
"""

import asyncio
import json
import logging
import os
import traceback
from collections.abc import Awaitable, Callable
from typing import Any

Tell = Callable[[Any], None]
Work = Callable[[Tell], Awaitable[None]]


class Child:
    """A process that runs `work`. It ends with code 1, and tells its traceback on stderr, if that raises."""

    def __init__(self, work: Work) -> None:
        reading, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(reading)
            _run(work, writing)
        os.close(writing)
        self._lines = os.fdopen(reading, "rb")

    def hear(self) -> Any:
        """The next thing it tells, waits for it; None when it has ended."""
        line = self._lines.readline()
        return json.loads(line) if line else None

    def end(self) -> list[Any]:
        """All that it still tells. When this returns the process has ended."""
        told = [json.loads(line) for line in self._lines]
        self._lines.close()
        self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return told

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
    except BaseException:  # noqa: BLE001  # whatever it was
        os.write(2, traceback.format_exc().encode())
        os._exit(1)


def _told(writing: int, fact: Any) -> None:
    line = json.dumps(fact).encode() + b"\n"
    while line:
        line = line[os.write(writing, line) :]


def in_child(work: Work) -> list[Any]:
    """What `work` tells in a process of its own. Raises ChildBroke if it does not end well."""
    child = Child(work)
    told = child.end()
    if child.code:
        raise ChildBroke(f"a worker process ended with {child.code}; its traceback is on stderr")
    return told


class ChildBroke(Exception):
    """A worker that was not meant to die did."""
