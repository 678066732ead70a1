"""`@tool` refuses what cannot be checked, when the flow is written and not when a customer is there."""

import datetime as dt
import threading
from typing import Any

import pytest

from maitred.protocol.errors import FlowError
from maitred.protocol.ports import CallContext
from maitred.tools.tool import tool


class Opaque:
    """A type that JSON does not know."""


def positional(a: int, /) -> int:
    return a


def untyped(a) -> int:  # type: ignore[no-untyped-def]
    return 1


def many(*numbers: int) -> int:
    return 1


def anything(**values: int) -> int:
    return 1


def opaque(a: Opaque) -> int:
    return 1


def unknown_type(a: "NoSuchType") -> int:  # type: ignore[name-defined]  # noqa: F821
    return 1


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (untyped, "parameter 'a' has no type"),
        (many, r"\*numbers cannot be checked"),
        (anything, r"\*values cannot be checked"),
        (positional, "positional only"),
        (opaque, "no JSON Schema"),
        (unknown_type, "no JSON Schema"),
    ],
)
def test_function_that_cannot_be_checked_is_refused(function: Any, reason: str):
    """The message names the tool and the parameter."""
    with pytest.raises(FlowError, match=reason) as caught:
        tool(effect="none")(function)
    assert function.__name__ in str(caught.value)


def test_effect_has_no_default():
    """Whoever writes a tool says what it does to the world."""
    with pytest.raises(TypeError, match="effect"):
        tool()  # type: ignore[call-arg]


@pytest.mark.parametrize("effect", ["", "Idempotent", None, "writes"])
def test_effect_is_one_of_three_words(effect: Any):
    """And the message lists them."""
    with pytest.raises(FlowError, match="'none', 'idempotent' or 'non_idempotent'"):
        tool(effect=effect)


@pytest.mark.parametrize("timeout_s", [0, -1, float("nan"), "5", None])
def test_timeout_is_seconds_above_zero(timeout_s: Any):
    """Also where it is no number at all."""
    with pytest.raises(FlowError, match="timeout_s"):
        tool(effect="none", timeout_s=timeout_s)


@pytest.mark.parametrize(
    ("bind", "reason"),
    [
        ({"b": "meta.level"}, "binds 'b', which is not one of its parameters: a"),
        ({"a": "env.HOME"}, "a path starts with meta., data., call.key"),
        ({"a": "level"}, "a path starts with"),
    ],
)
def test_binding_names_a_parameter_and_a_known_place(bind: dict[str, str], reason: str):
    """A typing mistake must not become a missing argument at run time."""

    def level(a: str) -> str:
        return a

    with pytest.raises(FlowError, match=reason):
        tool(effect="none", bind=bind)(level)


def test_spec_is_what_the_signature_says():
    """Names, types, required ones; bound parameters and the context are in no schema."""

    @tool(effect="idempotent", timeout_s=2, bind={"customer": "meta.customer", "key": "call.key"}, saves="offer")
    def quote(seats: int, customer: str, key: str, context: CallContext, plan: str = "basic") -> int:
        """A price.

        More words.
        """
        return 1

    spec = quote.spec
    assert (spec.name, spec.effect, spec.timeout_s, spec.summary, spec.data_name) == (
        "quote",
        "idempotent",
        2,
        "A price.",
        "offer",
    )
    assert {name: schema["type"] for name, schema in spec.parameters.items()} == {"seats": "integer", "plan": "string"}
    assert spec.required == {"seats", "customer", "key"}
    assert dict(spec.bind) == {"customer": "meta.customer", "key": "call.key"}


def test_name_and_summary_can_be_given():
    """Where the function's own do not fit."""

    @tool(effect="none", name="look_up", summary="finds it")
    def _f(a: int) -> int:
        return a

    assert (_f.spec.name, _f.spec.summary) == ("look_up", "finds it")


def test_tool_is_still_the_function():
    """It can be called in the user's own code and tests."""

    @tool(effect="none")
    def double(a: int) -> int:
        return 2 * a

    assert double(21) == 42


class TestCalling:
    async def test_arguments_are_converted_to_the_parameters_types(self, context: CallContext):
        """JSON has no dates."""

        @tool(effect="none")
        def weekday(day: dt.date, ahead: int = 1) -> str:
            return f"{(day + dt.timedelta(days=ahead)):%A}"

        assert await weekday.call({"day": "2026-11-30"}, context) == "Tuesday"

    async def test_context_is_handed_over_and_is_no_argument(self, context: CallContext):
        """The key, the session and the background reach the tool; nobody can give them from outside."""

        @tool(effect="none")
        def who(a: int, context: CallContext) -> list[Any]:
            return [context.session_id, context.call_id, context.key, context.lang, context.meta["level"]]

        assert await who.call({"a": 1}, context) == ["s1", "c7", "key-1", "en", "gold"]

    async def test_blocking_function_runs_beside_the_event_loop(self, context: CallContext):
        """In a thread of its own, which ends with it and does not keep the process."""

        @tool(effect="none")
        def where() -> list[Any]:
            return [threading.current_thread() is threading.main_thread(), threading.current_thread().daemon]

        assert await where.call({}, context) == [False, True]

    async def test_async_function_runs_in_the_event_loop(self, context: CallContext):
        """Where its connections live."""

        @tool(effect="none")
        async def where() -> bool:
            return threading.current_thread() is threading.main_thread()

        assert await where.call({}, context) is True


@pytest.mark.parametrize("declare", [lambda f: tool(f), lambda f: tool(f, effect="none")])
def test_a_decorator_without_brackets_says_what_is_missing(declare: Any) -> None:
    """`@tool` alone is the first thing that people write."""
    with pytest.raises((TypeError, FlowError), match="effect"):
        declare(many)
