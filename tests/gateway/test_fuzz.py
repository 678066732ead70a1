"""Whatever is sent: no 5xx, no change by a request that was refused, a log that replays, and nobody's words or secrets in a log.

`scripts/fuzz` sends 100,000; here it is a part that is the same every time.
"""

import asyncio
import os
import sys

from hypothesis import HealthCheck, given, settings

from .fuzzing import Sent, Service, scenarios

REQUESTS = int(os.environ.get("MAITRED_FUZZ", "0"))
"""How many to send, of other kinds each time; 0: a few, the same every time."""
_FRESH_AFTER = 2000


def test_whatever_is_sent_nothing_breaks():
    """Scenarios of up to 40 requests to one service, until enough have been sent."""
    services = [Service()]
    asked = 0

    @settings(
        max_examples=REQUESTS or 120,
        deadline=None,
        derandomize=not REQUESTS,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(scenarios)
    def sends(scenario: list[Sent]) -> None:
        nonlocal asked
        if REQUESTS and asked >= REQUESTS:
            return
        asked += len(scenario)
        if sum(services[-1].statuses.values()) > _FRESH_AFTER:
            services.append(Service())
        asyncio.run(services[-1].run(scenario))

    sends()
    sessions = sum(asyncio.run(service.check_logs()) for service in services)
    statuses: dict[int, int] = {}
    for service in services:
        for status, times in service.statuses.items():
            statuses[status] = statuses.get(status, 0) + times
    sys.stdout.write(
        f"\n{sum(statuses.values()):,} requests, {sessions:,} sessions, by status: {dict(sorted(statuses.items()))}\n"
    )
    assert {200, 400, 401, 404, 405} <= set(statuses)
