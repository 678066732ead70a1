"""Fixtures of the tools' tests: a context, a runner, and one call from declaration to result."""

from collections.abc import Callable
from typing import Any

import pytest

from maitred.fallback.breaker import LocalBreaker
from maitred.protocol.ports import CallContext
from maitred.tools.runner import Runner
from maitred.tools.tool import FunctionTool, tool


@pytest.fixture
def runner(monotonic: Callable[[], float]) -> Runner:
    return Runner(LocalBreaker(monotonic, freeze_s=30.0))


@pytest.fixture
def context() -> CallContext:
    return CallContext("s1", "c7", "key-1", "en", {"level": "gold"})


@pytest.fixture
def declared() -> Callable[..., FunctionTool]:
    """`declared(function, effect=...)`: a tool of that function; 50 ms is long here."""

    def declare(function: Callable[..., Any], **how: Any) -> FunctionTool:
        return tool(**{"effect": "none", "timeout_s": 0.05, **how})(function)

    return declare
