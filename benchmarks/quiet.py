"""Silence for benches in which refusals are what is counted. Called by `malformed.py` and `tau.py`."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet() -> Iterator[None]:
    """No warning for each refused decision."""
    logger = logging.getLogger("maitred")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)
