"""The options by which a command is given a model, and the decider that they stand for, tried out before it is used.

A command takes them all as one parameter `choice` and is wrapped in `takes_model`.
"""

import inspect
import json
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from pydantic import JsonValue
from rich.console import Console

from ..app.local_model import LOCAL_TIMEOUT_S, local_decider
from ..protocol.errors import BadRequest, ModelBusy, ModelDown, ModelTimeout
from ..protocol.ports import Decider

if TYPE_CHECKING:
    from ..decision.client import InstructorDecider

TIMEOUT_S = 30.0

ModelName = Annotated[
    str | None,
    typer.Option(
        "--model",
        envvar="MAITRED_MODEL",
        help="Let this model pick from the menu; without it, keywords do. Key: MAITRED_API_KEY or OPENAI_API_KEY.",
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        "--base-url", envvar="MAITRED_BASE_URL", help="Any OpenAI-compatible server, such as http://127.0.0.1:8080/v1."
    ),
]
ModelTimeoutS = Annotated[
    float | None,
    typer.Option(
        "--model-timeout",
        envvar="MAITRED_MODEL_TIMEOUT",
        min=0.1,
        help=f"Seconds for one decision: {TIMEOUT_S:g}, or {LOCAL_TIMEOUT_S:g} with --local, if not given.",
        show_default=False,
    ),
]
ModelExtra = Annotated[
    str | None,
    typer.Option(
        "--model-extra",
        envvar="MAITRED_MODEL_EXTRA",
        metavar="JSON",
        help="An object of fields laid over each request; null takes a field out. docs/deciders.md has examples.",
    ),
]
MenuSchema = Annotated[
    bool | None,
    typer.Option(
        "--menu-schema/--no-menu-schema",
        envvar="MAITRED_MENU_SCHEMA",
        help="Send each menu's own JSON schema, for servers that hold a model to it (llama.cpp, vLLM). On with --local.",
        show_default=False,
    ),
]
LocalFile = Annotated[
    Path | None,
    typer.Option(
        "--local",
        envvar="MAITRED_LOCAL",
        metavar="FILE.gguf",
        help="Let the model in this file pick, in this process: no server, no key. Needs pip install 'maitred\\[local]'.",
    ),
]
LocalThreads = Annotated[
    int | None,
    typer.Option(
        "--local-threads", min=1, help="Processor threads for it; else half the processors.", show_default=False
    ),
]
LocalLogs = Annotated[bool, typer.Option("--local-logs", help="Show the log of llama.cpp on stderr.")]


DeciderName = Annotated[
    Literal["keyword", "model", "local"] | None,
    typer.Option(help="Who picks from the menu; the model, if one is named."),
]


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """What was asked for: a model behind an address (`name`, `base_url`), one in a file (`local`), or neither. None: not said."""

    name: str | None = None
    base_url: str | None = None
    timeout_s: float | None = None
    menu_schema: bool | None = None
    local: Path | None = None
    threads: int | None = None
    logs: bool = False
    extra: str | None = None

    @property
    def shown(self) -> str | None:
        """The model's name as consoles show it; None if there is none."""
        return self.local.stem if self.local else self.name


def takes_model(*without: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command the options above, but for those named, where its keyword `choice: ModelChoice` stands."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        options = [o for name, o in inspect.signature(_choice).parameters.items() if name not in without]

        @wraps(command)
        def with_options(**given: object) -> None:
            said = {option.name: given.pop(option.name) for option in options}
            command(choice=_choice(**said), **given)  # type: ignore[arg-type]  # typer has checked them

        signature = inspect.signature(command)
        parameters = (options if p.name == "choice" else [p] for p in signature.parameters.values())
        with_options.__signature__ = signature.replace(  # type: ignore[attr-defined]  # which typer reads
            parameters=[p.replace(kind=p.KEYWORD_ONLY) for group in parameters for p in group]
        )
        return with_options

    return decorate


def _choice(
    model: ModelName = None,
    base_url: BaseUrl = None,
    model_timeout: ModelTimeoutS = None,
    menu_schema: MenuSchema = None,
    local: LocalFile = None,
    local_threads: LocalThreads = None,
    local_logs: LocalLogs = False,
    model_extra: ModelExtra = None,
) -> ModelChoice:
    return ModelChoice(model, base_url, model_timeout, menu_schema, local, local_threads, local_logs, model_extra)


def named_decider(decider: str | None, choice: ModelChoice) -> ModelChoice:
    """The choice, or that of keywords. Raises BadRequest for a decider whose model is not given."""
    if decider == "model" and choice.name is None:
        raise BadRequest("--decider model needs --model: the name of a model that the server has")
    if decider == "local" and choice.local is None:
        raise BadRequest("--decider local needs --local: a GGUF file")
    return ModelChoice() if decider == "keyword" else choice


@asynccontextmanager
async def opened_decider(choice: ModelChoice) -> AsyncIterator[Decider | None]:
    """The model, tried once and closed at the end; None stands for the keyword decider.

    Raises BadRequest if a file cannot be used, ModelError if an address, key or name is wrong. A model that is only slow, busy or
    down for now is no reason to stop: customers get a sentence, and it may be back with the next message.
    """
    _check(choice)
    if choice.shown is None:
        yield None
        return
    async with AsyncExitStack() as stack:
        if choice.local:
            with _loading(choice.local):
                decider = await stack.enter_async_context(_of_file(choice, choice.local))
        else:
            decider = await stack.enter_async_context(_of_address(choice, choice.shown))
        try:
            await decider.probe()
        except (ModelBusy, ModelDown, ModelTimeout) as error:
            _stderr().print(f"warning {error.code}: {error}; going on all the same", style="yellow", markup=False)
        yield decider


def thinking(console: Console | None, choice: ModelChoice) -> AbstractContextManager[object]:
    """Shows people at a terminal that a model is at work: on a processor it takes seconds."""
    return console.status(f"{choice.shown} ...") if console and choice.shown else nullcontext()


def _check(choice: ModelChoice) -> None:
    # An address in the environment is there for other times, too.
    address = choice.base_url if choice.base_url != os.environ.get("MAITRED_BASE_URL") else None
    if choice.local and (choice.name or address):
        raise BadRequest(
            "--local is a model of its own: give either it, or --model with --base-url (MAITRED_MODEL, MAITRED_BASE_URL)"
        )
    if address and not choice.name:
        raise BadRequest("--base-url needs --model: the name of a model that the server has")
    if not choice.local and (choice.threads or choice.logs):
        raise BadRequest("--local-threads and --local-logs need --local: a GGUF file")
    if choice.local and choice.extra:
        raise BadRequest("--model-extra (MAITRED_MODEL_EXTRA) is for --model, not for --local")


def _of_file(choice: ModelChoice, file: Path) -> AbstractAsyncContextManager["InstructorDecider"]:
    return local_decider(
        file,
        threads=choice.threads,
        timeout_s=choice.timeout_s or LOCAL_TIMEOUT_S,
        menu_schema=choice.menu_schema is not False,
        logs=choice.logs,
    )


def _of_address(choice: ModelChoice, name: str) -> "InstructorDecider":
    from ..decision.client import InstructorDecider  # loads the client libraries, a second of work

    return InstructorDecider(
        name,
        choice.base_url,
        timeout_s=choice.timeout_s or TIMEOUT_S,
        menu_schema=choice.menu_schema is True,
        extra=_fields(choice.extra),
    )


def _fields(extra: str | None) -> dict[str, JsonValue]:
    try:
        fields = json.loads(extra or "{}")
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"--model-extra is no JSON: {error}") from error
    if not isinstance(fields, dict):
        raise BadRequest('--model-extra is not a JSON object, such as {"seed": 1}')
    return fields


@contextmanager
def _loading(file: Path) -> Iterator[None]:
    """While llama.cpp loads a file no Python runs, no handler of Ctrl-C either: the system's own ends the process at once."""
    console = _stderr()
    if console.is_terminal:
        console.print(f"loading {file.name} ...", style="dim", markup=False)
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _stderr() -> Console:
    return Console(stderr=True, soft_wrap=True, highlight=False)
