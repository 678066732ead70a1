"""`maitred bench menus` on the command line: options, progress. Counts nothing itself; registered by `bench_command.py`."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from pydantic import JsonValue

from ..benchmarks.menus import SEED, bench_menus
from ..benchmarks.menus import Progress as ShowProgress
from ..benchmarks.menus_rows import Question, read_questions
from .bench_output import AsJson, print_figures, progress_bar
from .model_options import DeciderName, ModelChoice, named_decider, opened_decider, takes_model

MODEL_LIMIT = 300
"""A model takes seconds for each: these give an interval of about 6 points to either side."""


@takes_model("local_logs")
def menus(
    dialogues: Annotated[Path, typer.Option(help="STAR dialogues (JSON lines, may be gzipped).")],
    decider: DeciderName = None,
    *,
    choice: ModelChoice,
    limit: Annotated[
        int | None,
        typer.Option(min=1, help=f"Menus to ask about, drawn by the seed; {MODEL_LIMIT} for a model, else all."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Draws the menus and shuffles the options.")] = SEED,
    as_json: AsJson = False,
) -> None:
    """Let a decider pick from the menus that people had in real dialogues, and count how often it picks what they picked."""
    choice = named_decider(decider, choice)
    if choice.shown and limit is None:
        limit = MODEL_LIMIT
    offered = read_questions(dialogues)  # a bad file is told before a model is loaded
    with progress_bar("menus", as_json) as show:
        figures = asyncio.run(_ask(offered, choice, limit, seed, show))
    print_figures(figures, as_json)


async def _ask(
    offered: Sequence[Question], choice: ModelChoice, limit: int | None, seed: int, show: ShowProgress
) -> dict[str, JsonValue]:
    async with opened_decider(choice) as decider:
        return await bench_menus(offered, decider, limit=limit, seed=seed, progress=show)
