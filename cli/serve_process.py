"""One serving process: builds the application over the flow and runs it. Alone it says its banner itself; as a worker it hands it
to its parent. Called by `serve_command.py`; loads the web libraries, which cost half a second.
"""

import json
import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from .. import __version__
from ..app.maitred import Maitred
from ..gateway.app import create_app
from ..gateway.derived_effects import DerivedEffects
from ..gateway.keys import RIGHTS, Key
from ..gateway.settings import GatewaySettings
from ..observability.redaction import Marks
from ..protocol.errors import BadRequest
from ..protocol.messages import AgentResponse
from .model_options import ModelChoice, opened_decider
from .opening import Opened, open_flow, shown_db
from .serve_server import Server, address_of, is_everywhere, listen, run
from .serve_settings import read_webhooks
from .serve_workers import WORKER_ENV, Link, Workers

if TYPE_CHECKING:
    from ..gateway.turns import AfterTurn
    from ..gateway.webhooks.webhooks import Webhook


@dataclass(frozen=True, slots=True)
class Service:
    """What is served, and how. `marks_key`: of the names of sessions in logs. `metrics_key`: opens `/metrics` from elsewhere."""

    flow: str
    older: tuple[str, ...]
    store: str
    choice: ModelChoice
    settings: GatewaySettings
    settings_file: Path | None
    keys: tuple[Key, ...]
    metrics_key: str
    host: str
    port: int
    workers: int


def run_service(service: Service, marks_for: Callable[[tuple[str, ...]], Marks]) -> int:
    """Serve until stopped; the exit code. `marks_for`: sets up the log for flows of these names."""
    fds = os.environ.pop(WORKER_ENV, "")
    if fds:
        link = Link(fds)
        return run(_serve(service, link.listening, link.serving, marks_for))
    if service.workers > 1 and service.store == ":memory:":
        raise BadRequest("--store :memory: is one process's own; with --workers give a SQLite file or a Redis URL")
    listening = listen(service.host, service.port)
    if service.workers > 1:
        marks_for(())
        return run(_supervise(service, listening))
    return run(_serve(service, listening, lambda banner, _: _tell(banner), marks_for))


async def _supervise(service: Service, listening: socket.socket) -> int:
    with listening:
        return await Workers(service.workers, listening, service.settings.close_s, _tell).run()


async def _serve(
    service: Service,
    listening: socket.socket,
    serving: Callable[[str, Callable[[], None]], None],
    marks_for: Callable[[tuple[str, ...]], Marks],
) -> int:
    opened = open_flow(service.flow, service.store)
    webhooks = read_webhooks(service.settings_file, opened.flow.name)
    async with opened_decider(service.choice) as decider:
        versions = [*(open_flow(ref, service.store).flow for ref in service.older), opened.flow]
        maitred = Maitred(flows=versions, store=service.store, decider=decider, runner=DerivedEffects())
        app = create_app(
            maitred,
            keys=service.keys,
            settings=service.settings,
            after_turn=_bank(opened, maitred),
            webhooks=webhooks,
            metrics_key=service.metrics_key,
            marks=marks_for((opened.flow.name,)),
        )
        server = Server(app, listening, service.settings, lambda: serving(banner, lambda: server.handle_exit(0, None)))
        banner = _banner(service, opened, webhooks, listening)
        await server.serve_until_stopped()
    return 0


def _bank(opened: Opened, maitred: Maitred) -> "AfterTurn | None":
    """The example's bank pays when a turn is over; a flow of one's own gets its payments by HTTP."""
    world = opened.world
    if world is None:
        return None

    async def pays(response: AgentResponse, came_from: str) -> object:
        return await world.after_turn(maitred, response, came_from)

    return pays


def _banner(service: Service, opened: Opened, webhooks: Sequence["Webhook"], listening: socket.socket) -> str:
    """What whoever started it wants to know, as JSON: the address, and name and value of each line."""
    address = address_of(listening)
    lines = {
        "flow": f"{opened.flow.name} {opened.flow.version}, {len(opened.flow.states)} states",
        "store": shown_db(service.store),
        "decider": service.choice.shown or "keyword (no model)",
        "keys": ", ".join(_shown(key, opened.flow.name) for key in service.keys) or "none: only this machine may call",
    }
    if webhooks:
        lines["webhooks"] = ", ".join(f"/webhooks/{webhook.channel.name}" for webhook in webhooks)
    if is_everywhere(listening):
        lines["address"] = f"this machine's; others call it by its name or address, port {listening.getsockname()[1]}"
    if service.workers > 1:
        lines["workers"] = str(service.workers)
    if opened.world:
        lines["bank"] = "simulated: no money moves; an order of the example counts as paid once the customer says so"
    return json.dumps({"address": address, "flow": opened.flow.name, "keys": bool(service.keys), "lines": lines})


def _shown(key: Key, flow: str) -> str:
    """Its name, whose it is, and what it may, if not all."""
    may = "" if key.rights == RIGHTS else f", {' and '.join(sorted(key.rights))} only"
    return f"{key.name} ({key.tenant}{may if key.opens(flow) else ', not for this flow'})"


def _tell(banner: str) -> None:
    said = json.loads(banner)
    address, flow = said["address"], said["flow"]
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    console.print(f"maitred {__version__} listens on {address}", style="bold", markup=False)
    for name, value in said["lines"].items():
        console.print(f"  {name:<8} {value}", markup=False)
    key = "one of the keys" if said["keys"] else "anything"
    console.print(
        f"  Open WebUI: Settings > Connections > OpenAI API: URL {address}/v1, key {key}; then choose the model {flow}.\n"
        '              Header there: {"X-Conversation-Id": "{{CHAT_ID}}", "X-Message-Id": "{{USER_MESSAGE_ID}}", '
        '"X-Task": "{{TASK}}"}\n'
        f"  OpenAPI     {address}/openapi.json; metrics {address}/metrics; stop with Ctrl-C",
        style="dim",
        markup=False,
    )
