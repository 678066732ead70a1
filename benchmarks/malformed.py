"""`maitred bench malformed`: what becomes of customers when the model's answers are not quite JSON.

Owns the file's rows and the figures: `malformed_damage.py` puts a row's damage on a decision, `malformed_case.py` plays it
through the real path, over HTTP on loopback. Of the file only line numbers and kinds are printed. Called by `cli/`.
"""

import asyncio
import json
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

from pydantic import JsonValue

from ..protocol.decision import AgentDecision
from ..protocol.errors import BadRequest, InternalError
from ..protocol.ports import PatientDecider
from ..protocol.texts import Lang
from .malformed_case import SESSION, Judged, Mouth, Move, Outcome, WorldAt, moves, opened, play_case
from .malformed_damage import damaged
from .malformed_scenes import CONVERSATIONS, DAMAGED_TURNS, Line
from .malformed_server import SayingServer
from .quiet import quiet

REPEATS = (1, 2, 3)
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

Progress = Callable[[int, int], None]
"""Told (cases played, cases) as the work goes on."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the file: a text that is not quite JSON, and what its collector calls that."""

    line: int
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Scene:
    """A place in a conversation: the files as they are there, the lines from there on, and the moves that these cause."""

    folder: Path
    lang: Lang
    lines: Sequence[Line]
    meant: Sequence[Move]


@dataclass
class Figures:
    """Counts as they grow."""

    outcomes: Counter[str] = field(default_factory=Counter)
    illegal_moves: int = 0
    kinds: dict[str, Counter[str]] = field(default_factory=dict)
    damages: dict[str, Counter[str]] = field(default_factory=dict)
    findings: list[JsonValue] = field(default_factory=list)

    def add(self, row: Row, repeats: int, damage: str, judged: Judged) -> None:
        self.outcomes[judged.outcome] += 1
        self.illegal_moves += judged.illegal_moves
        self.kinds.setdefault(row.kind, Counter())[judged.outcome] += 1
        self.damages.setdefault(damage, Counter())[judged.outcome] += 1
        if judged.outcome == "crashed" or judged.illegal_moves:
            self.findings.append({"line": row.line, "repeats": repeats, "damage": damage, "why": judged.why})

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "total": self.outcomes.total(),
            **{outcome: self.outcomes[outcome] for outcome in OUTCOMES},
            "illegal_moves": self.illegal_moves,
            "by_kind": {kind: dict(counts) for kind, counts in sorted(self.kinds.items())},
            "by_damage": {damage: dict(counts) for damage, counts in sorted(self.damages.items())},
            "findings": self.findings,
        }


def bench_malformed(path: str | Path, world_at: WorldAt, progress: Progress | None = None) -> dict[str, JsonValue]:
    """All figures. `world_at`: opens the example's world over a shop file.

    Raises BadRequest for a file that is not what it should be.
    """
    rows = read_rows(path)
    with TemporaryDirectory(prefix="maitred-bench-") as folder, quiet():
        return asyncio.run(_bench(rows, Path(folder), world_at, progress or (lambda _done, _total: None)))


async def _bench(rows: Sequence[Row], folder: Path, world_at: WorldAt, progress: Progress) -> dict[str, JsonValue]:
    from ..decision.client import InstructorDecider  # takes long to load, and only this bench needs it

    figures = Figures()
    async with (
        SayingServer() as server,
        InstructorDecider("bench", base_url=server.url, api_key="none", pause_s=0.0, reads_first=False) as client,
    ):
        scenes = await _scenes(folder, world_at, server, client)
        for n, row in enumerate(rows):
            for repeats in REPEATS:
                scene = scenes[(n + repeats) % len(scenes)]
                mouth = Mouth(server, client, partial(_damaged_text, row.text), repeats)
                judged = await _played(scene, world_at, mouth, folder / "case")
                figures.add(row, repeats, damaged(row.text, scene.lines[0].meant).way, judged)
                progress(n * len(REPEATS) + repeats, len(rows) * len(REPEATS))
    return figures.as_json()


def _damaged_text(row: str, meant: AgentDecision) -> str:
    return damaged(row, meant).text


async def _played(scene: Scene, world_at: WorldAt, mouth: Mouth, folder: Path) -> Judged:
    """One case, on a copy of the scene's files."""
    shutil.copytree(scene.folder, folder)
    try:
        async with opened(folder, world_at, mouth, scene.lang) as stage:
            return await play_case(stage, scene.lines, scene.meant)
    finally:
        shutil.rmtree(folder)


async def _scenes(folder: Path, world_at: WorldAt, server: SayingServer, client: PatientDecider) -> list[Scene]:
    """Every place of the conversations from which enough lines follow, the languages in turn."""
    of_lang = [await _undamaged(folder, world_at, lang, Mouth(server, client)) for lang in CONVERSATIONS]
    return [scene for side_by_side in zip(*of_lang, strict=True) for scene in side_by_side]


async def _undamaged(folder: Path, world_at: WorldAt, lang: Lang, mouth: Mouth) -> list[Scene]:
    """A conversation as it should go: before each line its files are put aside, and what the line moves is noted."""
    lines, now = CONVERSATIONS[lang], folder / lang
    now.mkdir()
    meant: list[list[Move]] = []
    for n, line in enumerate(lines):
        shutil.copytree(now, folder / f"{lang}-{n}")
        async with opened(now, world_at, mouth, lang) as stage:
            await stage.play(line)
            checked = await stage.maitred.replay(SESSION)
        events = [event for event in checked.moves if event.event_seq > stage.began_after]
        if stage.taken != [(line.meant, line.meant)] or len(moves(events)) != len(events) or not checked.equal:
            raise InternalError(f"line {n + 1} of the {lang} conversation is not understood when undamaged")
        meant.append(moves(events))
    return [
        Scene(folder / f"{lang}-{n}", lang, lines[n : n + DAMAGED_TURNS], [*chain(*meant[n : n + DAMAGED_TURNS])])
        for n in range(len(lines) - DAMAGED_TURNS + 1)
    ]


# --- the file ------------------------------------------------------------------------------------------------------------------


def read_rows(path: str | Path) -> list[Row]:
    """The rows, one JSON object a line. Raises BadRequest that names every line that is none (the first five of them)."""
    try:
        lines = Path(path).read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(f"{path}: cannot be read as UTF-8 text: {type(error).__name__}") from error
    read = [_row(n, line) for n, line in enumerate(lines, 1) if line.strip()]
    faults = [row for row in read if isinstance(row, str)]
    if faults:
        more = f" (and {len(faults) - 5} more)" if len(faults) > 5 else ""
        raise BadRequest(f"{path}: {'; '.join(faults[:5])}{more}")
    if not read:
        raise BadRequest(f"{path}: holds no rows; wanted is one JSON object a line with 'text' and 'kind'")
    return [row for row in read if isinstance(row, Row)]


def _row(n: int, line: str) -> Row | str:
    """The row, or what is wrong with the line."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"line {n}: not JSON: {getattr(error, 'msg', type(error).__name__)}"
    if not isinstance(value, dict):
        return f"line {n}: a JSON {type(value).__name__}; wanted is an object with 'text' and 'kind'"
    for name, given in (("text", value.get("text")), ("kind", value.get("kind", "unnamed"))):
        if not isinstance(given, str):
            return f"line {n}: {name!r} is {type(given).__name__}; wanted is a string"
    return Row(n, value["text"], value.get("kind", "unnamed"))
