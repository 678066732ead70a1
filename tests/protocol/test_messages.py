"""The four messages: closed and frozen; whatever else comes is one plain error that says where, not what."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from maitred.protocol.errors import BadRequest
from maitred.protocol.ids import MAX_ID_CHARS
from maitred.protocol.messages import (
    MAX_META_CHARS,
    MAX_TEXT_CHARS,
    Actor,
    AgentResponse,
    Attachment,
    StateEvent,
    ToolCall,
    UserRequest,
    clean_text,
    parse_message,
)

AT = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
HEAD: dict[str, Any] = {"session_id": "s1", "timestamp": "2026-11-30T10:00:00Z", "message_id": "m1"}
BODIES: dict[str, dict[str, Any]] = {
    "user_request": {"text": "hello"},
    "agent_response": {"reply_to": "m1", "text": "hi", "state": "intake", "allowed_actions": ["answer"]},
    "tool_call": {"call_id": "c1", "tool": "find", "key": "k", "status": "ok", "arguments": {"a": 1}, "result": [1, None]},
    "state_event": {
        "event": "done", "event_seq": 1, "source_state": "a", "target_state": "b", "actor": "model", "turn": 1,
        "payload": {"size": 5},
    },
}  # fmt: skip
KINDS = list(BODIES)


def raw(kind: str, **over: Any) -> str:
    return json.dumps({"msg_type": kind, **HEAD, **BODIES[kind], **over})


def request(**over: Any) -> UserRequest:
    return UserRequest(**{"session_id": "s1", "timestamp": AT, "message_id": "m1", **over})


def event(payload: Any) -> StateEvent:
    return StateEvent(
        session_id="s1", timestamp=AT, message_id="e1", event="x", event_seq=1, source_state="a", target_state="a",
        actor=Actor.MODEL, turn=1, payload=payload,
    )  # fmt: skip


def refused(body: str | bytes) -> str:
    with pytest.raises(BadRequest) as caught:
        parse_message(body)
    assert len(str(caught.value)) < 2_500
    return str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_reads_and_writes_the_same(kind: str) -> None:
    """Through JSON and back, to the same kind."""
    message = parse_message(raw(kind))
    assert message.msg_type == kind
    assert parse_message(message.model_dump_json()) == message
    assert (
        parse_message(message.model_dump_json(exclude_defaults=True).replace("{", f'{{"msg_type":"{kind}",', 1))
        == message
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_is_closed_and_frozen(kind: str) -> None:
    """No further field, none missing, none changed later."""
    assert "extra" in refused(raw(kind, mood="good")).lower()
    message = parse_message(raw(kind))
    with pytest.raises(ValidationError):
        message.session_id = "s2"  # type: ignore[misc]
    for field in {**HEAD, **BODIES[kind]}:
        whole = json.loads(raw(kind))
        del whole[field]
        if field not in ("text", "allowed_actions", "arguments", "result", "payload") or kind == "agent_response":
            if field == "allowed_actions":
                continue
            assert field in refused(json.dumps(whole))


@pytest.mark.parametrize("kind", ["chat", "", "USER_REQUEST", None, 3, ["user_request"], "x" * 100_000])
def test_an_unknown_kind_is_refused(kind: Any) -> None:
    """The union is closed."""
    assert "'msg_type' is one of" in refused(json.dumps({"msg_type": kind, **HEAD}))


@pytest.mark.parametrize(
    "body", ["", "null", "[]", "3", '"x"', "{}", "{", b"\xff\xfe", "\ud800", '{"msg_type":"user_request"', "[" * 10_000]
)
def test_what_is_no_message_is_refused(body: Any) -> None:
    """One error, whatever it is."""
    refused(body)


@pytest.mark.parametrize("field", ["session_id", "message_id"])
@pytest.mark.parametrize(
    "bad",
    ["", "a b", "a\nb", "a\n", "a{b", "b}", "\ttab", "nbsp\u00a0", "wide\u3000", "x\x00", "x\x7f", "x\x85", "\ud800",
     "zero\u200bwidth", "\u202eright", "\ufeffbom", "line\u2028", "x" * (MAX_ID_CHARS + 1), 3, None, ["s"]],
)  # fmt: skip
def test_ids_are_plain(field: str, bad: Any) -> None:
    """An id ends up in keys, file names and log lines."""
    with pytest.raises(ValidationError) as caught:
        request(**{field: bad})
    assert field in str(caught.value)


@pytest.mark.parametrize("good", ["s", "x" * MAX_ID_CHARS, "用户-1", "a/b:c@d.e", "é", "😀"])
def test_ids_may_be_in_any_script(good: str) -> None:
    """Gateways have ids of their own."""
    assert request(session_id=good).session_id == good


@pytest.mark.parametrize("bad", ["2026-11-30T10:00:00", "2026-11-30", "yesterday", "", None, True, "9" * 30])
def test_a_time_without_a_zone_is_refused(bad: Any) -> None:
    """Whose ten o'clock would it be?"""
    assert "timestamp" in refused(raw("user_request", timestamp=bad))


@pytest.mark.parametrize("bad", [-1, 1.5, "x", [], 1e300])
def test_an_expected_version_is_a_count(bad: Any) -> None:
    """From 0."""
    assert "state_version" in refused(raw("user_request", state_version=bad))


class TestMeta:
    """Background: bounded, flat, plain."""

    def test_scalars_keep_their_type(self) -> None:
        """Also through JSON."""
        meta = {"level": "gold", "vip": True, "orders": 3, "rate": 1.5}
        again = parse_message(request(meta=meta).model_dump_json())
        assert again.meta == meta
        assert again.meta
        assert {key: type(value) for key, value in again.meta.items()} == {
            key: type(value) for key, value in meta.items()
        }

    @pytest.mark.parametrize(
        "meta",
        [
            {f"k{i}": 1 for i in range(21)},
            {"k" * 61: 1},
            {"k": "x" * (MAX_META_CHARS + 1)},
            {"k": None},
            {"k": []},
            {"k": {"a": 1}},
            {1: "x"},
            {"k": 10**400},
            {"k": 2**64},
            {"k": float("nan")},
            {"k": float("-inf")},
            "x",
            [],
        ],
    )
    def test_anything_else_is_refused(self, meta: Any) -> None:
        """Too many, too long, nested, not finite, more than a reader takes."""
        with pytest.raises(ValidationError) as caught:
            request(meta=meta)
        assert "meta" in str(caught.value)

    def test_control_characters_go(self) -> None:
        """As in every text."""
        assert request(meta={"k\x00": "a\x1b[31m\ud800"}).meta == {"k": "a[31m\ufffd"}


class TestText:
    """What a customer may send."""

    @pytest.mark.parametrize(
        ("sent", "kept"),
        [
            ("a\x00b\x07c\x1b[0m", "abc[0m"),
            ("one\r\ntwo\ttab\n", "one \ntwo\ttab\n"),
            ("1\x0b2\x0c3\x854\r5", "1 2 3 4 5"),
            ("half \ud83d of a pair \udc00", "half \ufffd of a pair \ufffd"),
            ("whole 😀 pair", "whole 😀 pair"),
            ("{seats} {{x}} <tag>", "{seats} {{x}} <tag>"),
            ("", ""),
        ],
    )
    def test_what_cannot_be_stored_goes(self, sent: str, kept: str) -> None:
        """And what parts words still parts them: two numbers must not become one."""
        assert request(text=sent).text == kept
        assert parse_message(request(text=sent).model_dump_json()) == request(text=sent)

    @given(st.text(st.characters()))
    def test_any_text_can_be_stored(self, text: str) -> None:
        """As UTF-8, and cleaning twice changes nothing."""
        cleaned = str(clean_text(text))
        cleaned.encode()
        assert clean_text(cleaned) == cleaned

    @pytest.mark.parametrize("char", ["x", "好", "\x00"])
    def test_a_megabyte_is_a_text(self, char: str) -> None:
        """What a flow takes is its own limit, answered with a sentence."""
        assert len(request(text=char * 1_000_000).text) == (0 if char == "\x00" else 1_000_000)

    def test_six_megabytes_are_none(self) -> None:
        """The error does not repeat them."""
        assert "text" in refused(raw("user_request", text="x" * 6_000_000))
        assert len(request(text="x" * MAX_TEXT_CHARS).text) == MAX_TEXT_CHARS

    @pytest.mark.parametrize("bad", [3, None, [], {}, True])
    def test_what_is_no_text_is_refused(self, bad: Any) -> None:
        """It is not made into one."""
        assert "text" in refused(raw("user_request", text=bad))

    @pytest.mark.parametrize(
        "bad", [{"kind": "smell"}, {"kind": "image", "x": 1}, {"kind": "image", "url": "x" * 2001}, {}]
    )
    def test_attachments_are_closed(self, bad: Any) -> None:
        """maitred says that it cannot read them; it must know what they are."""
        assert "attachments" in refused(raw("user_request", attachments=[bad]))
        with pytest.raises(ValidationError):
            Attachment(**bad)

    def test_twenty_attachments_are_enough(self) -> None:
        """One more is refused."""
        files = [{"kind": "image"}] * 20
        assert len(request(attachments=files).attachments) == 20
        assert "attachments" in refused(raw("user_request", attachments=[*files, {"kind": "audio"}]))


def nest(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**900), 2**900)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))


class TestJsonInMessages:
    """What a message keeps can be written and read again as it was."""

    @pytest.mark.parametrize("literal", ["1e400", "-1e400", "NaN", "Infinity", '"\\ud800"', "9" * 5_000, "9" * 400])
    @pytest.mark.parametrize(
        ("kind", "field"), [("state_event", "payload"), ("tool_call", "arguments"), ("tool_call", "result")]
    )
    def test_numbers_without_a_value_are_refused(self, literal: str, kind: str, field: str) -> None:
        """They would be written as null, and the log would not give the snapshot back."""
        refused(raw(kind, **{field: {"a": "@"}}).replace('"@"', literal))

    @pytest.mark.parametrize(
        "bad",
        [float("nan"), float("inf"), object(), {1: 2}, {"a": {2: 3}}, b"x", "\ud800", {"\ud800": 1}, 10**400, {1, 2}],
    )
    def test_from_python_too(self, bad: Any) -> None:
        """Where no JSON parser stands before."""
        with pytest.raises(ValidationError, match="payload"):
            event({"a": bad})
        with pytest.raises(ValidationError, match="result"):
            ToolCall(**{**HEAD, "call_id": "c", "tool": "t", "key": "k", "status": "ok", "result": bad})

    def test_ten_thousand_levels_are_an_error_message(self) -> None:
        """From JSON and from Python; not a crash."""
        deep = "[" * 10_000 + "]" * 10_000
        refused(raw("state_event", payload={"a": "@"}).replace('"@"', deep))
        with pytest.raises(ValidationError, match="nested deeper"):
            event({"a": nest(10_000)})

    @given(JSON)
    def test_any_json_comes_back_as_it_was(self, value: Any) -> None:
        """Numbers with their type, texts with every character."""
        again = parse_message(event({"a": value}).model_dump_json())
        assert isinstance(again, StateEvent)
        assert repr(again.payload) == repr({"a": value})


def test_an_error_shows_no_input() -> None:
    """Neither a value nor a long key: it may be a customer's, or a secret."""
    message = refused(raw("user_request", text=3, secret_field_of_mine="hunter2", **{"k" * 100_000: 1}))
    assert "hunter2" not in message
    assert "\n" not in message
    many = refused(raw("user_request", **{f"x{i}": i for i in range(50)}))
    assert "more)" in many


@pytest.mark.parametrize("kind", [UserRequest, AgentResponse, ToolCall, StateEvent])
def test_messages_are_hashable_by_nothing_hidden(kind: type[BaseModel]) -> None:
    """No private or computed field: the wire form is all there is."""
    assert kind.model_computed_fields == {}
    assert kind.__private_attributes__ == {}
