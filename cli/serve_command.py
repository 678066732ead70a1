"""`maitred serve`: the flow as an HTTP service, OpenAI-compatible and native. Options only; `serve_process.py` serves."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ..observability.log import log_to
from ..observability.redaction import Marks
from ..store.places import place_of
from .model_options import DeciderName, ModelChoice, named_decider, takes_model
from .opening import DB_ENV, DB_NAMES, DEFAULT_DB, EXAMPLE, FLOW_HELP

STORE_HELP = (
    "Where sessions live: a SQLite file, sqlite:///FILE, a Redis URL such as redis://localhost:6379 "
    "or redis+cluster://localhost:7000, or :memory:."
)


class LogFormat(StrEnum):
    """How the log is written."""

    TEXT = "text"
    JSON = "json"


class LogLevel(StrEnum):
    """From which level on."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(serve)


@takes_model()
def serve(
    flow: Annotated[str, typer.Option(help=FLOW_HELP, envvar="MAITRED_FLOW")] = EXAMPLE,
    store: Annotated[str, typer.Option(*reversed(DB_NAMES), help=STORE_HELP, envvar=DB_ENV)] = DEFAULT_DB,
    host: Annotated[
        str, typer.Option(help="Address to listen on; another than this machine's needs a key.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.", envvar="MAITRED_PORT")
    ] = 8000,
    settings: Annotated[
        Path | None,
        typer.Option(
            help="TOML file with \\[serve] limits, \\[\\[keys]] and \\[\\[webhooks]].", envvar="MAITRED_SETTINGS"
        ),
    ] = None,
    older_flow: Annotated[
        list[str] | None,
        typer.Option(help="An older version of the flow: sessions in the middle stay with theirs. May be repeated."),
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, max=64, help="Processes that serve, on one port.", envvar="MAITRED_WORKERS")
    ] = 1,
    log_format: Annotated[
        LogFormat, typer.Option(help="How the log is written, to stderr.", envvar="MAITRED_LOG_FORMAT")
    ] = LogFormat.TEXT,
    log_level: Annotated[
        LogLevel, typer.Option(help="info has a line for each request.", envvar="MAITRED_LOG_LEVEL")
    ] = LogLevel.INFO,
    decider: DeciderName = None,
    *,
    choice: ModelChoice,
) -> None:
    """Serve a flow over HTTP: to chat gateways as if it were a model.

    POST /v1/chat/completions   for Open WebUI, LibreChat, LiteLLM, ...
    GET  /v1/models             the flow, by its name
    POST /v1/sessions/ID/messages    natively: a turn, also as events
    POST /v1/sessions/ID/events      a callback from outside
    GET  /v1/sessions/ID, /v1/sessions/ID/events, /healthz, /readyz, /metrics
    POST /webhooks/NAME         for Chatwoot, WeChat, ... (docs/webhooks.md)

    Keys: MAITRED_API_KEYS=NAME:SECRET (several with commas between), or the
    settings file. Without a key only this machine may call. A conversation
    is known by the header X-Conversation-Id, else by its transcript.
    Ctrl-C stops it once the turns in flight are done. docs/gateway.md has
    the rest. To try it, from a second terminal:

    curl http://127.0.0.1:8000/v1/chat/completions -H 'X-Conversation-Id: 1' \\
    --json '{"model": "maitred", "messages": [{"role": "user", "content": "Hi"}]}'
    """
    from .serve_process import Service, run_service  # the web libraries cost half a second: no other command loads them
    from .serve_settings import log_key, metrics_key, read_settings, refuse_open_door

    limits, keys = read_settings(settings)
    refuse_open_door(host, keys)
    service = Service(
        flow=flow,
        older=tuple(older_flow or ()),
        store=place_of(store).where,
        choice=named_decider(decider, choice),
        settings=limits,
        settings_file=settings,
        keys=keys,
        metrics_key=metrics_key(),
        host=host,
        port=port,
        workers=workers,
    )

    def marks_for(flows: tuple[str, ...]) -> Marks:
        marks = Marks(log_key(), flows)
        log_to(sys.stderr, log_format.value, log_level.value, marks)
        return marks

    raise typer.Exit(run_service(service, marks_for))
