"""Audit: what of an account breaks a promise. Pure: an account in, sentences out, none if all is well.

Each rule is one function over the session's log as messages. What a rule may not do is trust the store about what happened
outside of it: replies and effects come from the ledger. Called by every experiment; itself tested with planted faults.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from pydantic import JsonValue

from ...protocol.log import Message
from ...protocol.messages import AgentResponse, StateEvent, ToolCall, ToolStatus, UserRequest
from ...statemachine.parts import Terminal
from ...statemachine.replay import replay
from .account import Account, Promise
from .audit_turns import each_turn_once

Log = Sequence[Message]
Rule = Callable[[Account, Log], Iterator[str]]


def audit(account: Account) -> list[str]:
    """The violations, each with the session's name in front."""
    if account.snapshot is None:
        return [f"{account.session}: the store knows no such session"]
    checked = replay(account.flow, account.session, account.records, account.snapshot)
    if checked.problem:
        return [f"{account.session}: {checked.problem}"]
    return [f"{account.session}: {found}" for rule in RULES for found in rule(account, checked.messages)]


def _no_gap(account: Account, log: Log) -> Iterator[str]:
    """event_seq is 1, 2, 3, ... and the snapshot ends with the last."""
    numbers = [message.event_seq for message in log if isinstance(message, StateEvent)]
    last = account.snapshot.event_seq if account.snapshot else 0
    if numbers != list(range(1, last + 1)):
        yield f"event_seq of the log is {numbers}, of the snapshot {last}"


def _each_answered_once(account: Account, log: Log) -> Iterator[str]:
    """One user_request and one reply per message, and no other, each customer's in the order of sending."""
    messages = [send.message for send in account.sent if send.scene != "paid"]
    heard = [message.message_id for message in log if isinstance(message, UserRequest)]
    for message, times in (Counter(heard) - Counter(set(messages))).items():
        yield f"{message} is on record {times} times too often"
    for message in messages:
        replies = sum(isinstance(m, AgentResponse) and m.reply_to == message for m in log)
        if message not in heard or replies != 1:
            yield f"{message} is on record {heard.count(message)} times, with {replies} replies"
    for customer in {send.customer for send in account.sent}:
        own = [message for message in heard if message.rpartition("-")[0] == customer]
        if own != [m for m in messages if m in own and m.rpartition("-")[0] == customer]:
            yield f"messages of {customer} are on record out of order: {own}"


def _replies_stand(account: Account, log: Log) -> Iterator[str]:
    """What a customer read is on record, byte for byte, so no later reader of it reads anything else."""
    kept = {m.reply_to: m.model_dump_json() for m in log if isinstance(m, AgentResponse)}
    for message, body in sorted({(reply.message, reply.body) for reply in account.replies}):
        if kept.get(message, "") != body:
            yield f"a reply to {message} was read that is not the one on record"


def _replies_are_true(account: Account, log: Log) -> Iterator[str]:
    """A reply names the state that its turn led to: the change is not lost."""
    state = ""
    for message in log:
        if isinstance(message, StateEvent):
            state = message.target_state
        elif isinstance(message, AgentResponse) and message.state != state:
            yield f"the reply to {message.reply_to} says {message.state!r}, the log {state!r}"


def _events_from_outside(account: Account, log: Log) -> Iterator[str]:
    """Each took effect once, or is on record as one that came too late."""
    ids = Counter(_payment(m) for m in log if isinstance(m, StateEvent))
    for send in account.sent:
        if send.scene == "paid" and ids[send.message] != 1:
            yield f"event {send.message} is on record {ids[send.message]} times"


def _payment(event: StateEvent) -> JsonValue:
    """The id that it was sent with; None if it is no event from outside."""
    if event.event != "unexpected_event":
        return event.payload.get("id") if event.event == "paid" else None
    came = event.payload.get("payload")
    return came.get("id") if isinstance(came, dict) else None


def _one_outcome(account: Account, log: Log) -> Iterator[str]:
    """Every call was begun once and ended once, in one of the known ways."""
    begun = Counter(m.call_id for m in log if isinstance(m, ToolCall) and m.status is ToolStatus.PENDING)
    ended = Counter(m.call_id for m in log if isinstance(m, ToolCall) and m.status is not ToolStatus.PENDING)
    for call in sorted(begun | ended):
        if (begun[call], ended[call]) != (1, 1):
            yield f"call {call} began {begun[call]} times and ended {ended[call]} times"


def _effects_fit(account: Account, log: Log) -> Iterator[str]:
    """What tools did against what the log says of them, by key."""
    done = Counter((effect.tool, effect.key) for effect in account.effects)
    keys = {m.call_id: m.key for m in log if isinstance(m, ToolCall) and m.status is ToolStatus.PENDING}
    ends = {(m.tool, keys.get(m.call_id, "")): m.status for m in log if isinstance(m, ToolCall)}
    for (tool, key), times in done.items():
        repeatable = account.flow.tools[tool].spec.effect == "idempotent"
        if times > 1 and (repeatable or account.promise is not Promise.OLDER):
            yield f"{tool} took effect {times} times for one key"
        if (tool, key) not in ends and account.promise is not Promise.OLDER:
            yield f"{tool} took effect with a key that no intent has"
    for (tool, key), status in ends.items():
        if account.flow.tools[tool].spec.effect == "none":
            continue
        if status is ToolStatus.OK and not done[tool, key]:
            yield f"{tool} is on record as done, but was not"
        if status is ToolStatus.ERROR and done[tool, key]:
            yield f"{tool} is on record as not done, but was"


def _all_went_well(account: Account, log: Log) -> Iterator[str]:
    """Where no worker died or slept, nothing is in doubt and nobody had to take over."""
    if account.promise is not Promise.CALM:
        return
    for message in log:
        if isinstance(message, ToolCall) and message.status not in (ToolStatus.PENDING, ToolStatus.OK):
            yield f"call {message.call_id} ended as {message.status}, though no worker failed"
        if isinstance(message, StateEvent) and message.target_state == Terminal.ESCALATED != message.source_state:
            yield f"the session was handed over ({message.reason}), though no worker failed"


RULES: tuple[Rule, ...] = (
    _no_gap,
    _each_answered_once,
    _replies_stand,
    _replies_are_true,
    _events_from_outside,
    _one_outcome,
    _effects_fit,
    _all_went_well,
    each_turn_once,
)
