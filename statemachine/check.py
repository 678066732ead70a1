"""check: what is wrong with a flow before any customer meets it. One small rule per kind of mistake, one list of rules.

Severity `error` stops the build of the flow; `warning` is a mistake that would still run; `note` is a fact worth knowing (a tool
outcome that no row takes: the session stays, with a sentence). Findings name the place and the nearest valid name.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from .check_map import bounces, conditions, confirmed, forget, names, proposable, proposers, reach, rows, undecided
from .check_migrations import migrations
from .check_steps import actions, labels, languages, slots, steps, templates, texts, without
from .check_tools import arguments, results
from .findings import Finding, Severity, nearest

if TYPE_CHECKING:
    from .flow import Flow

__all__ = ["RULES", "Finding", "Severity", "check", "nearest", "proposable"]


def check(flow: "Flow") -> tuple[Finding, ...]:
    """Every finding, errors first."""
    found = [finding for rule in RULES for finding in rule(flow)]
    return tuple(sorted(found, key=lambda f: ("error", "warning", "note").index(f.severity)))


RULES: tuple[Callable[["Flow"], Iterator[Finding]], ...] = (
    names,
    rows,
    undecided,
    conditions,
    forget,
    actions,
    steps,
    without,
    arguments,
    slots,
    proposers,
    confirmed,
    reach,
    bounces,
    labels,
    languages,
    templates,
    texts,
    results,
    migrations,
)
