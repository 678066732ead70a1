"""Calls: the rules about tool calls. With which arguments, when one too many, and when an answer that is still good is used
again.

A call with the arguments of one that went well in this turn or the one before, within a minute, is not made: its result stands
in the session. Only for tools that read or are idempotent and are not declared `fresh`, and only while nothing has happened in
between that could change what they say: no call with an effect, no event from outside. Values in, values out; asked by
`run.py`, `apply.py` and `fold.py`.
"""

from collections.abc import Mapping
from datetime import datetime

from pydantic import JsonValue

from ..protocol.canonical import fingerprint
from ..protocol.limits import Limits
from ..protocol.session import PendingCall, Session
from ..protocol.texts import look_up
from ..protocol.tool_spec import ToolSpec

Good = dict[str, tuple[int, float, str]]
"""Tool -> turn, time and arguments (by fingerprint) of its last call that went well and whose result still stands."""

WITHIN_TURNS = 2
WITHIN_S = 60.0


def one_call_too_many(session: Session, turn: int, limits: Limits) -> bool:
    """Whether another call in this turn would be over the cap; answers used again count, for they may go round in circles too."""
    return (session.calls if session.turn == turn else 0) >= limits.tool_calls_per_turn


def arguments_of(spec: ToolSpec, session: Session, given: Mapping[str, JsonValue], key: str) -> dict[str, JsonValue]:
    """Bound parameters by their path, the others as given or, failing that, from session data of the same name."""
    scope = {
        "meta": session.meta,
        "data": session.data,
        "session": {"id": session.session_id, "lang": session.lang, "episode": session.episode},
        "call": {"key": key},
    }
    arguments: dict[str, JsonValue] = {}
    for name in (*spec.parameters, *spec.bind):
        bound = name in spec.bind
        value = look_up(spec.bind[name], scope) if bound else given.get(name, session.data.get(name))
        if value is not None:
            arguments[name] = value  # type: ignore[assignment]  # scopes hold JSON
    return arguments


def answer_stands(spec: ToolSpec, session: Session, call: PendingCall, turn: int, now: datetime) -> bool:
    """Whether `call` need not be made, because the session holds its answer. Who asks for an effect again wants it again."""
    wanted = spec.effect == "idempotent" and call.origin is not None
    if spec.fresh or wanted or spec.effect == "non_idempotent" or spec.name not in session.good_calls:
        return False
    then, at, arguments = session.good_calls[spec.name]
    young = turn - then < WITHIN_TURNS and now.timestamp() - at <= WITHIN_S
    return young and spec.data_name in session.data and arguments == _print(spec, call)


def good_after_call(spec: ToolSpec, before: Good) -> Good:
    """What still stands once `spec` is called: a call with an effect may change what any other would say."""
    return before if spec.effect == "none" else {}


def good_after_return(specs: Mapping[str, ToolSpec], call: PendingCall, before: Good, turn: int, at: datetime) -> Good:
    """What stands once `call` went well: its answer, and no other that was kept under the same name."""
    spec = specs[call.tool]
    kept = {name: good for name, good in before.items() if specs[name].data_name != spec.data_name}
    return {**kept, call.tool: (turn, at.timestamp(), _print(spec, call))}


def _print(spec: ToolSpec, call: PendingCall) -> str:
    """The arguments without those that differ with every call."""
    own = {name: value for name, value in call.arguments.items() if not spec.bind.get(name, "").startswith("call.")}
    return fingerprint(own)[:16]
