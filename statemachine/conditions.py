"""Conditions: finite data over session data and an event's payload, so that the map can be proved over. Never a lambda.

A condition is a mapping path -> test; all tests must hold. A test is a plain value (equal) or `{op: value}` with the operators
below. A missing path fails every test but `ne` and `{"present": False}`. Values of different types are unequal and unordered.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict
from pydantic.dataclasses import dataclass

from ..protocol.plainly import plainly

Operator = Literal["eq", "ne", "in", "lt", "lte", "gt", "gte", "present"]
Plain = str | bool | int | float | None
Test = Plain | dict[Operator, Plain | list[Plain]]
Condition = Mapping[str, Test]
TargetName = Annotated[str, BeforeValidator(lambda value: str(value) if isinstance(value, str) else value)]

_MISSING = object()


@plainly
@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class When:
    """One entry of an ordered row: the first whose condition holds wins; `condition=None` (or empty) is the default.

    `forget`: session data that goes with this move, such as slots that must be asked again.
    """

    condition: dict[str, Test] | None
    target: TargetName
    forget: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """A test that could never hold as it is meant is refused where it is written."""
        for path, test in (self.condition or {}).items():
            for op, wanted in test.items() if isinstance(test, dict) else ():
                if (op == "in") != isinstance(wanted, list):
                    raise ValueError(f"{path}: {op!r} takes {'a list' if op == 'in' else 'one value'}, not {wanted!r}")
                if op == "present" and not isinstance(wanted, bool):
                    raise ValueError(f"{path}: 'present' takes true or false, not {wanted!r}")


def holds(condition: Condition | None, scope: Mapping[str, object]) -> bool:
    """Whether every test of `condition` holds in `scope` (None always holds)."""
    return condition is None or all(_passes(test, _find(path, scope)) for path, test in condition.items())


def _find(path: str, scope: Mapping[str, object]) -> object:
    """The value at a path, null too; a name with dots in it wins over a way through mappings."""
    value: object = scope
    for part in (path,) if path in scope else path.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return _MISSING
        value = value[part]
    return value


def _passes(test: Test, value: object) -> bool:
    if isinstance(test, Mapping):
        return all(_compare(op, value, wanted) for op, wanted in test.items())
    return _equal(value, test)


def _compare(op: str, value: object, wanted: object) -> bool:
    if op == "present":
        return (value is not _MISSING and value is not None) == bool(wanted)
    if op == "ne":
        return not _equal(value, wanted)
    if op == "eq":
        return _equal(value, wanted)
    if op == "in":
        return isinstance(wanted, Sequence) and any(_equal(value, w) for w in wanted)
    return _ordered(op, value, wanted)


def _equal(value: object, wanted: object) -> bool:
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    return value == wanted


def _ordered(op: str, value: object, wanted: object) -> bool:
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (value, wanted))
    if not numbers and not (isinstance(value, str) and isinstance(wanted, str)):
        return False
    left: Any = value
    if op == "lt":
        return bool(left < wanted)
    if op == "lte":
        return bool(left <= wanted)
    return bool(left > wanted) if op == "gt" else bool(left >= wanted)
