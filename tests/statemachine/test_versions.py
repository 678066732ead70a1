"""A session that has ended starts anew under the flow of now; its old episodes stay in the log, unjudged."""

import pytest

from maitred import Action, Flow, Maitred, Step, Terminal
from maitred.protocol.errors import FlowMismatch
from maitred.store.sqlite import SqliteStore


def flow_of(version: str) -> Flow:
    return Flow(
        name="door",
        version=version,
        states=["open"],
        initial="open",
        transitions={("open", "shut"): Terminal.COMPLETED},
        steps={"open": Step(say=f"Version {version}.", actions=(Action("shut", event="shut", examples=("shut it",)),))},
    )


async def test_an_ended_session_goes_on_under_a_new_version_and_replays_there(tmp_path):
    """And under the old version only up to there."""
    store = SqliteStore(str(tmp_path / "x.db"))
    old, new = Maitred(flow_of("1"), store=store), Maitred(flow_of("2"), store=store)
    await old.say("s", "hello")
    assert (await old.say("s", "shut it")).state == "completed"
    assert (await old.replay("s")).equal
    reply = await new.say("s", "hello again")
    assert "Version 2." in reply.text
    session = await new.session("s")
    assert (session.flow_version, session.episode) == ("2", 2)
    assert (await new.replay("s")).equal
    assert "belongs to flow" in str((await old.replay("s")).problem)
    await store.close()


async def test_a_session_in_mid_flow_belongs_to_its_version(tmp_path):
    """Nothing is guessed, and nothing is lost: without the old version it is with a human, and its log is still the old one's."""
    store = SqliteStore(str(tmp_path / "x.db"))
    old, new = Maitred(flow_of("1"), store=store), Maitred(flow_of("2"), store=store)
    await old.say("s", "hello")
    assert (await new.say("s", "shut it", message_id="m2")).state == "escalated"
    assert (await old.replay("s")).equal
    await old.resume("s", key="r1")
    assert (await old.say("s", "shut it", message_id="m3")).state == "completed"
    await store.close()


async def test_a_session_of_another_flow_is_refused(tmp_path):
    """Two flows on one store whose sessions have the same id: neither touches what is the other's."""
    store = SqliteStore(str(tmp_path / "x.db"))
    window = Flow(
        name="window",
        states=["a"],
        initial="a",
        transitions={("a", "b"): Terminal.COMPLETED},
        steps={"a": Step(say="A.", actions=(Action("b", event="b"),))},
    )
    await Maitred(flow_of("1"), store=store).say("s", "hello")
    with pytest.raises(FlowMismatch, match=r"belongs to flow 'door'.*loaded is 'window'"):
        await Maitred(window, store=store).say("s", "hello")
    await store.close()
