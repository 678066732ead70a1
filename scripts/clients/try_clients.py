"""Real clients against a real `maitred serve`; afterwards the server's stores are audited. For scripts/try_clients and tests.

Each client is a process of its own and keeps its retries as they come. Findings go to stdout and make the exit code 1.
"""

import argparse
import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from audit import audit
from lossy_proxy import LossyProxy
from plans import CLIENTS, Client, Plan, plans_of
from rich.console import Console
from rich.progress import Progress
from served import KEY, served

HERE = Path(__file__).parent
_TRIES = 50
Held = dict[str, tuple[Plan, str]]


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/try_clients", description=__doc__)
    parser.add_argument("--lossy", type=int, metavar="N", help="N conversations of each client, through a lossy proxy")
    parser.add_argument("--clients", default="", help="parts of the names of those to run, with commas between")
    parser.add_argument("--seed", type=int, default=1, help="for the proxy")
    parser.add_argument("--json", action="store_true", help="print only a JSON document")
    return parser.parse_args()


def chosen(names: str) -> list[Client]:
    parts = [name.strip() for name in names.split(",") if name.strip()]
    found = [client for client in CLIENTS if not parts or any(part in client.name for part in parts)]
    if not found:
        raise SystemExit(f"no client has {names!r} in its name; there are {', '.join(c.name for c in CLIENTS)}")
    return found


async def run(clients: Sequence[Client], asked: argparse.Namespace, shop: Path, node: Path) -> dict[str, Any]:
    """`shop`: the server's folder. `node`: where the JavaScript clients are installed."""
    plans = {c.name: plans_of(c, 1000 * n, asked.lossy) for n, c in enumerate(clients)}
    held: Held = {}
    rows: list[dict[str, Any]] = []
    with served(shop) as address, Progress(console=Console(stderr=True), transient=True, disable=asked.json) as bar:
        proxy = LossyProxy(_target(address), asked.seed) if asked.lossy else None
        base = f"http://127.0.0.1:{await proxy.start()}" if proxy else address
        for client in clients:
            task = bar.add_task(client.name, total=len(plans[client.name]))
            before = Counter(proxy.done) if proxy else Counter()
            tries = _TRIES if proxy else 0
            said = plans[client.name]
            row = await _drive(client, said, f"{base}/v1", node, tries, held, lambda t=task: bar.advance(t))
            rows.append({**row, **(dict(proxy.done - before) if proxy else {})})
    findings, aside = await audit(shop, held)
    return {"clients": rows, "begun_twice": aside, "findings": findings}


def install_node(folder: Path) -> None:
    if not (shutil.which("node") and shutil.which("npm")):
        raise SystemExit("the JavaScript clients need node and npm")
    for name in ("package.json", "node_clients.mjs"):
        shutil.copy(HERE / name, folder)
    command = ("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent")
    if subprocess.run(command, cwd=folder, check=False).returncode:
        raise SystemExit("npm could not install the JavaScript clients")


def _target(address: str) -> tuple[str, int]:
    host, port = address.removeprefix("http://").split(":")
    return host, int(port)


async def _drive(
    client: Client, plans: Sequence[Plan], base: str, node: Path, tries: int, held: Held, advance: Callable[[], object]
) -> dict[str, Any]:
    """Let one client hold its conversations."""
    programs = {"python": (sys.executable, str(HERE / "python_clients.py")), "node": ("node", "node_clients.mjs")}
    began, by_id = time.monotonic(), {plan.id: plan for plan in plans}
    process = await asyncio.create_subprocess_exec(
        *programs[client.program],
        client.name,
        base,
        KEY,
        str(tries),
        cwd=node,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    if process.stdin is None or process.stdout is None:
        raise SystemExit("no pipes")
    process.stdin.write(json.dumps([asdict(plan) for plan in plans]).encode())
    process.stdin.close()
    again: Counter[str] = Counter()
    async for line in process.stdout:
        told = json.loads(line)
        held[told["id"]] = (by_id[told["id"]], told["session"])
        again.update(told["again"])
        advance()
    if await process.wait() or any(id_ not in held for id_ in by_id):
        raise SystemExit(f"{client.name} did not finish")
    messages = sum(len(plan.texts) for plan in plans)
    seconds = round(time.monotonic() - began, 1)
    row = {"client": client.name, "conversations": len(plans), "messages": messages, "seconds": seconds}
    return {**row, "customer_sent_again": again.total()}


def main() -> None:
    asked = options()
    with tempfile.TemporaryDirectory(prefix="maitred-clients.") as work:
        clients, shop, node = chosen(asked.clients), Path(work, "served"), Path(work, "node")
        shop.mkdir()
        node.mkdir()
        if any(client.program == "node" for client in clients):
            install_node(node)
        told = asyncio.run(run(clients, asked, shop, node))
    if asked.json:
        print(json.dumps(told))
    else:
        for row in told["clients"]:
            print("  ".join(f"{name} {value}" for name, value in row.items()))
        print(f"sessions with a first message alone, whose reply was lost: {told['begun_twice']}")
        print(
            "\n".join(told["findings"][:50]) or "every message once, one order each, no session shared, every log sound"
        )
    sys.exit(bool(told["findings"]))


if __name__ == "__main__":
    main()
