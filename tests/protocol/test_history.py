"""History from log rows: notes of what was done, and the windows."""

import json

import pytest

from maitred.protocol.history import EVENT_BYTES, NOTE_CHARS, TEXT_TURNS, action_exchanges, note_of, text_exchanges

STAYS = {"source_state": "a", "target_state": "a"}
MOVES = {"source_state": "a", "target_state": "b"}


@pytest.mark.parametrize(
    ("event", "note"),
    [
        ({"event": "slots_provided", "payload": {"values": {"seats": 20, "company": "X"}}}, "provide seats, company"),
        ({"event": "slots_provided", "payload": {"values": {}, "refused": {"seats": {}}}}, ""),
        ({"event": "answer_given", "payload": {}}, ""),
        ({"event": "answer_given", "payload": {"action": "opening_hours"}}, "opening_hours"),
        ({"event": "accepted", **MOVES}, "accepted -> b"),
        ({"event": "params_changed", **STAYS}, "params_changed"),
        ({"event": "human_requested", **MOVES}, "human_requested -> b"),
        ({"event": "confirmation_asked", "payload": {"action": "order"}}, "confirmation_asked order"),
        (
            {
                "event": "tool_returned",
                **STAYS,
                "payload": {"tool": "find", "status": "ok", "result": {"n": 1, "s": "x\ny"}},
            },
            'find ok: n=1, s="x\\ny"',
        ),
        ({"event": "ordered", **MOVES, "payload": {"tool": "buy", "status": "error"}}, "buy error -> b"),
        ({"event": "session_started", **MOVES}, ""),
        ({"event": "decision_rejected"}, ""),
        ({}, ""),
    ],
)
def test_note_names_what_was_done(event, note):
    """Names, where to, and a tool's result in one line; slot values are in the session data."""
    assert note_of({**STAYS, **event}) == note


def test_note_is_one_bounded_line():
    result = {f"field {i}\n": "long\n" * 100 for i in range(50)}
    note = note_of({"event": "tool_returned", **STAYS, "payload": {"tool": "t" * 90, "status": "ok", "result": result}})
    assert len(note) <= NOTE_CHARS
    assert "\n" not in note


def body(**fields: object) -> bytes:
    return json.dumps(fields, ensure_ascii=False).encode()


def test_event_that_was_cut_short_still_says_which_tool_ran():
    """A store hands in the first bytes only, perhaps half a character at the end."""
    whole = body(
        event="tool_returned",
        **STAYS,
        payload={"tool": "find", "status": "ok", "result": {"name": "Ann", "all": "长" * 9000}},
    )
    for cut in range(EVENT_BYTES, EVENT_BYTES + 4):
        rows = [("state_event", whole[:cut]), ("user_request", None)]
        (exchange,) = action_exchanges(rows, 1)
        assert exchange.actions[0].startswith('find ok: name="Ann"')


def test_text_window_ends_with_the_episode_or_after_its_turns():
    rows = [
        row
        for n in range(50, 0, -1)
        for row in (("agent_response", body(text=f"r{n}")), ("user_request", body(text=f"q{n}")))
    ]
    assert [e.turn for e in text_exchanges(rows, 3)] == [1, 2, 3]
    found = text_exchanges(rows, 50)
    assert [e.turn for e in found] == list(range(50 - TEXT_TURNS + 1, 51))
    assert (found[-1].user, found[-1].reply) == ("q50", "r50")


def test_words_after_an_outside_event_have_the_turn_before():
    rows = [
        ("agent_response", body(text="arrived")),
        ("agent_response", body(text="ok")),
        ("user_request", body(text="paid")),
    ]
    assert [(e.user, e.reply, e.turn) for e in text_exchanges(rows, 1)] == [("paid", "ok", 1), ("", "arrived", 1)]
