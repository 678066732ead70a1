"""A stop that a customer asked for, and results that came too late: what every store promises of both."""

from dataclasses import replace
from typing import Any

import pytest

from maitred.protocol.errors import Fenced, Stopped
from maitred.protocol.ports import Store
from maitred.store.schema import open_database
from maitred.store.sqlite import SqliteStore

Writer = Any
LeaseClock = Any


def stoppable(writer: Writer, begun: Any, **how: Any) -> Any:
    return replace(writer.write(begun, **how), stoppable=True)


async def test_a_stop_refuses_the_stoppable_writes_of_the_open_turn_alone(
    store: Store, another: Store, writer: Writer
) -> None:
    """Asked for through another worker; nothing of the refused write is kept; the next turn knows nothing of it."""
    begun = await writer.begin(store, "m1")
    await another.stop("s1", "m2")
    for final in (False, True):
        with pytest.raises(Stopped):
            await store.append(stoppable(writer, begun, final=final))
    assert (await store.load("s1"), await store.log("s1")) == (None, ())
    await store.append(writer.write(begun))
    following = await writer.begin(store, "m2")
    await store.append(stoppable(writer, following))


async def test_a_stop_outlives_the_worker_that_had_the_turn(
    store: Store, another: Store, writer: Writer, clock: LeaseClock
) -> None:
    """Whoever takes the turn over finds it."""
    await writer.begin(store, "m1")
    await store.stop("s1", "m2")
    clock.now += 15.0
    taken = await writer.begin(another, "m1")
    with pytest.raises(Stopped):
        await another.append(stoppable(writer, taken))


async def test_no_turn_stops_itself_and_without_one_there_is_nothing_to_stop(store: Store, writer: Writer) -> None:
    """A repeat of the very message that is being served; a session that is at rest; one that is not there."""
    await store.stop("s1", "m1")
    begun = await writer.begin(store, "m1")
    await store.stop("s1", "m1")
    await store.append(stoppable(writer, begun))
    await store.stop("s1", "m2")
    await store.append(stoppable(writer, await writer.begin(store, "m2")))


async def test_a_message_that_was_answered_stops_nobody_when_it_comes_again(store: Store, writer: Writer) -> None:
    """Sent again by a client or a webhook while a later one is served."""
    await writer.turn(store, "m1")
    begun = await writer.begin(store, "m2")
    await store.stop("s1", "m1")
    await store.append(stoppable(writer, begun))


async def test_nothing_late_is_kept_of_a_session_that_was_removed(store: Store, writer: Writer) -> None:
    """Its worker wakes up after the purge: what it found out is not kept behind, nor found in a new session of that name."""
    await writer.turn(store, "m1")
    assert await store.purge("s1")
    await store.keep_late("s1", b'{"phone": 1}')
    assert await store.late("s1") == ()
    await writer.turn(store, "m1")
    assert await store.late("s1") == ()


async def test_a_void_fence_comes_before_a_stop(
    store: Store, another: Store, writer: Writer, clock: LeaseClock
) -> None:
    """Who lost the turn has nothing to stop."""
    begun = await writer.begin(store, "m1")
    clock.now += 15.0
    await writer.begin(another, "m1")
    await another.stop("s1", "m2")
    with pytest.raises(Fenced):
        await store.append(stoppable(writer, begun))


async def test_late_results_are_kept_in_order_and_go_with_the_session(store: Store, writer: Writer) -> None:
    """Beside the log: they change neither snapshot nor chain; a purge takes them along."""
    await writer.turn(store, "m1")
    before = (await store.load("s1"), await store.log("s1"))
    assert await store.late("s1") == ()
    await store.keep_late("s1", b'{"first": "\xe5\xa5\xbd"}')
    await store.keep_late("s1", b'{"second": 2}')
    kept = (b'{"first": "\xe5\xa5\xbd"}', b'{"second": 2}')
    assert await store.late("s1") == kept
    assert (await store.load("s1"), await store.log("s1")) == before
    dossier = await store.dossier("s1")
    assert dossier
    assert dossier.late == kept
    assert await store.purge("s1")
    assert await store.late("s1") == ()
    assert await store.restore(dossier)
    assert await store.late("s1") == kept


async def test_a_file_of_the_version_before_is_brought_up(tmp_path: Any, writer: Writer) -> None:
    """Its sessions are served on."""
    path = str(tmp_path / "old.db")
    new = SqliteStore(path)
    await writer.turn(new, "m1")
    await new.close()
    connection = open_database(path)
    connection.execute("ALTER TABLE sessions DROP COLUMN stop; DROP TABLE late;")
    connection.pragma("user_version", 1)
    connection.close()
    old = SqliteStore(path)
    begun = await writer.begin(old, "m2")
    assert begun.session is not None
    await old.stop("s1", "m3")
    with pytest.raises(Stopped):
        await old.append(stoppable(writer, begun))
    assert await old.late("s1") == ()
    await old.close()
