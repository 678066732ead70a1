"""The options by which a command is given a model, and the decider that they stand for, tried out before it is used."""

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

import typer
from pydantic import JsonValue
from rich.console import Console

from ..protocol.errors import BadRequest, ModelBusy, ModelDown, ModelTimeout
from ..protocol.ports import Decider

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
    float,
    typer.Option("--model-timeout", envvar="MAITRED_MODEL_TIMEOUT", min=0.1, help="Seconds for one decision."),
]
MenuSchema = Annotated[
    bool,
    typer.Option(
        "--menu-schema",
        envvar="MAITRED_MENU_SCHEMA",
        help="Send each menu's own JSON schema, for servers that hold a model to it (llama.cpp, vLLM).",
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


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """What was asked for."""

    name: str | None = None
    base_url: str | None = None
    timeout_s: float = 30.0
    menu_schema: bool = False
    extra: str | None = None


@asynccontextmanager
async def opened_decider(choice: ModelChoice) -> AsyncIterator[Decider | None]:
    """The model, tried once and closed at the end; None stands for the keyword decider.

    Raises ModelError if its address, key or name is wrong. A model that is only slow, busy or down for now is no reason to stop:
    customers get a sentence, and it may be back with the next message.
    """
    if choice.name is None:
        if choice.base_url and choice.base_url != os.environ.get("MAITRED_BASE_URL"):  # the environment names no wish
            raise BadRequest("--base-url needs --model: the name of a model that the server has")
        yield None
        return
    from ..decision.client import InstructorDecider  # loads the client libraries, a second of work

    decider = InstructorDecider(
        choice.name,
        choice.base_url,
        timeout_s=choice.timeout_s,
        menu_schema=choice.menu_schema,
        extra=_fields(choice.extra),
    )
    async with decider:
        try:
            await decider.probe()
        except (ModelBusy, ModelDown, ModelTimeout) as error:
            Console(stderr=True, soft_wrap=True, highlight=False).print(
                f"warning {error.code}: {error}; going on all the same", style="yellow", markup=False
            )
        yield decider


def _fields(extra: str | None) -> dict[str, JsonValue]:
    try:
        fields = json.loads(extra or "{}")
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"--model-extra is no JSON: {error}") from error
    if not isinstance(fields, dict):
        raise BadRequest('--model-extra is not a JSON object, such as {"seed": 1}')
    return fields
