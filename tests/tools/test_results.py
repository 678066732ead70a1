"""Which fields a result has, by the return type or the dictionaries returned; what cannot be told is not guessed."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypedDict

import pytest

from maitred import tool


class Stock(TypedDict):
    left: int


class Priced(Stock, total=False):
    price: str


def typed(tins: int) -> Priced:
    return {"left": tins}


async def typed_or_nothing(tins: int) -> Stock | None:
    return {"left": tins} if tins else None


def plain(tins: int) -> str:
    return str(tins)


def listed(tins: int) -> list[Stock]:
    return [{"left": tins}]


def written(tins: int) -> dict[str, Any]:
    def inner() -> str:
        return "not a result"

    if tins:
        return {"left": tins, "price": {"yuan": inner()}}
    return {"left": 0} if tins else {"why": "none"}


def nothing_or_written(tins: int) -> dict[str, Any] | None:
    if tins:
        return None
    return {"left": 1}


def spread(tins: int) -> dict[str, Any]:
    more = {"left": tins}
    return {**more, "price": 1}


def handed_on(tins: int) -> dict[str, Any]:
    return spread(tins)


def computed_key(tins: int) -> dict[str, Any]:
    return {str(tins): tins}


def untyped(tins: int):  # type: ignore[no-untyped-def]
    return {"left": tins}


@wraps(untyped)
def wrapped(tins: int) -> dict[str, Any]:
    return {"other": tins}


@pytest.mark.parametrize(
    ("function", "fields"),
    [
        (typed, {"left", "price"}),
        (typed_or_nothing, {"left"}),
        (plain, set()),
        (listed, set()),
        (written, {"left", "price", "why"}),
        (nothing_or_written, {"left"}),
        (untyped, {"left"}),
        (spread, None),
        (handed_on, None),
        (computed_key, None),
        (wrapped, None),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_fields_of_a_result(function: Callable[..., Any], fields: set[str] | None) -> None:
    """All that may be there, or None."""
    assert tool(effect="none")(function).spec.fields == fields


def test_a_function_without_source_tells_nothing() -> None:
    """Made by exec, typed in at a prompt: nobody can look."""
    names: dict[str, Any] = {}
    exec("def made(tins: int) -> dict: return {'left': tins}", names)
    assert tool(effect="none")(names["made"]).spec.fields is None
