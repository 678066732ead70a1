"""History: what the log says about past turns, in the two forms that a prompt needs: texts, and one-line notes of what was done.

Owns the windows (how far back a store reads) and the wording of notes. Pure: a store hands in its rows, newest first, and gets
exchanges, oldest first. Every store uses these functions, so that all show a decider the same past.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from pydantic import JsonValue
from pydantic_core import from_json

from .decision import Exchange
from .one_line import one_line

TURNS = 40
"""How many turns of an episode a store returns at most."""
TEXT_TURNS = 20
"""The last of them come with their texts,"""
NO_ACTION_TURNS = 10
"""and all but these last with what was done. The two overlap, since a prompt's cuts do not come at every turn."""
EVENT_BYTES = 4096
"""Of an event's body a note needs no more than this; the rest is a tool's result."""
NOTE_CHARS = 120

TEXT_KINDS = ("user_request", "agent_response")
Row = tuple[str, bytes]

_SILENT = frozenset(
    "session_started language_noted meta_noted tool_called detail_shown decision_rejected rolled_back input_refused "
    "event_refused values_dropped reply_replaced message_passed_on".split()
)


def text_exchanges(newest_first: Iterable[Row], last_turn: int) -> list[Exchange]:
    """Exchanges from `user_request` and `agent_response` rows, up to TEXT_TURNS turns of the episode.

    `last_turn`: the number in its episode of the turn that the rows begin with. Words that answered an outside event have no
    `user` and the number of the turn before them.
    """
    found: list[Exchange] = []
    turn, reply = last_turn, ""
    until = max(last_turn - TEXT_TURNS, 0)
    for kind, body in newest_first:
        if turn <= until:
            break
        text = _text_of(bytes(body))
        if kind == "user_request":
            found.append(Exchange(text, reply, turn=turn))
            turn, reply = turn - 1, ""
        else:
            if reply:
                found.append(Exchange("", reply, turn=turn))
            reply = text
    return found[::-1]


@lru_cache(maxsize=4096)  # a text is read again in each of the twenty turns after it
def _text_of(body: bytes) -> str:
    return str(from_json(body).get("text", ""))


def action_exchanges(newest_first: Iterable[Row], last_turn: int) -> list[Exchange]:
    """Exchanges without texts from `user_request` and `state_event` rows, up to TURNS - NO_ACTION_TURNS turns of the episode."""
    found: list[Exchange] = []
    notes: list[str] = []
    turn = last_turn
    until = max(last_turn - (TURNS - NO_ACTION_TURNS), 0)
    for kind, body in newest_first:
        if turn <= until:
            break
        if kind == "user_request":
            found.append(Exchange("", "", tuple(reversed(notes)), turn))
            turn, notes = turn - 1, []
        elif note := note_of(_event(body)):
            notes.append(note)
    return found[::-1]


def joined(actions: Sequence[Exchange], texts: Sequence[Exchange]) -> tuple[Exchange, ...]:
    """One history of both: where they overlap, an exchange has its texts and what was done in its turn."""
    first = texts[0].turn if texts else 0
    done = {exchange.turn: exchange.actions for exchange in actions}
    older = tuple(exchange for exchange in actions if exchange.turn < first or not texts)
    return (*older, *(Exchange(e.user, e.reply, done.pop(e.turn), e.turn) if e.turn in done else e for e in texts))


def _event(body: bytes) -> Mapping[str, JsonValue]:
    """A state_event's body, or as much of it as was handed in."""
    whole = len(body) < EVENT_BYTES
    event = from_json(body if whole else body.decode(errors="ignore"), allow_partial=not whole)
    return event if isinstance(event, dict) else {}


def note_of(event: Mapping[str, JsonValue]) -> str:
    """What an event did, in one line; empty if it is no key action. No values: those that still hold are in the session data."""
    name, payload = str(event.get("event", "")), event.get("payload")
    if name in _SILENT:
        return ""
    if not isinstance(payload, dict):
        payload = {}
    if name == "slots_provided":
        values = payload.get("values")
        return _fit(f"provide {', '.join(values)}") if isinstance(values, dict) and values else ""
    if name == "answer_given":
        return _fit(str(payload.get("action", "")))
    if name in ("confirmation_asked", "confirmation_declined"):
        return _fit(f"{name} {payload.get('action', '')}")
    moved = event.get("source_state") != event.get("target_state")
    arrow = f" -> {event.get('target_state')}" if moved else ""
    if "tool" in payload and "status" in payload:
        return _fit(f"{payload['tool']} {payload['status']}{arrow}{_result(payload.get('result'))}")
    return _fit(f"{name}{arrow}")


def _result(value: JsonValue) -> str:
    return f": {one_line(value, NOTE_CHARS - 40)}" if value is not None else ""


def _fit(note: str) -> str:
    return note if len(note) <= NOTE_CHARS else f"{note[: NOTE_CHARS - 1]}…"
