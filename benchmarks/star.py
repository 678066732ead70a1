"""`maitred bench star`: public task graphs as flows, and real customer-service dialogues walked by the real engine.

Owns the figures, none of the rules: `star_graph.py` reads a graph, `star_flow.py` makes it a flow, `star_walk.py` plays
labels, `star_rows.py` tries rows, `star_mutants.py` makes wrong walks. No sentence of the data is kept or printed.
Called by `cli/`.
"""

import gzip
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from ..protocol.errors import BadRequest
from .star_flow import flow_of
from .star_graph import Graph, graphs_of
from .star_mutants import corrupted, foreign, shuffled
from .star_rows import honoured
from .star_walk import Stage, Walked

SEED = 20260105
FOLDED = 10
"""Every how many accepted walks the log is folded and compared with the session."""

_GZIP = b"\x1f\x8b"

Progress = Callable[[int, int], None]
"""Told (dialogues walked, dialogues) as the work goes on."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One line of the dialogues file: the wizard's labels, and whether they are as they should be."""

    task: str
    walk: tuple[str, ...]
    happy: bool
    broken: bool


@dataclass
class Figures:
    """Counts as they grow; `menus` are the sizes of menus at accepted labels of happy walks."""

    walks: dict[str, list[tuple[Dialogue, Walked]]] = field(default_factory=dict)
    menus: list[int] = field(default_factory=list)

    def accepted(self, kind: str) -> list[Dialogue]:
        return [dialogue for dialogue, walked in self.walks[kind] if walked.refused is None]


def bench_star(
    machines_path: str | Path, dialogues_path: str | Path, progress: Progress | None = None
) -> dict[str, Any]:
    """All figures. Raises BadRequest for files that are not what they should be, FlowError for a graph that cannot be said."""
    stages = stages_of(read_machines(machines_path))
    dialogues = [d for d in read_dialogues(dialogues_path) if d.task in stages]
    figures = Figures()
    for kind, chosen in _kinds(dialogues).items():
        figures.walks[kind] = [(dialogue, stages[dialogue.task].walk(dialogue.walk)) for dialogue in chosen]
        if progress:
            progress(sum(map(len, figures.walks.values())), len(dialogues))
    _check_folds(stages, figures)
    return {
        "map_rows": _rows(stages),
        "happy": _accepted(figures, "happy"),
        "unhappy": _accepted(figures, "unhappy"),
        "invariant_breaks": _refused(walked for _, walked in figures.walks["invariant_breaks"]),
        **{kind: _refused(walks) for kind, walks in wrong_walks(stages, figures.accepted("happy")).items()},
        "mean_menu": _mean(
            [size for _, walked in figures.walks["happy"] if walked.refused is None for size in walked.menus]
        ),
        "outside_labels": outside_labels(stages, dialogues),
    }


def stages_of(graphs: dict[str, Graph]) -> dict[str, Stage]:
    """A flow for every graph, and what all of them know together."""
    known = frozenset(label for graph in graphs.values() for label in (*graph.labels, *graph.nodes))
    return {task: Stage(graph, flow_of(graph), known) for task, graph in graphs.items()}


def wrong_walks(stages: dict[str, Stage], right: Sequence[Dialogue]) -> dict[str, list[Walked]]:
    """The three kinds of wrong walks, made from right ones, walked."""
    rng = Random(SEED)
    walks: dict[str, list[Walked]] = {"corrupted": [], "foreign": [], "shuffled": []}
    for dialogue in right:
        stage = stages[dialogue.task]
        walks["corrupted"] += [stage.walk(labels) for labels in corrupted(stage.graph, dialogue.walk)]
        strangers = [stages[task].graph for task in stages if task != dialogue.task]
        if strangers and len(dialogue.walk) > 1:
            walks["foreign"].append(stage.walk(foreign(dialogue.walk, rng.choice(strangers), rng)))
        order = shuffled(stage.graph, dialogue.walk, rng)
        if order is not None:
            walks["shuffled"].append(stage.walk(order))
    return walks


def outside_labels(stages: dict[str, Stage], dialogues: Iterable[Dialogue]) -> list[str]:
    """Labels of the dialogues that the rows of their own graph do not know."""
    return sorted({label for d in dialogues for label in d.walk if label not in stages[d.task].graph.nodes})


def read_machines(path: str | Path) -> dict[str, Graph]:
    """The machines file: task -> {transition_map, actions, events, replies}."""
    try:
        return graphs_of(json.loads(Path(path).read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadRequest(f"{path}: not a machines file: {type(error).__name__}: {error}") from error


def read_dialogues(path: str | Path) -> list[Dialogue]:
    """The dialogues file, plain or gzipped, one JSON object a line."""
    found: list[Dialogue] = []
    try:
        content = Path(path).read_bytes()
        lines = (gzip.decompress(content) if content[:2] == _GZIP else content).decode().splitlines()
        for line in lines:
            row = json.loads(line)
            found.append(Dialogue(row["task"], tuple(row["walk"]), row["happy"], row["invariant_break"] is not None))
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        where = f"{path}: line {len(found) + 1}"
        raise BadRequest(f"{where}: not a dialogue: {type(error).__name__}: {error}") from error
    return found


def _kinds(dialogues: list[Dialogue]) -> dict[str, list[Dialogue]]:
    whole = [d for d in dialogues if not d.broken]
    return {
        "happy": [d for d in whole if d.happy],
        "unhappy": [d for d in whole if not d.happy],
        "invariant_breaks": [d for d in dialogues if d.broken],
    }


def _check_folds(stages: dict[str, Stage], figures: Figures) -> None:
    """A sample of accepted walks, folded: an engine whose log does not give the session back has no figures."""
    for dialogue, walked in figures.walks["happy"][::FOLDED]:
        stage = stages[dialogue.task]
        if walked.refused is None and not all(stage.folds(stage.fell_silent(branch)) for branch in walked.branches):
            raise RuntimeError(f"{dialogue.task}: the folded log differs from the session")


def _rows(stages: dict[str, Stage]) -> dict[str, int]:
    total = sum(len(stage.graph.rows) for stage in stages.values())
    return {"total": total, "honoured": sum(len(honoured(stage)) for stage in stages.values())}


def _accepted(figures: Figures, kind: str) -> dict[str, int]:
    return {"total": len(figures.walks[kind]), "accepted": len(figures.accepted(kind))}


def _refused(walks: Iterable[Walked]) -> dict[str, int]:
    results = [walked.refused is not None for walked in walks]
    return {"total": len(results), "rejected": sum(results)}


def _mean(sizes: Sequence[int]) -> float:
    return round(sum(sizes) / len(sizes), 2) if sizes else 0.0
