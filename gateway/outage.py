"""Outage: what waits for the store says so once, not each time that it looks. Used by `app.py` and `webhooks/webhooks.py`."""

import logging

from ..protocol.errors import StoreUnavailable

logger = logging.getLogger("maitred.gateway")


class Outage:
    """`who` waits."""

    def __init__(self, who: str) -> None:
        self._who, self._is_on = who, False

    def on(self, error: StoreUnavailable) -> None:
        """The store cannot be reached."""
        if not self._is_on:
            logger.warning("%s waits for the store: %s", self._who, error)
        self._is_on = True

    def over(self) -> None:
        """It answers."""
        if self._is_on:
            logger.warning("%s goes on: the store answers", self._who)
        self._is_on = False
