"""The chain: any damage is found and the first record that does not fit is named."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maitred.protocol.errors import LogBroken
from maitred.protocol.log import LogRecord, Message, chain, record_hash, verify_chain
from maitred.protocol.messages import Actor, AgentResponse, StateEvent, ToolCall, ToolStatus, UserRequest, parse_message

AT = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)


def messages() -> list[Message]:
    made: list[Message] = []
    for n in range(1, 6):
        made += [
            UserRequest(session_id="s", timestamp=AT, message_id=f"m{n}", text=f"第{n}条", meta={"level": "gold"}),
            StateEvent(
                session_id="s", timestamp=AT, message_id=f"e{n}", event="x", event_seq=n, source_state="a", target_state="a",
                actor=Actor.MODEL, turn=n, payload={"n": n, "nothing": None},
            ),
            ToolCall(session_id="s", timestamp=AT, message_id=f"c{n}", call_id="c", tool="t", key="k", status=ToolStatus.OK),
            AgentResponse(session_id="s", timestamp=AT, message_id=f"r{n}", reply_to=f"m{n}", text="ok", state="a"),
        ]  # fmt: skip
    return made


RECORDS, HEAD = chain(messages(), 0, "")
LENGTH = len(RECORDS)


def named(records: list[LogRecord], *, head: str | None = HEAD, length: int | None = LENGTH) -> int:
    with pytest.raises(LogBroken) as caught:
        verify_chain(records, head, length)
    assert f"record {caught.value.record}" in str(caught.value) or not records
    return caught.value.record


def test_a_whole_log_is_accepted() -> None:
    """And gives its messages back, in order."""
    assert verify_chain(RECORDS, HEAD, LENGTH) == HEAD
    assert [parse_message(record.body) for record in RECORDS] == messages()
    assert [record.n for record in RECORDS] == list(range(1, LENGTH + 1))
    assert verify_chain([]) == ""


@given(st.integers(0, LENGTH))
def test_writing_in_parts_is_the_same(cut: int) -> None:
    """A turn goes on where the one before ended."""
    first, head = chain(messages()[:cut], 0, "")
    second, last = chain(messages()[cut:], cut, head)
    assert (first + second, last) == (RECORDS, HEAD)


@given(st.data(), st.integers(1, LENGTH))
def test_any_changed_byte_of_a_body_is_named(data: st.DataObject, n: int) -> None:
    """Any position, any other byte."""
    body = RECORDS[n - 1].body
    at = data.draw(st.integers(0, len(body) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != body[at]))
    forged = [*RECORDS]
    forged[n - 1] = replace(forged[n - 1], body=body[:at] + bytes([byte]) + body[at + 1 :])
    assert named(forged) == n


@given(st.data(), st.integers(1, LENGTH))
def test_any_changed_character_of_the_previous_hash_is_named(data: st.DataObject, n: int) -> None:
    """In the record that holds it, not in the one that it names."""
    prev = RECORDS[n - 1].prev
    at = data.draw(st.integers(0, len(prev)))
    char = data.draw(st.sampled_from("0123456789abcdefX").filter(lambda value: prev[at : at + 1] != value))
    forged = [*RECORDS]
    forged[n - 1] = replace(forged[n - 1], prev=prev[:at] + char + prev[at + 1 :])
    assert named(forged) == n


@given(st.integers(1, LENGTH), st.booleans())
def test_a_missing_record_is_named(n: int, renumber: bool) -> None:
    """Also where the numbers were made right again, and at the end, where only the snapshot knows."""
    left = [record for record in RECORDS if record.n != n]
    if renumber:
        left = [replace(record, n=i) for i, record in enumerate(left, start=1)]
    assert named(left) == n


@given(st.sets(st.integers(1, LENGTH), min_size=2, max_size=2), st.booleans())
def test_two_swapped_records_are_named(pair: set[int], renumber: bool) -> None:
    """The first of them."""
    i, j = sorted(pair)
    forged = [*RECORDS]
    forged[i - 1], forged[j - 1] = forged[j - 1], forged[i - 1]
    if renumber:
        forged = [replace(record, n=n) for n, record in enumerate(forged, start=1)]
    assert named(forged) == i


@given(st.integers(0, LENGTH - 1))
def test_a_log_cut_off_is_named_where_it_ends(length: int) -> None:
    """The first record that is missing."""
    assert named([*RECORDS[:length]]) == length + 1


def test_without_the_length_the_last_one_is_suspected() -> None:
    """The head alone cannot tell changed from missing."""
    assert named([*RECORDS[:-1]], length=None) == LENGTH - 1
    assert named([], length=None) == 1


@pytest.mark.parametrize("count", [1, 2])
def test_appended_records_are_named(count: int) -> None:
    """However well they are chained."""
    more, _ = chain(messages()[:count], LENGTH, HEAD)
    assert named([*RECORDS, *more]) == LENGTH + 1


@given(st.integers(2, LENGTH))
def test_a_rewritten_end_is_found_by_the_head(n: int) -> None:
    """All hashes made right from record n on: only the snapshot's head shows it."""
    forged_body = RECORDS[n - 1].body.replace(b'"s"', b'"t"', 1)
    forged, _ = [*RECORDS[: n - 1]], HEAD
    head = record_hash(forged[-1])
    for record in [replace(RECORDS[n - 1], body=forged_body), *RECORDS[n:]]:
        forged.append(replace(record, prev=head))
        head = record_hash(forged[-1])
    verify_chain(forged)
    named(forged)


@pytest.mark.parametrize("kind", ["user_request", "state_event", "tool_call", "agent_response", "nonsense"])
def test_a_record_filed_as_something_else_is_named(kind: str) -> None:
    """Else a move could be hidden by its label."""
    for n, record in enumerate(RECORDS[:4], start=1):
        if record.kind != kind:
            forged = [*RECORDS]
            forged[n - 1] = replace(record, kind=kind)
            assert named(forged) == n


def test_the_hash_covers_number_previous_and_body() -> None:
    """Each of them alone changes it."""
    record = RECORDS[3]
    changed = [replace(record, n=5), replace(record, prev="0"), replace(record, body=b"x")]
    assert len({record_hash(one) for one in [record, *changed]}) == 4
