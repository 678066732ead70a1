"""The faults bench: no finding in the product at a small scale, every mutant caught, every planted fault found by the audit."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from maitred.benchmarks.faults.account import Account, Promise, Send
from maitred.benchmarks.faults.audit import audit
from maitred.benchmarks.faults.audit_turns import each_turn_once
from maitred.benchmarks.faults.cancellations import Canceller
from maitred.benchmarks.faults.child import Child, ChildBroke, hear_all, in_child
from maitred.benchmarks.faults.fuse import Fuse, pause
from maitred.benchmarks.faults.kills import points_of
from maitred.benchmarks.faults.ledger import Effect, Ledger, Reply
from maitred.benchmarks.faults.mutants import MUTANTS
from maitred.benchmarks.faults.run import PARTS, bench_faults
from maitred.benchmarks.faults.shop import SCENES
from maitred.benchmarks.faults.site import Site, sends
from maitred.benchmarks.faults.stores import KINDS
from maitred.cli.main import build
from maitred.protocol.errors import BadRequest
from maitred.protocol.log import Message, chain
from maitred.protocol.messages import AgentResponse, StateEvent, ToolCall, ToolStatus, UserRequest, parse_message

SQLITE = KINDS["sqlite"]
ROW = sends("s1", ["reserve", "paid", "charge", "book"])


def test_the_small_bench_finds_no_violation_and_every_mutant() -> None:
    """As CI runs it. The figures are of faults that happened, at least as many as were asked for."""
    result = CliRunner().invoke(build(), ["bench", "faults", "--json", "--scale", "0.01", "--seed", "1"])
    figures = json.loads(result.stdout)
    assert (result.exit_code, figures["violations"], result.stderr) == (0, 0, "")
    assert [*figures][:8] == "seed kills duplicates zombies aof_cuts wal_cuts restarts cancellations".split()
    assert figures["seed"] == 1
    mutants = sum(hunt.fits(SQLITE) for hunt in MUTANTS)
    assert figures["mutants"] == {"total": mutants, "caught": mutants}
    assert mutants >= 8
    assert {name for name in PARTS if figures[name] == 0} == {"aof_cuts", "restarts", "lost_replies"}
    parts = {name: part for name, part in PARTS.items() if part.only != "redis"}
    assert {name for name, part in parts.items() if figures[name] < round(part.faults * 0.01)} == set()


@pytest.mark.parametrize(("scale", "store"), [(0.01, "paper"), (0.0, "sqlite"), (float("nan"), "sqlite")])
def test_a_store_or_scale_that_there_is_not_is_a_plain_error(scale: float, store: str) -> None:
    """Before anything is hurt."""
    with pytest.raises(BadRequest):
        bench_faults(1, scale, store)


def test_every_kind_of_turn_has_sync_points_and_more_with_more_calls() -> None:
    """So a kill at each is a kill before and after every step, call, effect and reading."""
    points = points_of(SQLITE)
    assert set(points) == set(SCENES)
    assert points["note"] < points["look"] < points["charge"] < points["both"]


# --- the audit --------------------------------------------------------------------------------------------------------


@pytest.fixture
async def account(tmp_path: Path) -> Account:
    """A conversation in which all went well."""
    site = Site(tmp_path, SQLITE)
    async with site.open() as maitred:
        for send in ROW:
            await site.deliver(maitred, send)
        assert await site.settle(maitred, ROW, Promise.CALM) == []
        return Account(
            flow=site.shop.flow, session="s1", sent=ROW, replies=site.ledger.replies()["s1"],
            effects=site.ledger.effects()["s1"], records=await maitred.store.log("s1"),
            snapshot=await maitred.store.load("s1"), promise=Promise.CALM,
        )  # fmt: skip


def rewritten(account: Account, change: Callable[[list[Message]], Sequence[Message]]) -> Account:
    """With another log, whose chain holds: what only the audit can find."""
    assert account.snapshot
    messages = change([parse_message(record.body) for record in account.records])
    records, head = chain(messages, 0, "")
    snapshot = account.snapshot.model_copy(update={"records": len(records), "head": head})
    return replace(account, records=records, snapshot=snapshot)


def without(kind: type[Message], **fields: object) -> Callable[[list[Message]], list[Message]]:
    """The first such message is gone."""

    def change(messages: list[Message]) -> list[Message]:
        lost = next(m for m in messages if isinstance(m, kind) and all(getattr(m, k) == v for k, v in fields.items()))
        return [m for m in messages if m is not lost]

    return change


def twice(kind: type[Message]) -> Callable[[list[Message]], list[Message]]:
    """The last such message is on record again, right behind itself."""

    def change(messages: list[Message]) -> list[Message]:
        n = max(i for i, m in enumerate(messages) if isinstance(m, kind))
        return [*messages[: n + 1], messages[n], *messages[n + 1 :]]

    return change


def altered(kind: type[Message], n: int, **fields: object) -> Callable[[list[Message]], list[Message]]:
    """The n-th such message says something else."""

    def change(messages: list[Message]) -> list[Message]:
        changed = [m for m in messages if isinstance(m, kind)][n]
        return [m.model_copy(update=fields) if m is changed else m for m in messages]

    return change


async def test_the_audit_finds_nothing_where_nothing_is(account: Account) -> None:
    """The account as it is, also with a log that was only written again."""
    assert audit(account) == audit(rewritten(account, list)) == []


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (without(UserRequest), "a-0 is on record 0 times"),
        (twice(UserRequest), "a-4 is on record 1 times too often"),
        (without(AgentResponse), "with 0 replies"),
        (twice(AgentResponse), "with 2 replies"),
        (without(StateEvent), "event"),
        (without(ToolCall), "began 0 times and ended 1 times"),
        (without(ToolCall, status=ToolStatus.OK), "began 1 times and ended 0 times"),
        (twice(ToolCall), "ended 2 times"),
        (altered(ToolCall, -1, status=ToolStatus.ERROR), "is on record as not done, but was"),
        (altered(ToolCall, -1, status=ToolStatus.UNKNOWN), "though no worker failed"),
        (altered(ToolCall, 0, key="another"), "with a key that no intent has"),
        (altered(AgentResponse, 0, text="something else"), "was read that is not the one on record"),
        (altered(AgentResponse, 1, state="paying"), "says 'paying', the log 'open'"),
    ],
)
async def test_a_fault_planted_in_the_log_is_found(
    account: Account, change: Callable[[list[Message]], Sequence[Message]], found: str
) -> None:
    """Though its chain holds."""
    assert any(found in problem for problem in audit(rewritten(account, change)))


async def test_a_fault_planted_in_what_is_known_outside_is_found(account: Account) -> None:
    """Effects, replies and messages against the log; and a log that was not chained again."""
    charge = next(effect for effect in account.effects if effect.tool == "charge")
    planted = {
        "charge took effect 2 times": replace(account, effects=[*account.effects, charge]),
        "charge is on record as done, but was not": replace(
            account, effects=[effect for effect in account.effects if effect != charge]
        ),
        "with a key that no intent has": replace(account, effects=[*account.effects, Effect("s1", "charge", "k")]),
        "is not the one on record": replace(account, replies=[*account.replies, Reply("s1", "a-0", "{}")]),
        "a-9 is on record 0 times": replace(account, sent=[*ROW, Send("s1", "a-9", "note more")]),
        "event a-9 is on record 0 times": replace(account, sent=[*ROW, Send("s1", "a-9", "paid more")]),
        "out of order": replace(account, sent=ROW[::-1]),
        "a-1: called ('reserve',), not ('look',)": replace(account, sent=[ROW[0], Send("s1", "a-1", "look"), *ROW[2:]]),
        "a-0: 'looked' happened": replace(account, sent=[Send("s1", "a-0", "look"), *ROW[1:]]),
        "record 3": replace(account, records=[*account.records[:2], *account.records[3:]]),
        "no such session": replace(account, snapshot=None),
    }
    for found, faulty in planted.items():
        assert any(found in problem for problem in audit(faulty)), found


async def test_after_a_power_cut_without_sync_only_what_was_promised_is_asked_for(account: Account) -> None:
    """A tool that is not idempotent may have been called again; an idempotent one may not."""
    charge, reserve = (next(e for e in account.effects if e.tool == tool) for tool in ("charge", "reserve"))
    again = replace(account, effects=[*account.effects, charge], promise=Promise.OLDER)
    assert audit(again) == []
    assert audit(replace(again, effects=[*account.effects, reserve])) == ["s1: reserve took effect 2 times for one key"]


# --- the instruments -----------------------------------------------------------------------------------------------------


def test_a_reply_whose_reader_was_killed_in_the_middle_of_it_was_not_read(tmp_path: Path) -> None:
    """A kill may cut a write at the end of a page. What others read before and behind it counts."""
    ledger, replies = Ledger(tmp_path), [Reply("s1", f"m{n}", '{"text": "\u4f60"}') for n in range(3)]
    ledger.reply(replies[0])
    ledger.reply(replies[1])
    (tmp_path / "replies.jsonl").write_bytes((tmp_path / "replies.jsonl").read_bytes()[:-20])
    ledger.reply(replies[2])
    assert ledger.replies() == {"s1": [replies[0], replies[2]]}


def test_a_ledger_takes_an_effect_once_and_none_that_is_void(tmp_path: Path) -> None:
    """By key; what it took is there for whoever opens it again."""
    ledger, effect = Ledger(tmp_path), Effect("s1", "reserve", "k1")
    assert [ledger.effect(effect, once=True) for _ in range(2)] == [True, False]
    assert ledger.effect(effect, once=False)
    assert not ledger.void("k1")
    assert [ledger.void("k2") for _ in range(2)] == [True, True]
    assert not ledger.effect(Effect("s1", "book", "k2"), once=False)
    assert Ledger(tmp_path).effects() == {"s1": [effect, effect]}


def test_a_child_is_heard_to_its_end_however_it_ends() -> None:
    """What it told, then its code; one that breaks says how."""

    async def talk(tell: Callable[[object], None]) -> None:
        tell("one")
        await Fuse(at=1).moment()

    async def fail(tell: Callable[[object], None]) -> None:
        raise LookupError("no")

    killed = Child(talk)
    assert list(hear_all([killed, Child(talk)])) == ["one", "one"]
    assert killed.code == -9
    with pytest.raises(ChildBroke, match="LookupError in fail: no"):
        in_child(fail)


async def test_a_payment_whose_turn_fails_too_often_is_with_a_human_and_on_record(tmp_path: Path) -> None:
    """Found by this bench: quarantined, an event from outside left no trace of what had come."""
    site, row = Site(tmp_path, SQLITE), sends("s1", ["paid"])
    fuse = Fuse()

    async def falter() -> None:
        fuse.count += 1
        if fuse.count == fuse.at:
            raise InterruptedError

    async with site.open(falter) as maitred:
        await site.deliver(maitred, row[0])
        for _ in range(3):
            fuse.set(3)
            with pytest.raises(InterruptedError):
                await site.deliver(maitred, row[1])
        fuse.set(None)
        await site.deliver(maitred, row[1])
        events = [event.event for event in (await maitred.replay("s1")).moves]
        assert events[-2:] == ["escalated_by_rule", "unexpected_event"]
        assert await site.settle(maitred, row) == []


async def test_a_watched_store_is_as_immediate_as_it_was(tmp_path: Path) -> None:
    """Found by looking: the harness hid that a store answers at once, so it never saw turns that need no task."""
    made = []

    def count(loop: asyncio.AbstractEventLoop, work: Any, **how: Any) -> "asyncio.Task[Any]":
        made.append(work)
        return asyncio.Task(work, loop=loop, **how)

    asyncio.get_running_loop().set_task_factory(count)
    site = Site(tmp_path, SQLITE)
    for waits in (False, True):
        async with site.open(pause if waits else Fuse().moment, waits=waits) as maitred:
            made.clear()
            await site.deliver(maitred, sends(f"waits-{waits}", [])[0])
            assert bool(made) is waits


async def test_the_canceller_counts_the_awaits_of_a_turn_and_cancels_it_at_one(tmp_path: Path) -> None:
    """A scene with a tool waits; cancelled there, its caller is told. The store waits, too: a turn that never did has no task."""
    canceller = Canceller()
    asyncio.get_running_loop().set_task_factory(canceller)
    site, row = Site(tmp_path, SQLITE), sends("s1", ["look"])
    async with site.open(pause, waits=True) as maitred:
        await site.deliver(maitred, row[0])
        canceller.arm(1)
        with pytest.raises(asyncio.CancelledError):
            await site.deliver(maitred, row[1])
        assert canceller.count >= 1
        await site.deliver(maitred, row[1])
        assert await site.settle(maitred, row) == []


async def test_a_turn_that_its_customer_stopped_did_nothing_and_only_who_left_can_have_stopped_it(
    account: Account,
) -> None:
    """Whoever leaves stops the turn that runs: its scene need not happen, but nothing else may either."""
    log = [parse_message(record.body) for record in account.records]
    noted = next(m for m in log if isinstance(m, StateEvent) and m.event == "noted")
    stop = noted.model_copy(update={"event": "rolled_back", "payload": {"invalid": 0, "stopped": True}})
    stopped = [stop if m is noted else m for m in log]
    left = replace(account, sent=[*ROW, Send("s1", "a-9", "leave")])
    assert list(each_turn_once(left, stopped)) == []
    assert list(each_turn_once(account, stopped)) == ["a-0: was stopped, and nobody left"]
    both = [kept for m in log for kept in ((stop, m) if m is noted else (m,))]
    assert "in a turn that the customer stopped" in next(each_turn_once(left, both))
