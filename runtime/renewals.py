"""Renewals: the leases of running turns, renewed before they run out. One timer for all of them: most turns end before it fires.

Called by `turns.py`. A renewal that fails is only noted: the next write finds out for itself whether the lease is void.
"""

import asyncio
import logging
from collections.abc import Callable

from ..protocol.ports import Lease, Store

logger = logging.getLogger("maitred.service")


class _Timer:
    """A call after some seconds, and the loop that it belongs to."""

    def __init__(self, after_s: float, call: Callable[[], None]) -> None:
        self.loop = asyncio.get_running_loop()
        self.cancel = self.loop.call_later(after_s, call).cancel


class Renewals:
    """Renews every `renew_s` seconds what is held then."""

    def __init__(self, store: Store, renew_s: float) -> None:
        self._store, self._renew_s = store, renew_s
        self._held: dict[Lease, asyncio.Task[None] | None] = {}
        self._timer: _Timer | None = None

    def hold(self, lease: Lease) -> None:
        """From now on."""
        self._held[lease] = None
        if (
            self._timer is None or self._timer.loop is not asyncio.get_running_loop()
        ):  # a loop that is over fires no more
            self._timer = _Timer(self._renew_s, self._fire)

    def drop(self, lease: Lease) -> None:
        """No more; a renewal that is under way is given up."""
        task = self._held.pop(lease, None)
        if task:
            task.cancel()

    def _fire(self) -> None:
        self._timer = None
        if not self._held:
            return
        for lease in self._held:
            self._held[lease] = asyncio.ensure_future(self._renew(lease))
        self._timer = _Timer(self._renew_s, self._fire)

    async def _renew(self, lease: Lease) -> None:
        try:
            await self._store.renew(lease)
        except Exception as error:  # noqa: BLE001  # whatever it was
            logger.warning("lease of session %s not renewed: %r", lease.session_id, error)

    def close(self) -> None:
        """Stop the timer."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
