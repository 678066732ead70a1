"""fold and replay: a log that is not what was written, or could not have been made by this flow, is refused and named."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maitred.protocol.errors import LogBroken
from maitred.protocol.log import LogRecord, chain, record_hash
from maitred.protocol.messages import Actor, StateEvent
from maitred.statemachine.flow import Flow
from maitred.statemachine.fold import fold
from maitred.statemachine.replay import replay

Make = Callable[..., Any]


def broken(flow: Flow, events: Sequence[StateEvent]) -> LogBroken:
    """The refusal of a log with a correct chain."""
    records, head = chain(events, 0, "")
    with pytest.raises(LogBroken) as caught:
        fold(flow, "s1", records, head)
    return caught.value


@pytest.fixture
def events(desk: Flow, drive: Make) -> list[StateEvent]:
    """From the start to completed, with a look-up on the way; every kind of actor but the timer."""
    driver = drive(desk).start()
    driver.must("provide", Actor.MODEL, {"name": "Ann", "size": 5})
    driver.must("find")
    driver.give_back({"count": 0})
    driver.must("accept")
    driver.must("confirm", Actor.GUARD)
    driver.give_back({})
    driver.must("confirm", Actor.GUARD)
    driver.must("paid", Actor.OUTSIDE, {"sum": 1})
    driver.must("closed", Actor.GUARD)
    made: list[StateEvent] = driver.events
    return made


def index_of(events: Sequence[StateEvent], name: str) -> int:
    return next(i for i, event in enumerate(events) if event.event == name)


def changed(events: Sequence[StateEvent], name: str, **fields: Any) -> tuple[list[StateEvent], int]:
    """The log with the first event of that name changed, and the number of its record."""
    i = index_of(events, name)
    return [*events[:i], events[i].model_copy(update=fields), *events[i + 1 :]], i + 1


def test_the_log_as_written_is_accepted(desk: Flow, events: list[StateEvent]) -> None:
    """Or the refusals below would mean nothing."""
    records, head = chain(events, 0, "")
    assert fold(desk, "s1", records, head, len(records)).state == "completed"


def wrong_actors() -> list[tuple[str, Actor]]:
    """For each event of the log every actor that could not have brought it there."""
    right = {
        "session_started": {Actor.SYSTEM},
        "slots_provided": {Actor.MODEL, Actor.GUARD},
        "intake_done": {Actor.SYSTEM},
        "tool_called": {Actor.MODEL, Actor.HUMAN},
        "tool_returned": {Actor.TOOL},
        "confirmation_asked": {Actor.MODEL, Actor.GUARD, Actor.SYSTEM},
        "accepted": {Actor.HUMAN},
        "signed": {Actor.HUMAN},
        "paid": {Actor.OUTSIDE},
        "closed": {Actor.GUARD, Actor.MODEL},
    }
    return [(name, actor) for name, actors in right.items() for actor in Actor if actor not in actors]


@pytest.mark.parametrize(("name", "actor"), wrong_actors())
def test_an_event_of_an_actor_that_cannot_bring_it_is_named(
    desk: Flow, events: list[StateEvent], name: str, actor: Actor
) -> None:
    """A model does not pay, a tool does not sign, nobody but a human's yes brings what needs one."""
    forged, record = changed(events, name, actor=actor)
    assert broken(desk, forged).record == record


@pytest.mark.parametrize(
    "forgery",
    [
        {"target_state": "care"},
        {"source_state": "care"},
        {"state_version": 99},
        {"state_version": 2},
        {"event_seq": 99},
        {"turn": 9},
        {"turn": 0},
        {"event": "charged"},
        {"event": "nonsense"},
        {"session_id": "s2"},
    ],
)
def test_a_forged_move_is_named(desk: Flow, events: list[StateEvent], forgery: dict[str, Any]) -> None:
    """Where it leads, starts, its numbers, its turn, its name, its session."""
    forged, record = changed(events, "accepted", **forgery)
    assert broken(desk, forged).record == record


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("session_started", {}),
        ("session_started", {"lang": "fr"}),
        ("slots_provided", {"values": "x"}),
        ("tool_called", {"tool": "find"}),
        ("tool_called", {"call_id": "c1", "tool": "charge", "key": "k", "arguments": {}, "origin": "find"}),
        ("tool_called", {"call_id": "c1", "tool": "find", "key": "k", "arguments": {}}),
        ("tool_called", {"call_id": "c1", "tool": "charge", "key": "k", "arguments": {}, "origin": "charge"}),
        ("tool_returned", {"call_id": "c3", "tool": "find", "status": "pending"}),
        ("tool_returned", {"call_id": "c3", "tool": "find"}),
        ("confirmation_asked", {"nonsense": 1}),
    ],
)
def test_a_forged_payload_is_named(desk: Flow, events: list[StateEvent], name: str, payload: dict[str, Any]) -> None:
    """A shape that no event has, a tool that the action does not run, a call without its confirmation."""
    forged, record = changed(events, name, payload=payload)
    assert broken(desk, forged).record == record


def renumbered(events: Sequence[StateEvent]) -> list[StateEvent]:
    """Numbers made right again, as a careful forger would."""
    return [event.model_copy(update={"event_seq": n}) for n, event in enumerate(events, start=1)]


@pytest.mark.parametrize("name", ["session_started", "intake_done", "tool_called", "accepted", "paid"])
def test_a_missing_event_is_a_gap(desk: Flow, events: list[StateEvent], name: str) -> None:
    """With numbers made right it is still a move from where the session is not."""
    i = index_of(events, name)
    without = [*events[:i], *events[i + 1 :]]
    assert broken(desk, without).record == i + 1
    assert broken(desk, renumbered(without)).record >= i + 1


def test_a_return_without_its_call_is_named(desk: Flow, events: list[StateEvent]) -> None:
    """A result that no tool gave."""
    i = index_of(events, "tool_called")
    forged = renumbered([*events[:i], *events[i + 1 :]])
    error = broken(desk, forged)
    assert error.record == i + 1
    assert "not pending" in str(error)


@pytest.mark.parametrize("at", [3, 6, 9])
def test_an_episode_that_starts_in_the_middle_is_named(desk: Flow, events: list[StateEvent], at: int) -> None:
    """It would drop data and confirmations."""
    start = events[0].model_copy(
        update={"source_state": events[at].source_state, "state_version": (events[at - 1].state_version or 0) + 1}
    )
    assert broken(desk, renumbered([*events[:at], start, *events[at:]])).record == at + 1


def test_events_before_the_start_are_named(desk: Flow, events: list[StateEvent]) -> None:
    """The first thing that happens to a session is its start."""
    early = events[1].model_copy(update={"event_seq": 1, "state_version": 0, "turn": 0})
    assert broken(desk, [early]).record == 1


def test_a_timer_before_its_time_is_named(desk: Flow, drive: Make) -> None:
    """Deadline and expiry."""
    driver = drive(desk).at("wait").later(60)
    driver.must("overdue", Actor.TIMER)
    forged, record = changed(driver.events, "overdue", timestamp=driver.now - timedelta(seconds=1))
    assert broken(desk, forged).record == record
    driver = drive(desk).at("offer").later(desk.limits.expires_s)
    driver.must("expire", Actor.TIMER)
    forged, record = changed(driver.events, "session_expired", timestamp=driver.now - timedelta(seconds=1))
    assert broken(desk, forged).record == record


def test_an_event_that_passes_a_pending_call_is_named(desk: Flow, events: list[StateEvent]) -> None:
    """Nothing happens while a tool has not answered."""
    i = index_of(events, "tool_called")
    answer = events[i].model_copy(update={"event": "answer_given", "payload": {}})
    assert broken(desk, renumbered([*events[: i + 1], answer, *events[i + 1 :]])).record == i + 2


def test_repeats_are_dropped(desk: Flow, events: list[StateEvent]) -> None:
    """The same numbers again change nothing."""
    once, _ = chain(events, 0, "")
    twice, _ = chain([*events[:4], *events[:4], *events[4:], *events], 0, "")
    a, b = fold(desk, "s1", once), fold(desk, "s1", twice)
    assert a.model_copy(update={"records": 0, "head": ""}) == b.model_copy(update={"records": 0, "head": ""})


def test_an_unreadable_record_is_named(desk: Flow, events: list[StateEvent]) -> None:
    """With a correct chain around it."""
    records, _ = chain(events[:3], 0, "")
    body = b'{"msg_type":"state_event","nonsense":1}'
    forged = (*records, LogRecord(4, "state_event", body, record_hash(records[-1])))
    with pytest.raises(LogBroken) as caught:
        fold(desk, "s1", forged)
    assert caught.value.record == 4


@given(data=st.data())
def test_replay_finds_any_changed_byte_and_names_the_record(data: st.DataObject, desk: Flow, driven: Any) -> None:
    """Body or previous hash, any position, any other byte: never accepted, and the right record."""
    records, _ = driven.log()
    n = data.draw(st.integers(1, len(records)))
    record = records[n - 1]
    if data.draw(st.booleans()) or n == 1:
        at = data.draw(st.integers(0, len(record.body) - 1))
        byte = data.draw(st.integers(0, 255).filter(lambda value: value != record.body[at]))
        forged = replace(record, body=record.body[:at] + bytes([byte]) + record.body[at + 1 :])
    else:
        at = data.draw(st.integers(0, len(record.prev) - 1))
        other = data.draw(st.sampled_from("0123456789abcdefg").filter(lambda char: char != record.prev[at]))
        forged = replace(record, prev=record.prev[:at] + other + record.prev[at + 1 :])
    found = replay(desk, "s1", [*records[: n - 1], forged, *records[n:]], driven.stored())
    assert not found.equal
    assert found.record == n
    assert len(found.messages) == n - 1


@pytest.fixture(scope="module")
def driven(desk: Flow, drive: Make) -> Any:
    """A driver at the end of its flow; read only."""
    return drive(desk).at("completed")


def test_replay_finds_what_is_missing_moved_or_added(desk: Flow, driven: Any) -> None:
    """Each record removed, each two swapped, the end cut off, one appended."""
    records, head = driven.log()
    stored, last = driven.stored(), len(records)

    def named(log: Sequence[LogRecord]) -> int | None:
        found = replay(desk, "s1", log, stored)
        assert not found.equal
        return found.record

    for i in range(last):
        assert named([*records[:i], *records[i + 1 :]]) == i + 1
        assert named(records[:i]) == i + 1
        for j in range(i + 1, last):
            swapped = list(records)
            swapped[i], swapped[j] = records[j], records[i]
            assert named(swapped) == i + 1
            swapped[i], swapped[j] = replace(records[j], n=i + 1), replace(records[i], n=j + 1)
            assert named(swapped) == i + 1
    added, _ = chain([driven.events[-1].model_copy(update={"event_seq": stored.event_seq + 1})], last, head)
    assert named([*records, *added]) == last + 1


def test_replay_names_fields_that_differ(desk: Flow, driven: Any) -> None:
    """A snapshot changed behind the log's back."""
    records, _ = driven.log()
    found = replay(desk, "s1", records, driven.stored().model_copy(update={"data": {"name": "Eve"}, "turn": 7}))
    assert (found.equal, found.record) == (False, None)
    assert found.problem
    assert "turn, data" in found.problem
