"""A public task graph as read: its rows, and what each node is by its place among them. No flow is made here.

Every role follows from structure, with three generic words where structure says nothing: a node called `query...` runs a tool,
a label with `bye` ends the talk, a label outside the graph with `ask` asks for something. Called by `star_flow.py`.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

START = "START"
USER = "user"
ANYTHING_ELSE = "anything_else"
OUT_OF_SCOPE = "out_of_scope"
GOODBYE = "goodbye"

_GOODBYE = re.compile(r"goodbye(_\d+)?\Z")


@dataclass(frozen=True, slots=True)
class Row:
    """One (state, event, next) row of the file."""

    source: str
    event: str
    target: str


@dataclass(frozen=True)
class Graph:
    """One task: its rows, and the labels that its file names beside them."""

    task: str
    rows: tuple[Row, ...]
    labels: frozenset[str]

    @classmethod
    def from_json(cls, task: str, machine: Mapping[str, Any]) -> "Graph":
        rows = tuple(Row(*row) for row in machine["transition_map"])
        named = {*machine["actions"], *machine.get("replies", {})} - set(machine["events"])
        return cls(task, rows, frozenset(named | {OUT_OF_SCOPE}))

    def after(self, node: str) -> tuple[Row, ...]:
        return self._after.get(node, ())

    def before(self, node: str) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.target == node)

    @cached_property
    def _after(self) -> dict[str, tuple[Row, ...]]:
        sources = dict.fromkeys(row.source for row in self.rows)
        return {source: tuple(row for row in self.rows if row.source == source) for source in sources}

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for row in self.rows for name in (row.source, row.target)))

    @cached_property
    def queries(self) -> tuple[str, ...]:
        return tuple(node for node in self.nodes if node.startswith("query") and self.after(node))

    def reach(self, roots: Iterable[str], *, through: Callable[[str], bool] = lambda node: True) -> frozenset[str]:
        """Nodes reachable from `roots` (these included); the walk does not go on from a node that `through` refuses."""
        seen, todo = set(roots), list(roots)
        while todo:
            node = todo.pop()
            new = {row.target for row in self.after(node)} - seen if through(node) else set()
            seen |= new
            todo += new
        return frozenset(seen)

    def no_query(self, node: str) -> bool:
        return node not in self.queries

    @cached_property
    def early(self) -> frozenset[str]:
        """Nodes that the talk can be in before any query has run."""
        return self.reach([START], through=self.no_query) - {START, *self.queries}

    @cached_property
    def first_queries(self) -> tuple[str, ...]:
        """Queries that need no other query before them: how a request is made again."""
        reached = self.reach([START], through=self.no_query)
        return tuple(query for query in self.queries if query in reached)

    @cached_property
    def outcomes(self) -> Mapping[str, str]:
        """Node -> the query whose outcome it announces. Only nodes that nothing but one query leads to."""
        found = {}
        for node in self.nodes:
            sources = {row.source for row in self.before(node)}
            if len(sources) == 1 and sources <= set(self.queries):
                found[node] = next(iter(sources))
        return found

    @cached_property
    def asks(self) -> tuple[str, ...]:
        """Request nodes in the order of the talk: early, answered by `user`, and no query's outcome."""
        greeted = {row.target for row in self.after(START) if row.event != USER}
        told = {row.target for query in self.queries for row in self.after(query)}
        answered = {row.source for row in self.rows if row.event == USER}
        return tuple(n for n in self._in_order if n in (self.early & answered) - greeted - told)

    @cached_property
    def _in_order(self) -> tuple[str, ...]:
        """Depth first along `user` rows, so that the nodes of a run stand in its order."""
        order: dict[str, None] = {}
        todo = [START]
        while todo:
            node = todo.pop()
            if node not in order:
                order[node] = None
                rows = sorted(self.after(node), key=lambda row: row.event == USER)
                todo += [row.target for row in rows]
        return tuple(order)

    @cached_property
    def blocks(self) -> tuple[tuple[str, ...], ...]:
        """Request nodes cut into straight runs: a run ends where another way leads in, or where events would collide."""
        blocks: list[tuple[str, ...]] = []
        for node in self.asks:
            last = blocks[-1] if blocks else ()
            if last and self._follows(last, node):
                blocks[-1] = (*last, node)
            else:
                blocks.append((node,))
        return tuple(blocks)

    def _follows(self, block: tuple[str, ...], node: str) -> bool:
        ways_in = self.before(node)
        if len(ways_in) != 1 or ways_in[0] != Row(block[-1], USER, node):
            return False
        events = {row.event: row.target for member in block for row in self.after(member) if row.event != USER}
        return all(events.get(row.event, row.target) == row.target for row in self.after(node) if row.event != USER)

    @cached_property
    def orphans(self) -> tuple[str, ...]:
        """Nodes with a way out and no way in: the file does not say how one gets there."""
        seen = set(self.reach([START]))
        found = []
        for node in self.nodes:
            if node not in seen and not self.before(node):
                found.append(node)
                seen |= self.reach([node])
        return tuple(found)

    @cached_property
    def closings(self) -> tuple[str, ...]:
        """Labels that end the talk: the graph's own, those named beside it, and the plain goodbye that every talk has."""
        own = tuple(node for node in self.nodes if is_closing(node))
        return (*own, *sorted(name for name in self.labels - set(own) if is_closing(name)), GOODBYE)

    @cached_property
    def outside_asks(self) -> tuple[str, ...]:
        """Questions named beside the graph: things that may be asked and need not be."""
        return tuple(sorted(label for label in self.labels - set(self.nodes) if "ask" in label.split("_")))

    @cached_property
    def announcements(self) -> tuple[str, ...]:
        """The other labels beside the graph: they tell what a query brought."""
        others = self.labels - {*self.nodes, *self.outside_asks, *self.closings, OUT_OF_SCOPE, ANYTHING_ELSE}
        return tuple(sorted(others))


def is_closing(label: str) -> bool:
    return bool({"bye", GOODBYE} & set(label.split("_")))


def is_goodbye(label: str) -> bool:
    """Whether a label is the plain goodbye that belongs to no task."""
    return _GOODBYE.match(label) is not None


def graphs_of(machines: Mapping[str, Any]) -> dict[str, Graph]:
    """Every graph of a machines file by task."""
    return {task: Graph.from_json(task, machine) for task, machine in machines.items()}
