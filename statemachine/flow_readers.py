"""flow_readers: small functions that read one kind of value from a YAML node, or report where and why they cannot.

A reader takes (node, path of keys, report) and gives a value, or BAD after reporting. Readers combine: `list_of(text)`,
`mapping_of(name)`, `record({...})`. Owns wording and places of type mistakes; which keys exist is `flow_format.py`.
"""

import dataclasses
import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeVar

from ..protocol.errors import WrongArguments
from ..protocol.texts import LANGS
from .check import Severity, nearest
from .yaml_lines import Fields, Items, Node, Scalar

T = TypeVar("T")


class Bad:
    """What a reader gives when there is nothing to give."""


BAD: Final = Bad()
Reader = Callable[[Node, str, "Report"], object]
ListReader = Callable[[Node, str, "Report"], "tuple[object, ...] | Bad"]
FieldsReader = Callable[[Node, str, "Report"], "dict[str, object] | Bad"]


@dataclasses.dataclass(frozen=True, slots=True)
class LocatedFinding:
    """A mistake and its place: file, line (from 1; None where there is no file) and key path."""

    severity: Severity
    code: str
    where: str
    message: str
    file: str
    line: int | None = None

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        kind = "" if self.severity == "error" else f" {self.severity}:"
        where = f" {self.where}:" if self.where else ""
        return f"{place}:{kind}{where} {self.message}"


class Report:
    """Collects mistakes. `misleading`: something was dropped that the map needs, so rules over the map would find ghosts."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[LocatedFinding] = []
        self.misleading = False

    def add(self, line: int, where: str, message: str, *, code: str = "bad_value", misleads: bool = True) -> Bad:
        self.found.append(LocatedFinding("error", code, where, message, self.file, line))
        self.misleading |= misleads
        return BAD


def join(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


def came(node: Node) -> str:
    """What stands there, in words."""
    if isinstance(node, Items):
        return "a list"
    if isinstance(node, Fields):
        return "a mapping"
    if node.value is None:
        return "nothing"
    if isinstance(node.value, str):
        return repr(node.value if len(node.value) <= 40 else node.value[:40] + "...")
    return f"{node.text} (a text needs quotes)" if isinstance(node.value, bool) else f"the number {node.text}"


def _quotes(node: Node) -> str:
    unquoted = isinstance(node, Scalar) and node.value is not None and not isinstance(node.value, (str, bool))
    return "; put it in quotes" if unquoted else ""


# Plain values.


def name(node: Node, where: str, report: Report) -> str | Bad:
    if isinstance(node, Scalar) and isinstance(node.value, str) and node.value.strip():
        return node.value
    return report.add(node.line, where, f"must be a name, not {came(node)}{_quotes(node)}")


def version(node: Node, where: str, report: Report) -> str | Bad:
    """As written: `1.10` stays "1.10"."""
    if isinstance(node, Scalar) and node.value is not None and node.text.strip():
        return node.text
    return report.add(node.line, where, f'must be a version such as "1", not {came(node)}', misleads=False)


def flag(node: Node, where: str, report: Report) -> bool | Bad:
    if isinstance(node, Scalar) and isinstance(node.value, bool):
        return node.value
    return report.add(node.line, where, f"must be true or false, not {came(node)}", misleads=where.endswith("confirm"))


def number(node: Node, where: str, report: Report) -> float | Bad:
    if isinstance(node, Scalar) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        return node.value
    return report.add(node.line, where, f"must be a number, not {came(node)}", misleads=False)


def pattern(node: Node, where: str, report: Report) -> str | Bad:
    found = text_line(node, where, report)
    if isinstance(found, str):
        try:
            re.compile(found)
        except (re.error, RecursionError, OverflowError) as error:
            return report.add(node.line, where, f"{found!r} is not a regular expression: {error}", misleads=False)
    return found


def text_line(node: Node, where: str, report: Report) -> str | Bad:
    """A string in no particular language."""
    if isinstance(node, Scalar) and isinstance(node.value, str):
        return node.value
    return report.add(node.line, where, f"must be a text, not {came(node)}{_quotes(node)}", misleads=False)


def text(node: Node, where: str, report: Report) -> object:
    """A customer's text: one string for all languages, or one per language."""
    if isinstance(node, Scalar) and isinstance(node.value, str):
        return node.value
    if not isinstance(node, Fields) or not node.fields:
        message = f"must be a text: a string, or {{zh: ..., en: ...}}; not {came(node)}{_quotes(node)}"
        return report.add(node.line, where, message, misleads=False)
    return _by_lang(node, where, report, text_line)


def _by_lang(node: Fields, where: str, report: Report, reader: Reader) -> object:
    by_lang = {}
    for lang, child in node.fields.items():
        if lang not in LANGS:
            hint = " (a text that starts with { needs quotes around it)" if _is_null(child) else ""
            message = f"{lang!r} is no language{nearest(lang, LANGS)}{hint}"
            report.add(node.key_lines[lang], where, message, code="unknown_language", misleads=False)
            continue
        by_lang[lang] = reader(child, join(where, lang), report)
    return by_lang if by_lang and BAD not in by_lang.values() else BAD


def _is_null(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is None


def one_of(options: Iterable[str]) -> Reader:
    allowed = tuple(options)

    def read(node: Node, where: str, report: Report) -> object:
        if isinstance(node, Scalar) and node.value in allowed:
            return node.value
        hint = nearest(node.text, allowed) if isinstance(node, Scalar) else f"; allowed: {', '.join(allowed)}"
        return report.add(node.line, where, f"{came(node)} is not allowed here{hint}", misleads=False)

    return read


# Lists and mappings.


def list_of(reader: Reader, what: str = "values") -> ListReader:
    def read(node: Node, where: str, report: Report) -> tuple[object, ...] | Bad:
        if not isinstance(node, Items):
            message = f"must be a list of {what}, not {came(node)}; a list of one is written [...]"
            return report.add(node.line, where, message, misleads=what != "phrases")
        found = [reader(item, f"{where}[{i}]", report) for i, item in enumerate(node.items)]
        return tuple(item for item in found if item is not BAD)

    return read


phrases = list_of(text_line, "phrases")


def phrases_by_lang(node: Node, where: str, report: Report) -> object:
    if isinstance(node, Fields):
        return _by_lang(node, where, report, phrases)
    return phrases(node, where, report)


def mapping_of(reader: Reader, what: str = "values", keys: Iterable[str] | None = None) -> FieldsReader:
    """A mapping whose keys are names: any, or only `keys`."""
    allowed = None if keys is None else tuple(keys)

    def read(node: Node, where: str, report: Report) -> dict[str, object] | Bad:
        if not isinstance(node, Fields):
            return report.add(node.line, where, f"must be a mapping of {what}, not {came(node)}")
        found = {}
        for key, child in node.fields.items():
            if not key.strip() or (allowed is not None and key not in allowed):
                message = f"{key!r} is not allowed here" + (nearest(key, allowed) if allowed else "")
                report.add(node.key_lines[key], where, message, code="unknown_key")
                continue
            found[key] = reader(child, join(where, key), report)
        return {key: value for key, value in found.items() if value is not BAD}

    return read


MEANT: Mapping[str, str] = {
    "name": "flow",
    "states": "steps",
    "slots": "collects",
    "target": "to",
    "required_slots": "collects",
}
"""Keys that people write from habit, and what the format calls them."""


def record(fields: Mapping[str, Reader], what: str, required: Iterable[str] = ()) -> FieldsReader:
    """A mapping with known keys only; gives the ones present. A misspelt key is reported, and read as the key it resembles."""
    needed = tuple(required)

    def read(node: Node, where: str, report: Report) -> dict[str, object] | Bad:
        if not isinstance(node, Fields):
            return report.add(node.line, where, f"must be {what}, a mapping with {', '.join(fields)}; not {came(node)}")
        values: dict[str, object] = {}
        for key, child in node.fields.items():
            known = key if key in fields else _misspelt(node, key, fields, where, report)
            if known is not None:
                values[known] = fields[known](child, join(where, key), report)
        missing = [key for key in needed if key not in values]
        for key in missing:
            report.add(node.line, where, f"{what} needs {key!r}", code="missing_key")
        if missing or any(values[key] is BAD for key in needed):
            return BAD
        return {key: value for key, value in values.items() if value is not BAD}

    return read


def _misspelt(node: Fields, key: str, fields: Mapping[str, Reader], where: str, report: Report) -> str | None:
    free = [field for field in fields if field not in node.fields]
    close = difflib.get_close_matches(key, free, n=1)
    habit = MEANT.get(key)
    meant = close[0] if close else habit if habit in free else None
    hint = f"; did you mean {meant!r}?" if meant else nearest(key, fields)
    message = f"unknown key {key!r}{hint}"
    report.add(node.key_lines[key], join(where, key), message, code="unknown_key", misleads=meant is None)
    return meant


def built(make: Callable[..., T], reader: FieldsReader) -> Reader:
    """Builds a part from a record; what the part itself refuses is reported at its key."""

    def read(node: Node, where: str, report: Report) -> object:
        values = reader(node, where, report)
        return values if isinstance(values, Bad) else build(make, values, node, where, report)

    return read


def build(make: Callable[..., T], values: Mapping[str, object], node: Node, where: str, report: Report) -> T | Bad:
    try:
        return make(**values)
    except WrongArguments as error:
        for at, why in error.faults:
            key = re.split(r"[.\[]", at)[0]
            line = node.fields[key].line if isinstance(node, Fields) and key in node.fields else node.line
            report.add(line, join(where, at) if at else where, why)
        return BAD
