"""A file of JSON lines, plain or gzipped, as objects of one type: the first line that does not fit is named.

Knows no file's fields and keeps no line. Called by the benches that read rows.
"""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from ..protocol.errors import BadRequest
from ..protocol.messages import explain

_GZIP = b"\x1f\x8b"

Model = TypeVar("Model", bound=BaseModel)


def read_lines(path: str | Path, model: type[Model]) -> Iterator[tuple[int, Model]]:
    """(line number, object) for each line that is not blank. Raises BadRequest, also if there is none."""
    empty = True
    for number, line in enumerate(_text(path).split("\n"), 1):
        if line.strip():
            empty = False
            try:
                yield number, model.model_validate_json(line)
            except ValidationError as error:
                raise BadRequest(f"{path}: line {number}: {explain(error)}") from None
    if empty:
        raise BadRequest(f"{path}: holds no rows; wanted is one JSON object a line")


def _text(path: str | Path) -> str:
    try:
        content = Path(path).read_bytes()
        return (gzip.decompress(content) if content[:2] == _GZIP else content).decode()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
        raise BadRequest(f"{path}: cannot be read as UTF-8 text, plain or gzipped: {why}") from error
