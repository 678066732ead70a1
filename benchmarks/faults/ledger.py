"""Ledger: what the world outside the store knows, on disk before anybody goes on. The truth that the audit holds a store to.

One file per key for what tools did, one line per effect; one file of all replies that a customer read. Every line is one write
and an fsync. Nothing of maitred's state enters here. Written by `shop.py` and by the customers in `site.py`.
"""

import fcntl
import json
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple


class Effect(NamedTuple):
    """One thing that a tool did in the world."""

    session: str
    tool: str
    key: str


class Reply(NamedTuple):
    """One reply as a customer read it: to which message, and the body as JSON, empty if there were no words."""

    session: str
    message: str
    body: str


class Ledger:
    """In `folder`. `effects` and `replies` are also counted in order, for this process alone: see `power.py`."""

    def __init__(self, folder: Path) -> None:
        self._effects, self._replies = folder / "effects", folder / "replies.jsonl"
        self._effects.mkdir(exist_ok=True)
        self.done: list[Effect] = []
        self.read: list[Reply] = []

    def effect(self, effect: Effect, *, once: bool) -> bool:
        """Write it down. `once`: not if it was written before. Never if its key is void. Whether it was written."""
        with self._of_key(effect.key) as file:
            before = file.read()
            if before == _VOID or (once and before):
                return False
            _append(file.fileno(), effect)
        self.done.append(effect)
        return True

    def void(self, key: str) -> bool:
        """Make sure that the effect of `key` never happens; False if it has."""
        with self._of_key(key) as file:
            before = file.read()
            if not before:
                os.write(file.fileno(), _VOID)
                os.fsync(file.fileno())
        return before in (b"", _VOID)

    @contextmanager
    def _of_key(self, key: str) -> Iterator[BinaryIO]:
        """Its file, for this process alone until closed; a killed process holds no lock."""
        with (self._effects / key).open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            yield file

    def reply(self, reply: Reply) -> None:
        with self._replies.open("ab") as file:
            _append(file.fileno(), reply, before=b"\n")  # whoever wrote before may not have lived to end the line
        self.read.append(reply)

    def effects(self) -> Mapping[str, Sequence[Effect]]:
        """By session."""
        found = defaultdict(list)
        for file in self._effects.iterdir():
            for line in file.read_bytes().splitlines(keepends=True):
                if line != _VOID:
                    effect = Effect(*json.loads(line))
                    found[effect.session].append(effect)
        return found

    def replies(self) -> Mapping[str, Sequence[Reply]]:
        """By session. A line that was cut, as a kill may cut one at the end of a page, was not read to its end."""
        found = defaultdict(list)
        for line in self._replies.read_bytes().splitlines() if self._replies.exists() else ():
            with suppress(json.JSONDecodeError):
                reply = Reply(*json.loads(line))
                found[reply.session].append(reply)
        return found


_VOID = b"void\n"


def _append(file: int, line: tuple[str, ...], *, before: bytes = b"") -> None:
    os.write(file, before + json.dumps(line).encode() + b"\n")
    os.fsync(file)
