"""yaml_lines: YAML text into a small tree that knows its lines. Owns what YAML we accept; knows nothing of flows.

Rules. YAML 1.2, one document: `on`, `yes` and dates are strings; only true/false, null and numbers are not. Keys are strings as
written, and no mapping has a key twice. No tags, hence no objects. Anchors and aliases work, but the document with every alias
written out stays under MAX_NODES, so none can blow up. The tree is built from events with a stack of our own: no recursion, and
nesting stops at MAX_DEPTH. Called by `flow_file.py`.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

MAX_CHARS: Final = 500_000
MAX_DEPTH: Final = 20
MAX_NODES: Final = 50_000
MAX_WHOLE: Final = 2**53 - 1
"""The largest whole number that JSON keeps exactly everywhere."""

Plain = str | bool | int | float | None


@dataclass(frozen=True, slots=True)
class Scalar:
    """A plain value; `text` is how it was written."""

    line: int
    value: Plain
    text: str


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    line: int
    items: list["Node"] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Fields:
    """A mapping, in the order of the file. `key_lines`: where each key stands."""

    line: int
    fields: dict[str, "Node"] = field(default_factory=dict)
    key_lines: dict[str, int] = field(default_factory=dict)


Node = Scalar | Items | Fields


class NotReadable(ValueError):
    """The text is not YAML that we accept: `line` (from 1) and why."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line
        self.why = why


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not come yet. `key`: the key that waits for its value."""

    node: Items | Fields
    anchor: str | None
    first_count: int
    key: str | None = None


def read_yaml(text: str) -> Node:
    """The tree of `text`. Raises NotReadable for the first thing that is wrong."""
    if len(text) > MAX_CHARS:
        raise NotReadable(1, f"{len(text):,} characters are too many; at most {MAX_CHARS:,}")
    root = _Builder().build(_events(text))
    if root is None:
        raise NotReadable(1, "the file is empty")
    return root


def _events(text: str) -> Iterator[Event]:
    try:
        yield from YAML(typ="safe", pure=True).parse(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or "unclear"
        raise NotReadable(mark.line + 1 if mark else 1, f"not YAML: {problem}{_hint(problem)}") from error
    except YAMLError as error:  # a character that YAML forbids: the reader gives its position, not its line
        line = text.count("\n", 0, getattr(error, "position", 0)) + 1
        code = getattr(error, "character", None)
        shown = f"the character U+{code:04X}" if isinstance(code, int) else "a character"
        raise NotReadable(line, f"not YAML: {shown} is not allowed") from error


_HINTS = (
    ("mapping values are not allowed", "a text that contains ': ' needs quotes around it, or the indentation is off"),
    ("found character '\\t'", "indent with spaces, not with tabs"),
    ("cannot start any token", "a text that starts with a sign needs quotes around it"),
    (
        "expected <block end>",
        "the indentation is off, or a text that starts with { [ or a quote needs quotes around it",
    ),
    ("unexpected end of stream", "a quote is opened and never closed"),
    ("expected ',' or", "a bracket is opened and never closed, or a comma is missing"),
    ("could not find expected ':'", "a key needs ': ' behind it"),
)


def _hint(problem: str) -> str:
    return next((f" ({hint})" for sign, hint in _HINTS if sign in problem), "")


class _Builder:
    """Turns parser events into nodes."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.count = 0

    def build(self, events: Iterator[Event]) -> Node | None:
        for event in events:
            line = event.start_mark.line + 1
            if isinstance(event, (MappingStartEvent, SequenceStartEvent)):
                self._open(event, line)
            elif isinstance(event, (MappingEndEvent, SequenceEndEvent)):
                self._close()
            elif isinstance(event, ScalarEvent):
                self._scalar(event, line)
            elif isinstance(event, AliasEvent):
                self._alias(str(event.anchor), line)
            elif isinstance(event, DocumentStartEvent) and self.root is not None:
                raise NotReadable(line, "a second document starts here; one file holds one flow")
        return self.root

    def _open(self, event: MappingStartEvent | SequenceStartEvent, line: int) -> None:
        _refuse_tag(event, line)
        if self._wants_key():
            raise NotReadable(line, "a key must be a word or a string, not a list or mapping")
        if len(self.stack) >= MAX_DEPTH:
            raise NotReadable(line, f"nested more than {MAX_DEPTH} deep")
        node = Fields(line) if isinstance(event, MappingStartEvent) else Items(line)
        self._add(node, line)
        self.stack.append(_Open(node, event.anchor, self.count - 1))

    def _close(self) -> None:
        ended = self.stack.pop()
        if ended.anchor:
            self.anchors[ended.anchor] = (ended.node, self.count - ended.first_count)

    def _scalar(self, event: ScalarEvent, line: int) -> None:
        _refuse_tag(event, line)
        _refuse_surrogates(event.value, line)
        if self._wants_key():
            self._key(event.value, line)
            return
        value = _resolve(event.value, line) if event.style is None else event.value
        node = Scalar(self._line_of_key(line) if event.value == "" else line, value, event.value)
        self._add(node, line)
        if event.anchor:
            self.anchors[event.anchor] = (node, 1)

    def _alias(self, name: str, line: int) -> None:
        if self._wants_key():
            raise NotReadable(line, "a key must be a word or a string, not an alias")
        if name not in self.anchors:
            raise NotReadable(line, f"no finished anchor &{name} stands before the alias *{name}")
        node, size = self.anchors[name]
        self._add(node, line, size)

    def _wants_key(self) -> bool:
        return bool(self.stack) and isinstance(self.stack[-1].node, Fields) and self.stack[-1].key is None

    def _line_of_key(self, line: int) -> int:
        """Nothing stands nowhere: the parser puts it at the next token, people look behind the key."""
        top = self.stack[-1] if self.stack else None
        return top.node.key_lines[top.key] if top and isinstance(top.node, Fields) and top.key is not None else line

    def _key(self, key: str, line: int) -> None:
        top = self.stack[-1]
        lines = top.node.key_lines if isinstance(top.node, Fields) else {}
        if key == "<<":
            raise NotReadable(line, "merge keys (<<) are not YAML 1.2; write the keys out, or alias a whole value")
        if key in lines:
            raise NotReadable(line, f"the key {key!r} stands twice in one mapping, first in line {lines[key]}")
        lines[key] = line
        top.key = key

    def _add(self, node: Node, line: int, size: int = 1) -> None:
        self.count += size
        if self.count > MAX_NODES:
            raise NotReadable(line, f"more than {MAX_NODES:,} values, each alias counted with all that it stands for")
        if not self.stack:
            self.root = node
            return
        top = self.stack[-1]
        if isinstance(top.node, Items):
            top.node.items.append(node)
        elif top.key is not None:
            top.node.fields[top.key] = node
            top.key = None


def _refuse_tag(event: NodeEvent, line: int) -> None:
    tag = getattr(event, "tag", None)
    if tag not in (None, "!"):
        raise NotReadable(line, f"tags are not allowed: {str(tag)[:60]!r}")


def _refuse_surrogates(text: str, line: int) -> None:
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise NotReadable(line, "half of a character (a lone surrogate); write the character itself")


_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?[0-9]+")
_OTHER_BASE = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


def _resolve(text: str, line: int) -> Plain:
    """A plain scalar by YAML 1.2's core schema (yaml.org/spec/1.2.2, 10.3.2)."""
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _INT.fullmatch(text):
        return _whole(text, 10, line)
    if _OTHER_BASE.fullmatch(text):
        return _whole(text[2:], 8 if text[1] == "o" else 16, line)
    if _NOT_FINITE.fullmatch(text) or (_FLOAT.fullmatch(text) and not math.isfinite(float(text))):
        raise NotReadable(line, f"the number {text[:30]} is not finite; put it in quotes if it is a text")
    return float(text) if _FLOAT.fullmatch(text) else text


def _whole(digits: str, base: int, line: int) -> int:
    if len(digits) > 20 or abs(int(digits, base)) > MAX_WHOLE:
        raise NotReadable(line, f"the number {digits[:30]} is too large; put it in quotes if it is a text")
    return int(digits, base)
