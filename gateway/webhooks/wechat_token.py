"""AccessToken: WeChat's key for its API, fetched when needed and kept until shortly before it ends.

The stable token is asked for: every process gets the same one, and fetching it does not void the others'.
"""

import asyncio
import json
import time
from collections.abc import Callable
from urllib.parse import quote

from .posting import Posting, Unsent

_EARLY_S = 120.0


class AccessToken:
    """`clock`: monotonic seconds."""

    def __init__(
        self, api_base: str, app_id: str, app_secret: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._url = f"{api_base}/cgi-bin/stable_token"
        grant = {"grant_type": "client_credential", "appid": app_id, "secret": app_secret, "force_refresh": False}
        self._ask = json.dumps(grant).encode()
        self._clock = clock
        self._token, self._until = "", 0.0
        self._lock = asyncio.Lock()

    async def get(self, posting: Posting) -> str:
        """The token, ready for a URL. Raises Unsent."""
        async with self._lock:  # one call fetches it for all
            if self._clock() >= self._until:
                await self._fetch(posting)
            return self._token

    def forget(self) -> None:
        """The server does not take it any more."""
        self._until = 0.0

    async def _fetch(self, posting: Posting) -> None:
        found = await posting.call("POST", self._url, content=self._ask)
        answer = found if isinstance(found, dict) else {}
        token, lasts_s = answer.get("access_token"), answer.get("expires_in")
        if not isinstance(token, str) or not isinstance(lasts_s, int):
            raise Unsent(f"WeChat gives no access token: errcode {answer.get('errcode')!r}", again=True)
        self._token, self._until = quote(token, safe=""), self._clock() + max(lasts_s - _EARLY_S, 0.0)
