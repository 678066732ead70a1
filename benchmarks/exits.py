"""`maitred bench exits`: does the exit detector tell leaving customers, and those who want a person, from all the others?

Owns the counts. Rows are utterances with the agent's turn before and a label; the shipped ones are Chinese hand-off requests and
what resembles them, which the public file lacks. Misses are named by line, never by their words. Called by `cli/`.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue

from ..fallback.exits import detect_exit
from .json_lines import read_lines

OWN = Path(__file__).with_name("exits_zh_human.jsonl")

Label = Literal["exit", "human", "not_exit"]

Progress = Callable[[int, int], None]
"""Told (utterances read, utterances) as the work goes on."""


class Utterance(BaseModel):
    """One line of the file. `prev`: the agent's turn before; `contested`: people did not agree on the label."""

    model_config = ConfigDict(frozen=True)

    lang: Literal["zh", "en"]
    text: str
    prev: str = ""
    label: Label
    contested: bool = False


Judged = tuple[int, Utterance, Label]
"""Line, row, and what the detector says."""


def bench_exits(path: str | Path, progress: Progress | None = None) -> dict[str, JsonValue]:
    """The figures of a file and, under `own`, of the shipped rows. Raises BadRequest for a file that is not what it should be."""
    files = [_rows(path), _rows(OWN)]
    total = sum(map(len, files))
    judged: list[list[Judged]] = []
    for rows in files:
        judged.append([])
        for line, row in rows:
            judged[-1].append((line, row, _said(row)))
            if progress:
                progress(sum(map(len, judged)), total)
    public, own = judged
    return {**{lang: _of_lang(public, lang) for lang in ("zh", "en")}, "own": {"zh": _of_lang(own, "zh")}}


def _rows(path: str | Path) -> list[tuple[int, Utterance]]:
    return [(line, row) for line, row in read_lines(path, Utterance) if not row.contested]


def _said(row: Utterance) -> Label:
    found = detect_exit(row.text, asked=row.prev)
    if found is None:
        return "not_exit"
    return "human" if found.kind == "human" else "exit"


def _of_lang(judged: Sequence[Judged], lang: str) -> dict[str, JsonValue]:
    rows = [row for row in judged if row[1].lang == lang]
    return {"rows": len(rows), "exit": _counted(rows, "exit"), "human": _counted(rows, "human")}


def _counted(judged: Sequence[Judged], label: Label) -> dict[str, JsonValue]:
    """`false`: lines that are said to be `label` and are not; `missed`: lines that are and are not said to be."""
    false: list[JsonValue] = [line for line, row, said in judged if said == label != row.label]
    missed: list[JsonValue] = [line for line, row, said in judged if row.label == label != said]
    support = sum(row.label == label for _, row, _ in judged)
    hits = support - len(missed)
    return {
        "precision": _share(hits, hits + len(false)),
        "recall": _share(hits, support),
        "support": support,
        "false": false,
        "missed": missed,
    }


def _share(part: int, whole: int) -> float | None:
    """None where there is nothing to divide by."""
    return round(part / whole, 4) if whole else None
