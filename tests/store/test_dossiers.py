"""A session moves to another store whole, and is gone for good where it is purged; every kind of store does both."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from maitred.protocol.errors import Fenced, SessionBusy
from maitred.protocol.log import verify_chain
from maitred.protocol.ports import Begun, Conflict, Dossier, Replay, Store
from maitred.store.redis import RedisStore
from maitred.store.sqlite import SqliteStore

from .conftest import NOW, OPEN, LeaseClock, Writer


@pytest.fixture(params=[*sorted(OPEN), "valkey"])
async def other(request: pytest.FixtureRequest, tmp_path: Path, clock: LeaseClock) -> AsyncIterator[Store]:
    """A store elsewhere, of every kind, too."""
    (tmp_path / "elsewhere").mkdir()
    if request.param == "valkey":
        url = request.getfixturevalue("redis_servers")("valkey").url
        opened: Store = RedisStore(f"{url}/1", lease_s=15.0, clock=clock)
    else:
        opened = OPEN[request.param](tmp_path / "elsewhere", clock)
    yield opened
    await opened.close()


async def dossier(store: Store, session: str = "s1") -> Dossier:
    found = await store.dossier(session)
    assert found
    return found


async def test_a_session_goes_on_elsewhere_as_if_it_had_always_been_there(
    store: Store, other: Store, writer: Writer
) -> None:
    """Log, snapshot, history, deadline and answered requests come along: a repeat is replayed, other content is a conflict."""
    for n in range(1, 13):
        await writer.turn(store, f"m{n}", text=f"reply {n}", due=NOW)
    moved = await dossier(store)
    assert await other.restore(moved)
    assert await dossier(other) == moved
    assert (await other.load("s1"), await other.log("s1")) == (await store.load("s1"), await store.log("s1"))
    verify_chain(moved.records, moved.session.head, moved.session.records)
    assert await other.due(NOW) == ("s1",)
    again = await writer.ask(other, "m7", content="m7")
    assert isinstance(again, Replay)
    assert b"reply 7" in again.body
    assert isinstance(await writer.ask(other, "m7", content="something else"), Conflict)
    here, there = await writer.begin(store, "m13"), await writer.begin(other, "m13")
    assert (there.history, there.session) == (here.history, here.session)
    await other.append(writer.write(there))
    assert (await dossier(other)).session.records == moved.session.records + 3


async def test_a_session_that_is_there_is_not_overwritten(store: Store, other: Store, writer: Writer) -> None:
    """Two sessions of one name are two people."""
    await writer.turn(store, "m1")
    await writer.turn(other, "m9")
    before = await dossier(other)
    assert not await other.restore(await dossier(store))
    assert await dossier(other) == before


async def test_nothing_is_taken_out_of_the_middle_of_a_turn(store: Store, writer: Writer, clock: LeaseClock) -> None:
    """A turn that was left open is finished by the next message; until then there is no whole session to move."""
    await writer.turn(store, "m1")
    begun = await writer.begin(store, "m2")
    for take in (store.dossier, store.purge):
        with pytest.raises(SessionBusy):
            await take("s1")
    await store.release(begun.lease)
    with pytest.raises(SessionBusy):
        await store.dossier("s1")
    await store.append(writer.write(await writer.begin(store, "m2")))
    assert (await dossier(store)).session.event_seq == 2


async def test_a_purged_session_is_as_if_it_had_never_been(store: Store, writer: Writer, clock: LeaseClock) -> None:
    """Its name begins anew; others stay."""
    await writer.turn(store, "m1", due=NOW)
    await writer.turn(store, "m1", session="s2")
    await writer.begin(store, "m2")
    clock.now += 60  # whoever began it has died
    assert await store.purge("s1")
    assert not await store.purge("s1")
    assert (await store.load("s1"), await store.log("s1"), await store.dossier("s1")) == (None, (), None)
    assert await store.due(NOW) == ()
    assert [row.session_id for row in await store.sessions()] == ["s2"]
    anew = await writer.ask(store, "m1", content="m1")
    assert isinstance(anew, Begun)
    assert (anew.session, anew.history) == (None, ())


@pytest.mark.parametrize("back", [False, True], ids=["begun anew", "put back"])
async def test_a_worker_that_slept_through_a_purge_has_no_part_in_what_follows(
    store: Store, another: Store, writer: Writer, clock: LeaseClock, back: bool
) -> None:
    """Neither in a new session of that name and message, nor in the old one put in again."""
    if back:
        await writer.turn(store, "m1")
    kept = await dossier(store) if back else None
    slept = await writer.begin(store, "m2")
    clock.now += 60
    assert await another.purge("s1")
    if kept:
        assert await another.restore(kept)
    heir = await writer.begin(another, "m2")
    assert heir.lease.fence > slept.lease.fence
    for write in (store.append(writer.write(slept)), store.renew(slept.lease)):
        with pytest.raises(Fenced):
            await write
    await another.append(writer.write(heir))


async def test_what_was_purged_is_not_in_the_files(tmp_path: Path, writer: Writer) -> None:
    """An erasure that leaves the words in free pages or in the WAL is none."""
    path = tmp_path / "sessions.db"
    store = SqliteStore(str(path))
    for n in range(30):
        await writer.turn(store, f"m{n}", text=f"my secret is swordfish {n}")
        await writer.turn(store, f"m{n}", session="s2", text="nothing to hide")

    def holds(words: bytes) -> bool:
        return any(words in file.read_bytes() for file in tmp_path.glob("sessions.db*"))

    assert holds(b"swordfish")
    assert await store.purge("s1")
    assert (holds(b"swordfish"), holds(b"nothing to hide")) == (False, True)
    await store.close()
