"""Real clients against a real `maitred serve`, by the program behind `scripts/try_clients`: the example, and a bad network.

The lossy part here is small; `scripts/try_clients --lossy 50` is the large one.
"""

import importlib
import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from maitred.app.maitred import Maitred
from maitred.cli.opening import open_flow

PROGRAM = Path(__file__).parents[2] / "scripts" / "clients" / "try_clients.py"


def try_clients(*options: str) -> dict[str, Any]:
    command = [sys.executable, str(PROGRAM), "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    assert done.stdout, done.stderr
    return dict(json.loads(done.stdout))


def test_python_clients_walk_the_example():
    """openai-python and LangChain, streamed and not, in every way in which they can go on."""
    told = try_clients("--clients", "openai-python,langchain")
    assert told["findings"] == []
    assert {row["client"]: row["conversations"] for row in told["clients"]} == {
        "openai-python chat": 4,
        "openai-python responses": 8,
        "langchain chat": 4,
        "langchain responses": 8,
    }
    assert sum(row["customer_sent_again"] for row in told["clients"]) == 0


@pytest.mark.skipif(not (shutil.which("node") and shutil.which("npm")), reason="node and npm are not here")
def test_javascript_clients_walk_the_example():
    """openai-js and the AI SDK, the same."""
    told = try_clients("--clients", "js,ai-sdk")
    assert told["findings"] == []
    assert [row["conversations"] for row in told["clients"]] == [4, 8, 4, 4, 8]
    assert sum(row["customer_sent_again"] for row in told["clients"]) == 0


def test_a_bad_network_loses_and_doubles_nothing():
    """A tenth of the replies lost, a tenth cut, a tenth late."""
    told = try_clients("--clients", "openai-python", "--lossy", "4", "--seed", "7")
    assert told["findings"] == []
    assert all(row["lost"] and row["cut"] for row in told["clients"])


@pytest.mark.parametrize(
    ("damage", "finding"),
    [
        ("", ""),
        ("lost", "lost ['Any discount?']"),
        ("doubled", "too many ['Any discount?']"),
        ("order", "orders: 2"),
        ("order aside", "orders: 1"),
        ("phone", "mixed: the phone number"),
        ("shared", "mixed, it served 2 conversations"),
        ("log", "replay: "),
    ],
)
async def test_the_audit_finds_what_went_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str, finding: str
):
    """On stores in which just that was made to go wrong; a sound one passes."""
    monkeypatch.syspath_prepend(PROGRAM.parent)
    audit, plans = importlib.import_module("audit"), importlib.import_module("plans")
    plan, other = plans.plans_of(plans.CLIENTS[0], 0, 2)
    said = list(plan.texts)
    if damage in ("lost", "doubled"):
        said[7:8] = [] if damage == "lost" else said[7:8] * 2
    await _converse(str(tmp_path / "maitred.db"), said)
    _damage(tmp_path, damage)
    held = {"a": (other if damage == "phone" else plan, "one")}
    if damage == "shared":
        held["b"] = (plan, "one")
    findings, aside = await audit.audit(tmp_path, held)
    assert aside == 1
    assert any(finding in each for each in findings) if finding else findings == []


ONE, TWO = "clients:presales:one", "clients:presales:two"


async def _converse(db: str, said: list[str]) -> None:
    """One session with these messages, and one that begins only."""
    opened = open_flow("presales", db)
    assert opened.world is not None
    async with Maitred(opened.flow, store=db) as maitred:
        before = ""
        for text in said:
            reply = await maitred.say(ONE, text)
            await opened.world.after_turn(maitred, reply, before)
            before = (await maitred.session(ONE)).state
        await maitred.say(TWO, said[0])


def _damage(folder: Path, damage: str) -> None:
    with closing(sqlite3.connect(folder / "maitred.shop.db", isolation_level=None)) as shop:
        columns = [row[1] for row in shop.execute("PRAGMA table_info(orders)")]
        whose = ONE if damage == "order" else TWO
        changed = {"order_no": "'SO1'", "quote_no": "'Q1'", "customer_id": f"'{whose}'"}
        if damage.startswith("order"):
            values = ", ".join(changed.get(name, name) for name in columns)
            shop.execute(f"INSERT INTO orders SELECT {values} FROM orders LIMIT 1")
    if damage == "log":
        with closing(sqlite3.connect(folder / "maitred.db", isolation_level=None)) as store:
            store.execute("UPDATE sessions SET snapshot=replace(snapshot, 'Leeds', 'Hull') WHERE session_id=?", (ONE,))
