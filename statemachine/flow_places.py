"""flow_places: where in a YAML file a finding of `check.py` belongs. Owns the translation of its paths to lines and keys.

`check.py` speaks of a Flow: `transitions.info.done`, `states.info`, `steps.info.actions[0]`. The file holds rows and states under
`steps`, and may hold actions by name. Names may contain dots, so keys are matched against the tree, longest first.
"""

import difflib
import re
from collections.abc import Mapping

from .check import Finding
from .flow_readers import join
from .yaml_lines import Fields, Items, Node, Scalar

_KEYS: Mapping[str, tuple[str, ...]] = {
    "unknown_event": ("event",),
    "unknown_tool": ("tool",),
    "unfilled_parameter": ("tool",),
    "misfit_parameter": ("tool",),
    "two_meanings": ("event",),
    "outcome_without_row": ("on",),
    "outcomes_without_tool": ("on",),
    "outcome_stays": ("tool",),
    "reserved_name": ("name",),
    "duplicate_action": ("name",),
}
"""Code of a finding -> the key below its place that holds the mistake, if it is there."""


def locate(root: Node, finding: Finding) -> tuple[int, str]:
    """The line (from 1) and the path of keys in the file."""
    node, line, where, _ = _walk(root, root.line, "", _in_file(root, finding.where))
    for key in _KEYS.get(finding.code, ()):
        if isinstance(node, Fields) and key in node.fields:
            return node.key_lines[key], join(where, key)
    return line, where or finding.where


def _in_file(root: Node, where: str) -> str:
    where = _shared_action(root, where)
    head, _, rest = where.partition(".")
    if head == "states":
        return join("steps", rest)
    steps = root.fields.get("steps") if isinstance(root, Fields) else None
    if head != "transitions" or not isinstance(steps, Fields):
        return where
    state = _longest(steps, rest)
    return f"steps.{state}.transitions{rest[len(state) :]}" if state is not None else where


def _shared_action(root: Node, where: str) -> str:
    """`steps.info.actions[3]` behind the step's own actions is one of `everywhere`, less those that the step is `without`."""
    match = re.fullmatch(r"(steps\..*)\.actions\[(\d+)\](.*)", where)
    shared = root.fields.get("everywhere") if isinstance(root, Fields) else None
    if match is None or shared is None:
        return where
    step = _walk(root, 0, "", match.group(1))[0]
    removed = {item.text for item in _children(_field(step, "without")).values() if isinstance(item, Scalar)}
    left = [key for key, child in _children(shared).items() if _action_name(key, child) not in removed]
    i = int(match.group(2)) - len(_children(_field(step, "actions")))
    return f"everywhere{left[i]}{match.group(3)}" if 0 <= i < len(left) else where


def _action_name(key: str, node: Node) -> str:
    given = _field(node, "name")
    return given.text if isinstance(given, Scalar) else key.removeprefix(".")


def _field(node: Node, key: str) -> Node | None:
    return node.fields.get(key) if isinstance(node, Fields) else None


def _children(node: Node | None) -> dict[str, Node]:
    if isinstance(node, Fields):
        return {f".{key}": child for key, child in node.fields.items()}
    return {f"[{i}]": item for i, item in enumerate(node.items)} if isinstance(node, Items) else {}


def _longest(node: Fields, rest: str) -> str | None:
    """The longest key that `rest` starts with."""
    fits = [key for key in node.fields if rest.startswith(key) and rest[len(key) : len(key) + 1] in ("", ".", "[")]
    return max(fits, key=len, default=None)


def _walk(node: Node, line: int, where: str, rest: str) -> tuple[Node, int, str, str]:
    """As deep as the path leads."""
    while rest:
        step = _index(node, rest) or _named(node, rest)
        if step is None:
            break
        node, line, part, rest = step
        where = where + part if part.startswith("[") else join(where, part)
        rest = rest.removeprefix(".")
    return node, line, where, rest


def _index(node: Node, rest: str) -> tuple[Node, int, str, str] | None:
    match = re.match(r"\[(\d+)\]", rest)
    if match is None:
        return None
    i, after = int(match.group(1)), rest[match.end() :]
    if isinstance(node, Items) and i < len(node.items):
        return node.items[i], node.items[i].line, match.group(), after
    if isinstance(node, Fields) and i < len(node.fields):
        key = list(node.fields)[i]
        return node.fields[key], node.key_lines[key], key, after
    return None


def _named(node: Node, rest: str) -> tuple[Node, int, str, str] | None:
    if isinstance(node, Fields):
        key = _longest(node, rest)
        wanted = key or re.split(r"[.\[]", rest, maxsplit=1)[0]
        key = key or next(
            iter(difflib.get_close_matches(wanted, node.fields, n=1)), None
        )  # misspelt, and read all the same
        return None if key is None else (node.fields[key], node.key_lines[key], key, rest[len(wanted) :])
    if isinstance(node, Items):
        found = next(((i, item) for i, item in enumerate(node.items) if _name_of(item) == rest), None)
        return None if found is None else (found[1], found[1].line, f"[{found[0]}]", "")
    return None


def _name_of(node: Node) -> str | None:
    if isinstance(node, Scalar):
        return node.text
    held = node.fields.get("event") or node.fields.get("name") if isinstance(node, Fields) else None
    return held.text if isinstance(held, Scalar) else None
