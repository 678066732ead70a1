"""The shop's tables and how its file is opened.

Owns the schema, its version, the seeding and the settings of a connection. No rule of the business lives here but what
the tables themselves refuse: stock below zero, two orders for one quote, two payments for one order. Called by `shop.py`.
"""

import sqlite3
import time
from contextlib import closing

from .catalog import PLANS, PROMOTIONS

VERSION = 1
BUSY_TIMEOUT_S = 10.0

TABLES = (
    """CREATE TABLE products (
        plan TEXT PRIMARY KEY, name_zh TEXT NOT NULL, name_en TEXT NOT NULL,
        pitch_zh TEXT NOT NULL, pitch_en TEXT NOT NULL, price_cents INTEGER NOT NULL CHECK (price_cents > 0),
        recording INTEGER NOT NULL, setup_days INTEGER NOT NULL)""",
    """CREATE TABLE fits (
        plan TEXT NOT NULL REFERENCES products, use TEXT NOT NULL, fit INTEGER NOT NULL, PRIMARY KEY (plan, use))""",
    """CREATE TABLE stock (
        plan TEXT PRIMARY KEY REFERENCES products, available INTEGER NOT NULL CHECK (available >= 0))""",
    """CREATE TABLE promotions (
        code TEXT PRIMARY KEY, description_zh TEXT NOT NULL, description_en TEXT NOT NULL,
        percent INTEGER NOT NULL CHECK (percent BETWEEN 1 AND 99), plan TEXT REFERENCES products,
        min_seats INTEGER NOT NULL, min_term_months INTEGER NOT NULL, valid_from TEXT, valid_until TEXT)""",
    "CREATE TABLE counters (name TEXT PRIMARY KEY, last INTEGER NOT NULL)",
    """CREATE TABLE quotes (
        quote_no TEXT PRIMARY KEY, key TEXT NOT NULL UNIQUE, customer_id TEXT NOT NULL,
        plan TEXT NOT NULL REFERENCES products,
        seats INTEGER NOT NULL CHECK (seats > 0), term_months INTEGER NOT NULL CHECK (term_months > 0),
        price_cents INTEGER NOT NULL, subtotal_cents INTEGER NOT NULL, promotion TEXT NOT NULL,
        percent INTEGER NOT NULL, discount_cents INTEGER NOT NULL,
        total_cents INTEGER NOT NULL CHECK (total_cents = subtotal_cents - discount_cents),
        company TEXT NOT NULL, contact TEXT NOT NULL, created_at TEXT NOT NULL, valid_until TEXT NOT NULL)""",
    """CREATE TABLE orders (
        order_no TEXT PRIMARY KEY, quote_no TEXT NOT NULL UNIQUE REFERENCES quotes, customer_id TEXT NOT NULL,
        total_cents INTEGER NOT NULL, status TEXT NOT NULL CHECK (status IN ('awaiting_payment', 'paid', 'cancelled')),
        created_at TEXT NOT NULL, due_at TEXT NOT NULL, claimed_at TEXT, paid_at TEXT)""",
    "CREATE TABLE order_keys (key TEXT PRIMARY KEY, order_no TEXT NOT NULL REFERENCES orders)",
    """CREATE TABLE payments (
        payment_id TEXT PRIMARY KEY, order_no TEXT NOT NULL UNIQUE REFERENCES orders, amount_cents INTEGER NOT NULL,
        recorded_at TEXT NOT NULL)""",
)


def connect(path: str) -> sqlite3.Connection:
    """A connection for one call, in autocommit: the caller begins and ends its transaction."""
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        # The standard library may come with a SQLite before 3.51.3, where a checkpoint racing a writer can damage the
        # file. So none runs beside other connections: only the last one to close does it, alone.
        connection.execute("PRAGMA wal_autocheckpoint = 0")
    except BaseException:
        connection.close()
        raise
    return connection


def prepare(path: str) -> None:
    """Create and seed the file unless that was done; all or nothing. sqlite3.Error if it is no shop of this version."""
    with closing(connect(path)) as connection:
        connection.execute("BEGIN")  # one snapshot for all that _is_ready reads
        ready = _is_ready(connection)
        connection.execute("COMMIT")
        if ready:
            return
        _set_wal(connection)
        connection.execute("BEGIN IMMEDIATE")
        if not _is_ready(connection):  # another process may have been faster
            for statement in TABLES:
                connection.execute(statement)
            _seed(connection)
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")


def _is_ready(connection: sqlite3.Connection) -> bool:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version not in (0, VERSION):
        raise sqlite3.DatabaseError(f"shop file has version {version}, this code reads {VERSION}")
    if version == 0 and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise sqlite3.DatabaseError("the file is a database, but not of a shop")
    return version == VERSION


def _set_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL. SQLite itself does not wait when two processes switch at once, so this loop does."""
    deadline = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _seed(connection: sqlite3.Connection) -> None:
    for plan in PLANS:
        words = (plan.name["zh"], plan.name["en"], plan.pitch["zh"], plan.pitch["en"])
        _insert(connection, "products", (plan.id, *words, plan.price_cents, plan.recording, plan.setup_days))
        _insert(connection, "stock", (plan.id, plan.stock))
        for use, fit in plan.fits.items():
            _insert(connection, "fits", (plan.id, use, fit))
    for promotion in PROMOTIONS:
        described = (promotion.code, promotion.description["zh"], promotion.description["en"])
        terms = (promotion.percent, promotion.plan, promotion.min_seats, promotion.min_term_months)
        _insert(connection, "promotions", (*described, *terms, promotion.valid_from, promotion.valid_until))


def _insert(connection: sqlite3.Connection, table: str, row: tuple[object, ...]) -> None:
    connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
