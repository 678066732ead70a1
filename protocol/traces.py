"""Traces: an exception for a log, by its kind and where it was raised. Its message is part of it only if it is one of ours: those
promise to hold no customer's text, and those of foreign code (a tool's, a bot's, a model server's) often quote it.
"""

import traceback
from collections.abc import Iterator

from .errors import MaitredError


def trace_of(error: BaseException) -> Iterator[str]:
    """The exception and what caused it, the first cause first."""
    chain: list[BaseException] = []
    found: BaseException | None = error
    while found is not None and found not in chain:
        chain.append(found)
        found = found.__cause__ or (None if found.__suppress_context__ else found.__context__)
    for one in reversed(chain):
        for frame in traceback.extract_tb(one.__traceback__):
            yield f"{frame.filename}:{frame.lineno} in {frame.name}"
        yield f"{type(one).__module__}.{type(one).__qualname__}{_said(one)}"


def _said(error: BaseException) -> str:
    return f": {error}" if isinstance(error, MaitredError) else " (its message is not logged)"
