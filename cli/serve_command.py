"""`maitred serve`: the flow as an HTTP service, OpenAI-compatible and native."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from .. import __version__
from ..app.maitred import Maitred
from ..protocol.messages import AgentResponse
from ..store.places import place_of
from .model_options import DeciderName, ModelChoice, named_decider, opened_decider, takes_model
from .opening import DEFAULT_DB, EXAMPLE, FLOW_HELP, Opened, open_flow, shown_db

if TYPE_CHECKING:
    from ..gateway.turns import AfterTurn

STORE_HELP = (
    "Where sessions live: a SQLite file, sqlite:///FILE, a Redis URL such as redis://localhost:6379 "
    "or redis+cluster://localhost:7000, or :memory:."
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(serve)


@takes_model()
def serve(
    flow: Annotated[str, typer.Option(help=FLOW_HELP, envvar="MAITRED_FLOW")] = EXAMPLE,
    store: Annotated[str, typer.Option(help=STORE_HELP, envvar="MAITRED_STORE")] = DEFAULT_DB,
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
    decider: DeciderName = None,
    *,
    choice: ModelChoice,
) -> None:
    """Serve a flow over HTTP: to chat gateways as if it were a model.

    POST /v1/chat/completions   for Open WebUI, LibreChat, LiteLLM, ...
    GET  /v1/models             the flow, by its name
    POST /v1/sessions/ID/messages    natively: a turn, also as events
    POST /v1/sessions/ID/events      a callback from outside
    GET  /v1/sessions/ID, /v1/sessions/ID/events, /healthz, /readyz, /docs

    Keys: MAITRED_API_KEYS=NAME:SECRET (several with commas between), or the
    settings file. Without a key only this machine may call. A conversation
    is known by the header X-Conversation-Id, else by its transcript.
    Ctrl-C stops it once the turns in flight are done. docs/gateway.md has
    the rest. To try it, from a second terminal:

    curl http://127.0.0.1:8000/v1/chat/completions -H 'X-Conversation-Id: 1' \\
    --json '{"model": "maitred", "messages": [{"role": "user", "content": "Hi"}]}'
    """
    choice = named_decider(decider, choice)
    path = place_of(store).where
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    from .serve_server import run  # the web libraries cost half a second: no other command loads them

    run(_serve(open_flow(flow, path), older_flow or [], path, choice, host, port, settings))


async def _serve(
    opened: Opened, older: list[str], path: str, choice: ModelChoice, host: str, port: int, settings_file: Path | None
) -> None:
    from ..gateway.app import create_app
    from ..gateway.derived_effects import DerivedEffects
    from .serve_server import Server
    from .serve_settings import read_settings, read_webhooks, refuse_open_door

    settings, keys = read_settings(settings_file)
    refuse_open_door(host, keys)
    webhooks = read_webhooks(settings_file, opened.flow.name)
    async with opened_decider(choice) as decider:
        versions = [*(open_flow(ref, path).flow for ref in older), opened.flow]
        maitred = Maitred(flows=versions, store=path, decider=decider, runner=DerivedEffects())
        app = create_app(maitred, keys=keys, settings=settings, after_turn=_bank(opened, maitred), webhooks=webhooks)
        shown = {
            "flow": f"{opened.flow.name} {opened.flow.version}, {len(opened.flow.states)} states",
            "store": shown_db(path),
            "decider": choice.shown or "keyword (no model)",
            "keys": ", ".join(f"{key.name} ({key.tenant})" for key in keys) or "none: only this machine may call",
        }
        if webhooks:
            shown["webhooks"] = ", ".join(f"/webhooks/{webhook.channel.name}" for webhook in webhooks)
        server = Server(
            app, host, port, settings.close_s, lambda address: _tell(address, shown, opened.flow.name, bool(keys))
        )
        await server.serve_until_stopped()


def _bank(opened: Opened, maitred: Maitred) -> "AfterTurn | None":
    """The example's bank pays when a turn is over; a flow of one's own gets its payments by HTTP."""
    world = opened.world
    if world is None:
        return None

    async def pays(response: AgentResponse, came_from: str) -> object:
        return await world.after_turn(maitred, response, came_from)

    return pays


def _tell(address: str, shown: dict[str, str], flow: str, has_keys: bool) -> None:
    """What whoever started it wants to know."""
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    console.print(f"maitred {__version__} listens on {address}", style="bold", markup=False)
    for name, value in shown.items():
        console.print(f"  {name:<8} {value}", markup=False)
    key = "one of the keys" if has_keys else "anything"
    console.print(
        f"  Open WebUI: Settings > Connections > OpenAI API: URL {address}/v1, key {key}; then choose the model {flow}.\n"
        '              Header there: {"X-Conversation-Id": "{{CHAT_ID}}", "X-Message-Id": "{{USER_MESSAGE_ID}}", '
        '"X-Task": "{{TASK}}"}\n'
        f"  documents   {address}/docs; stop with Ctrl-C",
        style="dim",
        markup=False,
    )
