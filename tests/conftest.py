"""Fixtures of several layers: a clock for the breaker, moved by hand."""

import pytest


class Monotonic:
    """Seconds, as a monotonic clock gives them."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def monotonic() -> Monotonic:
    return Monotonic()
