"""The converter: a public task graph becomes a maitred Flow. One set of rules for every graph, no task by name.

Rules. A straight run of request nodes is one step that collects slots; its last `user` row is the step's completing event.
A query is a step whose tool runs on entry; the events of its rows are the tool's outcomes. Every other node is a step. Menu
lines carry the label of the node that they lead to, so a wizard's label is an action. Beyond the graph's rows: questions come
in any order, a request can be changed and its query run again, what lies ahead without a query can be said early, and goodbye
closes. Never: an outcome without its query, or a second query without the outcome that leads to it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from ..protocol.errors import FlowError, InternalError
from ..protocol.slots import Slot
from ..protocol.tool_spec import ToolSpec
from ..statemachine.flow import Flow
from ..statemachine.parts import Action, Call, Deadline, Outcome, Step, Terminal
from .star_graph import ANYTHING_ELSE, OUT_OF_SCOPE, START, USER, Graph, Row, is_closing

AGAIN = "request_again"
CLOSING = "talk_closed"
SILENT = "stayed_silent"
CHANGED = "request_changed"
SILENT_S = 600.0

_OUTCOMES: tuple[Outcome, ...] = ("ok", "error", "unavailable")
_BAD = re.compile(r"(?:\A|_)(?:fail|un|in|not?(?:_|\Z)|err)")


@dataclass(frozen=True, slots=True)
class _QueryTool:
    """A query of the graph. The walker answers for it, so nobody ever calls it."""

    spec: ToolSpec
    lookup: None = None

    async def call(self, arguments: Mapping[str, JsonValue], context: object) -> JsonValue:
        raise InternalError(f"{self.spec.name} is answered by the walker")


@dataclass
class _Draft:
    """Rows and menus so far. A label that is on a menu stays as it is: the graph's own rows come first."""

    rows: dict[tuple[str, str], str] = field(default_factory=dict)
    menus: dict[str, dict[str, Action]] = field(default_factory=dict)

    def lead(self, state: str, label: str, event: str, target: str) -> None:
        """`label` on the menu of `state`, standing for `event`, which leads to `target`."""
        menu = self.menus.setdefault(state, {})
        if label in menu:
            return
        if self.rows.setdefault((state, event), target) != target:
            raise FlowError(f"({state}, {event}) would lead to {self.rows[state, event]!r} and to {target!r}")
        menu[label] = Action(name=label, event=event)

    def row(self, state: str, label: str, event: str, target: str) -> None:
        """A row of the graph, always kept: a second event that leads to the same node is a second line."""
        taken = self.menus.get(state, {}).get(label)
        self.lead(state, f"{label}__{event}" if taken and taken.event != event else label, event, target)

    def words(self, state: str, labels: Iterable[str]) -> None:
        """Labels that are only words in `state`."""
        menu = self.menus.setdefault(state, {})
        for label in labels:
            menu.setdefault(label, Action(name=label))


def block_state(block: tuple[str, ...]) -> str:
    """Name of the step that collects `block`."""
    return f"collect_{block[0]}"


def place_of(graph: Graph, node: str) -> str:
    """The state that stands for a node."""
    return next((block_state(block) for block in graph.blocks if node in block), node)


def outcomes_of(graph: Graph, query: str) -> dict[Outcome, str]:
    """Tool outcome -> event of the graph, good news first. A tool has three outcomes, so a query has at most three events."""
    events = sorted((row.event for row in graph.after(query)), key=_sounds_bad)
    if len(events) > len(_OUTCOMES):
        raise FlowError(f"query {query!r} has {len(events)} outcomes, a tool has {len(_OUTCOMES)}")
    return dict(zip(_OUTCOMES, events, strict=False))


def _sounds_bad(event: str) -> tuple[bool, str]:
    return _BAD.search(event) is not None, event


def flow_of(graph: Graph) -> Flow:
    """The graph as a flow that the engine runs. Raises FlowError if it cannot be said."""
    return _Converter(graph).flow()


class _Converter:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.draft = _Draft()
        self.bye = graph.closings[0]
        self.questions = (*graph.asks, *graph.outside_asks)
        told = graph.reach([row.target for query in graph.queries for row in graph.after(query)])
        inner = {*graph.asks, *graph.queries, START}
        late = (told | graph.reach(graph.orphans)) - inner
        self.late = tuple(node for node in graph.nodes if node in late and not is_closing(node))
        before = set(graph.early) - late - inner
        self.openings = (START, *(node for node in graph.nodes if node in before and not is_closing(node)))

    def flow(self) -> Flow:
        graph = self.graph
        for state in self.openings:
            self._opening(state)
        for block in graph.blocks:
            self._block(block)
        for query in graph.queries:
            for row in graph.after(query):
                self.draft.rows[query, row.event] = place_of(graph, row.target)
        for node in self.late:
            self._late(node)
        if self.questions:
            self._again()
        self._closed()
        return Flow(
            name=graph.task,
            states=dict.fromkeys(source for source, _ in self.draft.rows),
            initial=START,
            transitions=self.draft.rows,
            steps=self._steps(),
            tools=[_QueryTool(ToolSpec(name=query, effect="none", fresh=True)) for query in graph.queries],
        )

    # --- rows and menus, by role ---

    def _opening(self, state: str) -> None:
        """Before the request: the graph's rows; every question and the first query are one `user` away."""
        for row in self.graph.after(state):
            self._literal(state, row)
        for row in self.graph.after(state):
            for label in (*self.questions, *self.graph.first_queries) if row.event == USER else ():
                self.draft.lead(state, label, USER, place_of(self.graph, row.target))
        self.draft.words(state, self._sayable(state))

    def _block(self, block: tuple[str, ...]) -> None:
        """A request: questions in any order are words; the slots complete it, other events lead where the graph says."""
        state = block_state(block)
        for row in (row for node in block for row in self.graph.after(node)):
            if row.event != USER:
                self._literal(state, row)
        ends = [row for row in self.graph.after(block[-1]) if row.event == USER]
        self.draft.rows[state, USER] = place_of(self.graph, ends[0].target)
        self.draft.words(state, (*self.questions, OUT_OF_SCOPE))

    def _late(self, node: str) -> None:
        """After a query: the graph's rows, what lies ahead, and the ways back to a new request."""
        graph, draft = self.graph, self.draft
        for row in graph.after(node):
            self._literal(node, row)
        draft.words(node, self._sayable(node))
        for ahead in self._ahead(node):
            draft.lead(node, ahead, f"to_{ahead}", ahead)
        own = [query for query in graph.queries if any(row.target == node for row in graph.after(query))]
        for query in (*graph.first_queries, *own):
            draft.lead(node, query, f"again_{query}", query)
        for question in self.questions:
            draft.lead(node, question, CHANGED, AGAIN)
        draft.words(node, (*graph.announcements, ANYTHING_ELSE))

    def _ahead(self, node: str) -> list[str]:
        """Late nodes that a way without a query leads to, the way that ends every talk, and nodes that have no way in."""
        reached = self.graph.reach([node], through=self.graph.no_query)
        wanted = reached | {ANYTHING_ELSE} | set(self.graph.orphans)
        return [late for late in self.late if late in wanted and late != node]

    def _again(self) -> None:
        """A request that is changed: its values are known, so nothing completes it by itself; the model says when."""
        for query in self.graph.first_queries:
            self.draft.lead(AGAIN, query, f"again_{query}", query)
        if ANYTHING_ELSE in self.late:
            self.draft.lead(AGAIN, ANYTHING_ELSE, f"to_{ANYTHING_ELSE}", ANYTHING_ELSE)
        self.draft.words(AGAIN, (*self.questions, OUT_OF_SCOPE, ANYTHING_ELSE))

    def _closed(self) -> None:
        """Goodbye from wherever a query has run, or nothing leads on. Silence after it completes the talk; a customer who
        stays is asked what else."""
        dead_ends = [state for state in self.openings if not self.graph.after(state)]
        for state in (*self.late, *dead_ends, *([AGAIN] if self.questions else []), self.bye):
            self.draft.rows[state, CLOSING] = self.bye
        self.draft.rows[self.bye, SILENT] = Terminal.COMPLETED
        if ANYTHING_ELSE in self.late:
            self.draft.lead(self.bye, ANYTHING_ELSE, f"to_{ANYTHING_ELSE}", ANYTHING_ELSE)
        self.draft.words(self.bye, (OUT_OF_SCOPE, ANYTHING_ELSE))

    def _literal(self, state: str, row: Row) -> None:
        """One row of the graph; the other questions share a row that leads to one."""
        target = self._entry(state, row.target)
        self.draft.row(state, row.target, row.event, target)
        if row.target in self.graph.asks and state in self.late:
            for question in self.questions:
                self.draft.lead(state, question, row.event, target)
        elif row.target in self.graph.asks and state not in self.openings:
            for question in next(block for block in self.graph.blocks if row.target in block):
                self.draft.lead(state, question, row.event, target)

    def _entry(self, state: str, node: str) -> str:
        """Where a row into `node` leads: back to a request after a query means to change it."""
        return AGAIN if state in self.late and node in self.graph.asks else place_of(self.graph, node)

    def _sayable(self, state: str) -> tuple[str, ...]:
        return (OUT_OF_SCOPE,) if state == START else (state, OUT_OF_SCOPE)

    # --- steps ---

    def _steps(self) -> dict[str, Step]:
        graph = self.graph
        slots = {ask: Slot() for ask in graph.asks}
        extra = {ask: Slot(required=False) for ask in graph.outside_asks}
        steps = {query: Step(on_enter=Call(query, outcomes_of(graph, query))) for query in graph.queries}
        for i, block in enumerate(graph.blocks):
            own = {ask: slots[ask] for ask in block}
            steps[block_state(block)] = self._step(
                block_state(block), collects=own | extra if i == 0 else own, complete=USER
            )
        for state in (*self.openings, *self.late):
            steps[state] = self._step(state)
        if self.questions:
            steps[AGAIN] = self._step(AGAIN, collects=slots | extra)
        steps[self.bye] = self._step(self.bye, deadline=Deadline(SILENT_S, SILENT))
        return steps

    def _step(
        self,
        state: str,
        *,
        collects: Mapping[str, Slot] | None = None,
        complete: str | None = None,
        deadline: Deadline | None = None,
    ) -> Step:
        closes = CLOSING if (state, CLOSING) in self.draft.rows else None
        actions = tuple(self.draft.menus.get(state, {}).values())
        return Step(actions=actions, collects=collects or {}, complete=complete, on_close=closes, deadline=deadline)
