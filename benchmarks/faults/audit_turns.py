"""Audit of turns: each message moved the session as its scene says, once; or the log says why not. Pure; a rule of `audit.py`."""

from collections.abc import Iterator, Sequence

from ...protocol.log import Message
from ...protocol.messages import StateEvent, ToolCall, ToolStatus, UserRequest
from ...statemachine.parts import Terminal
from .account import Account
from .shop import SCENES, Scene


def each_turn_once(account: Account, log: Sequence[Message]) -> Iterator[str]:
    """The scene's event once, after its calls; no event where a call did not go well, a human has the session, or the customer
    stopped the turn by leaving."""
    scenes = {send.message: SCENES[send.scene] for send in account.sent}
    with_human = False
    for message, turn in _turns(log):
        scene = scenes.get(message)  # a stranger is another rule's finding
        if scene and (problem := _problem(scene, turn, with_human)):
            yield f"{message}: {problem}"
        if _stopped(turn) and "leave" not in {send.scene for send in account.sent}:
            yield f"{message}: was stopped, and nobody left"
        with_human = with_human or _handed_over(turn)


def _turns(log: Sequence[Message]) -> Iterator[tuple[str, Sequence[Message]]]:
    """Each user_request's id with all that follows up to the next."""
    starts = [i for i, message in enumerate(log) if isinstance(message, UserRequest)]
    for start, end in zip(starts, [*starts[1:], len(log)], strict=True):
        yield log[start].message_id, log[start:end]


def _problem(scene: Scene, turn: Sequence[Message], with_human: bool) -> str | None:
    moves = sum(isinstance(m, StateEvent) and m.event == scene.event for m in turn)
    ends = [(m.tool, m.status) for m in turn if isinstance(m, ToolCall) and m.status is not ToolStatus.PENDING]
    tools, went_well = tuple(tool for tool, _ in ends), all(status is ToolStatus.OK for _, status in ends)
    if with_human:
        return f"{moves} moves and {len(ends)} calls after the session was handed over" if moves or ends else None
    if _stopped(turn):
        return f"{moves} moves and calls of {tools} in a turn that the customer stopped" if moves or tools else None
    if tools != scene.calls[: len(tools)]:
        return f"called {tools}, not {scene.calls}"
    whole = went_well and tools == scene.calls
    if moves > whole or (went_well and not (whole and moves) and not _handed_over(turn)):
        return (
            f"{scene.event!r} happened {moves} times; its calls: {', '.join(' '.join(end) for end in ends) or 'none'}"
        )
    return None


def _stopped(turn: Sequence[Message]) -> bool:
    return any(isinstance(m, StateEvent) and m.event == "rolled_back" and m.payload.get("stopped") for m in turn)


def _handed_over(turn: Sequence[Message]) -> bool:
    return any(isinstance(m, StateEvent) and m.target_state == Terminal.ESCALATED for m in turn)
