"""Walks made wrong on purpose, from walks that the engine accepts. Pure; the generator of chances comes in as an argument.

Corrupted: an outcome before its query, the query dropped, the other outcome without a new query. Foreign: half the labels from
the graph of another task. Shuffled: the same labels in another order. Called by `star.py`.
"""

from collections.abc import Iterator, Sequence
from random import Random

from .star_graph import START, Graph

_TRIES = 20


def corrupted(graph: Graph, labels: Sequence[str]) -> Iterator[list[str]]:
    """Every walk that announces what no query brought, one per kind and query of `labels`."""
    for query in dict.fromkeys(label for label in labels if label in graph.queries):
        first = labels.index(query)
        told = next((i for i, label in enumerate(labels) if graph.outcomes.get(label) == query), None)
        if told is None:
            continue
        yield [*labels[:first], labels[told], *labels[first:told], *labels[told + 1 :]]
        yield [label for i, label in enumerate(labels) if label != query or i > told]
        others = [node for node, source in graph.outcomes.items() if source == query and node != labels[told]]
        yield from ([*labels[: told + 1], other, *labels[told + 1 :]] for other in others)


def foreign(labels: Sequence[str], stranger: Graph, rng: Random) -> list[str]:
    """Half the places, drawn, hold nodes of another task's graph; names that both graphs have are not left out."""
    nodes = [node for node in stranger.nodes if node != START]
    mixed = list(labels)
    for place in rng.sample(range(len(labels)), len(labels) // 2):
        mixed[place] = rng.choice(nodes)
    return mixed


def shuffled(graph: Graph, labels: Sequence[str], rng: Random) -> list[str] | None:
    """Another order that is more than the questions of one request changed about; None if there is none."""
    order = list(labels)
    for _ in range(_TRIES):
        rng.shuffle(order)
        if same_order(graph, order) != same_order(graph, labels):
            return order
    return None


def same_order(graph: Graph, labels: Sequence[str]) -> list[str]:
    """`labels` with each unbroken run of request questions in one fixed order: equal for walks that differ in no more."""
    found: list[str] = []
    run: list[str] = []
    for label in labels:
        if label in graph.asks:
            run.append(label)
        else:
            found += [*sorted(run), label]
            run = []
    return found + sorted(run)
