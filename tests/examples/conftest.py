"""Fixtures of the example's tests: a shop in a new file, the clock it reads and an audit of its books."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from maitred.examples.presales import catalog
from maitred.examples.presales.shop import SHOP_TZ, Shop


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 10, 0, tzinfo=SHOP_TZ)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "shop.db"


@pytest.fixture
def shop(path: Path, clock: Clock) -> Shop:
    return Shop(path, clock)


@pytest.fixture
def audit() -> Callable[[Path], None]:
    """Checks a shop's file; see `assert_books_balance`."""
    return assert_books_balance


def assert_books_balance(path: Path) -> None:
    """Seeded stock = what is left + what live orders hold, and SQLite finds the file whole."""
    with closing(sqlite3.connect(path)) as db:
        held = dict(
            db.execute(
                "SELECT plan, sum(seats) FROM orders JOIN quotes USING (quote_no) WHERE status != 'cancelled' GROUP BY plan"
            )
        )
        left = dict(db.execute("SELECT plan, available FROM stock"))
        assert {plan: left[plan] + held.get(plan, 0) for plan in left} == {
            plan.id: plan.stock for plan in catalog.PLANS
        }
        assert db.execute(
            "SELECT count(*) FROM orders WHERE order_no NOT IN (SELECT order_no FROM order_keys)"
        ).fetchone() == (0,)
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
