"""results: which fields a tool's result has, as far as its function tells: by its return type, or by the dictionaries it returns.

So that a text with a field that no result has is found by `maitred check` and not by a customer. What cannot be told is None,
never a guess. Called by `tool.py` when a tool is declared.
"""

import ast
import inspect
import textwrap
import types
from collections.abc import Callable, Iterator
from typing import Any, Union, get_args, get_origin, is_typeddict

_PLAIN = (str, int, float, bool, type(None))


def fields_of_result(function: Callable[..., Any]) -> frozenset[str] | None:
    """The names of all fields that a result may have; empty if it is a plain value or a list; None if nobody knows."""
    if hasattr(function, "__wrapped__"):  # what another decorator makes of the result stands elsewhere
        return None
    try:
        returned = inspect.get_annotations(function, eval_str=True).get("return", Any)
    except Exception:  # noqa: BLE001  # any expression may stand in an annotation
        return None
    declared = _declared(returned)
    return _returned(function) if declared is None else declared


def _declared(returned: object) -> frozenset[str] | None:
    if is_typeddict(returned):
        return _keys_of(returned)
    if returned in _PLAIN or (get_origin(returned) or returned) in (list, tuple):
        return frozenset()
    if get_origin(returned) in (Union, types.UnionType):
        parts = [_declared(part) for part in get_args(returned)]
        known = [part for part in parts if part is not None]
        return frozenset().union(*known) if len(known) == len(parts) else None
    return None


def _keys_of(returned: object) -> frozenset[str]:
    required: frozenset[str] = getattr(returned, "__required_keys__", frozenset())
    optional: frozenset[str] = getattr(returned, "__optional_keys__", frozenset())
    return required | optional


def _returned(function: Callable[..., Any]) -> frozenset[str] | None:
    """The keys of the dictionaries that stand behind `return`, if nothing else stands there."""
    try:
        [made] = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    if not isinstance(made, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    keys = [_keys(value) for value in _values(made)]
    known = [part for part in keys if part is not None]
    return frozenset().union(*known) if keys and len(known) == len(keys) else None


def _values(function: ast.AST) -> Iterator[ast.expr | None]:
    """What the function returns; not what functions within it do."""
    for node in ast.iter_child_nodes(function):
        if isinstance(node, ast.Return):
            yield node.value
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            yield from _values(node)


def _keys(value: ast.expr | None) -> frozenset[str] | None:
    if value is None or (isinstance(value, ast.Constant) and isinstance(value.value, _PLAIN)):
        return frozenset()
    if isinstance(value, ast.IfExp):
        ways = (_keys(value.body), _keys(value.orelse))
        return None if ways[0] is None or ways[1] is None else ways[0] | ways[1]
    if not isinstance(value, ast.Dict):
        return None
    keys = [key.value for key in value.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
    return frozenset(keys) if len(keys) == len(value.keys) else None
