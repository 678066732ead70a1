"""Whatever is sent: no 5xx, no change by a request that was refused, a log that replays, and nobody's words or secrets in a log.

`scripts/fuzz` sends 100,000; here it is a part that is the same every time.
"""

import asyncio
import os
import sys
from collections import Counter

from hypothesis import HealthCheck, given, settings

from .fuzzing import Sent, Service, scenarios

REQUESTS = int(os.environ.get("MAITRED_FUZZ", "0"))
"""How many to send, of other kinds each time; 0: a few, the same every time."""
_FRESH_AFTER = 2000


def test_whatever_is_sent_nothing_breaks():
    """Scenarios of up to 40 requests to one service, until enough have been sent."""
    service, statuses, sessions = Service(), Counter[int](), 0

    @settings(
        max_examples=100,
        deadline=None,
        derandomize=not REQUESTS,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(scenarios)
    def sends(scenario: list[Sent]) -> None:
        asyncio.run(service.run(scenario))

    while not statuses or statuses.total() < REQUESTS:
        sends()
        if not REQUESTS or service.statuses.total() >= _FRESH_AFTER:
            sessions += asyncio.run(service.check_logs())
            statuses += service.statuses
            service = Service()
    counts = ", ".join(f"{status}: {times:,}" for status, times in sorted(statuses.items()))
    sys.stdout.write(f"\n{statuses.total():,} requests, {sessions:,} sessions; {counts}\n")
    assert {200, 400, 401, 404, 405} <= set(statuses)
