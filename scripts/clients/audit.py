"""Audit: what the clients' conversations left on the server. Reads the stores, believes no client but for a session's name."""

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from plans import Plan

from maitred.app.maitred import Maitred
from maitred.cli.opening import EXAMPLE, open_flow
from maitred.protocol.messages import UserRequest
from maitred.statemachine.fold import read_record

TENANT = "clients"


async def audit(folder: Path, held: Mapping[str, tuple[Plan, str]]) -> tuple[list[str], int]:
    """Findings, and how many sessions hold a first message whose reply was lost. `held`: conversation id to its plan and the
    session that its client ended in."""
    db = str(folder / "maitred.db")
    orders = _orders(folder / "maitred.shop.db")
    findings: list[str] = []
    async with Maitred(open_flow(EXAMPLE, db).flow, store=db) as maitred:
        names = {row.session_id for row in await maitred.sessions(1_000_000)}
        for id_, (plan, name) in held.items():
            session = f"{TENANT}:presales:{name}"
            if session not in names:
                findings.append(f"{id_}: no session {session}")
                continue
            findings += [f"{id_}: {fault}" for fault in await _faults(maitred, session, plan, orders[session])]
        used = Counter(f"{TENANT}:presales:{name}" for _, name in held.values())
        findings += [
            f"{session}: mixed, it served {count} conversations" for session, count in used.items() if count > 1
        ]
        for session in sorted(names - set(used)):
            findings += [f"{session}: {fault}" for fault in await _faults_aside(maitred, session, orders[session])]
    return findings, len(names - set(used))


async def _faults(maitred: Maitred, session: str, plan: Plan, orders: int) -> list[str]:
    """Of a session that held a whole conversation."""
    said, stored = await _said(maitred, session), await maitred.session(session)
    faults = []
    if said != list(plan.texts):
        lost, extra = Counter(plan.texts) - Counter(said), Counter(said) - Counter(plan.texts)
        faults.append(f"messages: lost {list(lost.elements())}, too many {list(extra.elements())}")
    if orders != 1:
        faults.append(f"orders: {orders}")
    if stored.data.get("contact") != plan.phone:
        faults.append(f"mixed: the phone number is {stored.data.get('contact')!r}, not {plan.phone}")
    if stored.state != "completed":
        faults.append(f"state: {stored.state}")
    replayed = await maitred.replay(session)
    return faults if replayed.equal else [*faults, f"replay: {replayed.problem}"]


async def _faults_aside(maitred: Maitred, session: str, orders: int) -> list[str]:
    """Of a session that no conversation ended in: a nameless first message whose reply was lost, and no more."""
    said = await _said(maitred, session)
    faults = [] if len(said) == 1 else [f"messages: {len(said)} in a session that nobody goes on with"]
    return faults + ([f"orders: {orders}"] if orders else [])


async def _said(maitred: Maitred, session: str) -> Sequence[str]:
    messages = [read_record(record) for record in await maitred.store.log(session)]
    return [message.text for message in messages if isinstance(message, UserRequest)]


def _orders(shop: Path) -> Counter[str]:
    with closing(sqlite3.connect(shop)) as db:
        return Counter(dict(db.execute("SELECT customer_id, count(*) FROM orders GROUP BY customer_id")))
