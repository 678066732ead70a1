"""The floor of `bench turn`: what a durable, idempotent, menu-checked turn costs at least, by hand and for one flow.

Each turn: is it a repeat, load, choose one of the menu, look the next state up, write state, log record and reply. SQLite takes
two transactions, as the product does: one that begins, one that commits. Nothing of maitred is used here.
"""

import json
import sqlite3
from hashlib import sha256
from pathlib import Path
from typing import Any

STATES = ("collect", "analyse", "offer", "confirm", "order", "pay", "care", "done")
NEXT = {state: STATES[(n + 1) % len(STATES)] for n, state in enumerate(STATES)}
MENU = {state: (f"to_{following}", "answer", "ask_human", "leave") for state, following in NEXT.items()}
NEW: dict[str, Any] = {
    "state": STATES[0],
    "n": 0,
    "head": "",
    "data": {"company": "Harbour Cafe", "seats": 12, "term": 24},
}


def moved(before: dict[str, Any], text: str) -> tuple[dict[str, Any], bytes, str]:
    """The snapshot, the log record and the reply after one message."""
    state = before["state"]
    decision = json.loads(f'{{"action": "{MENU[state][0]}", "parameters": {{}}, "reply_text": "on we go"}}')
    if decision["action"] not in MENU[state]:
        raise ValueError(decision["action"])
    record = json.dumps(
        {"n": before["n"] + 1, "text": text, "from": state, "to": NEXT[state], "prev": before["head"]}
    ).encode()
    after = {**before, "state": NEXT[state], "n": before["n"] + 1, "head": sha256(record).hexdigest()}
    return after, record, str(decision["reply_text"])


class Memory:
    """Dictionaries."""

    def __init__(self) -> None:
        self._sessions: dict[str, dict[str, Any]] = {}
        self._log: dict[str, list[bytes]] = {}
        self._replies: dict[tuple[str, str], str] = {}

    async def turn(self, session: str, request: str, text: str) -> str:
        if (session, request) in self._replies:
            return self._replies[session, request]
        after, record, reply = moved(self._sessions.get(session, NEW), text)
        self._sessions[session] = after
        self._log.setdefault(session, []).append(record)
        self._replies[session, request] = reply
        return reply


class Sqlite:
    """One file. `sync`: NORMAL or FULL."""

    def __init__(self, sync: str, folder: Path) -> None:
        self._db = sqlite3.connect(folder / f"floor-{sync}.db", isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute(f"PRAGMA synchronous={sync}")
        self._db.executescript(
            "CREATE TABLE sessions(id TEXT PRIMARY KEY, fence INT, body TEXT) WITHOUT ROWID;"
            "CREATE TABLE log(id TEXT, n INT, body BLOB, PRIMARY KEY(id, n)) WITHOUT ROWID;"
            "CREATE TABLE turns(id TEXT, request TEXT, reply TEXT, PRIMARY KEY(id, request)) WITHOUT ROWID;"
        )

    async def turn(self, session: str, request: str, text: str) -> str:
        run = self._db.execute
        run("BEGIN IMMEDIATE")
        answered = run("SELECT reply FROM turns WHERE id=? AND request=?", (session, request)).fetchone()
        if answered and answered[0] is not None:
            run("COMMIT")
            return str(answered[0])
        row = run("SELECT fence, body FROM sessions WHERE id=?", (session,)).fetchone()
        fence, before = (row[0] + 1, json.loads(row[1])) if row else (1, NEW)
        run(
            "INSERT INTO sessions VALUES(?,?,?) ON CONFLICT(id) DO UPDATE SET fence=excluded.fence",
            (session, fence, json.dumps(before)),
        )
        run("INSERT OR IGNORE INTO turns VALUES(?,?,NULL)", (session, request))
        run("COMMIT")
        after, record, reply = moved(before, text)
        run("BEGIN IMMEDIATE")
        if run("UPDATE sessions SET body=? WHERE id=? AND fence=?", (json.dumps(after), session, fence)).rowcount != 1:
            run("ROLLBACK")
            raise RuntimeError("fenced")
        run("INSERT INTO log VALUES(?,?,?)", (session, after["n"], record))
        run("UPDATE turns SET reply=? WHERE id=? AND request=?", (reply, session, request))
        run("COMMIT")
        return reply

    def close(self) -> None:
        self._db.close()
