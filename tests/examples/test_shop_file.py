"""The file of the example's shop: nothing done twice or by half under threads, processes and kills."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Protocol

import pytest

from maitred.examples.presales import catalog, schema
from maitred.examples.presales.shop import Shop, ShopError

ANN = "ann"
SEEDED = {plan.id: plan.stock for plan in catalog.PLANS}

WHOLE_NUMBER = re.compile(r"SO[0-9]{8}-[0-9]{6}")
"""A killed process leaves half a line, which may begin behind the letters."""


class Clock(Protocol):
    now: datetime

    def __call__(self) -> datetime: ...


def quote_for(shop: Shop, key: str = "q1", plan: str = "pro", seats: int = 20, customer_id: str = ANN) -> str:
    quote_no: str = shop.make_quote(key, plan, seats, 12, "Acme", "Ann 13800000000", customer_id)["quote_no"]
    return quote_no


def order_for(shop: Shop, key: str = "o1", quote_key: str = "q1", customer_id: str = ANN) -> str:
    quote_no = quote_for(shop, quote_key, customer_id=customer_id)
    order_no: str = shop.create_order(key, quote_no, customer_id)["order_no"]
    return order_no


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(ShopError) as caught:
        call()
    return caught.value.code


# The file


def test_opened_again(shop: Shop, path: Path, clock: Clock) -> None:
    """A second opening seeds nothing and finds the orders."""
    order_no = order_for(shop)
    again = Shop(path, clock)
    assert again.payment_status(order_no, ANN)["order_no"] == order_no
    assert again.stock()["pro"] == 480


def test_durable_settings(shop: Shop) -> None:
    with closing(schema.connect(shop._path)) as db:
        found = {
            name: db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous", "foreign_keys")
        }
    assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


def test_tables_refuse_what_code_must_not_do(shop: Shop) -> None:
    """Even a wrong program cannot make stock negative or order a quote twice."""
    order_for(shop)
    with closing(schema.connect(shop._path)) as db:
        with pytest.raises(sqlite3.IntegrityError):
            db.execute("UPDATE stock SET available = available - 481 WHERE plan = 'pro'")
        with pytest.raises(sqlite3.IntegrityError):
            db.execute(
                "INSERT INTO orders SELECT 'SO20261130-000777', quote_no, customer_id, 1, status, '', '', '', '' FROM orders"
            )


@pytest.mark.parametrize("content", ["garbage", "foreign", "newer"])
def test_not_a_shop(path: Path, content: str) -> None:
    """A file that is something else is refused and left as it is."""
    if content == "garbage":
        path.write_bytes(b"not a database " * 100)
    else:
        with closing(sqlite3.connect(path)) as db:
            db.execute("CREATE TABLE people (name)" if content == "foreign" else "PRAGMA user_version = 2")
    before = path.read_bytes()
    assert refusal(lambda: Shop(path)) == "unavailable"
    assert path.read_bytes() == before


def test_locked(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that never ends is an error of the shop's own kind; reading goes on."""
    quote_no = quote_for(shop)
    monkeypatch.setattr(schema, "BUSY_TIMEOUT_S", 0.05)
    with closing(schema.connect(shop._path)) as db:
        db.execute("BEGIN IMMEDIATE")
        assert refusal(lambda: shop.create_order("o1", quote_no, ANN)) == "unavailable"
        assert shop.stock() == SEEDED


def test_new_file_held_by_another(path: Path) -> None:
    """Opening waits for whoever is at work on the new file."""
    with closing(sqlite3.connect(path, check_same_thread=False, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        release = threading.Timer(0.2, lambda: holder.execute("ROLLBACK"))
        release.start()
        assert Shop(path).stock() == SEEDED
        release.join()


# Threads, processes, kills


def test_eight_threads_create_the_file(tmp_path: Path) -> None:
    """Whoever opens a new file first seeds it; nobody else fails or seeds again."""
    with ThreadPoolExecutor(8) as pool:
        for attempt in range(25):
            barrier = threading.Barrier(8)

            def opened(path: Path, barrier: threading.Barrier = barrier) -> dict[str, int]:
                barrier.wait()
                return Shop(path).stock()

            assert list(pool.map(opened, [tmp_path / f"{attempt}.db"] * 8)) == [SEEDED] * 8


WORKER = """
import sys
from maitred.examples.presales.shop import Shop
shop = Shop(sys.argv[1])
sys.stdin.readline()
{body}
"""


def start(path: Path, body: str) -> subprocess.Popen[str]:
    """A process with the shop open that waits for a line before it runs `body`."""
    command = [sys.executable, "-c", WORKER.format(body=body), str(path)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def run_together(path: Path, body: str, count: int) -> list[str]:
    processes = [start(path, body) for _ in range(count)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = [process.communicate(timeout=60)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * count
    return outputs


@pytest.mark.parametrize("same", ["key", "quote"])
def test_eight_threads_one_order(shop: Shop, path: Path, same: str, audit: Callable[[Path], None]) -> None:
    """The same key, or the same quote under eight keys, makes one order."""
    quote_no = quote_for(shop)
    keys = ["o1"] * 8 if same == "key" else [f"o{n}" for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda key: shop.create_order(key, quote_no, ANN), keys))
    assert results == [results[0]] * 8
    assert len(shop.orders()) == 1
    audit(path)


def test_eight_processes_one_order(path: Path, audit: Callable[[Path], None]) -> None:
    """The same with processes that also race to create the file."""
    body = (
        "quote = shop.make_quote('q1', 'pro', 20, 12, 'Acme', 'Ann', 'ann')['quote_no']\n"
        "print(quote, shop.create_order('o1', quote, 'ann')['order_no'])"
    )
    assert len(set(run_together(path, body, 8))) == 1
    assert len(Shop(path).orders()) == 1
    audit(path)


def test_last_seats_under_threads(shop: Shop, path: Path, audit: Callable[[Path], None]) -> None:
    """Twelve customers want ten seats each of sixty: six get them, each with a number of its own."""
    quotes = [quote_for(shop, f"q{n}", "flagship", 10) for n in range(12)]

    def order(n: int) -> str:
        try:
            return str(shop.create_order(f"o{n}", quotes[n], ANN)["order_no"])
        except ShopError as error:
            return error.code

    with ThreadPoolExecutor(12) as pool:
        results = list(pool.map(order, range(12)))
    assert results.count("out_of_stock") == 6
    assert len(set(results)) == 7
    assert shop.stock()["flagship"] == 0
    audit(path)


def test_payment_and_cancel_race(shop: Shop, path: Path, audit: Callable[[Path], None]) -> None:
    """One of them wins: no order is both paid and given back."""
    order_no = order_for(shop)

    def pay_or_cancel(n: int) -> str:
        try:
            if n % 2:
                return str(shop.cancel_order(order_no, ANN)["status"])
            return str(shop.record_payment(order_no, "p1", 24_276_00)["status"])
        except ShopError as error:
            return error.code

    with ThreadPoolExecutor(8) as pool:
        results = set(pool.map(pay_or_cancel, range(8)))
    assert results in ({"paid", "already_paid"}, {"cancelled", "order_cancelled"})
    audit(path)


DOOMED = """
import os, signal, sys
from maitred.examples.presales.shop import Shop
class Doomed(Shop):
    left = int(sys.argv[2])
    def _connect(self):
        db = super()._connect()
        db.set_trace_callback(self._count)
        return db
    def _count(self, statement):
        self.left -= 1
        if self.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
shop = Doomed(sys.argv[1])
print(shop.create_order("o1", sys.argv[3], "ann")["order_no"], flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_killed_at_each_statement(tmp_path: Path, audit: Callable[[Path], None]) -> None:
    """SIGKILL before every statement of `create_order`: no order or a whole one, and the retry ends with one."""
    answered = ""
    for statement in range(40):
        path = tmp_path / f"{statement}.db"
        quote_no = quote_for(Shop(path))
        command = [sys.executable, "-c", DOOMED, str(path), str(statement), quote_no]
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert result.returncode == -signal.SIGKILL, result.stderr
        audit(path)
        answered = result.stdout.strip()
        retried = Shop(path).create_order("o1", quote_no, ANN)["order_no"]
        assert answered in ("", retried)
        assert len(Shop(path).orders()) == 1
        if answered:
            assert statement >= 8  # the sweep has seen a transaction, not an empty call
            return
    pytest.fail("create_order never ended")


def test_killed_at_any_time(path: Path, audit: Callable[[Path], None]) -> None:
    """Processes that order in a loop and are killed leave balanced books and every answered order."""
    Shop(path)
    body = (
        "import os\n"
        "for n in range(100000):\n"
        "    quote = shop.make_quote(f'q{os.getpid()}-{n}', 'basic', 1, 12, 'Acme', 'Ann', 'ann')['quote_no']\n"
        "    print(shop.create_order(f'o{os.getpid()}-{n}', quote, 'ann')['order_no'], flush=True)"
    )
    answered: set[str] = set()
    for round_ in range(5):
        processes = [start(path, body) for _ in range(2)]
        for process in processes:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        first = [process.stdout.readline() for process in processes if process.stdout]  # both are at work
        time.sleep(0.01 * round_)  # varies the moment; nothing depends on it
        for process in processes:
            os.kill(process.pid, signal.SIGKILL)
        rest = [process.communicate(timeout=60)[0] for process in processes]
        answered |= {line for output in [*first, *rest] for line in output.splitlines() if WHOLE_NUMBER.fullmatch(line)}
        assert answered <= {order["order_no"] for order in Shop(path).orders()}
        audit(path)
    assert len(answered) >= 10
