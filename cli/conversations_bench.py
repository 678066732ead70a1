"""`maitred bench conversations` on the command line: options, progress, transcripts, a table for people.

Counts nothing itself; the figures are `benchmarks/conversations.py`'s. Registered by `bench_command.py`.
"""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from ..benchmarks.conversations import SEED, Hear, Run, bench_conversations, transcript
from ..benchmarks.conversations import Progress as ShowProgress
from ..benchmarks.conversations_play import Conversation
from ..examples.presales.world import World
from ..protocol.texts import Lang
from .bench_output import AsJson
from .model_options import DeciderName, ModelChoice, named_decider, opened_decider, takes_model
from .turn_view import wide_console

_LANGS: Mapping[str, tuple[Lang, ...]] = {"zh": ("zh",), "en": ("en",), "both": ("zh", "en")}


@takes_model("local_logs", "model_extra")
def conversations(
    decider: DeciderName = None,
    *,
    choice: ModelChoice,
    lang: Annotated[Literal["zh", "en", "both"], typer.Option(help="Language of the customers.")] = "both",
    customers: Annotated[int | None, typer.Option(min=1, help="Customers per language; all, if not given.")] = None,
    seed: Annotated[int, typer.Option(help="Draws the customers and their order.")] = SEED,
    transcripts: Annotated[
        Path | None, typer.Option(help="Write every turn to this file, one JSON object a line.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let scripted customers order from the example, and count what the decider chose, understood and cost.

    They answer what the bot asks, correct what it got wrong and never say yes to a wrong order. Exits with 1 if an order was
    wrong, a move illegal, or a log did not replay to the same session.
    """
    choice = named_decider(decider, choice)
    if transcripts:
        transcripts.write_text("", encoding="utf-8")  # a wrong path is told before an hour of conversations

    def keep(spoken: Lang, talk: Conversation) -> None:
        if transcripts:
            with transcripts.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in transcript(spoken, talk))

    with Progress(console=Console(stderr=True), transient=True, disable=as_json) as progress:
        bar = progress.add_task("conversations", total=None)

        def show(over: int, total: int, what: str) -> None:
            progress.update(bar, completed=over, total=total, description=what)

        figures = asyncio.run(_play(choice, _LANGS[lang], customers, seed, show, keep)).figures()
    if as_json:
        typer.echo(json.dumps(figures, ensure_ascii=False))
    else:
        _print(figures)
    sound = not figures["orders"]["wrong"] and not figures["illegal_moves"] and figures["replay_equal"]
    raise typer.Exit(0 if sound else 1)


async def _play(
    choice: ModelChoice, langs: tuple[Lang, ...], customers: int | None, seed: int, show: ShowProgress, keep: Hear
) -> Run:
    async with opened_decider(choice) as decider:
        return await bench_conversations(
            lambda folder, clock: World(folder / "shop.db", clock),
            decider,
            langs,
            customers=customers,
            seed=seed,
            progress=show,
            hear=keep,
        )


def _print(figures: Mapping[str, Any]) -> None:
    console = wide_console()
    langs = list(figures["conversations"])
    table = Table("", *langs, title=f"decider {figures['decider']}, seed {figures['seed']}", title_justify="left")
    for name in figures["conversations"][langs[0]]:
        table.add_row(name, *(str(figures["conversations"][lang][name]) for lang in langs))
    for name, part in (
        ("right actions", "choices"),
        ("read by code, rightly", "read_by_code"),
        ("right values", "values"),
    ):
        table.add_row(name, *(_share(figures[part][lang]) for lang in langs))
    table.add_row("illegal decisions refused", *(str(figures["choices"][lang]["refused"]) for lang in langs))
    for name, label in (
        ("calls", "model calls"),
        ("prompt_per_message", "prompt tokens per message"),
        ("cached_per_message", "of them cached"),
        ("completion_per_message", "completion tokens per message"),
        ("prompt_max_call", "prompt tokens, longest call"),
    ):
        table.add_row(label, *(f"{figures['tokens'][lang][name]:g}" for lang in langs))
    console.print(table)
    for loose in figures["not_completed"]:
        console.print("{lang} {customer}: {end} in {state} after {messages} messages".format(**loose), markup=False)
    for what, count in figures["wrong"].items():
        console.print(f"{count} x {what}", markup=False)
    orders = figures["orders"]
    console.print(
        f"{figures['seconds_per_message']:g} s per message; {orders['placed']} orders, {orders['wrong']} of them wrong; "
        f"{figures['illegal_moves']} illegal moves; logs replay {'equal' if figures['replay_equal'] else 'DIFFERENT'}",
        soft_wrap=True,
    )


def _share(part: Mapping[str, int]) -> str:
    percent = f" ({100 * part['right'] / part['total']:.1f} %)" if part["total"] else ""
    return f"{part['right']} of {part['total']}{percent}"
