"""Does the flow keep every row of its graph? Each literal row is tried on every session that the engine can bring to its source.

A row is honoured when its event may be proposed there (a slot to provide, a line of the menu, or an outcome of the running
tool) and `advance` reaches its target: the state of the node, with its question as the one to ask; or, where a request is
asked for again, the step that takes its slot anew.
"""

from collections.abc import Iterator
from functools import partial

from ..protocol.messages import Actor
from ..protocol.session import PendingCall, Session
from ..statemachine.flow import Flow
from ..statemachine.menu import menu_of, missing_slots
from ..statemachine.proposals import Proposal, Rejected
from .star_flow import AGAIN
from .star_graph import USER, Row
from .star_walk import TOLD, Branch, Stage


def honoured(stage: Stage) -> tuple[Row, ...]:
    """The rows that hold on every session found at their source, of which there is at least one."""
    by_node: dict[str, list[Branch]] = {}
    for branch in reachable(stage):
        by_node.setdefault(node_of(stage.flow, branch.session), []).append(branch)
    holds = partial(_holds, stage)
    return tuple(
        row
        for row in stage.graph.rows
        if row.source in by_node and all(holds(branch, row) for branch in by_node[row.source])
    )


def node_of(flow: Flow, session: Session) -> str:
    """The graph's node where a session stands: a running query, the question to ask, or the state."""
    if isinstance(session.pending, PendingCall):
        return session.pending.tool
    missing = missing_slots(flow, session)
    return missing[0] if missing and session.state != AGAIN else session.state


def reachable(stage: Stage) -> list[Branch]:
    """One session for each (state, questions still open, tool running) that proposals of the engine lead to."""
    first = stage.opened()
    seen, todo = {_key(stage, first): first}, [first]
    while todo:
        ways = _next(stage, todo.pop())
        todo += [way for way in ways if seen.setdefault(_key(stage, way), way) is way]
    return list(seen.values())


def _key(stage: Stage, branch: Branch) -> tuple[str, tuple[str, ...], str]:
    pending = branch.session.pending
    tool = pending.tool if isinstance(pending, PendingCall) else ""
    return branch.session.state, missing_slots(stage.flow, branch.session), tool


def _next(stage: Stage, branch: Branch) -> Iterator[Branch]:
    flow, session, turn = stage.flow, branch.session, branch.session.turn + 1
    yield from stage.returns(branch, turn)
    next_slot = missing_slots(flow, session)[:1]
    proposals = [Proposal(action.name, Actor.MODEL, turn=turn) for action in flow.step(session.state).actions]
    proposals += [Proposal("provide", Actor.MODEL, {slot: TOLD}, turn=turn) for slot in next_slot]
    for proposal in proposals:
        way = stage.play(branch, proposal)
        if isinstance(way, Branch):
            yield way


def _holds(stage: Stage, branch: Branch, row: Row) -> bool:
    return any(_reaches(stage.flow, way.session, row.target) for way in _tried(stage, branch, row))


def _tried(stage: Stage, branch: Branch, row: Row) -> Iterator[Branch]:
    """The row's event proposed by whoever may: the running tool, the customer's answer, or the menu's line for the target."""
    flow, turn = stage.flow, branch.session.turn + 1
    menu = menu_of(flow, branch.session)
    if row.source in stage.graph.queries:
        yield from (way for way in stage.returns(branch, turn) if way.events[0].event == row.event)
        return
    provide = menu.get("provide")
    if row.event == USER and provide is not None and row.source in provide.parameters:
        proposal = Proposal("provide", Actor.MODEL, {row.source: TOLD}, turn=turn)
    else:
        lines = [action.name for action in flow.step(branch.session.state).actions if action.event == row.event]
        name = next(
            (name for name in lines if name in (row.target, f"{row.target}__{row.event}") and name in menu.names), None
        )
        if name is None:
            return
        proposal = Proposal(name, Actor.MODEL, turn=turn)
    way = stage.play(branch, proposal)
    if not isinstance(way, Rejected):
        yield way


def _reaches(flow: Flow, session: Session, target: str) -> bool:
    return node_of(flow, session) == target or (session.state == AGAIN and target in flow.step(AGAIN).collects)
