"""Whatever a tool does, a call ends in time and as one ToolResult; what that means depends on the tool's effect."""

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from maitred.protocol.messages import ToolStatus
from maitred.protocol.ports import CallContext
from maitred.protocol.tool_spec import ToolResult
from maitred.tools.runner import Runner
from maitred.tools.tool import ToolError

Declare = Callable[..., Any]
Monotonic = Any
EFFECTS = ("none", "idempotent", "non_idempotent")


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


async def hang_async() -> None:
    await asyncio.Event().wait()


async def hang_stubbornly() -> None:
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        await asyncio.Event().wait()  # a second cancellation ends it, or the event loop could not close


LET_GO = threading.Event()


def hang() -> None:
    LET_GO.wait()


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    """A test may leave a blocked thread behind; the tests that fork later must not find it."""
    yield
    LET_GO.set()
    for thread in threading.enumerate():
        if thread.name == "maitred-tool":
            thread.join(10)
    LET_GO.clear()


async def cancel_itself() -> None:
    raise asyncio.CancelledError


def raises(error: BaseException) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


async def test_result_of_both_kinds_of_function(runner: Runner, declared: Declare, context: CallContext):
    """Blocking or not, tuples become lists."""

    async def later(a: int) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"a": (a, 2)}

    def now(a: int) -> dict[str, Any]:
        return {"a": [a, 2]}

    for function in (later, now):
        assert await runner.run(declared(function), {"a": 1}, context) == ToolResult(ToolStatus.OK, {"a": [1, 2]})


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("no such\x00 order \ud800"), "ValueError: no such order \ufffd"),
        (Unprintable(), "Unprintable: (its text cannot be shown)"),
        (SystemExit(3), "Broken: it raised SystemExit"),
        (KeyboardInterrupt(), "Broken: it raised KeyboardInterrupt"),
        (StopIteration(), "Broken: it raised StopIteration"),
        (ValueError("x" * 10_000), "ValueError: " + "x" * 500),
    ],
)
async def test_whatever_a_tool_raises_is_an_error_fit_to_be_stored(
    runner: Runner, declared: Declare, context: CallContext, error: BaseException, text: str
):
    """One line, cut, without what JSON cannot hold; a non-idempotent tool may have done it before it broke: unknown."""
    result = await runner.run(declared(raises(error)), {}, context)
    assert (result.status, result.value, result.error) == (ToolStatus.ERROR, None, text)
    result = await runner.run(declared(raises(error), effect="non_idempotent"), {}, context)
    assert result.status is ToolStatus.UNKNOWN
    assert text in str(result.error)


async def test_tool_that_cancels_itself_is_broken_and_cancels_nobody_else(
    runner: Runner, declared: Declare, context: CallContext
):
    """Its turn goes on."""
    result = await runner.run(declared(cancel_itself), {}, context)
    assert (result.status, result.error) == (ToolStatus.ERROR, "Broken: it cancelled itself")


@pytest.mark.parametrize("effect", EFFECTS)
async def test_refusal_is_an_error_whatever_the_effect(
    runner: Runner, declared: Declare, context: CallContext, effect: str
):
    """ToolError says that it was not done; so do arguments that do not fit."""
    result = await runner.run(declared(raises(ToolError("no such order")), effect=effect), {}, context)
    assert result == ToolResult(ToolStatus.ERROR, error="no such order")

    def double(a: int) -> int:
        return 2 * a

    for arguments in ({"a": "many"}, {}, {"a": 1, "b": 2}):
        result = await runner.run(declared(double, effect=effect), arguments, context)
        assert result.status is ToolStatus.ERROR
        assert "arguments do not fit" in str(result.error)
        assert "many" not in str(result.error)


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (float("nan"), "not a finite number"),
        ({"a": [float("inf")]}, "not a finite number"),
        ("\ud800", "lone surrogate"),
        ({"\udfff": 1}, "lone surrogate"),
        (nested(10_000), "nested deeper than 32"),
        ("x" * 2_000_000, "more than 200,000 characters"),
        ([0] * 1_000_000, "more than 20,000 JSON values"),
        (10**5000, "more than 1024 bits"),
        ({1: 2}, "not a string"),
        (b"bytes", "a bytes has no JSON form"),
        ({"a": {1, 2}}, "a set has no JSON form"),
        (object(), "a object has no JSON form"),
    ],
    ids=lambda v: v if isinstance(v, str) and len(v) < 40 else "",
)
@pytest.mark.parametrize("effect", ["none", "non_idempotent"])
async def test_result_that_cannot_be_kept_is_an_error(
    runner: Runner, declared: Declare, context: CallContext, value: Any, reason: str, effect: str
):
    """What was done was done: of a non-idempotent tool nobody knows what it told, so it is unknown."""
    result = await runner.run(declared(lambda: value, effect=effect, name="odd"), {}, context)
    assert result.status is (ToolStatus.ERROR if effect == "none" else ToolStatus.UNKNOWN)
    assert reason in str(result.error)


class TestTime:
    @pytest.mark.parametrize("function", [hang_async, hang_stubbornly, hang])
    async def test_hanging_tool_is_left_behind_in_time(
        self, runner: Runner, declared: Declare, context: CallContext, function: Callable[..., Any]
    ):
        """One that waits, one that catches its cancellation, one that blocks its thread."""
        began = time.monotonic()
        result = await runner.run(declared(function, timeout_s=0.05), {}, context)
        assert (result.status, result.error) == (
            ToolStatus.TIMEOUT,
            f"{function.__name__} did not answer within 0.05 s",
        )
        assert time.monotonic() - began < 2

    async def test_reading_tool_is_not_called_again(self, runner: Runner, declared: Declare, context: CallContext):
        """Effect none: not available, and that is all."""
        calls = []

        async def look() -> None:
            calls.append(1)
            await asyncio.Event().wait()

        assert (await runner.run(declared(look), {}, context)).status is ToolStatus.TIMEOUT
        assert len(calls) == 1

    async def test_idempotent_tool_is_called_once_more_with_the_same_key(
        self, runner: Runner, declared: Declare, context: CallContext
    ):
        """The second answer counts; if there is none either, it is not available, and was never called a third time."""
        keys: list[str] = []

        async def order(patience: int, context: CallContext) -> str:
            keys.append(context.key)
            if len(keys) < patience:
                await asyncio.Event().wait()
            return "SO1"

        tool = declared(order, effect="idempotent")
        assert await runner.run(tool, {"patience": 2}, context) == ToolResult(ToolStatus.OK, "SO1")
        assert keys == ["key-1", "key-1"]
        keys.clear()
        assert (await runner.run(tool, {"patience": 9}, context)).status is ToolStatus.TIMEOUT
        assert keys == ["key-1", "key-1"]

    async def test_non_idempotent_tool_without_lookup_is_unknown_and_never_called_again(
        self, runner: Runner, declared: Declare, context: CallContext
    ):
        """It may have happened."""
        calls = []

        async def pay() -> None:
            calls.append(1)
            await asyncio.Event().wait()

        result = await runner.run(declared(pay, effect="non_idempotent"), {}, context)
        assert result.status is ToolStatus.UNKNOWN
        assert "may have run and has no lookup; pay did not answer within 0.05 s" in str(result.error)
        assert len(calls) == 1

    @pytest.mark.parametrize(
        ("found", "status", "value"),
        [
            ({"paid": True}, ToolStatus.OK, {"paid": True}),
            ({}, ToolStatus.OK, {}),
            (None, ToolStatus.ERROR, None),
            (object(), ToolStatus.UNKNOWN, None),
            (ValueError("down"), ToolStatus.UNKNOWN, None),
            ("hang", ToolStatus.UNKNOWN, None),
        ],
    )
    async def test_lookup_says_what_became_of_the_call(
        self, runner: Runner, declared: Declare, context: CallContext, found: Any, status: ToolStatus, value: Any
    ):
        """Its result; None: it never happened; no answer or none that can be kept: unknown. It is asked by the key."""
        asked: list[str] = []

        async def lookup(key: str) -> Any:
            asked.append(key)
            if found == "hang":
                await asyncio.Event().wait()
            if isinstance(found, Exception):
                raise found
            return found

        tool = declared(hang_async, effect="non_idempotent", lookup=lookup)
        result = await runner.run(tool, {}, context)
        assert (result.status, result.value, asked) == (status, value, ["key-1"])

    async def test_blocking_lookup_and_one_that_returns_a_coroutine_work_too(
        self, runner: Runner, declared: Declare, context: CallContext
    ):
        """`lookup=lambda key: client.find(key)` is an easy thing to write."""

        async def find(key: str) -> str:
            return f"found {key}"

        for lookup in (lambda key: f"found {key}", lambda key: find(key)):
            tool = declared(hang_async, effect="non_idempotent", lookup=lookup)
            assert await runner.recover(tool, {}, context) == ToolResult(ToolStatus.OK, "found key-1")

    async def test_cancelled_turn_cancels_its_tool(self, runner: Runner, declared: Declare, context: CallContext):
        """A process that shuts down leaves nothing running."""
        began, ended = asyncio.Event(), asyncio.Event()

        async def slow() -> None:
            began.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        turn = asyncio.ensure_future(runner.run(declared(slow, timeout_s=60), {}, context))
        await began.wait()
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        await asyncio.wait_for(ended.wait(), 2)


class TestFreezing:
    @pytest.mark.parametrize("effect", EFFECTS)
    async def test_after_a_timeout_the_tool_is_not_called_for_a_while(
        self, runner: Runner, declared: Declare, context: CallContext, monotonic: Monotonic, effect: str
    ):
        """Then a single probe is; an answer frees the tool for everyone."""
        calls: list[int] = []
        well = asyncio.Event()

        async def shaky() -> int:
            calls.append(1)
            await well.wait()
            return len(calls)

        tool = declared(shaky, effect=effect)
        await runner.run(tool, {}, context)
        well.set()
        calls.clear()
        frozen = await runner.run(tool, {}, context)
        assert frozen == ToolResult(ToolStatus.FROZEN, error="shaky is frozen after a time-out")
        monotonic.now += 30
        results = await asyncio.gather(*(runner.run(tool, {}, context) for _ in range(4)))
        assert [r.status for r in results] == [ToolStatus.OK] + [ToolStatus.FROZEN] * 3
        assert (await runner.run(tool, {}, context)).status is ToolStatus.OK
        assert len(calls) == 2

    async def test_error_of_its_own_does_not_freeze(self, runner: Runner, declared: Declare, context: CallContext):
        """A tool that answers, if only with a refusal, is there."""
        tool = declared(raises(ToolError("no")))
        assert [(await runner.run(tool, {}, context)).status for _ in range(3)] == [ToolStatus.ERROR] * 3


class TestRecovery:
    @pytest.mark.parametrize("effect", ["none", "idempotent"])
    async def test_harmless_call_is_made_again_with_the_same_key(
        self, runner: Runner, declared: Declare, context: CallContext, effect: str
    ):
        """Twice is once."""

        def order(context: CallContext) -> str:
            return context.key

        assert await runner.recover(declared(order, effect=effect), {}, context) == ToolResult(ToolStatus.OK, "key-1")

    async def test_other_call_is_never_made_again(self, runner: Runner, declared: Declare, context: CallContext):
        """It is looked up; without a lookup nobody knows."""
        calls: list[int] = []
        known = declared(
            lambda: calls.append(1), effect="non_idempotent", name="pay", lookup=lambda key: f"receipt {key}"
        )
        unknown = declared(lambda: calls.append(1), effect="non_idempotent", name="pay")
        assert await runner.recover(known, {}, context) == ToolResult(ToolStatus.OK, "receipt key-1")
        assert (await runner.recover(unknown, {}, context)).status is ToolStatus.UNKNOWN
        assert calls == []


HUNG = """
import asyncio, threading
from maitred.protocol.ports import CallContext
from maitred.tools.runner import Runner
from maitred.tools.tool import tool

@tool(effect="none", timeout_s=0.05)
def hang() -> None:
    threading.Event().wait()

print(asyncio.run(Runner().run(hang, {}, CallContext("s", "c", "k", "en"))).status)
"""


def test_tool_that_hangs_for_ever_does_not_keep_the_process_from_ending():
    """Its thread is still blocked when the program ends."""
    ended = subprocess.run([sys.executable, "-c", HUNG], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout.strip() == "timeout"
