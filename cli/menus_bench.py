"""`maitred bench menus` on the command line: options, progress. Counts nothing itself; registered by `bench_command.py`."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer
from pydantic import JsonValue
from rich.console import Console
from rich.progress import Progress

from ..benchmarks.menus import SEED, bench_menus
from ..benchmarks.menus import Progress as ShowProgress
from ..benchmarks.menus_rows import Question, read_questions
from ..protocol.errors import BadRequest
from .model_options import (
    BaseUrl,
    LocalFile,
    LocalThreads,
    MenuSchema,
    ModelChoice,
    ModelExtra,
    ModelName,
    ModelTimeoutS,
    opened_decider,
)

MODEL_LIMIT = 300
"""A model takes seconds for each: these give an interval of about 6 points to either side."""


def menus(
    dialogues: Annotated[Path, typer.Option(help="STAR dialogues (JSON lines, may be gzipped).")],
    decider: Annotated[
        Literal["keyword", "model", "local"] | None,
        typer.Option(help="Who picks from the menu; the model, if one is named."),
    ] = None,
    model: ModelName = None,
    base_url: BaseUrl = None,
    model_timeout: ModelTimeoutS = None,
    model_extra: ModelExtra = None,
    menu_schema: MenuSchema = None,
    local: LocalFile = None,
    local_threads: LocalThreads = None,
    limit: Annotated[
        int | None,
        typer.Option(min=1, help=f"Menus to ask about, drawn by the seed; {MODEL_LIMIT} for a model, else all."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Draws the menus and shuffles the options.")] = SEED,
    as_json: Annotated[bool, typer.Option("--json", help="Print only the JSON document.")] = False,
) -> None:
    """Let a decider pick from the menus that people had in real dialogues, and count how often it picks what they picked."""
    if decider == "model" and model is None:
        raise BadRequest("--decider model needs --model: the name of a model that the server has")
    if decider == "local" and local is None:
        raise BadRequest("--decider local needs --local: a GGUF file")
    asked = ModelChoice(model, base_url, model_timeout, menu_schema, local, local_threads, extra=model_extra)
    choice = ModelChoice() if decider == "keyword" else asked
    if choice.shown and limit is None:
        limit = MODEL_LIMIT
    offered = read_questions(dialogues)  # a bad file is told before a model is loaded
    with Progress(console=Console(stderr=True), transient=True, disable=as_json) as progress:
        bar = progress.add_task("menus", total=None)

        def show(done: int, total: int) -> None:
            progress.update(bar, completed=done, total=total)

        figures = asyncio.run(_ask(offered, choice, limit, seed, show))
    typer.echo(json.dumps(figures, ensure_ascii=False, indent=None if as_json else 2))


async def _ask(
    offered: Sequence[Question], choice: ModelChoice, limit: int | None, seed: int, show: ShowProgress
) -> dict[str, JsonValue]:
    async with opened_decider(choice) as decider:
        return await bench_menus(offered, decider, limit=limit, seed=seed, progress=show)
