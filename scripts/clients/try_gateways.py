"""Real gateways before a real `maitred serve`, each walking the example; afterwards the server's stores are audited. Run by
scripts/try_gateways.
"""

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from audit import audit
from gateway_process import environment, running
from lossy_proxy import LossyProxy
from open_webui import OpenWebUi
from plans import CLIENTS, Plan, plans_of
from served import KEY, served

from maitred.examples.presales.conversation import CONVERSATION

HERE = Path(__file__).parent
Held = dict[str, tuple[Plan, str]]

_LITELLM = """
model_list:
  - model_name: presales
    litellm_params: {{model: openai/presales, api_base: "{base}/v1", api_key: {key}}}
general_settings: {{forward_client_headers_to_llm_api: true, master_key: {key}}}
"""
_OPEN_WEBUI = {
    "WEBUI_AUTH": "False",
    "WEBUI_SECRET_KEY": KEY,
    "ENABLE_OLLAMA_API": "False",
    "RAG_EMBEDDING_ENGINE": "openai",  # else it wants to download a model of its own
    "OFFLINE_MODE": "True",
    "HF_HUB_OFFLINE": "1",
    "DO_NOT_TRACK": "true",
    "SCARF_NO_ANALYTICS": "true",
    "ANONYMIZED_TELEMETRY": "false",
}


def litellm(programs: Path, address: str, work: Path) -> Held:
    """openai-python, chat and responses, before LiteLLM. It drops the field `conversation`, so that way is left out."""
    config, port = work / "litellm.yaml", free_port()
    config.write_text(_LITELLM.format(base=address, key=KEY))
    command = [programs / "litellm", "--config", config, "--host", "127.0.0.1", "--port", str(port)]
    healthy = f"http://127.0.0.1:{port}/health/liveliness"
    held: Held = {}
    with running(command, {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}, healthy, work / "litellm.log"):
        for n, client in enumerate(CLIENTS[:2]):
            plans = {plan.id: plan for plan in plans_of(client, 1000 * n) if plan.way != "conversation"}
            done = subprocess.run(
                [sys.executable, HERE / "python_clients.py", client.name, f"http://127.0.0.1:{port}/v1", KEY, "0"],
                input=json.dumps([asdict(plan) for plan in plans.values()]),
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
            for told in map(json.loads, done.stdout.splitlines()):
                held[told["id"]] = (plans[told["id"]], told["session"])
            print(f"LiteLLM, {client.name}: {len(plans)} conversations held")
    return held


def open_webui(programs: Path, address: str, work: Path) -> Held:
    """One chat. Each message makes four calls: a turn, and three that must change nothing."""
    host, port = address.removeprefix("http://").split(":")
    heard = LossyProxy((host, int(port)), 0, lost=0, cut=0, late=0)
    between = f"http://127.0.0.1:{started(heard)}"
    (work / "data").mkdir()
    page = free_port()
    command = [programs / "open-webui", "serve", "--host", "127.0.0.1", "--port", str(page)]
    env = {**_OPEN_WEBUI, "DATA_DIR": str(work / "data")}
    with running(command, env, f"http://127.0.0.1:{page}/health", work / "open-webui.log"):
        chat = OpenWebUi(f"http://127.0.0.1:{page}", lambda count: until_calls(heard, count))
        print(f"Open WebUI, models: {chat.connect(f'{between}/v1', KEY)}")
        for text in CONVERSATION["en"]:
            print(f"  {text}\n      {chat.say(text, 'presales')!r}")
        print(f"Open WebUI, title: {chat.title()!r}; calls: {dict(Counter(map(kind_of, calls(heard))))}")
    plan = Plan("open-webui", CONVERSATION["en"], "13800138000", "named", stream=True)
    return {plan.id: (plan, chat.chat)}


def calls(proxy: LossyProxy) -> list[bytes]:
    return [head for head in proxy.heads if head.startswith(b"POST /v1/chat/completions")]


def kind_of(head: bytes) -> str:
    """The task of a call, or that it is a turn."""
    fields = dict(line.split(b": ", 1) for line in head.lower().split(b"\r\n") if b": " in line)
    return fields.get(b"x-task", b"").strip().decode() or "turn"


def until_calls(proxy: LossyProxy, count: int) -> None:
    until = time.monotonic() + 30
    while len(calls(proxy)) < count:
        if time.monotonic() > until:
            raise SystemExit(f"{count} calls were to come by now; {len(calls(proxy))} came")
        time.sleep(0.05)


def started(proxy: LossyProxy) -> int:
    """Its port; it runs in a thread of its own."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return asyncio.run_coroutine_threadsafe(proxy.start(), loop).result(10)


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


GATEWAYS = {"litellm": ("litellm[proxy]==1.100.5", litellm), "open-webui": ("open-webui==0.12.4", open_webui)}


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/try_gateways", description=__doc__)
    parser.add_argument("gateway", choices=GATEWAYS)
    requirement, walk = GATEWAYS[parser.parse_args().gateway]
    with tempfile.TemporaryDirectory(prefix="maitred-gateways.") as temporary:
        shop = Path(temporary, "served")
        shop.mkdir()
        programs = environment(Path(os.environ.get("GATEWAYS_FOLDER", temporary)).absolute(), requirement)
        with served(shop) as address:
            held = walk(programs, address, Path(temporary))
        findings, aside = asyncio.run(audit(shop, held))
    findings += [f"{aside} sessions that belong to no conversation"] if aside else []
    print(
        "\n".join(findings)
        or "every message once, one order each, no session shared, none beside them, every log sound"
    )
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
