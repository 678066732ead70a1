"""A file that cannot be used is a StoreUnavailable with a plain reason, and stays as it was.

As root nothing is read-only to SQLite, so those tests work as the user nobody for a moment.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from maitred.protocol.errors import StoreUnavailable
from maitred.protocol.ports import Begun, Store
from maitred.store import schema
from maitred.store.sqlite import SqliteStore

Writer = Any
NOBODY = 65534


@contextmanager
def plain_user() -> Iterator[None]:
    """A user who is bound by file modes."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the plain user may enter; pytest's own are closed to everybody else."""
    made = Path(tempfile.mkdtemp(prefix="maitred-test-"))
    made.chmod(0o777)
    yield made
    made.chmod(0o777)
    shutil.rmtree(made)


@pytest.fixture(autouse=True)
def no_long_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "BUSY_TIMEOUT_MS", 50)


async def one_turn(path: Path, writer: Writer, request: str = "m1") -> None:
    store = SqliteStore(str(path))
    await writer.turn(store, request)
    await store.close()


def content(path: Path) -> dict[str, bytes]:
    """Every file of the database but the shared memory, which holds no data."""
    return {p.name: p.read_bytes() for p in path.parent.iterdir() if p.is_file() and not p.name.endswith("-shm")}


def refused(path: Path | str) -> str:
    """The reason why the file cannot be opened."""
    with pytest.raises(StoreUnavailable) as caught:
        SqliteStore(str(path))
    assert str(path) in str(caught.value)
    return str(caught.value)


async def refused_turn(store: Store, writer: Writer) -> str:
    with pytest.raises(StoreUnavailable) as caught:
        await writer.ask(store, "m2", content="m2")
    return str(caught.value)


@contextmanager
def locked_by_another_process(path: Path) -> Iterator[None]:
    """A child holds the file for itself until the end of the block."""
    (held, holding), (gate, open_gate) = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(open_gate)
        holder = apsw.Connection(str(path))
        holder.execute("BEGIN EXCLUSIVE")
        os.write(holding, b"!")
        os.read(gate, 1)
        os._exit(0)
    assert os.read(held, 1) == b"!"
    yield
    for end in (held, holding, gate, open_gate):
        os.close(end)
    os.waitpid(pid, 0)


def test_garbage_is_not_a_database(tmp_path: Path):
    """Text in its place."""
    path = tmp_path / "s.db"
    path.write_bytes(b"Dear diary, today I was mistaken for a database. " * 100)
    before = content(path)
    assert "is not a SQLite database" in refused(path)
    assert content(path) == before


@pytest.mark.parametrize("marks", ["CREATE TABLE contacts(name)", "PRAGMA application_id=7"])
def test_database_of_another_application_is_left_alone(tmp_path: Path, marks: str):
    """Known by its tables, or by its application id while it has none yet."""
    path = tmp_path / "s.db"
    with closing(apsw.Connection(str(path))) as db:
        db.execute(marks)
        db.execute("PRAGMA user_version=1")
    before = content(path)
    assert "of another application" in refused(path)
    assert content(path) == before


async def test_newer_version_says_which_it_is_and_which_is_known(tmp_path: Path, writer: Writer):
    """And is not downgraded."""
    path = tmp_path / "s.db"
    await one_turn(path, writer)
    with closing(apsw.Connection(str(path))) as db:
        db.execute("PRAGMA user_version=9")
    assert "written by a newer maitred (store version 9, this one knows 2)" in refused(path)
    with closing(apsw.Connection(str(path))) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (9,)
        assert db.execute("SELECT count(*) FROM log").fetchone() == (3,)


def test_missing_folder_is_named_and_not_made(tmp_path: Path):
    """A typing mistake in a path must not become a folder."""
    assert "does its folder exist" in refused(tmp_path / "nowhere" / "s.db")
    assert list(tmp_path.iterdir()) == []


def test_directory_in_place_of_the_file(tmp_path: Path):
    """It cannot be opened."""
    assert "cannot be opened" in refused(tmp_path)


async def test_truncated_file_is_damaged(tmp_path: Path, writer: Writer):
    """Its second half is gone."""
    path = tmp_path / "s.db"
    await one_turn(path, writer)
    os.truncate(path, path.stat().st_size // 2 // 4096 * 4096)
    before = content(path)
    assert "is damaged" in refused(path)
    assert content(path)["s.db"] == before["s.db"]


async def test_page_of_noise_is_found_when_it_is_read(tmp_path: Path, writer: Writer):
    """The file opens, the turn does not."""
    path = tmp_path / "s.db"
    await one_turn(path, writer)
    raw = bytearray(path.read_bytes())
    for page in range(1, len(raw) // 4096):
        raw[page * 4096 : page * 4096 + 100] = os.urandom(100)
    path.write_bytes(raw)
    store = SqliteStore(str(path))
    assert "is damaged" in await refused_turn(store, writer)
    await store.close()


async def test_snapshot_that_cannot_be_read_is_the_stores_trouble(tmp_path: Path, writer: Writer):
    """Not a pydantic error in the caller's face; what the snapshot holds is not repeated."""
    path = tmp_path / "s.db"
    await one_turn(path, writer)
    with closing(apsw.Connection(str(path))) as db:
        db.execute("UPDATE sessions SET snapshot = '{\"secret\": 1}'")
    store = SqliteStore(str(path))
    reason = await refused_turn(store, writer)
    assert "holds a snapshot that cannot be read" in reason
    for reading in (store.load("s1"), store.sessions()):
        with pytest.raises(StoreUnavailable, match="snapshot"):
            await reading
    await store.close()


async def test_read_only_file_can_be_read_and_not_written(folder: Path, writer: Writer):
    """`replay` of a copy works; a turn is refused, and nothing changed."""
    path = folder / "s.db"
    await one_turn(path, writer)
    path.chmod(0o444)
    before = content(path)
    with plain_user():
        store = SqliteStore(str(path))
        assert len(await store.log("s1")) == 3
        assert "is read-only" in await refused_turn(store, writer)
        await store.close()
    assert content(path)["s.db"] == before["s.db"]


async def test_read_only_folder_is_refused(folder: Path, writer: Writer):
    """Neither a new file nor an old one: SQLite needs its files beside it."""
    path = folder / "s.db"
    await one_turn(path, writer)
    path.chmod(0o666)
    folder.chmod(0o555)  # noqa: ASYNC240
    before = content(path)
    with plain_user():
        assert "may this user write there" in refused(folder / "new.db")
        assert "is read-only: the file, its folder or its disk" in refused(path)
    assert content(path) == before


async def test_unreadable_file_is_refused(folder: Path, writer: Writer):
    """Another user's, closed to us."""
    path = folder / "s.db"
    await one_turn(path, writer)
    path.chmod(0)
    with plain_user():
        assert "may this user write there" in refused(path)


async def test_file_locked_by_another_process_is_busy_and_works_afterwards(tmp_path: Path, writer: Writer):
    """Whoever holds it: the turn is refused after the waiting time, and served once it is let go."""
    path = tmp_path / "s.db"
    await one_turn(path, writer)
    store = SqliteStore(str(path))
    with locked_by_another_process(path):
        assert "is locked by another process" in await refused_turn(store, writer)
    assert isinstance(await writer.ask(store, "m2", content="m2"), Begun)
    await store.close()


def test_new_file_locked_by_another_process_is_busy(tmp_path: Path):
    """Before there is anything in it."""
    path = tmp_path / "s.db"
    with locked_by_another_process(path):
        assert "is locked by another process" in refused(path)
    assert path.stat().st_size == 0


async def fill_up(store: Store, writer: Writer) -> tuple[str, int]:
    """Turns until no more fit; the reason, and how many were answered."""
    for n in range(1, 2000):
        try:
            await writer.turn(store, f"f{n}", text="a long reply " * 300)
        except StoreUnavailable as error:
            return str(error), n - 1
    raise AssertionError("it never got full")


async def still_whole(path: Path, writer: Writer, answered: int) -> None:
    """Every turn that was answered is there, and the next one works."""
    store = SqliteStore(str(path))
    session, records = await store.load("s1"), await store.log("s1")
    assert session.records == len(records) == 3 * answered
    with closing(apsw.Connection(str(path))) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    await writer.turn(store, "f2000") if answered == 0 else None
    await store.close()


async def test_full_file_refuses_the_turn_and_keeps_the_others(tmp_path: Path, writer: Writer):
    """The limit of pages is reached in the middle of a turn: nothing of it is kept."""
    path = tmp_path / "s.db"
    store = SqliteStore(str(path), lease_s=0)
    store._db.pragma("max_page_count", 60)
    reason, answered = await fill_up(store, writer)
    assert "the disk is full" in reason
    assert answered > 5
    store._db.pragma("max_page_count", 100_000)
    await writer.turn(store, f"f{answered + 1}")
    await store.close()
    await still_whole(path, writer, answered + 1)


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A real disk of 400 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400k", "none", str(place)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("needs the right to mount a disk; the full file above is the same error")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


async def test_full_disk_refuses_the_turn_and_keeps_the_others(tiny_disk: Path, writer: Writer):
    """Answered turns survive, and once there is room the session goes on."""
    path = tiny_disk / "s.db"
    store = SqliteStore(str(path), lease_s=0)
    reason, answered = await fill_up(store, writer)
    assert "the disk is full" in reason
    assert answered > 5
    subprocess.run(["mount", "-o", "remount,size=4m", str(tiny_disk)], check=True)  # noqa: ASYNC221  # done at once
    await writer.turn(store, f"f{answered + 1}")
    await store.close()
    await still_whole(path, writer, answered + 1)


async def test_read_only_disk_is_refused(tiny_disk: Path, writer: Writer):
    """Root too is refused there."""
    path = tiny_disk / "s.db"
    await one_turn(path, writer)
    subprocess.run(["mount", "-o", "remount,ro", str(tiny_disk)], check=True)  # noqa: ASYNC221  # done at once
    before = content(path)
    assert refused(path)
    assert refused(tiny_disk / "new.db")
    assert content(path) == before


async def test_lost_wal_leaves_an_older_session_that_is_whole(tmp_path: Path, writer: Writer):
    """SQLite cannot know of it, so this is no error: what the file holds by itself is consistent, and still ours."""
    path, copy = tmp_path / "s.db", tmp_path / "copy.db"
    store = SqliteStore(str(path))
    await writer.turn(store, "m1")
    with closing(apsw.Connection(str(path))) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    await writer.turn(store, "m2")
    shutil.copy(path, copy)  # as a killed process leaves it, without what is beside it
    await store.close()
    older = SqliteStore(str(copy))
    session = await older.load("s1")
    assert session.event_seq == 1
    assert session.records == len(await older.log("s1")) == 3
    await older.close()


async def test_new_file_that_lost_its_wal_is_still_known_as_ours(tmp_path: Path, writer: Writer):
    """The tables are in the file itself before the first turn is."""
    path, copy = tmp_path / "s.db", tmp_path / "copy.db"
    store = SqliteStore(str(path))
    shutil.copy(path, copy)
    await store.close()
    with closing(apsw.Connection(str(copy))) as db:
        assert db.execute("PRAGMA application_id").fetchone() == (schema.APPLICATION_ID,)
        assert db.execute("SELECT count(*) FROM sessions").fetchone() == (0,)


def test_eight_processes_may_make_the_same_new_file_at_once(tmp_path: Path):
    """Each opens it, in whatever order they come."""
    for n in range(5):
        path = tmp_path / f"{n}.db"
        gate, open_gate = os.pipe()
        children = [fork_and_open(path, gate, open_gate) for _ in range(8)]
        os.close(open_gate)
        assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children] == [0] * 8
        os.close(gate)


def fork_and_open(path: Path, gate: int, open_gate: int) -> int:
    pid = os.fork()
    if pid == 0:
        schema.BUSY_TIMEOUT_MS = 10_000
        os.close(open_gate)
        os.read(gate, 1)  # ends for all at once, when the parent closes its side
        try:
            schema.open_database(str(path)).close()
        except BaseException as error:  # noqa: BLE001  # the child must not return into pytest
            os.write(2, repr(error).encode())
            os._exit(1)
        os._exit(0)
    return pid


async def test_closed_store_is_unavailable(tmp_path: Path, writer: Writer):
    """A turn after `close` is an error of ours, not of apsw."""
    store = SqliteStore(str(tmp_path / "s.db"))
    await store.close()
    await store.close()
    with pytest.raises(StoreUnavailable):
        await writer.ask(store)
